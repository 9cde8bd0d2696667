// Reads the metrics of an autoscaler and proposes replicas for each; the highest proposal counts. A metric that cannot
// be read does not stop the others from scaling up, but nothing is scaled down without all of them. As
// pkg/controller/podautoscaler/horizontal.go, computeReplicasForMetrics.
import type { CallOptions } from '../../client/index.js';
import {
  errorText,
  milliValue,
  parseDurationMs,
  parseGroupVersion,
  parseTime,
  printLabelSelector,
  printQuantity,
  printStructuredSelector,
  quantityFromMilli,
  selectorFromStructured,
} from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type {
  ExternalMetricSource,
  LabelSelector,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
  ObjectMetricSource,
  PodsMetricSource,
} from '../../core/types/index.js';
import type { MetricsSource, PodUsage } from './metrics-source.js';
import { replicasForAverage, replicasForShare, replicasForTotal, replicasForUtilization } from './replica-count.js';
import type { MeasuredResource, Measurements, ReplicaProposal, ScaledPods } from './replica-count.js';

/** What the metrics of an autoscaler are read for. */
export interface MetricsRequest {
  readonly source: MetricsSource;
  readonly namespace: string;
  /** The selector of the pods, as text. */
  readonly selector: string;
  readonly target: ScaledPods;
  /** `status.replicas` of the scale. */
  readonly statusReplicas: number;
  readonly call: CallOptions;
}

/** The status of a metric. One that could not be read has no type, so that the others keep their places. */
export type AutoscalerMetricStatus = Frozen<MetricStatus> | { readonly type: '' };

/** A metric that could not be read. */
export interface MetricFailure {
  /** The reason of the Event and of the condition ScalingActive, with their message. */
  readonly reason: string;
  readonly message: string;
  /** The message with its context, for the error of the whole. */
  readonly error: string;
}

/** What the metrics of an autoscaler propose together. */
export interface MetricsProposal {
  /** The highest proposal; absent if it may not be used: no metric was read, or some were not and it is lower. */
  readonly replicas?: number;
  /** The metric of the highest proposal, for messages. */
  readonly metric: string;
  readonly statuses: readonly AutoscalerMetricStatus[];
  readonly failures: readonly MetricFailure[];
}

/** Reads all metrics and proposes replicas. */
export async function proposeForMetrics(
  specs: readonly Frozen<MetricSpec>[],
  request: MetricsRequest,
): Promise<MetricsProposal> {
  const statuses: AutoscalerMetricStatus[] = [];
  const failures: MetricFailure[] = [];
  let replicas = 0;
  let metric = '';
  for (const spec of specs) {
    const result = await proposeForMetric(spec, request);
    if ('error' in result) {
      failures.push(result);
      statuses.push({ type: '' });
      continue;
    }
    statuses.push(result.status);
    if (replicas !== 0 && result.replicas <= replicas) continue;
    ({ replicas, metric } = result);
  }
  const isUnusable = failures.length >= specs.length || (failures.length > 0 && replicas < request.target.replicas);
  return { ...(!isUnusable && { replicas }), metric, statuses, failures };
}

/** A proposal of one metric. */
interface MetricProposal {
  readonly replicas: number;
  readonly metric: string;
  readonly status: Frozen<MetricStatus>;
}

async function proposeForMetric(
  spec: Frozen<MetricSpec>,
  request: MetricsRequest,
): Promise<MetricProposal | MetricFailure> {
  const { type, resource, containerResource, pods, object, external } = spec;
  if (type === 'Resource' && resource !== undefined) {
    const { name, target } = resource;
    return await attempt('FailedGetResourceMetric', `failed to get ${name} resource metric value`, async () => {
      const { current, ...rest } = await proposeForResource({ name }, target, request);
      return { ...rest, status: { type, resource: { name, current } } };
    });
  }
  if (type === 'ContainerResource' && containerResource !== undefined) {
    const { name, container, target } = containerResource;
    const context = `failed to get ${container} container metric value`;
    return await attempt('FailedGetContainerResourceMetric', context, async () => {
      const { current, ...rest } = await proposeForResource({ name, container }, target, request);
      return { ...rest, status: { type, containerResource: { name, container, current } } };
    });
  }
  if (type === 'Pods' && pods !== undefined)
    return await attempt('FailedGetPodsMetric', 'failed to get pods metric value', () => proposeForPods(pods, request));
  if (type === 'Object' && object !== undefined)
    return await attempt('FailedGetObjectMetric', 'failed to get object metric value', () =>
      proposeForObject(object, request),
    );
  if (type === 'External' && external !== undefined)
    return await attempt('FailedGetExternalMetric', `failed to get ${external.metric.name} external metric value`, () =>
      proposeForExternal(external, request),
    );
  const message = `unknown metric source type "${type}"`;
  return { reason: 'InvalidMetricSourceType', message, error: message };
}

