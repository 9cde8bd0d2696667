// The resource metrics API, metrics.k8s.io/v1beta1: what nodes and pods use, read from the connectors of nodes on
// request. Served where its kinds are registered, see `resourceMetricsKinds`. As kubernetes-sigs/metrics-server,
// pkg/api, without its delay: there a figure is up to 15 s old.
import { builtinSchema, deepFreeze, field, notFound, printTime, scalars, structType } from '../../core/index.js';
import type { ApiObject, Frozen, KindOptions, NodeStats, Offer, UsageStats } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { customOffer } from '../registry/endpoint.js';
import { selectionOf } from '../registry/selection.js';
import type { VirtualResource } from '../routing/route.js';
import type { ConnectorRegistry } from './node-connectors.js';

/** The API group of resource metrics. */
export const resourceMetricsGroup = 'metrics.k8s.io';

/** Returns the kinds of the resource metrics API. Register them with `kinds.add` to serve it. */
export function resourceMetricsKinds(): readonly KindOptions[] {
  const kind = (name: string, plural: string, namespaced: boolean, ...fields: readonly string[]): KindOptions => {
    const type = structType(`${resourceMetricsGroup}/v1beta1.${name}`, () => [
      field('kind', scalars.string),
      field('apiVersion', scalars.string),
      field('metadata', builtinSchema.struct('meta/v1.ObjectMeta') ?? scalars.json, { presence: 'always' }),
      ...fields.map((each) => field(each, scalars.json)),
    ]);
    return {
      group: resourceMetricsGroup,
      version: 'v1beta1',
      kind: name,
      type: () => type,
      resource: { plural, singular: '', namespaced, verbs: ['get', 'list'] },
    };
  };
  return [
    kind('NodeMetrics', 'nodes', false, 'timestamp', 'window', 'usage'),
    kind('PodMetrics', 'pods', true, 'timestamp', 'window', 'containers'),
  ];
}

/** The kinds have no protobuf and no table. */
const metricsOffer: Offer = { ...customOffer, allows: (_type, transform) => transform === undefined };

/** Dependencies of resource metrics. */
export interface MetricsSources {
  readonly nodes: () => ResourceEndpoint;
  readonly pods: () => ResourceEndpoint;
  readonly connectors: ConnectorRegistry;
}

/** Serves `nodes` of the resource metrics API. */
export function nodeMetrics({ nodes, connectors }: MetricsSources): VirtualResource {
  return async (exchange) => {
    const { info } = exchange.request;
    const form = exchange.request.negotiate(metricsOffer);
    const selected = await select(nodes(), exchange.request);
    const items = await Promise.all(
      selected.map(async ({ metadata }) => {
        const stats = await connectors.find(metadata?.name ?? '')?.stats?.(metadata?.name ?? '');
        return stats === undefined ? [] : [{ ...described('NodeMetrics', metadata, stats), usage: usageOf(stats) }];
      }),
    );
    return { type: 'object', code: 200, object: respond('NodeMetrics', 'nodes', info.name, items.flat()), form };
  };
}

/** Serves `pods` of the resource metrics API. */
export function podMetrics({ pods, connectors }: MetricsSources): VirtualResource {
  return async (exchange) => {
    const { info } = exchange.request;
    const form = exchange.request.negotiate(metricsOffer);
    const selected = ((await select(pods(), exchange.request)) as readonly Frozen<Pod>[]).filter(
      ({ spec }) => (spec?.nodeName ?? '') !== '',
    );
    const nodeNames = [...new Set(selected.map(({ spec }) => spec?.nodeName ?? ''))];
    const stats = new Map<string, NodeStats | undefined>();
    await Promise.all(nodeNames.map(async (name) => stats.set(name, await connectors.find(name)?.stats?.(name))));
    const items = selected.flatMap(({ metadata, spec }) => {
      const found = stats.get(spec?.nodeName ?? '')?.pods.find(({ uid }) => uid === metadata?.uid);
      if (found === undefined || found.containers.length === 0) return [];
      const containers = found.containers.map((container) => ({ name: container.name, usage: usageOf(container) }));
      return [{ ...described('PodMetrics', metadata, found), containers }];
    });
    return { type: 'object', code: 200, object: respond('PodMetrics', 'pods', info.name, items), form };
  };
}

/** Reads the objects that a request selects by name, namespace, labels and fields. */
async function select(
  endpoint: ResourceEndpoint,
  request: Parameters<VirtualResource>[0]['request'],
): Promise<readonly Frozen<ApiObject>[]> {
  const { items } = await endpoint.stored.cacher.list(selectionOf(endpoint, request.info, request.options()));
  return items;
}

function described(kind: string, metadata: Frozen<ApiObject>['metadata'], { atMs, windowMs }: UsageStats): object {
  const { name, namespace, labels } = metadata ?? {};
  return {
    kind,
    apiVersion: `${resourceMetricsGroup}/v1beta1`,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      creationTimestamp: printTime(atMs),
      ...(labels !== undefined && { labels }),
    },
    timestamp: printTime(atMs),
    window: `${(windowMs / 1000).toFixed(3).replace(/\.?0+$/, '')}s`,
  };
}

/** Nanocores and Kibibytes, as metrics-server prints them. */
function usageOf({ cpuNanoCores, memoryWorkingSetBytes }: UsageStats): object {
  const cpu = Math.round(cpuNanoCores);
  return {
    cpu: cpu === 0 ? '0' : `${cpu}n`,
    memory: memoryWorkingSetBytes === 0 ? '0' : `${Math.ceil(memoryWorkingSetBytes / 1024)}Ki`,
  };
}

function respond(kind: string, resource: string, name: string, items: readonly object[]): Frozen<ApiObject> {
  if (name === '')
    return deepFreeze({ kind: `${kind}List`, apiVersion: `${resourceMetricsGroup}/v1beta1`, metadata: {}, items });
  const [only] = items;
  if (only === undefined)
    throw notFound({ group: resourceMetricsGroup, resource: `${resource}.${resourceMetricsGroup}`, name });
  return deepFreeze(only);
}
