// What containers may learn about their pod: which of its fields and which of their resources, in environment variables
// and in files. As pkg/apis/core/validation/validation.go, validateObjectFieldSelector and
// validateContainerResourceFieldSelector, and pkg/apis/core/pods/helpers.go, ConvertDownwardAPIFieldLabel.
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isQualifiedName } from '../../objects/names.js';
import { isZeroQuantity } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../types/core-v1.generated.js';
import { noErrors, ruled } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';

/** Fields that files can show, besides single labels and annotations. */
export const volumeFieldPaths: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** Fields that environment variables can show, besides single labels and annotations. */
export const envFieldPaths: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** A field of the pod. Only the first thing wrong is reported. */
export function validateFieldSelector(
  selector: Frozen<ObjectFieldSelector>,
  allowed: readonly string[],
  path: FieldPath,
): FieldErrors {
  const { apiVersion = '', fieldPath } = selector;
  if (apiVersion === '') return [fieldRequired(path.child('apiVersion'))];
  if (fieldPath === '') return [fieldRequired(path.child('fieldPath'))];
  const subscripted = splitSubscript(fieldPath);
  const problem = labelProblem(apiVersion, fieldPath, subscripted?.path);
  if (problem !== undefined)
    return [fieldInvalid(path.child('fieldPath'), fieldPath, `error converting fieldPath: ${problem}`)];
  if (subscripted !== undefined) {
    const { path: map, key } = subscripted;
    return ruled(map === 'metadata.annotations' ? key.toLowerCase() : key, isQualifiedName, path);
  }
  const field = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  return allowed.includes(field) ? noErrors : [fieldNotSupported(path.child('fieldPath'), field, allowed)];
}

/** A resource of a container. `missing` says that the container is not named where it must be. */
export function validateResourceSelector(
  selector: Frozen<ResourceFieldSelector>,
  path: FieldPath,
  missing: FieldErrors = noErrors,
): FieldErrors {
  const { resource } = selector;
  const wrong = missing.length > 0 ? missing : validateResource(resource, path.child('resource'));
  const divisor = validateDivisor(resource, selector.divisor ?? '0', path.child('divisor'));
  return wrong.length === 0 ? divisor : [...wrong, ...divisor];
}

/** `metadata.labels['key']` in parts; undefined for paths without a subscript. */
function splitSubscript(text: string): { path: string; key: string } | undefined {
  const open = text.indexOf("['");
  if (open <= 0 || !text.endsWith("']") || text.length < open + 4) return undefined;
  return { path: text.slice(0, open), key: text.slice(open + 2, -2) };
}

function labelProblem(apiVersion: string, label: string, map: string | undefined): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  if (map !== undefined) {
    return map === 'metadata.annotations' || map === 'metadata.labels'
      ? undefined
      : `field label does not support subscript: ${label}`;
  }
  return convertibleLabels.has(label) ? undefined : `field label not supported: ${label}`;
}

const convertibleLabels: ReadonlySet<string> = new Set([
  ...volumeFieldPaths,
  ...envFieldPaths,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
]);

const resources: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

function isHugePages(resource: string): boolean {
  return resource.startsWith('limits.hugepages-') || resource.startsWith('requests.hugepages-');
}

function validateResource(resource: string, path: FieldPath): FieldErrors {
  if (resource === '') return [fieldRequired(path)];
  return resources.includes(resource) || isHugePages(resource)
    ? noErrors
    : [fieldNotSupported(path, resource, resources)];
}

const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const byteDivisorList = byteDivisors.join(', ');

/** Errors show the resource, not the divisor. */
function validateDivisor(resource: string, divisor: string, path: FieldPath): FieldErrors {
  if (isZeroQuantity(parseQuantity(divisor))) return noErrors;
  if (resource.endsWith('.cpu') && resources.includes(resource)) {
    return divisor === '1m' || divisor === '1'
      ? noErrors
      : [fieldInvalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource")];
  }
  const kind = resources.includes(resource)
    ? resource.endsWith('.memory')
      ? 'memory'
      : 'local ephemeral storage'
    : 'hugepages';
  if ((!resources.includes(resource) && !isHugePages(resource)) || byteDivisors.includes(divisor)) return noErrors;
  return [
    fieldInvalid(path, resource, `only divisor's values ${byteDivisorList} are supported with the ${kind} resource`),
  ];
}
