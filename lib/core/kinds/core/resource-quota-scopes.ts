// Which scopes a quota may have, and which resources make sense in them. A quota names scopes in a list or, with more
// choice, in a selector; both follow the same rules. As validateResourceQuotaScopes and
// validateScopedResourceSelectorRequirement in pkg/apis/core/validation, IsResourceQuotaScopeValidForResource.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../../types/core-v1.generated.js';
import { printedWord } from '../printed-values.js';
import { isStandardQuotaResource } from '../resource-names.js';

/** Validates spec.scopes. */
export function validateScopes(
  { scopes = [], hard = {} }: Frozen<ResourceQuotaSpec>,
  spec: FieldPath,
): readonly FieldError[] {
  const path = spec.child('scopes');
  const refuse = (detail: string): FieldError => fieldInvalid(path, scopes, detail);
  return [
    ...collect(scopes, (scope) => [
      ...(knownScopes.has(scope) ? [] : [refuse('unsupported scope')]),
      ...collect(misplaced(scope, hard), () => [refuse(misplacedSentence)]),
    ]),
    ...collect(conflicts(scopes), () => [refuse('conflicting scopes')]),
  ];
}

/** Validates spec.scopeSelector. */
export function validateScopeSelector(spec: Frozen<ResourceQuotaSpec>, selector: FieldPath): readonly FieldError[] {
  const { scopeSelector, hard = {}, scopes } = spec;
  if (scopeSelector === undefined) return [];
  const path = selector.child('matchExpressions');
  const { matchExpressions = [] } = scopeSelector;
  const shown = { MatchExpressions: matchExpressions.length === 0 ? null : matchExpressions.map(goRequirement) };
  return [
    ...collect(matchExpressions, (requirement) => [
      ...(knownScopes.has(requirement.scopeName)
        ? []
        : [fieldInvalid(path.child('scopeName'), printedWord(requirement.scopeName), 'unsupported scope')]),
      ...collect(misplaced(requirement.scopeName, hard), () => [fieldInvalid(path, shown, misplacedSentence)]),
      ...validateOperator(requirement, path),
    ]),
    ...collect(conflicts(matchExpressions.map(({ scopeName }) => scopeName)), () => [
      fieldInvalid(path, scopes, 'conflicting scopes'),
    ]),
  ];
}

function validateOperator(
  { scopeName, operator, values = [] }: Frozen<ScopedResourceSelectorRequirement>,
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (yesOrNoScopes.has(scopeName) && operator !== 'Exists')
    errors.push(fieldInvalid(path.child('operator'), printedWord(operator), mustExistSentence));
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        errors.push(
          fieldRequired(
            path.child('values'),
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
          ),
        );
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.push(
          fieldInvalid(
            path.child('values'),
            values,
            "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
          ),
        );
      break;
    default:
      errors.push(fieldInvalid(path.child('operator'), printedWord(operator), 'not a valid selector operator'));
  }
  return errors;
}

/** The standard resources of the quota that have no meaning in the scope. */
function misplaced(scope: string, hard: Readonly<Record<string, string>>): readonly string[] {
  const fitting = resourcesOf(scope);
  if (fitting === undefined) return [];
  return Object.keys(hard).filter((name) => isStandardQuotaResource(name) && !fitting.has(name));
}

function resourcesOf(scope: string): ReadonlySet<string> | undefined {
  if (scope === 'BestEffort') return podCounts;
  if (scope === 'VolumeAttributesClass') return claimResources;
  return knownScopes.has(scope) ? podResources : undefined;
}

function conflicts(scopes: readonly string[]): readonly string[] {
  return ['BestEffort', 'Terminating'].filter((scope) => scopes.includes(scope) && scopes.includes(`Not${scope}`));
}

/** As Go prints it: every field, by its Go name. */
function goRequirement({ scopeName, operator, values }: Frozen<ScopedResourceSelectorRequirement>): object {
  return { ScopeName: scopeName, Operator: operator, Values: values ?? null };
}

const misplacedSentence = 'unsupported scope applied to resource';
const mustExistSentence =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

const yesOrNoScopes: ReadonlySet<string> = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'CrossNamespacePodAffinity',
]);
const knownScopes: ReadonlySet<string> = new Set([...yesOrNoScopes, 'PriorityClass', 'VolumeAttributesClass']);

const podCounts: ReadonlySet<string> = new Set(['pods']);
const podResources: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);
const claimResources: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);
