// Where the pod autoscaler reads metrics: a port with one function for each of the three APIs of metrics. The default
// requests them from the API server, which proxies them to the servers that are registered for them (metrics-server,
// an adapter of a monitoring system). As pkg/controller/podautoscaler/metrics/client.go and k8s.io/metrics/pkg/client.
import type { CallOptions, Client, DynamicObject, Stored } from '../../client/index.js';
import { isApiError, isJsonObject, isNoMatchError, printGroupKind, printGroupResource } from '../../core/index.js';
import type { GroupKind } from '../../core/index.js';

/** The usage of the containers of a pod, as metrics.k8s.io/v1beta1 has it. */
export interface PodUsage {
  readonly pod: string;
  /** The end of the time in which it was measured, RFC 3339. */
  readonly timestamp: string;
  /** The length of that time, as Go prints durations: `30s`. */
  readonly window: string;
  /** Quantities by the name of the resource. */
  readonly containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

/** The value of a metric of an object, as custom.metrics.k8s.io has it. */
export interface MetricValue {
  /** The name of the object. */
  readonly object: string;
  readonly timestamp: string;
  /** The length of the time in which it was measured. Default 60. */
  readonly windowSeconds?: number;
  /** A quantity. */
  readonly value: string;
}

/** A custom metric of an object, or of all pods that a selector matches. */
export interface CustomMetricQuery {
  readonly namespace: string;
  readonly metric: string;
  /** The kind of the objects. The object of a Namespace is the namespace itself. */
  readonly kind: GroupKind;
  /** The name of the object; `*` for all that match `selector`. */
  readonly object: string;
  readonly selector?: string;
  /** Selects series of the metric. */
  readonly metricSelector: string;
}

/** The source of metrics. Every function may reject; the message is part of Events and conditions. */
export interface MetricsSource {
  /** Returns the usage of the pods that a selector matches. Pods without a measurement are left out. */
  podUsage(
    query: { readonly namespace: string; readonly selector: string },
    options?: CallOptions,
  ): Promise<readonly PodUsage[]>;
  /** Returns the values of a metric of objects. */
  customMetric(query: CustomMetricQuery, options?: CallOptions): Promise<readonly MetricValue[]>;
  /** Returns the values, which are quantities, of the series of a metric that belongs to no object. */
  externalMetric(
    query: { readonly namespace: string; readonly metric: string; readonly selector: string },
    options?: CallOptions,
  ): Promise<readonly string[]>;
}

/** Returns the source that requests metrics from the API server. */
export function apiMetrics(client: Client): MetricsSource {
  return {
    async podUsage({ namespace, selector }, options) {
      const entry = {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        kind: 'PodMetrics',
        resource: 'pods',
        namespaced: true,
      };
      const { items } = await named('get pods.metrics.k8s.io', () =>
        client
          .resource(entry)
          .in(namespace)
          .list({ ...options, ...selected(selector) }),
      );
      return items.map(podUsageOf);
    },
    async customMetric(query, options) {
      const { namespace, metric, kind, object, selector = '', metricSelector } = query;
      const version = await customMetricsVersion(client, options);
      const parameters = {
        ...(selector !== '' && { labelSelector: [selector] }),
        ...(metricSelector !== '' && { metricLabelSelector: [metricSelector] }),
      };
      const entry = { group: customGroup, version, kind: 'MetricValueList', resource: 'metrics', namespaced: true };
      const isNamespace = kind.kind === 'Namespace' && kind.group === '';
      const resource = isNamespace ? entry.resource : await resourceOf(kind, client, options);
      const scoped = client.resource({ ...entry, resource }).in(namespace);
      const list = await named(`get ${resource}.${customGroup} ${object}`, () =>
        isNamespace
          ? scoped.get(metric, { ...options, parameters })
          : scoped.subresource(metric).get(object, { ...options, parameters }),
      );
      const { items } = list;
      return Array.isArray(items) ? items.map(metricValueOf) : [];
    },
    async externalMetric({ namespace, metric, selector }, options) {
      const kind = 'ExternalMetricValueList';
      const entry = { group: externalGroup, version: 'v1beta1', kind, resource: metric, namespaced: true };
      const { items } = await named(`get ${metric}.${externalGroup}`, () =>
        client
          .resource(entry)
          .in(namespace)
          .list({ ...options, ...selected(selector) }),
      );
      return items.map((item) => textOf(item.value));
    },
  };
}

const customGroup = 'custom.metrics.k8s.io';
const externalGroup = 'external.metrics.k8s.io';

function selected(selector: string): { readonly labelSelector?: string } {
  return selector === '' ? {} : { labelSelector: selector };
}

/** The version of custom.metrics.k8s.io that the server prefers. */
async function customMetricsVersion(client: Client, options: CallOptions | undefined): Promise<string> {
  for (const fresh of [false, true]) {
    const { resources } = await client.discover({ ...options, fresh });
    const versions = resources.filter(({ group }) => group === customGroup).map(({ version }) => version);
    const known = versions.find((version) => version === 'v1beta1' || version === 'v1beta2');
    if (known !== undefined) return known;
    if (versions.length > 0) throw new Error('no known available metric versions found');
  }
  throw new Error(`no custom metrics API (${customGroup}) registered`);
}

/** The resource of a kind, with its group: `ingresses.networking.k8s.io`. */
async function resourceOf(kind: GroupKind, client: Client, options: CallOptions | undefined): Promise<string> {
  try {
    return printGroupResource((await client.discover(options)).mapper.kind(kind));
  } catch (error) {
    if (!isNoMatchError(error)) throw error;
    throw new Error(`unable to map kind ${printGroupKind(kind)} to resource: ${error.message}`);
  }
}

/** Names the request in the error of a server that does not have the API, as clients of Kubernetes do. */
async function named<T>(request: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isApiError(error, 'NotFound') || error.status.details?.name !== undefined) throw error;
    throw new Error(`the server could not find the requested resource (${request})`, { cause: error });
  }
}

function podUsageOf(item: Stored<DynamicObject>): PodUsage {
  const containers = Array.isArray(item.containers) ? item.containers : [];
  return {
    pod: item.metadata.name,
    timestamp: textOf(item.timestamp),
    window: textOf(item.window),
    containers: containers
      .filter(isJsonObject)
      .map(({ name, usage }) => ({ name: textOf(name), usage: textsOf(usage) })),
  };
}

function metricValueOf(item: unknown): MetricValue {
  const { describedObject, timestamp, windowSeconds, window, value } = isJsonObject(item) ? item : {};
  // v1beta1 has another name for it.
  const seconds = windowSeconds ?? window;
  return {
    object: isJsonObject(describedObject) ? textOf(describedObject.name) : '',
    timestamp: textOf(timestamp),
    ...(typeof seconds === 'number' && { windowSeconds: seconds }),
    value: textOf(value),
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.map(([key, each]) => [key, textOf(each)]));
}

/** Quantities may be numbers. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
