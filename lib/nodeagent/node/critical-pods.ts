// Pods that a node keeps: static ones, their mirrors and system-critical ones. As IsCriticalPod of pkg/kubelet/types.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** The lowest priority of pods that a node never evicts: that of system-cluster-critical. */
export const criticalPriority = 2_000_000_000;

/** Returns whether a node keeps a pod under pressure: static pods, their mirrors and system-critical ones. */
export function isCriticalPod({ metadata, spec }: Frozen<Pod>): boolean {
  const { annotations = {} } = metadata ?? {};
  const source = annotations['kubernetes.io/config.source'];
  if (source !== undefined && source !== 'api') return true;
  return annotations['kubernetes.io/config.mirror'] !== undefined || (spec?.priority ?? 0) >= criticalPriority;
}
