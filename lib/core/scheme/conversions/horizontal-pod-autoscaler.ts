// autoscaling/v1 and v2 of HorizontalPodAutoscaler. The hub is v2. What v1 cannot say it carries in four annotations,
// so that a client of v1 may write back what it read without loss; v2 never shows them.
// As pkg/apis/autoscaling/v1/conversion.go, its oddities included: of several targets for cpu utilization only the
// first survives, that one moves to the end of the list, and a v1 object without any metric gets one for cpu at 80 %.
// The behavior is written with Go's own field names, nulls and all, because Kubernetes prints its internal type.
import type * as autoscalingV1 from '../../types/autoscaling-v1.generated.js';
import type * as autoscalingV2 from '../../types/autoscaling-v2.generated.js';
import type { Frozen, ObjectMeta } from '../../objects/meta.js';
import { canonicalTime } from '../../objects/time.js';
import type { HubConversion } from '../kind-definition.js';
import {
  printGoJson,
  readGoJson,
  readInt32,
  readList,
  readMembers,
  readOptional,
  readQuantity,
  readText,
} from '../../go/encoding-json.js';
import { metricFromV1, metricStatusFromV1, metricStatusToV1, metricToV1 } from './hpa-metrics.js';
import type { Open } from './open.js';
import { withoutUndefined } from './without-undefined.js';

type V1 = Open<autoscalingV1.HorizontalPodAutoscaler>;
type V2 = Open<autoscalingV2.HorizontalPodAutoscaler>;
type Metric = Open<autoscalingV2.MetricSpec>;
type Behavior = Open<autoscalingV2.HorizontalPodAutoscalerBehavior>;
type ScalingRules = Open<autoscalingV2.HPAScalingRules>;
type Condition = Open<autoscalingV2.HorizontalPodAutoscalerCondition>;

/** What autoscaling/v1 registers. */
export const horizontalPodAutoscalerV1: HubConversion<V1, V2> = {
  hub: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
  toHub: v1ToV2,
  fromHub: v2ToV1,
};

/** Average cpu utilization aimed at when no metric is named, in percent. */
export const defaultCpuUtilization = 80;

/** The annotations that carry v2 through v1; the tolerances are a spelling of the past. */
export const roundTripAnnotations = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  scaleDownTolerance: 'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  scaleUpTolerance: 'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
} as const;

const annotationNames: ReadonlySet<string> = new Set(Object.values(roundTripAnnotations));

function v1ToV2({ metadata, spec, status, ...rest }: V1): V2 {
  const annotation = (name: keyof typeof roundTripAnnotations): string | undefined =>
    ownValue(metadata?.annotations, roundTripAnnotations[name]);
  const read = <T>(name: keyof typeof roundTripAnnotations, reader: (value: unknown) => T): T | undefined => {
    const text = annotation(name);
    return text === undefined ? undefined : readGoJson(text, reader);
  };

  const { targetCPUUtilizationPercentage: cpu, ...sharedSpec } = spec;
  const metrics = [
    ...(read('metrics', (value) => readList(value, metricFromV1)) ?? []),
    ...(cpu === undefined ? [] : [cpuMetric(cpu)]),
  ];
  const behavior = read('behavior', readBehavior);

  const {
    currentCPUUtilizationPercentage: currentCpu,
    currentReplicas,
    ...sharedStatus
  } = status ?? { currentReplicas: 0, desiredReplicas: 0 };
  const currentMetrics =
    read('currentMetrics', (value) => readList(value, metricStatusFromV1)) ??
    (currentCpu === undefined
      ? undefined
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: currentCpu } } }]);
  const conditions = read('conditions', (value) => readList(value, readCondition));

  return {
    ...rest,
    ...withAnnotations(metadata, {}),
    spec: {
      ...sharedSpec,
      metrics: metrics.length === 0 ? [cpuMetric(defaultCpuUtilization)] : metrics,
      ...(behavior && (behavior.scaleUp ?? behavior.scaleDown) && { behavior }),
    },
    status: {
      ...sharedStatus,
      ...(currentReplicas !== 0 && { currentReplicas }),
      ...(currentMetrics && { currentMetrics }),
      ...(conditions && conditions.length > 0 && { conditions }),
    },
  };
}

