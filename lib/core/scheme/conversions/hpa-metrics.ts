// The metrics of a HorizontalPodAutoscaler in the form that autoscaling/v1 keeps in annotations, which is that of
// autoscaling/v2beta1: `targetAverageUtilization` beside the name instead of a `target` that says its own type.
// As pkg/apis/autoscaling/v1/conversion.go, the functions on MetricSpec and MetricStatus. Fields are written in the
// order of k8s.io/api/autoscaling/v1/types.go, and what Go holds by value is written even when it is zero.
import type { LabelSelector } from '../../types/meta-v1.generated.js';
import type {
  CrossVersionObjectReference,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../types/autoscaling-v2.generated.js';
import { parseQuantity } from '../../objects/quantity.js';
import { readInt32, readList, readMembers, readOptional, readQuantity, readText } from '../../go/encoding-json.js';
import type { Open } from './open.js';
import { withoutUndefined } from './without-undefined.js';

/** A metric to scale on, as autoscaling/v1 writes it. */
export function metricToV1({ type, object, pods, resource, containerResource, external }: Open<MetricSpec>): object {
  return {
    type,
    object: object && {
      target: referenceToV1(object.describedObject),
      metricName: object.metric.name,
      targetValue: object.target.value ?? '0',
      selector: selectorToV1(object.metric.selector),
      averageValue: object.target.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? '0',
      selector: selectorToV1(pods.metric.selector),
    },
    resource: resource && {
      name: resource.name,
      targetAverageUtilization: resource.target.averageUtilization,
      targetAverageValue: resource.target.averageValue,
    },
    containerResource: containerResource && {
      name: containerResource.name,
      targetAverageUtilization: containerResource.target.averageUtilization,
      targetAverageValue: containerResource.target.averageValue,
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: selectorToV1(external.metric.selector),
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  };
}

/** A metric from the annotation. */
export function metricFromV1(value: unknown): Open<MetricSpec> {
  const at = readMembers(value);
  return withoutUndefined({
    type: readText(at('type')),
    object: readOptional(at('object'), objectSource),
    pods: readOptional(at('pods'), (pods) => {
      const of = readMembers(pods);
      return {
        metric: identifier(of, 'selector'),
        target: target('AverageValue', { averageValue: readQuantity(of('targetAverageValue')) }),
      };
    }),
    resource: readOptional(at('resource'), resourceSource),
    containerResource: readOptional(at('containerResource'), (resource) => ({
      ...resourceSource(resource),
      ...containerOf(resource),
    })),
    external: readOptional(at('external'), (external) => {
      const of = readMembers(external);
      const value = readOptional(of('targetValue'), readQuantity);
      const averageValue = readOptional(of('targetAverageValue'), readQuantity);
      return {
        metric: identifier(of, 'metricSelector'),
        target: target(value === undefined ? 'AverageValue' : 'Value', { value, averageValue }),
      };
    }),
  });
}

/** What a metric was last seen at, as autoscaling/v1 writes it. */
export function metricStatusToV1({
  type,
  object,
  pods,
  resource,
  containerResource,
  external,
}: Open<MetricStatus>): object {
  return {
    type,
    object: object && {
      target: referenceToV1(object.describedObject),
      metricName: object.metric.name,
      currentValue: object.current.value ?? '0',
      selector: selectorToV1(object.metric.selector),
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? '0',
      selector: selectorToV1(pods.metric.selector),
    },
    resource: resource && {
      name: resource.name,
      currentAverageUtilization: resource.current.averageUtilization,
      currentAverageValue: resource.current.averageValue ?? '0',
    },
    containerResource: containerResource && {
      name: containerResource.name,
      currentAverageUtilization: containerResource.current.averageUtilization,
      currentAverageValue: containerResource.current.averageValue ?? '0',
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: selectorToV1(external.metric.selector),
      currentValue: external.current.value ?? '0',
      currentAverageValue: external.current.averageValue,
    },
  };
}

/** What a metric was last seen at, from the annotation. */
export function metricStatusFromV1(value: unknown): Open<MetricStatus> {
  const at = readMembers(value);
  return withoutUndefined({
    type: readText(at('type')),
    object: readOptional(at('object'), (object) => {
      const of = readMembers(object);
      const current = withoutUndefined({
        value: readQuantity(of('currentValue')),
        averageValue: readOptional(of('averageValue'), readQuantity),
      });
      return { metric: identifier(of, 'selector'), current, describedObject: reference(of('target')) };
    }),
    pods: readOptional(at('pods'), (pods) => {
      const of = readMembers(pods);
      return { metric: identifier(of, 'selector'), current: { averageValue: readQuantity(of('currentAverageValue')) } };
    }),
    resource: readOptional(at('resource'), resourceStatus),
    containerResource: readOptional(at('containerResource'), (resource) => ({
      ...resourceStatus(resource),
      ...containerOf(resource),
    })),
    external: readOptional(at('external'), (external) => {
      const of = readMembers(external);
      const current = withoutUndefined({
        value: readQuantity(of('currentValue')),
        averageValue: readOptional(of('currentAverageValue'), readQuantity),
      });
      return { metric: identifier(of, 'metricSelector'), current };
    }),
  });
}

type Members = ReturnType<typeof readMembers>;

function objectSource(value: unknown): NonNullable<Open<MetricSpec>['object']> {
  const of = readMembers(value);
  const averageValue = readOptional(of('averageValue'), readQuantity);
  const given = readQuantity(of('targetValue'));
  // The v1 form cannot leave the value out: beside an average, zero means that there is none.
  const meant = averageValue === undefined || parseQuantity(given).nanos !== 0n ? given : undefined;
  return {
    describedObject: reference(of('target')),
    target: target(averageValue === undefined ? 'Value' : 'AverageValue', { value: meant, averageValue }),
    metric: identifier(of, 'selector'),
  };
}

function resourceSource(value: unknown): NonNullable<Open<MetricSpec>['resource']> {
  const of = readMembers(value);
  const averageUtilization = readOptional(of('targetAverageUtilization'), readInt32);
  const averageValue = readOptional(of('targetAverageValue'), readQuantity);
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
  return { name: readText(of('name')), target: target(type, { averageValue, averageUtilization }) };
}

function resourceStatus(value: unknown): NonNullable<Open<MetricStatus>['resource']> {
  const of = readMembers(value);
  const averageUtilization = readOptional(of('currentAverageUtilization'), readInt32);
  return {
    name: readText(of('name')),
    current: withoutUndefined({ averageValue: readQuantity(of('currentAverageValue')), averageUtilization }),
  };
}

function containerOf(value: unknown): { container: string } {
  return { container: readText(readMembers(value)('container')) };
}

type TargetValues = { readonly [K in keyof MetricValueStatus]: MetricValueStatus[K] | undefined };

function target(
  type: MetricTarget['type'],
  { value, averageValue, averageUtilization }: TargetValues,
): Open<MetricTarget> {
  return withoutUndefined({ type, value, averageValue, averageUtilization });
}

function identifier(of: Members, selectorName: string): Open<MetricIdentifier> {
  return withoutUndefined({ name: readText(of('metricName')), selector: readOptional(of(selectorName), selector) });
}

function reference(value: unknown): CrossVersionObjectReference {
  const of = readMembers(value);
  return withoutUndefined({
    kind: readText(of('kind')),
    name: readText(of('name')),
    apiVersion: readText(of('apiVersion')) || undefined,
  });
}

function referenceToV1({ kind, name, apiVersion }: Open<CrossVersionObjectReference>): object {
  return { kind, name, apiVersion };
}

function selector(value: unknown): Open<LabelSelector> {
  const of = readMembers(value);
  const labels = readMap(of('matchLabels'));
  const expressions = readList(of('matchExpressions'), (expression) => {
    const part = readMembers(expression);
    const values = readList(part('values'), readText);
    return withoutUndefined({
      key: readText(part('key')),
      operator: readText(part('operator')),
      values: values.length === 0 ? undefined : values,
    });
  });
  return withoutUndefined({
    matchLabels: labels,
    matchExpressions: expressions.length === 0 ? undefined : expressions,
  });
}

/** Maps keep their keys as they are; an empty one is left out. */
function readMap(value: unknown): Record<string, string> | undefined {
  readMembers(value);
  const entries = Object.entries(value ?? {}).map(([key, text]): [string, string] => [key, readText(text)]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function selectorToV1(given: Open<LabelSelector> | undefined): object | undefined {
  if (given === undefined) return undefined;
  const { matchLabels, matchExpressions } = given;
  return {
    matchLabels: matchLabels && new Map(Object.entries(matchLabels)),
    matchExpressions: matchExpressions?.map(({ key, operator, values }) => ({ key, operator, values })),
  };
}
