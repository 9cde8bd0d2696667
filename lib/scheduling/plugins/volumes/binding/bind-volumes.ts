// Carries out a volume plan and waits until all its claims are bound. The persistent volume controller and provisioners
// do the binding; progress is read from the cache once per second. A plan that became invalid fails, and the pod is
// rescheduled. As pkg/scheduler/framework/plugins/volumebinding, BindPodVolumes.
import {
  claimKey,
  errorText,
  isClaimedBy,
  isFullyBound,
  isOlderVersion,
  pause,
  quote,
  selectedNodeOf,
  volumeNameOf,
} from '../../../../core/index.js';
import type { FrozenVolume } from '../../../../core/index.js';
import type { ObjectLister } from '../../../cluster/object-lister.js';
import type { NodeView } from '../../../cluster/node-view.js';
import type { PluginTools } from '../../../framework/plugin-tools.js';
import type { PodFacts } from '../../../pod/pod-facts.js';
import { notFoundText } from '../claims-and-volumes.js';
import { isReachable } from '../volume-node-affinity.js';
import type { PlannedClaim, PlannedVolume, VolumePlan } from './volume-plan.js';

/** A plan and its context. */
export interface VolumeBindingTask {
  readonly pod: PodFacts;
  readonly nodeName: string;
  readonly plan: VolumePlan;
  /** The time limit for all claims. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Writes the plan and waits for the claims. Rejects with the error, or with the signal's reason. */
export async function bindVolumes(tools: PluginTools, order: VolumeBindingTask): Promise<void> {
  await writePlan(tools, order);
  for (let leftMs = order.timeoutMs; leftMs > 0; leftMs -= pollMs) {
    await pause(tools.clock, Math.min(pollMs, leftMs), order.signal);
    if (isDone(tools, order)) return;
  }
  throw new Error('binding volumes: context deadline exceeded');
}

const pollMs = 1000;

/** Writes what has not been written yet: claims may be shared between pods. */
async function writePlan(
  { client, cluster: { objects } }: PluginTools,
  { nodeName, plan, signal }: VolumeBindingTask,
): Promise<void> {
  const volumes = client.kind('v1', 'PersistentVolume');
  for (const planned of plan.volumes) {
    const known = objects.get('PersistentVolume', planned.wanted.metadata?.name ?? '');
    if (known === undefined || !isClaimedBy(known, planned.claim))
      planned.written = await volumes.update(planned.wanted, { signal });
  }
  const claims = client.kind('v1', 'PersistentVolumeClaim');
  for (const planned of plan.claims) {
    const known = objects.get('PersistentVolumeClaim', claimKey(planned.wanted));
    if (known === undefined || selectedNodeOf(known) !== nodeName)
      planned.written = await claims.update(planned.wanted, { signal });
  }
}

/** Returns whether all claims are bound. Throws if that can no longer happen. */
function isDone(tools: PluginTools, { pod, nodeName, plan }: VolumeBindingTask): boolean {
  const { cluster } = tools;
  try {
    const node = cluster.node(nodeName);
    if (node === undefined) throw new Error(`failed to get node ${quote(nodeName)}: ${notFoundText('node', nodeName)}`);
    if (tools.currentPod(pod.object) === undefined)
      throw new Error(`pod does not exist any more: ${notFoundText('pod', pod.name)}`);
    return (
      plan.volumes.every((planned) => isVolumeBound(planned, node, cluster.objects)) &&
      plan.claims.every((planned) => isProvisioned(planned, node, cluster.objects))
    );
  } catch (error) {
    throw new Error(`binding volumes: ${errorText(error)}`, { cause: error });
  }
}

function isVolumeBound(
  { claim: planned, wanted, written }: PlannedVolume,
  node: NodeView,
  objects: ObjectLister,
): boolean {
  const name = wanted.metadata?.name ?? '';
  const volume = objects.get('PersistentVolume', name);
  if (volume === undefined) throw new Error(`failed to check binding: persistentvolumes ${quote(name)} not found`);
  const claim = objects.get('PersistentVolumeClaim', claimKey(planned));
  if (claim === undefined)
    throw new Error(`failed to check binding: persistentvolumeclaims ${quote(claimKey(planned))} not found`);
  if (written !== undefined && isOlderVersion(volume, written)) return false;
  checkReachable(volume, node, objects);
  if ((volume.spec?.claimRef?.uid ?? '') === '') throw new Error(`ClaimRef got reset for pv ${quote(name)}`);
  return isFullyBound(claim);
}

function isProvisioned({ wanted, written }: PlannedClaim, node: NodeView, objects: ObjectLister): boolean {
  const claim = objects.get('PersistentVolumeClaim', claimKey(wanted));
  if (claim === undefined)
    throw new Error(`failed to check provisioning pvc: persistentvolumeclaims ${quote(claimKey(wanted))} not found`);
  if (written !== undefined && isOlderVersion(claim, written)) return false;
  const name = quote(claim.metadata?.name ?? '');
  if (claim.metadata?.annotations === undefined) throw new Error(`selectedNode annotation reset for PVC ${name}`);
  // A provisioner that cannot create a volume there removes the node annotation.
  if (selectedNodeOf(claim) !== node.name) throw new Error(`provisioning failed for PVC ${name}`);
  const volumeName = volumeNameOf(claim.spec);
  if (volumeName === '') return false;
  const volume = objects.get('PersistentVolume', volumeName);
  if (volume === undefined) return false; // the watch has not delivered it yet, or the claim will be marked as lost
  checkReachable(volume, node, objects);
  return isFullyBound(claim);
}

/** The node may have lost a label, or the volume may not be where it was requested. */
function checkReachable(volume: FrozenVolume, node: NodeView, objects: ObjectLister): void {
  if (!isReachable(volume, node, objects)) {
    throw new Error(
      `pv ${quote(volume.metadata?.name ?? '')} node affinity doesn't match node ${quote(node.name)}: no matching NodeSelectorTerms`,
    );
  }
}
