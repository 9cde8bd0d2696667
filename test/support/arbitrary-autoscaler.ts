/**
 * Random HorizontalPodAutoscalers that both versions can say without a remainder: what v1 puts in annotations comes
 * back as it was. That asks for one source per metric, targets of the type their values say, and cpu utilization last.
 */
import type { LabelSelector } from '../../lib/core/types/meta-v1.generated.js';
import type * as v1 from '../../lib/core/types/autoscaling-v1.generated.js';
import type * as v2 from '../../lib/core/types/autoscaling-v2.generated.js';
import { fc } from './properties.js';

type Optional<T> = { [K in keyof T]?: T[K] };

/** Leaves out some of the optional keys: an fc.record whose keys may be absent. */
function some<T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Optional<T>> {
  return fc.record(model, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<Optional<T>>;
}

const name = fc.oneof(
  fc.constantFrom('web', 'a<b>&c', 'two\nlines', 'ünïcode'),
  fc.string({ minLength: 1, maxLength: 6 }),
);
const quantity = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('', 'm', 'k', 'Ki', 'Mi', 'G'))
  .map(([number, suffix]) => `${number}${suffix}`);
const int32 = fc.integer();
const time = fc
  .integer({ min: 0, max: 4e9 })
  .map((seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`);
const reference = fc
  .tuple(name, name, some<{ apiVersion: string }>({ apiVersion: name }))
  .map(([kind, named, rest]) => ({ kind, name: named, ...rest }));

const selector: fc.Arbitrary<LabelSelector> = some<Required<LabelSelector>>({
  matchLabels: fc.dictionary(fc.constantFrom('b', 'a', '12', '- x', '__proto__'), name, {
    minKeys: 1,
    noNullPrototype: true,
  }),
  matchExpressions: fc.array(
    fc.record(
      {
        key: name,
        operator: fc.constantFrom('In', 'NotIn' as const),
        values: fc.array(name, { minLength: 1, maxLength: 2 }),
      },
      { noNullPrototype: true },
    ),
    { minLength: 1, maxLength: 2 },
  ),
});
const metric: fc.Arbitrary<v2.MetricIdentifier> = fc
  .tuple(name, some<{ selector: LabelSelector }>({ selector }))
  .map(([named, rest]) => ({ name: named, ...rest }));

const average: fc.Arbitrary<v2.MetricTarget> = quantity.map((averageValue) => ({ type: 'AverageValue', averageValue }));
const value: fc.Arbitrary<v2.MetricTarget> = quantity.map((amount) => ({ type: 'Value', value: amount }));
const utilization: fc.Arbitrary<v2.MetricTarget> = int32.map((averageUtilization) => ({
  type: 'Utilization',
  averageUtilization,
}));

const otherMetric: fc.Arbitrary<v2.MetricSpec> = fc.oneof(
  fc.tuple(reference, fc.oneof(average, value), metric).map(([describedObject, target, each]): v2.MetricSpec => ({
    type: 'Object',
    object: { describedObject, target, metric: each },
  })),
  fc.tuple(metric, average).map(([each, target]): v2.MetricSpec => ({ type: 'Pods', pods: { metric: each, target } })),
  fc
    .oneof(average, utilization)
    .map((target): v2.MetricSpec => ({ type: 'Resource', resource: { name: 'memory', target } })),
  average.map((target): v2.MetricSpec => ({ type: 'Resource', resource: { name: 'cpu', target } })),
  fc.tuple(name, fc.oneof(average, utilization)).map(([container, target]): v2.MetricSpec => ({
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container, target },
  })),
  fc
    .tuple(metric, fc.oneof(average, value))
    .map(([each, target]): v2.MetricSpec => ({ type: 'External', external: { metric: each, target } })),
);
const cpu: fc.Arbitrary<v2.MetricSpec> = utilization.map((target) => ({
  type: 'Resource',
  resource: { name: 'cpu', target },
}));
const metrics = fc
  .tuple(fc.array(otherMetric, { maxLength: 3 }), fc.array(cpu, { maxLength: 1 }))
  .map(([others, last]) => [...others, ...last])
  .filter((all) => all.length > 0);

const currentMetric: fc.Arbitrary<v2.MetricStatus> = fc.oneof(
  fc.tuple(metric, quantity, reference).map(([each, amount, describedObject]): v2.MetricStatus => ({
    type: 'Object',
    object: { metric: each, current: { value: amount }, describedObject },
  })),
  fc.tuple(metric, quantity).map(([each, averageValue]): v2.MetricStatus => ({
    type: 'Pods',
    pods: { metric: each, current: { averageValue } },
  })),
  fc
    .tuple(fc.constantFrom('cpu', 'memory'), quantity, int32)
    .map(([named, averageValue, averageUtilization]): v2.MetricStatus => ({
      type: 'Resource',
      resource: { name: named, current: { averageValue, averageUtilization } },
    })),
  fc.tuple(name, quantity).map(([container, averageValue]): v2.MetricStatus => ({
    type: 'ContainerResource',
    containerResource: { name: 'cpu', current: { averageValue }, container },
  })),
  fc.tuple(metric, quantity, quantity).map(([each, amount, averageValue]): v2.MetricStatus => ({
    type: 'External',
    external: { metric: each, current: { value: amount, averageValue } },
  })),
);

const rules: fc.Arbitrary<v2.HPAScalingRules> = some<Required<v2.HPAScalingRules>>({
  stabilizationWindowSeconds: int32,
  selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
  policies: fc.array(
    fc.record(
      { type: fc.constantFrom('Pods', 'Percent'), value: int32, periodSeconds: int32 },
      { noNullPrototype: true },
    ),
    { minLength: 1, maxLength: 2 },
  ),
  tolerance: quantity,
});
const behavior = some<Required<v2.HorizontalPodAutoscalerBehavior>>({ scaleUp: rules, scaleDown: rules }).filter(
  (each) => Object.keys(each).length > 0,
);
const condition: fc.Arbitrary<v2.HorizontalPodAutoscalerCondition> = fc
  .tuple(
    name,
    fc.constantFrom('True', 'False', 'Unknown'),
    some<{ lastTransitionTime: string; reason: string; message: string }>({
      lastTransitionTime: time,
      reason: name,
      message: name,
    }),
  )
  .map(([type, status, rest]) => ({ type, status, ...rest }));

const metadata = fc.record(
  {
    name,
    annotations: fc.dictionary(fc.constantFrom('team', '__proto__', 'constructor'), name, {
      minKeys: 1,
      noNullPrototype: true,
    }),
  },
  { requiredKeys: ['name'], noNullPrototype: true },
);
const shared = fc.record(
  { scaleTargetRef: reference, minReplicas: int32, maxReplicas: int32 },
  { requiredKeys: ['scaleTargetRef', 'maxReplicas'], noNullPrototype: true },
);
const seen = some<{ observedGeneration: number; lastScaleTime: string }>({
  observedGeneration: int32,
  lastScaleTime: time,
});

/** An autoscaling/v2 object that survives v1. */
export const autoscalerV2: fc.Arbitrary<v2.HorizontalPodAutoscaler> = fc
  .record({
    metadata,
    spec: fc
      .tuple(shared, metrics, some<{ behavior: v2.HorizontalPodAutoscalerBehavior }>({ behavior }))
      .map(([spec, all, rest]) => ({ ...spec, metrics: all, ...rest })),
    status: fc
      .tuple(
        seen,
        int32,
        some<Required<Pick<v2.HorizontalPodAutoscalerStatus, 'currentMetrics' | 'conditions'>>>({
          currentMetrics: fc.array(currentMetric, { minLength: 1, maxLength: 3 }),
          conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
        }),
      )
      .map(([first, desiredReplicas, rest]) => ({ ...first, currentReplicas: 1, desiredReplicas, ...rest })),
  })
  .map((content) => ({ kind: 'HorizontalPodAutoscaler', apiVersion: 'autoscaling/v2', ...content }));

/** An autoscaling/v1 object that survives v2: it aims at a utilization, and has not seen one. */
export const autoscalerV1: fc.Arbitrary<v1.HorizontalPodAutoscaler> = fc
  .record({
    metadata,
    spec: fc
      .tuple(shared, int32)
      .map(([spec, targetCPUUtilizationPercentage]) => ({ ...spec, targetCPUUtilizationPercentage })),
    status: fc
      .tuple(seen, int32, int32)
      .map(([first, currentReplicas, desiredReplicas]) => ({ ...first, currentReplicas, desiredReplicas })),
  })
  .map((content) => ({ kind: 'HorizontalPodAutoscaler', apiVersion: 'autoscaling/v1', ...content }));
