// PodDisruptionBudgets: how many pods of a group may be evicted at once. An update must say what it is based on.
// As pkg/registry/policy/poddisruptionbudget/strategy.go and pkg/apis/policy/validation/validation.go.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { IntOrString } from '../../objects/int-or-string.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsPathSegment } from '../../objects/names.js';
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from '../../types/policy-v1.generated.js';
import { validateAtMostWhole, validateIntOrPercent } from '../apps/int-or-percent.js';
import { validateConditions } from '../condition-validation.js';
import type { KindStrategy } from '../kind-strategy.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { printedSelector, printedWord } from '../printed-values.js';
import { age, ageColumn, integerColumn, nameColumn, textColumn } from '../table-cells.js';

type FieldErrors = readonly FieldError[];

const specPath = fieldPath('spec');
const selectorPath = specPath.child('selector');
const statusPath = fieldPath('status');

/** The strategy of PodDisruptionBudgets. */
export const podDisruptionBudget: KindStrategy<PodDisruptionBudget> = {
  nameRule: nameIsPathSegment,
  validate: ({ spec = {} }) => validateSpec(spec, false),
  // A selector that was wrong before may stay so.
  validateUpdate: ({ spec = {} }, old) =>
    validateSpec(spec, validateLabelSelector(old.spec?.selector, selectorPath).length > 0),
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  requiresResourceVersion: true,
  checksMetadataOnce: true,
  subresources: { status: { validateUpdate: ({ status = {} }) => validateStatus(status), checksMetadataOnce: true } },
  table: {
    columns: [
      nameColumn,
      textColumn('Min Available', 'Pods that must stay.'),
      textColumn('Max Unavailable', 'Pods that may be missing.'),
      integerColumn('Allowed Disruptions', 'Pods that may be evicted now.'),
      ageColumn,
    ],
    row(object, now) {
      const { metadata, spec, status } = object;
      const limits = [String(spec?.minAvailable ?? 'N/A'), String(spec?.maxUnavailable ?? 'N/A')];
      return { cells: [metadata?.name ?? '', ...limits, status?.disruptionsAllowed ?? 0, age(object, now)] };
    },
  },
};

/**
 * Drops a requirement that former versions meant as "none", unless it stands alone. As
 * pkg/apis/policy/v1/conversion.go.
 */
export function podDisruptionBudgetDefaults({ spec }: PodDisruptionBudget): void {
  const { selector } = spec ?? {};
  if (
    selector?.matchExpressions === undefined ||
    deepEqual(selector, { matchExpressions: [{ key: noneLabel, operator: 'Exists' }] })
  )
    return;
  const kept = selector.matchExpressions.filter(({ key }) => key !== noneLabel);
  if (kept.length > 0) selector.matchExpressions = kept;
  else delete selector.matchExpressions;
}

const noneLabel = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

const policies = ['AlwaysAllow', 'IfHealthyBudget'];

function validateSpec(spec: Frozen<PodDisruptionBudgetSpec>, allowInvalidValues: boolean): FieldErrors {
  const { minAvailable, maxUnavailable, selector } = spec;
  const policy: string | undefined = spec.unhealthyPodEvictionPolicy;
  const both = minAvailable !== undefined && maxUnavailable !== undefined;
  return [
    ...(both ? [fieldInvalid(specPath, printedSpec(spec), 'minAvailable and maxUnavailable cannot be both set')] : []),
    ...validateLimit('minAvailable', minAvailable),
    ...validateLimit('maxUnavailable', maxUnavailable),
    ...validateLabelSelector(selector, selectorPath, { allowInvalidValues }),
    ...(policy === undefined || policies.includes(policy)
      ? []
      : [fieldNotSupported(specPath.child('unhealthyPodEvictionPolicy'), printedWord(policy), policies)]),
  ];
}

function validateLimit(field: string, limit: IntOrString | undefined): FieldErrors {
  if (limit === undefined) return [];
  const path = specPath.child(field);
  return [...validateIntOrPercent(limit, path), ...validateAtMostWhole(limit, path)];
}

function validateStatus(status: Frozen<PodDisruptionBudgetStatus>): FieldErrors {
  const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
  return [
    ...validateConditions(status.conditions ?? [], statusPath.child('conditions')),
    ...collect(counts, (name) => validateNonNegative(status[name] ?? 0, statusPath.child(name))),
  ];
}

/** Kubernetes prints its internal type, by Go's names. */
function printedSpec({
  minAvailable,
  selector,
  maxUnavailable,
  unhealthyPodEvictionPolicy,
}: Frozen<PodDisruptionBudgetSpec>): unknown {
  return {
    MinAvailable: minAvailable ?? null,
    Selector: printedSelector(selector),
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
}
