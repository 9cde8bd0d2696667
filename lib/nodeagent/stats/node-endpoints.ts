// The HTTP API of a node that clients reach through `nodes/NAME/proxy`: /healthz, /stats/summary and
// /metrics/resource. As pkg/kubelet/server/server.go, with the figures that runtimes report.
import { printTime, serviceUnavailable } from '../../core/index.js';
import type { ApiRequest, ApiResponse, Clock, NodeConnector, NodeStats, UsageStats } from '../../core/index.js';
import type { ContainerRuntime } from '../runtime/container-runtime.js';
import { NodeMeter } from './node-meter.js';

/** Finds the nodes whose usage is shown. */
export interface StatsOptions {
  readonly runtime: (node: string) => ContainerRuntime | undefined;
  readonly clock: Clock;
}

/** Returns the part of a connector that shows what nodes use. */
export function statsConnector({ runtime, clock }: StatsOptions): Pick<NodeConnector, 'stats' | 'proxy'> {
  const meters = new WeakMap<ContainerRuntime, NodeMeter>();
  const stats = async (node: string): Promise<NodeStats | undefined> => {
    const found = runtime(node);
    if (found === undefined) return undefined;
    const meter = meters.get(found) ?? new NodeMeter(node, found, clock);
    meters.set(found, meter);
    return meter.read();
  };
  return {
    stats,
    proxy: (request) => (request.info.resource === 'nodes' ? nodeEndpoint(request, stats) : undefined),
  };
}

/** Responds to a request for a path of the node. */
async function nodeEndpoint(
  { info }: ApiRequest,
  stats: (node: string) => Promise<NodeStats | undefined>,
): Promise<ApiResponse> {
  const path = `/${info.rest ?? ''}`.replace(/(.)\/+$/, '$1');
  const [name = ''] = info.name.split(':').slice(-2);
  switch (path) {
    case '/healthz':
      return text(200, 'text/plain; charset=utf-8', 'ok');
    case '/stats/summary':
      return text(200, 'application/json', JSON.stringify(summaryOf(await known(stats(name), name))));
    case '/metrics/resource':
      return text(200, 'text/plain; version=0.0.4; charset=utf-8', resourceMetrics(await known(stats(name), name)));
    default:
      return text(404, 'text/plain; charset=utf-8', '404 page not found\n');
  }
}

async function known(stats: Promise<NodeStats | undefined>, name: string): Promise<NodeStats> {
  const found = await stats;
  if (found === undefined) throw serviceUnavailable(`node ${JSON.stringify(name)} runs no pods`);
  return found;
}

function text(code: number, contentType: string, content: string): ApiResponse {
  return { type: 'raw', code, contentType, content };
}

/** As k8s.io/kubelet/pkg/apis/stats/v1alpha1, Summary. */
function summaryOf({ name, startedAtMs, pods, ...node }: NodeStats): object {
  return {
    node: { nodeName: name, startTime: printTime(startedAtMs), ...usage(node) },
    pods: pods.map((pod) => ({
      podRef: { name: pod.name, namespace: pod.namespace, uid: pod.uid },
      startTime: printTime(pod.startedAtMs),
      containers: pod.containers.map((container) => ({
        name: container.name,
        startTime: printTime(container.startedAtMs),
        ...usage(container),
        rootfs: { time: printTime(container.atMs), usedBytes: container.storageUsedBytes },
      })),
      ...usage(pod),
      'ephemeral-storage': {
        time: printTime(pod.atMs),
        usedBytes: pod.containers.reduce((sum, each) => sum + each.storageUsedBytes, 0),
      },
    })),
  };
}

function usage({ atMs, cpuNanoCores, cpuCoreNanoseconds, memoryWorkingSetBytes }: UsageStats): object {
  const time = printTime(atMs);
  return {
    cpu: { time, usageNanoCores: cpuNanoCores, usageCoreNanoSeconds: cpuCoreNanoseconds },
    memory: { time, usageBytes: memoryWorkingSetBytes, workingSetBytes: memoryWorkingSetBytes },
  };
}

/** As pkg/kubelet/metrics/collectors/resource_metrics.go, in the text format of Prometheus. */
function resourceMetrics({ pods, ...node }: NodeStats): string {
  const containers = pods.flatMap(({ name: pod, namespace, containers: own }) =>
    own.map((each) => ({ labels: labelsOf({ container: each.name, namespace, pod }), ...each })),
  );
  const ofPods = pods.map(({ name: pod, namespace, ...stats }) => ({ labels: labelsOf({ namespace, pod }), ...stats }));
  const ofNode = [{ labels: '', ...node }];
  const cpu = ({ cpuCoreNanoseconds }: UsageStats): number => cpuCoreNanoseconds / 1e9;
  const memory = ({ memoryWorkingSetBytes }: UsageStats): number => memoryWorkingSetBytes;
  const start = (each: { readonly startedAtMs: number }): number => each.startedAtMs / 1000;
  return [
    family('container_cpu_usage_seconds_total', 'counter', 'container in core-seconds', containers, cpu),
    family('container_memory_working_set_bytes', 'gauge', 'container in bytes', containers, memory),
    family('container_start_time_seconds', 'gauge', 'start time of the container', containers, start),
    family('node_cpu_usage_seconds_total', 'counter', 'node in core-seconds', ofNode, cpu),
    family('node_memory_working_set_bytes', 'gauge', 'node in bytes', ofNode, memory),
    family('pod_cpu_usage_seconds_total', 'counter', 'pod in core-seconds', ofPods, cpu),
    family('pod_memory_working_set_bytes', 'gauge', 'pod in bytes', ofPods, memory),
    '# HELP resource_scrape_error [STABLE] 1 if there was an error while getting container metrics, 0 otherwise\n' +
      '# TYPE resource_scrape_error gauge\nresource_scrape_error 0\n',
  ].join('');
}

function family<T extends UsageStats & { readonly labels: string }>(
  name: string,
  type: string,
  help: string,
  samples: readonly T[],
  value: (sample: T) => number,
): string {
  const lines = samples.map((sample) => `${name}${sample.labels} ${value(sample)} ${sample.atMs}\n`);
  return `# HELP ${name} [STABLE] Usage of the ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `{${pairs.join(',')}}`;
}
