// What is wrong with the metrics of a HorizontalPodAutoscaler: each has a type, the one source that goes with it, and a
// target. As pkg/apis/autoscaling/validation/validation.go, validateMetrics.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quantitySign } from '../../objects/quantity-arithmetic.js';
import { isDns1123Label, isPathSegment } from '../../objects/names.js';
import { parseQuantity } from '../../objects/quantity.js';
import type { MetricIdentifier, MetricSpec, MetricTarget } from '../../types/autoscaling-v2.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { Loose } from '../loose.js';
import { printedWord } from '../printed-values.js';
import { validateContainerResourceName } from '../resource-names.js';
import { validateReference } from './object-reference.js';
import type { ReferenceLeniency } from './object-reference.js';

type FieldErrors = readonly FieldError[];
type Metric = Loose<MetricSpec>;

/** What the rest of the autoscaler has to say. */
interface MetricsContext {
  readonly minReplicas: number | undefined;
  readonly reference: ReferenceLeniency;
}

/** Validates the metrics. */
export function validateMetrics(
  metrics: readonly Metric[],
  path: FieldPath,
  { minReplicas, reference }: MetricsContext,
): FieldErrors {
  const errors = collect(metrics, (metric, index) => validateMetric(metric, path.index(index), reference));
  // Metrics of pods say nothing when there are none.
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    errors.push(
      fieldForbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'),
    );
  }
  return errors;
}

/** The fields of the sources, in the order they are checked. */
const sources = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;

type Source = (typeof sources)[number];

const sourceOfType: ReadonlyMap<string, Source> = new Map([
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
]);

function validateMetric(metric: Metric, path: FieldPath, reference: ReferenceLeniency): FieldErrors {
  const { type = '' } = metric;
  const typePath = path.child('type');
  const unknown = fieldNotSupported(typePath, printedWord(type), [...sourceOfType.keys()]);
  const expected = sourceOfType.get(type);
  const present = sources.filter((source) => metric[source] !== undefined);
  const [first] = present;

  const errors: FieldError[] = type === '' ? [fieldRequired(typePath, 'must specify a metric source type')] : [];
  if (expected === undefined) errors.push(unknown);
  if (first !== undefined) errors.push(...validateSource(metric, first, path.child(first), reference));
  // An unknown type is reported on both sides of the source, as Kubernetes does.
  if (expected === undefined) errors.push(unknown);
  else if (metric[expected] === undefined) {
    errors.push(fieldRequired(path.child(expected), 'must populate information for the given metric source'));
  }
  if (present.length > 1) {
    const others = present.filter((source) => source !== expected);
    errors.push(
      ...collect(others, (source) => [
        fieldForbidden(path.child(source), 'must populate the given metric source only'),
      ]),
    );
  }
  return errors;
}

function validateSource(metric: Metric, source: Source, path: FieldPath, reference: ReferenceLeniency): FieldErrors {
  const { target = {} } = metric[source] ?? {};
  const targetPath = path.child('target');
  const wrongTarget = validateTarget(target, targetPath);
  switch (source) {
    case 'object':
      return [
        ...validateReference(metric.object?.describedObject ?? {}, path.child('describedObject'), reference),
        ...validateIdentifier(metric.object?.metric, path.child('metric')),
        ...wrongTarget,
        ...requireEither(target, targetPath, {
          either: 'value',
          or: 'averageValue',
          detail: 'must set either a target value or averageValue',
        }),
      ];
    case 'external':
      return [
        ...validateIdentifier(metric.external?.metric, path.child('metric')),
        ...wrongTarget,
        ...requireEither(target, targetPath, {
          either: 'value',
          or: 'averageValue',
          detail: 'must set either a target value for metric or a per-pod target',
        }),
        ...(target.value !== undefined && target.averageValue !== undefined
          ? [
              fieldForbidden(
                targetPath.child('value'),
                'may not set both a target value for metric and a per-pod target',
              ),
            ]
          : []),
      ];
    case 'pods':
      return [
        ...validateIdentifier(metric.pods?.metric, path.child('metric')),
        ...wrongTarget,
        ...(target.averageValue === undefined
          ? [fieldRequired(targetPath.child('averageValue'), 'must specify a positive target averageValue')]
          : []),
      ];
    case 'containerResource':
      return [
        ...validateContainerResource(
          metric.containerResource?.name ?? '',
          metric.containerResource?.container ?? '',
          path,
        ),
        ...wrongTarget,
        ...validateResourceTarget(target, targetPath),
      ];
    case 'resource':
      return [
        ...((metric.resource?.name ?? '') === ''
          ? [fieldRequired(path.child('name'), 'must specify a resource name')]
          : []),
        ...wrongTarget,
        ...validateResourceTarget(target, targetPath),
      ];
  }
}

function requireEither(
  target: Loose<MetricTarget>,
  path: FieldPath,
  {
    either,
    or,
    detail,
  }: {
    readonly either: 'value' | 'averageValue';
    readonly or: 'averageValue' | 'averageUtilization';
    readonly detail: string;
  },
): FieldErrors {
  return target[either] === undefined && target[or] === undefined ? [fieldRequired(path.child(or), detail)] : [];
}

function validateResourceTarget(target: Loose<MetricTarget>, path: FieldPath): FieldErrors {
  if (target.averageUtilization !== undefined && target.averageValue !== undefined) {
    return [fieldForbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization')];
  }
  return requireEither(target, path, {
    either: 'averageValue',
    or: 'averageUtilization',
    detail: 'must set either a target raw value or a target utilization',
  });
}

function validateContainerResource(name: string, container: string, path: FieldPath): FieldErrors {
  const namePath = path.child('name');
  const containerPath = path.child('container');
  return [
    ...(name === ''
      ? [fieldRequired(namePath, 'must specify a resource name')]
      : validateContainerResourceName(name, namePath)),
    ...(container === ''
      ? [fieldRequired(containerPath, 'must specify a container')]
      : invalidEach(containerPath, container, isDns1123Label(container))),
  ];
}

function validateTarget(
  { type = '', value, averageValue, averageUtilization }: Loose<MetricTarget>,
  path: FieldPath,
): FieldErrors {
  const errors: FieldError[] =
    type === '' ? [fieldRequired(path.child('type'), 'must specify a metric target type')] : [];
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    errors.push(
      fieldInvalid(path.child('type'), printedWord(type), 'must be either Utilization, Value, or AverageValue'),
    );
  }
  if (value !== undefined && !isPositive(value))
    errors.push(fieldInvalid(path.child('value'), value, 'must be positive'));
  if (averageValue !== undefined && !isPositive(averageValue))
    errors.push(fieldInvalid(path.child('averageValue'), averageValue, 'must be positive'));
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(fieldInvalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0'));
  }
  return errors;
}

function isPositive(quantity: string): boolean {
  return quantitySign(parseQuantity(quantity)) > 0;
}

function validateIdentifier(identifier: Loose<MetricIdentifier> | undefined, path: FieldPath): FieldErrors {
  const name = identifier?.name ?? '';
  return name === ''
    ? [fieldRequired(path.child('name'), 'must specify a metric name')]
    : invalidEach(path.child('name'), name, isPathSegment(name));
}
