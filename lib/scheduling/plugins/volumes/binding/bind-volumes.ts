// Carries out a plan for volumes, and waits until every claim of it has its volume. Others do the rest: the controller
// that binds claims, and those who make volumes. What has happened is read off the known objects once a second.
// A plan that was overtaken fails, and the pod is tried again with the cluster as it then is.
// As pkg/scheduler/framework/plugins/volumebinding, BindPodVolumes.
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
import type { KnownObjects } from '../../../cluster/known-objects.js';
import type { NodeView } from '../../../cluster/node-view.js';
import type { PluginTools } from '../../../framework/plugin-tools.js';
import type { PodFacts } from '../../../pod/pod-facts.js';
import { notFoundText } from '../claims-and-volumes.js';
import { isReachable } from '../volume-reach.js';
import type { PlannedClaim, PlannedVolume, VolumePlan } from './volume-plan.js';

/** What is needed to carry out a plan. */
export interface BindingOrder {
  readonly pod: PodFacts;
  readonly nodeName: string;
  readonly plan: VolumePlan;
  /** How long the claims may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Writes what is planned and waits. Rejects with what went wrong, or with the signal's reason. */
export async function bindVolumes(tools: PluginTools, order: BindingOrder): Promise<void> {
  await writePlan(tools, order);
  for (let leftMs = order.timeoutMs; leftMs > 0; leftMs -= pollMs) {
    await pause(tools.clock, Math.min(pollMs, leftMs), order.signal);
    if (isDone(tools, order)) return;
  }
  throw new Error('binding volumes: context deadline exceeded');
}

const pollMs = 1000;

/** Writes what others have not written already, for claims may be shared. */
async function writePlan(
  { client, cluster: { objects } }: PluginTools,
  { nodeName, plan, signal }: BindingOrder,
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

/** Whether all claims have their volumes. Throws where that will not come to be. */
function isDone(tools: PluginTools, { pod, nodeName, plan }: BindingOrder): boolean {
  const { cluster } = tools;
  try {
    const node = cluster.node(nodeName);
    if (node === undefined) throw new Error(`failed to get node ${quote(nodeName)}: ${notFoundText('node', nodeName)}`);
    if (tools.podNow(pod.object) === undefined)
      throw new Error(`pod does not exist any more: ${notFoundText('pod', pod.name)}`);
    return (
      plan.volumes.every((planned) => isGiven(planned, node, cluster.objects)) &&
      plan.claims.every((planned) => isProvisioned(planned, node, cluster.objects))
    );
  } catch (error) {
    throw new Error(`binding volumes: ${errorText(error)}`, { cause: error });
  }
}

function isGiven({ claim: planned, wanted, written }: PlannedVolume, node: NodeView, objects: KnownObjects): boolean {
  const name = wanted.metadata?.name ?? '';
  const volume = objects.get('PersistentVolume', name);
  if (volume === undefined) throw new Error(`failed to check binding: persistentvolumes ${quote(name)} not found`);
  const claim = objects.get('PersistentVolumeClaim', claimKey(planned));
  if (claim === undefined)
    throw new Error(`failed to check binding: persistentvolumeclaims ${quote(claimKey(planned))} not found`);
  if (written !== undefined && isOlderVersion(volume, written)) return false;
  refuseUnreachable(volume, node, objects);
  if ((volume.spec?.claimRef?.uid ?? '') === '') throw new Error(`ClaimRef got reset for pv ${quote(name)}`);
  return isFullyBound(claim);
}

function isProvisioned({ wanted, written }: PlannedClaim, node: NodeView, objects: KnownObjects): boolean {
  const claim = objects.get('PersistentVolumeClaim', claimKey(wanted));
  if (claim === undefined)
    throw new Error(`failed to check provisioning pvc: persistentvolumeclaims ${quote(claimKey(wanted))} not found`);
  if (written !== undefined && isOlderVersion(claim, written)) return false;
  const name = quote(claim.metadata?.name ?? '');
  if (claim.metadata?.annotations === undefined) throw new Error(`selectedNode annotation reset for PVC ${name}`);
  // Who cannot make a volume there takes the node off the claim.
  if (selectedNodeOf(claim) !== node.name) throw new Error(`provisioning failed for PVC ${name}`);
  const volumeName = volumeNameOf(claim.spec);
  if (volumeName === '') return false;
  const volume = objects.get('PersistentVolume', volumeName);
  if (volume === undefined) return false; // the news of it is under way, or else the claim will lose it
  refuseUnreachable(volume, node, objects);
  return isFullyBound(claim);
}

/** The node may have lost a label meanwhile, or a new volume may not be where it was asked for. */
function refuseUnreachable(volume: FrozenVolume, node: NodeView, objects: KnownObjects): void {
  if (!isReachable(volume, node, objects)) {
    throw new Error(
      `pv ${quote(volume.metadata?.name ?? '')} node affinity doesn't match node ${quote(node.name)}: no matching NodeSelectorTerms`,
    );
  }
}
