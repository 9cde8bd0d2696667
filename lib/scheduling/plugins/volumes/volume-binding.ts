// VolumeBinding: filters nodes that cannot reach the volumes of the pod's claims or provision them. Claims that wait
// for their first consumer get volumes here: chosen with the node, assumed at Reserve, written and awaited at PreBind.
// As pkg/scheduler/framework/plugins/volumebinding.
import { deepEqual } from '../../../core/index.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import { stateKey } from '../../framework/cycle-state.js';
import type { Cycle, StateData } from '../../framework/cycle-state.js';
import { on } from '../../framework/queueing-hints.js';
import type { ClusterEventWithHint } from '../../framework/queueing-hints.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { rejectionText } from '../../framework/rejection.js';
import { actions } from '../../queue/cluster-event.js';
import { assumedVolumes } from './binding/assumed-volumes.js';
import { bindVolumes } from './binding/bind-volumes.js';
import { claimsProblem, podVolumeClaims } from './binding/pod-claims.js';
import { volumeLimit } from './binding/provisioning.js';
import { assumePlan, restorePlan } from './binding/volume-plan.js';
import type { VolumePlan } from './binding/volume-plan.js';
import { volumeClaimDemands, fitsEverywhere, volumesOn } from './binding/volumes-on-node.js';
import type { VolumeClaimDemands } from './binding/volumes-on-node.js';
import { usesClaim } from './claims-and-volumes.js';
import { migratedPluginsAnnotation } from './volume-node-affinity.js';

/** Creates the plugin. */
export function volumeBinding(
  tools: PluginTools,
  { bindTimeoutSeconds }: PluginArguments['VolumeBinding'],
): SchedulingPlugin {
  return {
    name: 'VolumeBinding',
    events,

    preFilter: ({ pod, cluster, state }) => {
      if (pod.volumeClaims.length === 0) return 'skip';
      const { objects } = cluster;
      const problem = claimsProblem(pod, objects);
      if (problem !== undefined) return problem;
      const assumed = assumedVolumes(cluster);
      const claims = podVolumeClaims(pod, objects, assumed);
      if ('code' in claims) return claims;
      state.set(binding, { demands: volumeClaimDemands(claims, objects, assumed) });
      return undefined;
    },

    fitsEverywhere: ({ state, cluster }) => fitsEverywhere(state.read(binding).demands, cluster.objects),
    filter: ({ state, cluster }, node) => {
      const answer = volumesOn(node, state.read(binding).demands, cluster.objects);
      return 'code' in answer ? answer : undefined;
    },

    reserve: (cycle, nodeName) => {
      const state = stateOf(cycle);
      if (state !== undefined && isWaiting(state.demands)) state.plan = planOn(nodeName, cycle, state.demands);
      return undefined;
    },
    unreserve: (cycle) => {
      const state = stateOf(cycle);
      if (state?.plan === undefined) return;
      restorePlan(state.plan, assumedVolumes(cycle.cluster));
      delete state.plan;
    },

    preBindPreFlight: (cycle) => (stateOf(cycle)?.plan === undefined ? 'skip' : { parallel: true }),
    preBind: async (cycle, nodeName, signal) => {
      const plan = stateOf(cycle)?.plan;
      if (plan !== undefined)
        await bindVolumes(tools, { pod: cycle.pod, nodeName, plan, timeoutMs: bindTimeoutSeconds * 1000, signal });
      return undefined;
    },
  };
}

/** The claims of a pod, and after Reserve the planned writes. */
interface BindingState extends StateData {
  readonly demands: VolumeClaimDemands;
  plan?: VolumePlan;
}

const binding = stateKey<BindingState>('VolumeBinding');

/** Pods without claims do not read the cycle state: reading it would compute lazily filled data. */
function stateOf({ pod, state }: Cycle): BindingState | undefined {
  return pod.volumeClaims.length === 0 ? undefined : state.get(binding);
}

function isWaiting({ withSelectedNode, unbound }: VolumeClaimDemands): boolean {
  return withSelectedNode.length + unbound.length > 0;
}

/** Recomputes the volumes of the chosen node instead of keeping them for every node: nothing has changed since. */
function planOn(nodeName: string, { cluster }: Cycle, demands: VolumeClaimDemands): VolumePlan {
  const node = cluster.node(nodeName);
  if (node === undefined) throw new Error(`no pod volume found for node "${nodeName}"`);
  const volumes = volumesOn(node, demands, cluster.objects);
  if ('code' in volumes) throw new Error(rejectionText(volumes));
  return assumePlan(volumes, nodeName, assumedVolumes(cluster));
}

const events: readonly ClusterEventWithHint[] = [
  on('storage.k8s.io/StorageClass', actions.add | actions.update, (_pod, old, current) =>
    old === undefined || !deepEqual(old.allowedTopologies, current?.allowedTopologies) ? 'queue' : 'skip',
  ),
  on('PersistentVolumeClaim', actions.add | actions.update, (pod, _old, claim) =>
    claim !== undefined && usesClaim(pod, claim) ? 'queue' : 'skip',
  ),
  on('PersistentVolume', actions.add | actions.update),
  on('Node', actions.add | actions.updateNodeLabel),
  on('storage.k8s.io/CSINode', actions.add | actions.update, (_pod, old, current) =>
    old === undefined ||
    old.metadata?.annotations?.[migratedPluginsAnnotation] !==
      current?.metadata?.annotations?.[migratedPluginsAnnotation]
      ? 'queue'
      : 'skip',
  ),
  // Without capacity tracking there is always enough space.
  on('storage.k8s.io/CSIDriver', actions.update, (_pod, old, current) =>
    old?.spec.storageCapacity === true && current?.spec.storageCapacity !== true ? 'queue' : 'skip',
  ),
  on('storage.k8s.io/CSIStorageCapacity', actions.add | actions.update, (_pod, old, current) => {
    if (old === undefined || current === undefined) return 'queue';
    return (volumeLimit(current) ?? -1) > (volumeLimit(old) ?? -1) ? 'queue' : 'skip';
  }),
];
