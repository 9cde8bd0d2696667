// Access checks in expressions: `authorizer.group('apps').resource('deployments').check('create').allowed()`. What
// decides is given with the variable `authorizer`; an expression only describes the check.
import { isDns1123Label, isDns1123Subdomain } from '../../core/index.js';
import { boolType, opaqueType, stringType } from '../cel-type.js';
import type { OpaqueType } from '../cel-type.js';
import { OpaqueValue } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { CallEstimate, FunctionDeclaration, Library, Overload, ValueEstimate } from '../library.js';
import { costSize } from '../standard/costs.js';
import { addRanges, multiplyRanges } from '../cost/shape.js';
import { exactly, sizeEstimate, traversalCost, traversalEstimate } from './costs.js';
import { declareFunction, memberOverload } from './overloads.js';

/** A check that an expression asks for. Absent parts are empty. */
export interface AccessCheck {
  /** The service account to decide for; undefined for the user of the request. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | undefined;
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Selectors as they were written; undefined where the check has none. */
  readonly fieldSelector: string | undefined;
  readonly labelSelector: string | undefined;
}

/** The result of a check. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** Why the authorizer failed; undefined where it did not. */
  readonly error?: string | undefined;
}

/** Decides a check at once. */
export type DecideAccess = (check: AccessCheck) => AccessDecision;

/** The type of the variable `authorizer`. */
export const authorizerType: OpaqueType = opaqueType('kubernetes.authorization.Authorizer');

/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType: OpaqueType = opaqueType('kubernetes.authorization.ResourceCheck');

const pathCheckType: OpaqueType = opaqueType('kubernetes.authorization.PathCheck');
const groupCheckType: OpaqueType = opaqueType('kubernetes.authorization.GroupCheck');
const decisionType: OpaqueType = opaqueType('kubernetes.authorization.Decision');

/** A check that is being described, of one of the types above. */
class CheckValue extends OpaqueValue {
  readonly type: OpaqueType;
  readonly check: AccessCheck;
  readonly decide: DecideAccess;

  constructor(type: OpaqueType, check: AccessCheck, decide: DecideAccess) {
    super();
    this.type = type;
    this.check = check;
    this.decide = decide;
  }

  with(type: OpaqueType, part: Partial<AccessCheck>): CheckValue {
    return new CheckValue(type, { ...this.check, ...part }, this.decide);
  }

  equals(other: CelValue): boolean {
    return other === this;
  }
}

class DecisionValue extends OpaqueValue {
  readonly type: OpaqueType = decisionType;
  readonly decision: AccessDecision;

  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }

  equals(other: CelValue): boolean {
    return other === this;
  }
}

/** Returns the value of the variable `authorizer`. */
export function authorizerValue(decide: DecideAccess): CelValue {
  return new CheckValue(authorizerType, emptyCheck, decide);
}

/** Returns the value of the variable `authorizer.requestResource`: a check of the resource of the request. */
export function requestResourceValue(
  resource: Pick<AccessCheck, 'group' | 'name' | 'namespace' | 'resource' | 'subresource'>,
  decide: DecideAccess,
): CelValue {
  const { group, name, namespace, resource: plural, subresource } = resource;
  const check = { ...emptyCheck, isResource: true, group, name, namespace, resource: plural, subresource };
  return new CheckValue(resourceCheckType, check, decide);
}

const emptyCheck: AccessCheck = {
  serviceAccount: undefined,
  verb: '',
  isResource: false,
  path: '',
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: undefined,
  labelSelector: undefined,
};

/** The cost of a check, so that an expression can make two of them. */
const checkCost: Pick<Overload, 'cost' | 'estimate'> = {
  cost: () => 350_000,
  estimate: () => ({ cost: exactly(350_000) }),
};