/** An error whose context is part of the error of the whole, but not of the Event. */
class ContextualError extends Error {
  readonly context: string;

  constructor(context: string, message: string) {
    super(message);
    this.context = context;
  }
}

async function attempt(
  reason: string,
  context: string,
  propose: () => Promise<MetricProposal>,
): Promise<MetricProposal | MetricFailure> {
  try {
    return await propose();
  } catch (error) {
    const message = errorText(error);
    const inner = error instanceof ContextualError ? `${error.context}: ${message}` : message;
    return { reason, message, error: `${context}: ${inner}` };
  }
}

type ResourceProposal = Omit<MetricProposal, 'status'> & { readonly current: MetricValueStatus };

async function proposeForResource(
  resource: MeasuredResource,
  { averageValue, averageUtilization }: Frozen<MetricTarget>,
  request: MetricsRequest,
): Promise<ResourceProposal> {
  const { name, container } = resource;
  const { target } = request;
  const format = name === 'memory' ? 'BinarySI' : 'DecimalSI';
  const valueOf = ({ milli }: ReplicaProposal): string => printQuantity(quantityFromMilli(milli, format));
  if (averageValue !== undefined)
    return await within(`failed to get ${name} usage`, async () => {
      const proposal = replicasForAverage(await readUsage(resource, request), milliValue(averageValue), name, target);
      return { replicas: proposal.replicas, metric: `${name} resource`, current: { averageValue: valueOf(proposal) } };
    });
  if (averageUtilization === undefined)
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  return await within(`failed to get ${name} utilization`, async () => {
    const proposal = replicasForUtilization(await readUsage(resource, request), averageUtilization, resource, target);
    const { replicas, utilization = 0 } = proposal;
    const kind = container === undefined ? 'resource' : 'container resource';
    return {
      replicas,
      metric: `${name} ${kind} utilization (percentage of request)`,
      current: { averageUtilization: utilization, averageValue: valueOf(proposal) },
    };
  });
}

async function readUsage(
  { name, container }: MeasuredResource,
  { source, namespace, selector, call }: MetricsRequest,
): Promise<Measurements> {
  return await within(`unable to get metrics for resource ${name}`, async () => {
    const items = await within('unable to fetch metrics from resource metrics API', () =>
      source.podUsage({ namespace, selector }, call),
    );
    if (items.length === 0) throw new Error('no metrics returned from resource metrics API');
    const measured = items.map((item) => ({ item, milli: usedMilli(item, name, container) }));
    return new Map(
      measured.flatMap(({ item: { pod, timestamp, window }, milli }) =>
        milli === undefined ? [] : [[pod, { milli, atMs: parseTime(timestamp), windowMs: parseDurationMs(window) }]],
      ),
    );
  });
}

/** Returns what a pod used of a resource; undefined unless all its containers, or that one, were measured. */
function usedMilli({ containers }: PodUsage, resource: string, only: string | undefined): number | undefined {
  const counted = only === undefined ? containers : containers.filter(({ name }) => name === only).slice(0, 1);
  const used = counted.map(({ usage }) => usage[resource]).filter((text) => text !== undefined);
  if (used.length === 0 || used.length < counted.length) return undefined;
  return used.reduce((sum, text) => sum + milliValue(text), 0);
}

async function proposeForPods(
  { metric, target: { averageValue = '0' } }: Frozen<PodsMetricSource>,
  { source, namespace, selector, target, call }: MetricsRequest,
): Promise<MetricProposal> {
  const metricSelector = printSelector(metric.selector);
  const kind = { group: '', kind: 'Pod' };
  const measurements = await within(`unable to get metric ${metric.name}`, async () => {
    const items = await within('unable to fetch metrics from custom metrics API', () =>
      source.customMetric({ namespace, metric: metric.name, kind, object: '*', selector, metricSelector }, call),
    );
    if (items.length === 0) throw new Error('no metrics returned from custom metrics API');
    return new Map(
      items.map(({ object, timestamp, windowSeconds = 60, value }) => [
        object,
        { milli: milliValue(value), atMs: parseTime(timestamp), windowMs: windowSeconds * 1000 },
      ]),
    );
  });
  const { replicas, milli } = replicasForAverage(measurements, milliValue(averageValue), '', target);
  return {
    replicas,
    metric: `pods metric ${metric.name}`,
    status: { type: 'Pods', pods: { metric, current: { averageValue: printMilli(milli) } } },
  };
}

