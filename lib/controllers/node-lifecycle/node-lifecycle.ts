// The node lifecycle controller. Three kinds of items: a node whose taints and labels follow its state at once, a pod
// that was bound to a node, and the monitor, a single item that is reconciled every 5 s and whenever a zone may evict.
// As pkg/controller/nodelifecycle.
import { awaitChange, controller, requeueAfter, watching } from '../../client/index.js';
import type { ControllerActivity, EventFailed, EventRecorder, ObjectEvent, Stored } from '../../client/index.js';
import { namespacedName, printNamespacedName, printTime } from '../../core/index.js';
import type { NamespacedName, Part } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { informersOf } from '../controller-environment.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { ignoreError } from '../ignore-error.js';
import { withEvents } from '../with-events.js';
import { NodeMonitor } from './node-monitor.js';
import type { NodeMonitorChange } from './node-monitor.js';
import { correctNode, isConditionTaint } from './node-taints.js';

/** Options of the controller; what is not given is kube-controller-manager's default. Times are in milliseconds. */
export interface NodeLifecycleOptions extends ControllerEnvironment {
  /** `--node-monitor-period`. Default 5 s. */
  readonly monitorPeriodMs?: number;
  /** `--node-monitor-grace-period`. Default 50 s. */
  readonly monitorGraceMs?: number;
  /** `--node-startup-grace-period`. Default 60 s. */
  readonly startupGraceMs?: number;
  /** `--node-eviction-rate`, in nodes per second. Default 0.1. */
  readonly evictionRate?: number;
  /** `--secondary-node-eviction-rate`, in nodes per second. Default 0.01. */
  readonly secondaryEvictionRate?: number;
  /** `--large-cluster-size-threshold`. Default 50. */
  readonly largeClusterThreshold?: number;
  /** `--unhealthy-zone-threshold`. Default 0.55. */
  readonly unhealthyZoneThreshold?: number;
}

/** The NoSchedule taints of a node follow its conditions. */
export interface NodeTainted {
  readonly type: 'tainted';
  readonly node: string;
  /** The keys of its NoSchedule taints of conditions. */
  readonly taints: readonly string[];
}

/** An item of the controller: a node, a pod, or the monitor. */
export interface NodeLifecycleItem extends NamespacedName {
  readonly kind: 'Node' | 'Pod' | 'Monitor';
}

/** The activities of the controller. */
export type NodeLifecycleActivity =
  ControllerActivity<NodeLifecycleItem, NodeTainted | NodeMonitorChange> | EventFailed;

/** Creates the controller. */
export function nodeLifecycle({
  monitorPeriodMs = 5_000,
  monitorGraceMs = 50_000,
  startupGraceMs = 60_000,
  evictionRate = 0.1,
  secondaryEvictionRate = 0.01,
  largeClusterThreshold = 50,
  unhealthyZoneThreshold = 0.55,
  ...environment
}: NodeLifecycleOptions): Part<NodeLifecycleActivity> {
  const name = 'node-lifecycle-controller';
  const { client, clock } = environment;
  const shared = informersOf(environment);
  const nodes = shared.kind('v1', 'Node');
  const leases = shared.kind('coordination.k8s.io/v1', 'Lease');
  const pods = shared.kind('v1', 'Pod').indexedBy({ node: nodeNamesOf });
  const rates = { evictionRate, secondaryEvictionRate, largeClusterThreshold, unhealthyZoneThreshold };
  const create = (recorder: EventRecorder): Part<NodeLifecycleActivity> => {
    const monitor = new NodeMonitor({
      ...{ client, clock, nodes, leases, pods, monitorPeriodMs, monitorGraceMs, startupGraceMs, ...rates },
      record: (details) => recorder.record(details),
    });
    return controller<NodeLifecycleItem, NodeTainted | NodeMonitorChange>({
      name,
      clock,
      steps$: environment.steps$,
      concurrency: environment.concurrency ?? 8,
      keyOf: ({ kind, ...item }) => `${kind} ${printNamespacedName(item)}`,
      watches: [
        watching(nodes, ({ type, object }) => {
          monitor.nodeChanged();
          const isWrong = type !== 'deleted' && correctNode(object, '') !== undefined;
          return isWrong ? [monitorItem, itemOf('Node', object)] : [monitorItem];
        }),
        watching(pods, (event) => (isBinding(event) ? [itemOf('Pod', event.object)] : [])),
        watching(leases, (event) => {
          const { metadata, spec } = event.object;
          const isRenewed = !('old' in event) || event.old.spec?.renewTime !== spec?.renewTime;
          if (metadata.namespace !== 'kube-node-lease') return [];
          if (event.type === 'deleted') monitor.leaseDeleted(metadata.name);
          else if (isRenewed) monitor.leaseRenewed(metadata.name);
          return [];
        }),
      ],
      reconcile: async (item, { emit, signal, cause }) => {
        if (item.kind === 'Monitor') {
          const dueMs = await monitor.advance({ signal, cause, emit });
          return dueMs < Infinity ? requeueAfter(Math.max(0, dueMs - clock.now())) : awaitChange;
        }
        if (item.kind === 'Pod') {
          const pod = pods.get(printNamespacedName(item));
          if (pod !== undefined) await monitor.podBound(pod, { signal, cause, emit });
          return awaitChange;
        }
        const node = nodes.get(item.name);
        const correction = node && correctNode(node, printTime(clock.now()));
        if (node === undefined || correction === undefined) return awaitChange;
        const { taints, labels } = correction;
        const merge = {
          metadata: { resourceVersion: node.metadata.resourceVersion, ...(labels && { labels }) },
          ...(taints && { spec: { taints: taints.length === 0 ? null : [...taints] } }),
        };
        const patched = client.kind('v1', 'Node').patch(item.name, { merge }, { signal, cause });
        await ignoreError('Conflict', ignoreError('NotFound', patched));
        const keys = (taints ?? []).filter(isConditionTaint).map(({ key }) => key);
        if (taints !== undefined) emit({ type: 'tainted', node: item.name, taints: keys });
        return awaitChange;
      },
    });
  };
  return withEvents({ ...environment, name, component: 'node-controller', create });
}

const monitorItem: NodeLifecycleItem = { kind: 'Monitor', namespace: '', name: '' };

/** Returns the name of the node of a pod, for indexes. */
export function nodeNamesOf({ spec }: Stored<Pod>): readonly string[] {
  return (spec?.nodeName ?? '') === '' ? [] : [spec?.nodeName ?? ''];
}

/** Returns whether a pod was bound to a node, or found there. */
function isBinding(event: ObjectEvent<Stored<Pod>>): boolean {
  if (event.type === 'deleted') return false;
  const [node] = nodeNamesOf(event.object);
  const [before] = 'old' in event ? nodeNamesOf(event.old) : [];
  return node !== undefined && node !== before;
}

function itemOf(kind: NodeLifecycleItem['kind'], object: Stored): NodeLifecycleItem {
  return { kind, ...namespacedName(object) };
}