function v2ToV1({ metadata, spec, status, ...rest }: V2): V1 {
  const { metrics = [], behavior, ...sharedSpec } = spec;
  const cpu = metrics.find(isCpuUtilization)?.resource?.target.averageUtilization;
  const others = metrics.filter((metric) => !isCpuUtilization(metric));

  const {
    currentMetrics = [],
    conditions = [],
    currentReplicas = 0,
    ...sharedStatus
  } = status ?? { desiredReplicas: 0 };
  const currentCpu = currentMetrics.findLast(
    ({ type, resource }) =>
      type === 'Resource' && resource?.name === 'cpu' && resource.current.averageUtilization !== undefined,
  );

  return {
    ...rest,
    ...withAnnotations(metadata, {
      ...(others.length > 0 && { [roundTripAnnotations.metrics]: printGoJson(others.map(metricToV1)) }),
      ...(currentMetrics.length > 0 && {
        [roundTripAnnotations.currentMetrics]: printGoJson(currentMetrics.map(metricStatusToV1)),
      }),
      ...(behavior && { [roundTripAnnotations.behavior]: printBehavior(behavior) }),
      ...(conditions.length > 0 && { [roundTripAnnotations.conditions]: printGoJson(conditions.map(conditionToV1)) }),
    }),
    spec: { ...sharedSpec, ...(cpu !== undefined && { targetCPUUtilizationPercentage: cpu }) },
    status: {
      ...sharedStatus,
      currentReplicas,
      ...withoutUndefined({ currentCPUUtilizationPercentage: currentCpu?.resource?.current.averageUtilization }),
    },
  };
}

/** The metadata with these round-trip annotations and no others; the very same metadata where that changes nothing. */
function withAnnotations(
  metadata: Open<ObjectMeta> | undefined,
  added: Readonly<Record<string, string>>,
): { metadata?: Open<ObjectMeta> } {
  const given = Object.entries(metadata?.annotations ?? {});
  const kept = given.filter(([name]) => !annotationNames.has(name));
  const more = Object.entries(added);
  if (more.length === 0 && kept.length === given.length) return metadata === undefined ? {} : { metadata };
  const { annotations: _dropped, ...others } = metadata ?? {};
  const entries = [...kept, ...more];
  return { metadata: entries.length === 0 ? others : { ...others, annotations: Object.fromEntries(entries) } };
}

function ownValue(map: Frozen<Record<string, string>> | undefined, key: string): string | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

function isCpuUtilization({ type, resource }: Metric): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;
}

function cpuMetric(averageUtilization: number): Metric {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function printBehavior({ scaleUp, scaleDown }: Behavior): string {
  const rules = (given: ScalingRules | undefined): object | null =>
    given === undefined
      ? null
      : {
          StabilizationWindowSeconds: given.stabilizationWindowSeconds ?? null,
          SelectPolicy: given.selectPolicy ?? null,
          Policies:
            given.policies?.map(({ type, value, periodSeconds }) => ({
              Type: type,
              Value: value,
              PeriodSeconds: periodSeconds,
            })) ?? null,
          Tolerance: given.tolerance ?? null,
        };
  return printGoJson({ ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) });
}

function readBehavior(value: unknown): Behavior {
  const at = readMembers(value);
  return withoutUndefined({
    scaleUp: readOptional(at('scaleUp'), readRules),
    scaleDown: readOptional(at('scaleDown'), readRules),
  });
}

function readRules(value: unknown): ScalingRules {
  const at = readMembers(value);
  const policies = readList(at('policies'), (policy) => {
    const of = readMembers(policy);
    return { type: readText(of('type')), value: readInt32(of('value')), periodSeconds: readInt32(of('periodSeconds')) };
  });
  return withoutUndefined({
    stabilizationWindowSeconds: readOptional(at('stabilizationWindowSeconds'), readInt32),
    selectPolicy: readOptional(at('selectPolicy'), readText),
    policies: policies.length === 0 ? undefined : policies,
    tolerance: readOptional(at('tolerance'), readQuantity),
  });
}

function conditionToV1({ type, status, lastTransitionTime, reason, message }: Condition): object {
  return { type, status, lastTransitionTime: lastTransitionTime ?? null, reason, message };
}

function readCondition(value: unknown): Condition {
  const at = readMembers(value);
  return withoutUndefined({
    type: readText(at('type')),
    status: readText(at('status')),
    lastTransitionTime: readOptional(at('lastTransitionTime'), (time) => canonicalTime(readText(time))) ?? undefined,
    reason: readText(at('reason')) || undefined,
    message: readText(at('message')) || undefined,
  });
}