async function proposeForObject(
  { describedObject, metric, target: wanted }: Frozen<ObjectMetricSource>,
  { source, namespace, target, statusReplicas, call }: MetricsRequest,
): Promise<MetricProposal> {
  const { kind, name, apiVersion = '' } = describedObject;
  const read = async (): Promise<number> => {
    try {
      const { group } = parseGroupVersion(apiVersion);
      const object = group === '' && kind === 'Namespace' ? namespace : name;
      const metricSelector = printSelector(metric.selector);
      const query = { namespace, metric: metric.name, kind: { group, kind }, object, metricSelector };
      const items = await source.customMetric(query, call);
      const [item] = items;
      if (item === undefined || items.length > 1)
        throw new Error(`the custom metrics API server returned ${items.length} results when we asked for exactly one`);
      return milliValue(item.value);
    } catch (error) {
      // The order of the words is that of Kubernetes.
      const problem = `unable to fetch metrics from custom metrics API: ${errorText(error)}`;
      throw new Error(`unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/${problem}`);
    }
  };
  const statusOf = (current: MetricValueStatus): Frozen<MetricStatus> => ({
    type: 'Object',
    object: { describedObject, metric, current },
  });
  if (wanted.type === 'Value' && wanted.value !== undefined) {
    const { replicas, milli } = replicasForTotal(await read(), milliValue(wanted.value), target);
    return { replicas, metric: `${kind} metric ${metric.name}`, status: statusOf({ value: printMilli(milli) }) };
  }
  const { averageValue } = wanted;
  if (wanted.type !== 'AverageValue' || averageValue === undefined)
    throw new Error('invalid object metric source: neither a value target nor an average value target was set');
  const total = await inContext(`failed to get ${metric.name} object metric`, read);
  const { replicas, milli } = replicasForShare(total, milliValue(averageValue), statusReplicas, target.tolerances);
  return { replicas, metric: externalName(metric), status: statusOf({ averageValue: printMilli(milli) }) };
}

async function proposeForExternal(
  { metric, target: { value, averageValue } }: Frozen<ExternalMetricSource>,
  { source, namespace, target, statusReplicas, call }: MetricsRequest,
): Promise<MetricProposal> {
  const { name, selector } = metric;
  const read = async (): Promise<number> => {
    const query = { namespace, metric: name, selector: printSelector(selector) };
    return await within(`unable to get external metric ${namespace}/${name}/${printGoSelector(selector)}`, async () => {
      const values = await within('unable to fetch metrics from external metrics API', () =>
        source.externalMetric(query, call),
      );
      if (values.length === 0) throw new Error('no metrics returned from external metrics API');
      return Math.min(
        values.reduce((sum, each) => sum + milliValue(each), 0),
        Number.MAX_SAFE_INTEGER,
      );
    });
  };
  const statusOf = (current: MetricValueStatus): Frozen<MetricStatus> => ({
    type: 'External',
    external: { metric, current },
  });
  if (averageValue !== undefined) {
    const total = await inContext(`failed to get ${name} external metric`, read);
    const { replicas, milli } = replicasForShare(total, milliValue(averageValue), statusReplicas, target.tolerances);
    return { replicas, metric: externalName(metric), status: statusOf({ averageValue: printMilli(milli) }) };
  }
  if (value === undefined)
    throw new Error('invalid external metric source: neither a value target nor an average value target was set');
  const propose = async (): Promise<ReplicaProposal> => replicasForTotal(await read(), milliValue(value), target);
  const { replicas, milli } = await inContext(`failed to get external metric ${name}`, propose);
  return { replicas, metric: externalName(metric), status: statusOf({ value: printMilli(milli) }) };
}

/** Puts a context before the message of an error. */
async function within<T>(context: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new Error(`${context}: ${errorText(error)}`, { cause: error });
  }
}

async function inContext<T>(context: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new ContextualError(context, errorText(error));
  }
}

/** Throws ParseError. */
function printSelector(selector: Frozen<LabelSelector> | undefined): string {
  return printLabelSelector(selectorFromStructured(selector));
}

function externalName({ name, selector }: Frozen<ExternalMetricSource['metric']>): string {
  return `external metric ${name}(${printGoSelector(selector)})`;
}

function printGoSelector(selector: Frozen<LabelSelector> | undefined): string {
  return selector === undefined ? 'nil' : printStructuredSelector(selector);
}

function printMilli(milli: number): string {
  return printQuantity(quantityFromMilli(milli));
}
