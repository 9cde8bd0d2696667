// Resources that containers, and pods as a whole, request: names, amounts, requests within limits, and claims on
// devices. As pkg/apis/core/validation/validation.go, validateResourceRequirements and validatePodResources.
import { findingsMax } from '../../errors/collect.js';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Label } from '../../objects/names.js';
import { isParseError } from '../../objects/parse-error.js';
import {
  compareQuantities,
  quantitySign,
  quantityToInteger,
  quantityToMilli,
} from '../../objects/quantity-arithmetic.js';
import type { Quantity } from '../../objects/quantity-arithmetic.js';
import { parseQuantity, printQuantity } from '../../objects/quantity.js';
import type { PodSpec, ResourceClaim, ResourceRequirements } from '../../types/core-v1.generated.js';
import { printedWord } from '../printed-values.js';
import { validateResourceQuantity } from '../quantity-validation.js';
import {
  isHugePages,
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from '../resource-names.js';
import { aggregateContainers } from './container-resources.js';
import { each, noErrors, ruledIfGiven } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { regularContainers } from './pod-containers.js';
import type { PodValidationOptions } from './pod-validation-options.js';

/** What a check of resources must know besides them. */
export interface ResourceContext {
  /** The names of the pod's claims. */
  readonly claimNames: ReadonlySet<string>;
  readonly options: PodValidationOptions;
}

/** Resources of a container, or of a pod's overhead. */
export function validateContainerResources(
  requirements: Frozen<ResourceRequirements> | undefined,
  path: FieldPath,
  context: ResourceContext,
): FieldErrors {
  if (requirements === undefined) return noErrors;
  const { limits, requests, claims } = requirements;
  if (limits === undefined && requests === undefined && claims === undefined) return noErrors;
  return validateRequirements(requirements, path, { validateName: validateContainerResourceName, ...context });
}

/** Resources of the pod as a whole. */
export function validatePodResources(spec: Frozen<PodSpec>, path: FieldPath, context: ResourceContext): FieldErrors {
  const { resources } = spec;
  if (resources === undefined) return noErrors;
  const at = path.child('resources');
  if (spec.os?.name === 'windows') return [fieldForbidden(at, 'may not be set for a windows pod')];
  return [
    ...(resources.claims === undefined
      ? noErrors
      : [fieldForbidden(at.child('claims'), 'claims may not be set for Resources at pod-level')]),
    ...validateRequirements(resources, at, { validateName: validatePodResourceName, ...context }),
    ...validateConsistency(spec, resources, at),
  ];
}

/** Returns whether an amount of huge pages is a number of pages. */
export function isWholePages(name: string, amount: string): boolean {
  const size = pageSize(name);
  if (size === undefined || quantitySign(size) <= 0 || quantityToMilli(size) % 1000n !== 0n) return false;
  return quantityToInteger(parseQuantity(amount)) % quantityToInteger(size) === 0n;
}

function pageSize(name: string): Quantity | undefined {
  try {
    return parseQuantity(name.slice('hugepages-'.length));
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

type Amounts = Readonly<Record<string, string>>;
type NameCheck = (name: string, path: FieldPath) => FieldErrors;

function validateRequirements(
  requirements: Frozen<ResourceRequirements>,
  path: FieldPath,
  context: ResourceContext & { readonly validateName: NameCheck },
): FieldErrors {
  const { limits = {}, requests = {}, claims } = requirements;
  const limitsPath = path.child('limits');
  const requestsPath = path.child('requests');
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(limits))
    errors.push(...validateAmount(name, amount, limitsPath.key(name), context));
  for (const [name, amount] of Object.entries(requests)) {
    if (errors.length > findingsMax) break;
    const at = requestsPath.key(name);
    errors.push(...context.validateName(name, at), ...validateResourceQuantity(name, amount, at));
    errors.push(...validateAgainstLimit(name, amount, limits, { requests: requestsPath, limits: limitsPath }));
    errors.push(...validateHugePages(name, amount, at, context.options));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(fieldForbidden(path, 'HugePages require cpu or memory'));
  }
  return [...errors, ...validateClaims(claims, path.child('claims'), context.claimNames)];
}

function validateAmount(
  name: string,
  amount: string,
  path: FieldPath,
  context: ResourceContext & { readonly validateName: NameCheck },
): FieldErrors {
  return [
    ...context.validateName(name, path),
    ...validateResourceQuantity(name, amount, path),
    ...validateHugePages(name, amount, path, context.options),
  ];
}

function validateHugePages(name: string, amount: string, path: FieldPath, options: PodValidationOptions): FieldErrors {
  if (!isHugePages(name) || options.allowIndivisibleHugePages === true || isWholePages(name, amount)) return noErrors;
  return [fieldInvalid(path, amount, `${amount} is not positive integer multiple of ${name}`)];
}

function validateAgainstLimit(
  name: string,
  amount: string,
  limits: Amounts,
  paths: { requests: FieldPath; limits: FieldPath },
): FieldErrors {
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  const overcommit = isOvercommitAllowed(name);
  if (limit === undefined) {
    return overcommit ? noErrors : [fieldRequired(paths.limits, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(parseQuantity(amount), parseQuantity(limit));
  if (order !== 0 && !overcommit)
    return [fieldInvalid(paths.requests, amount, `must be equal to ${name} limit of ${limit}`)];
  return order > 0
    ? [fieldInvalid(paths.requests, amount, `must be less than or equal to ${name} limit of ${limit}`)]
    : noErrors;
}

/** References to the pod's claims: to a claim as a whole, or to single requests of it, but not both. */
function validateClaims(
  claims: readonly Frozen<ResourceClaim>[] | undefined,
  path: FieldPath,
  podClaims: ReadonlySet<string>,
): FieldErrors {
  const seen = new Set<string>();
  const requestsOf = new Map<string, number>();
  return each(claims, path, ({ name, request = '' }, at) => {
    if (name === '') return [fieldRequired(at)];
    const errors: FieldError[] = [];
    if (seen.has(name)) errors.push(fieldDuplicate(at, name));
    else {
      errors.push(...ruledIfGiven(request, isDns1123Label, at.child('request')));
      const key = request === '' ? name : `${name}/${request}`;
      if (seen.has(key)) errors.push(fieldDuplicate(at, key));
      else if (request === '') {
        // Once for each request of the claim that was named before.
        for (let count = requestsOf.get(name) ?? 0; count > 0; count--) errors.push(fieldDuplicate(at, name));
      } else requestsOf.set(name, (requestsOf.get(name) ?? 0) + 1);
      seen.add(key);
    }
    if (!podClaims.has(name)) errors.push(claimNotFound(at, name, podClaims));
    return errors;
  });
}

function claimNotFound(path: FieldPath, name: string, podClaims: ReadonlySet<string>): FieldError {
  const known = podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].sort().join(', ')}`;
  const error = fieldNotFound(path, name);
  return { ...error, message: `${error.message}: must be one of the names in pod.spec.resourceClaims${known}` };
}

const podResources = ['cpu', 'hugepages-', 'memory'];

function validatePodResourceName(name: string, path: FieldPath): FieldErrors {
  const wrong = validateResourceName(name, path);
  if (wrong.length > 0) return wrong;
  return name === 'cpu' || name === 'memory' || isHugePages(name)
    ? noErrors
    : [fieldNotSupported(path, printedWord(name), podResources)];
}

/** What the pod requests must be enough for its containers. */
function validateConsistency(
  spec: Frozen<PodSpec>,
  resources: Frozen<ResourceRequirements>,
  path: FieldPath,
): FieldErrors {
  const { limits = {}, requests = {} } = resources;
  const errors: FieldError[] = [];
  for (const [name, sum] of aggregateContainers(spec, 'requests')) {
    if (errors.length > findingsMax) break;
    const amount = Object.hasOwn(requests, name) ? requests[name] : undefined;
    if (amount === undefined || compareQuantities(sum, parseQuantity(amount)) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container requests of ${printQuantity(sum)}`;
    errors.push(fieldInvalid(path.child('requests').key(name), amount, detail));
  }
  for (const [name, sum] of aggregateContainers(spec, 'limits')) {
    if (errors.length > findingsMax) break;
    const amount = Object.hasOwn(limits, name) ? limits[name] : undefined;
    if (!isHugePages(name) || amount === undefined || compareQuantities(sum, parseQuantity(amount)) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container limits of ${printQuantity(sum)}`;
    errors.push(fieldInvalid(path.child('limits').key(name), amount, detail));
  }
  for (const [index, container] of regularContainers(spec).entries()) {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const most = Object.hasOwn(limits, name) ? limits[name] : undefined;
      if (most === undefined || compareQuantities(parseQuantity(limit), parseQuantity(most)) <= 0) continue;
      // The place of the name in this path is Kubernetes' own.
      const at = path.child('containers').index(index).key(name).child('limits');
      errors.push(fieldInvalid(at, limit, `must be less than or equal to pod limits of ${most}`));
    }
  }
  return errors;
}