const functions: readonly FunctionDeclaration[] = [
  declareFunction('path', step('authorizer_path', authorizerType, pathCheckType, pathPart)),
  declareFunction(
    'group',
    step('authorizer_group', authorizerType, groupCheckType, (group) => ({ group })),
  ),
  declareFunction(
    'serviceAccount',
    memberOverload(
      'authorizer_serviceaccount',
      [authorizerType, stringType, stringType],
      authorizerType,
      (value, namespace, name) =>
        (value as CheckValue).with(authorizerType, serviceAccountPart(namespace as string, name as string)),
    ),
  ),
  declareFunction('resource', step('groupcheck_resource', groupCheckType, resourceCheckType, resourcePart)),
  declareFunction(
    'subresource',
    resourceStep('resourcecheck_subresource', (subresource) => ({ subresource })),
  ),
  declareFunction(
    'namespace',
    resourceStep('resourcecheck_namespace', (namespace) => ({ namespace })),
  ),
  declareFunction(
    'name',
    resourceStep('resourcecheck_name', (name) => ({ name })),
  ),
  declareFunction(
    'check',
    memberOverload('pathcheck_check', [pathCheckType, stringType], decisionType, decide, checkCost),
    memberOverload('resourcecheck_check', [resourceCheckType, stringType], decisionType, decide, checkCost),
  ),
  declareFunction(
    'errored',
    reader('decision_errored', boolType, ({ error }) => error !== undefined),
  ),
  declareFunction(
    'error',
    reader('decision_error', stringType, ({ error }) => error ?? ''),
  ),
  declareFunction(
    'allowed',
    reader('decision_allowed', boolType, ({ allowed }) => allowed),
  ),
  declareFunction(
    'reason',
    reader('decision_reason', stringType, ({ reason }) => reason),
  ),
];

/** The functions of access checks. */
export const authorizerLibrary: Library = { name: 'kubernetes.authorization', functions };

/** The selectors of access checks. */
export const authorizerSelectorsLibrary: Library = {
  name: 'kubernetes.authorizationselectors',
  functions: [
    declareFunction('fieldSelector', {
      ...resourceStep('authorizer_fieldselector', (fieldSelector) => ({ fieldSelector })),
      cost: selectorCost,
      estimate: estimateSelector,
    }),
    declareFunction('labelSelector', {
      ...resourceStep('authorizer_labelselector', (labelSelector) => ({ labelSelector })),
      cost: selectorCost,
      estimate: estimateSelector,
    }),
  ],
};

function step(id: string, from: OpaqueType, to: OpaqueType, part: (text: string) => Partial<AccessCheck>): Overload {
  return memberOverload(id, [from, stringType], to, (value, text) =>
    (value as CheckValue).with(to, part(text as string)),
  );
}

function resourceStep(id: string, part: (text: string) => Partial<AccessCheck>): Overload {
  return step(id, resourceCheckType, resourceCheckType, part);
}

function reader(id: string, result: typeof boolType, read: (decision: AccessDecision) => boolean | string): Overload {
  return memberOverload(id, [decisionType], result, (value) => read((value as DecisionValue).decision));
}

function pathPart(path: string): Partial<AccessCheck> {
  if (path === '') throw new EvaluationError('path must not be empty');
  return { path };
}

function resourcePart(resource: string): Partial<AccessCheck> {
  if (resource === '') throw new EvaluationError('resource must not be empty');
  return { resource, isResource: true };
}

function serviceAccountPart(namespace: string, name: string): Partial<AccessCheck> {
  if (isDns1123Label(namespace).length > 0) throw new EvaluationError('Invalid service account namespace');
  if (isDns1123Subdomain(name).length > 0) throw new EvaluationError('Invalid service account name');
  return { serviceAccount: { namespace, name } };
}

function decide(value: CelValue | undefined, verb: CelValue | undefined): CelValue {
  const { check, decide: decideAccess } = value as CheckValue;
  return new DecisionValue(decideAccess({ ...check, verb: verb as string }));
}

/** A selector is parsed and becomes a list of requirements of at least two characters each. */
function selectorCost([, selector]: readonly CelValue[]): number {
  return 10 + traversalCost(selector) + requirementCost * Math.ceil(costSize(selector) / 2);
}

function estimateSelector([, selector]: readonly ValueEstimate[]): CallEstimate {
  const size = sizeEstimate(selector);
  const requirements = { min: Math.ceil(size.min / 2), max: Math.ceil(size.max / 2) };
  return {
    cost: addRanges(
      addRanges(exactly(10), traversalEstimate(size)),
      multiplyRanges(requirements, exactly(requirementCost)),
    ),
  };
}

const requirementCost = 50;
