// What is wrong with a HorizontalPodAutoscaler, in its hub version v2; metrics are checked in metrics-validation.ts.
// As pkg/apis/autoscaling/validation/validation.go and pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go.
// An update tolerates references to API versions that were wrong before.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  HPAScalingPolicy,
  HPAScalingRules,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
} from '../../types/autoscaling-v2.generated.js';
import type { Loose } from '../loose.js';
import { printedWord } from '../printed-values.js';
import { validateNonNegativeQuantity } from '../quantity-validation.js';
import { validateMetrics } from './metrics-validation.js';
import { validateReference, wrongApiVersion } from './object-reference.js';
import type { ReferenceLeniency } from './object-reference.js';

type FieldErrors = readonly FieldError[];

const path = fieldPath('spec');

/** Validates the specification, given the one it replaces. */
export function validateAutoscalerSpec(
  spec: Frozen<HorizontalPodAutoscalerSpec>,
  old?: Frozen<HorizontalPodAutoscalerSpec>,
): FieldErrors {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec;
  // Scaling to zero is a feature that v1.36 leaves off, but what is at zero may stay there.
  const least = old?.minReplicas === 0 ? 0 : 1;
  const maxPath = path.child('maxReplicas');
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < least) {
    errors.push(fieldInvalid(path.child('minReplicas'), minReplicas, `must be greater than or equal to ${least}`));
  }
  if (maxReplicas === 0) errors.push(fieldRequired(maxPath, 'must be set and greater than 0'));
  if (maxReplicas < 0) errors.push(fieldInvalid(maxPath, maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(fieldInvalid(maxPath, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  return [
    ...errors,
    ...validateReference(scaleTargetRef, path.child('scaleTargetRef'), targetLeniency(spec, old)),
    ...validateMetrics(metrics, path.child('metrics'), { minReplicas, reference: metricLeniency(old) }),
    ...validateRules(behavior?.scaleUp, path.child('behavior').child('scaleUp')),
    ...validateRules(behavior?.scaleDown, path.child('behavior').child('scaleDown')),
  ];
}

/** Validates an update of the status. */
export function validateAutoscalerStatus({
  currentReplicas = 0,
  desiredReplicas = 0,
}: Loose<HorizontalPodAutoscalerStatus>): FieldErrors {
  return [
    ...validateNonNegative(currentReplicas, fieldPath('status', 'currentReplicas')),
    ...validateNonNegative(desiredReplicas, fieldPath('status', 'desiredReplicas')),
  ];
}

/** The only workload of the core group that scales is the ReplicationController. */
function targetLeniency(
  { scaleTargetRef }: Frozen<HorizontalPodAutoscalerSpec>,
  old?: Frozen<HorizontalPodAutoscalerSpec>,
): ReferenceLeniency {
  const before = old?.scaleTargetRef;
  const same = before?.apiVersion === scaleTargetRef.apiVersion && before?.kind === scaleTargetRef.kind;
  if (old !== undefined && same) return { anyVersion: true };
  return { coreGroup: scaleTargetRef.kind === 'ReplicationController' };
}

function metricLeniency(old?: Frozen<HorizontalPodAutoscalerSpec>): ReferenceLeniency {
  const described = (old?.metrics ?? []).flatMap(({ type, object }) =>
    type === 'Object' && object !== undefined ? [object.describedObject] : [],
  );
  const anyVersion = described.some((reference) => wrongApiVersion(reference, { coreGroup: true }) !== undefined);
  return { coreGroup: true, anyVersion };
}

const periodSecondsMax = 1800;
const windowSecondsMax = 3600;

function validateRules(rules: Loose<HPAScalingRules> | undefined, at: FieldPath): FieldErrors {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const windowPath = at.child('stabilizationWindowSeconds');
  const errors: FieldError[] = [];
  if (window < 0) errors.push(fieldInvalid(windowPath, window, 'must be greater than or equal to zero'));
  if (window > windowSecondsMax)
    errors.push(fieldInvalid(windowPath, window, `must be less than or equal to ${windowSecondsMax}`));
  if (selectPolicy !== undefined && !selects.includes(selectPolicy)) {
    errors.push(fieldNotSupported(at.child('selectPolicy'), printedWord(selectPolicy), selects));
  }
  if (policies.length === 0) errors.push(fieldRequired(at.child('policies'), 'must specify at least one Policy'));
  return [
    ...errors,
    ...collect(policies, (policy, index) => validatePolicy(policy, at.child('policies').index(index))),
    ...(tolerance === undefined ? [] : validateNonNegativeQuantity(tolerance, at.child('tolerance'))),
  ];
}

const selects = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];

function validatePolicy(
  { type = '', value = 0, periodSeconds = 0 }: Loose<HPAScalingPolicy>,
  at: FieldPath,
): FieldErrors {
  const errors: FieldError[] = [];
  if (!policyTypes.includes(type)) errors.push(fieldNotSupported(at.child('type'), printedWord(type), policyTypes));
  if (value <= 0) errors.push(fieldInvalid(at.child('value'), value, 'must be greater than zero'));
  if (periodSeconds <= 0)
    errors.push(fieldInvalid(at.child('periodSeconds'), periodSeconds, 'must be greater than zero'));
  if (periodSeconds > periodSecondsMax) {
    errors.push(
      fieldInvalid(at.child('periodSeconds'), periodSeconds, `must be less than or equal to ${periodSecondsMax}`),
    );
  }
  return errors;
}
