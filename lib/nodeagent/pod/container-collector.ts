// Garbage collection of containers and sandboxes: what the runtime still has of instances that are of no use. The
// newest dead instance of a container is kept, for its log and its last state; of a pod that the agent does not know
// nothing is. As pkg/kubelet/kuberuntime/kuberuntime_gc.go with its default policy.
import type { RuntimeContainer, RuntimeSandbox } from '../runtime/runtime-state.js';

/** What a collection removes. */
export interface ContainerCollection {
  readonly containers: readonly string[];
  readonly sandboxes: readonly string[];
  /** Pods of which nothing is left afterwards. */
  readonly pods: readonly string[];
}

/** Decides what to remove. Running containers and ready sandboxes of known pods are kept. */
export function containersToRemove(
  containers: readonly RuntimeContainer[],
  sandboxes: readonly RuntimeSandbox[],
  /** Whether the agent has a worker for the pod. */
  isKnown: (podUid: string) => boolean,
): ContainerCollection {
  const removed: string[] = [];
  const dead = new Map<string, RuntimeContainer>();
  for (const container of containers) {
    const { id, podUid, name, state } = container;
    if (!isKnown(podUid) || state === 'running' || state === 'created') continue;
    const key = `${podUid}/${name}`;
    const other = dead.get(key);
    const [newer, older] = other === undefined || isNewer(container, other) ? [container, other] : [other, container];
    dead.set(key, newer);
    if (older !== undefined) removed.push(older.id === id ? id : older.id);
  }
  const newest = new Map<string, RuntimeSandbox>();
  for (const sandbox of sandboxes)
    if ((newest.get(sandbox.podUid)?.attempt ?? -1) < sandbox.attempt) newest.set(sandbox.podUid, sandbox);
  const gone = new Set<string>();
  const kept = new Set(containers.filter(({ id }) => !removed.includes(id)).map(({ sandboxId }) => sandboxId));
  const removedSandboxes = sandboxes.filter((sandbox) => {
    if (!isKnown(sandbox.podUid)) {
      gone.add(sandbox.podUid);
      return true;
    }
    // A sandbox goes after its containers.
    return sandbox.state === 'not-ready' && newest.get(sandbox.podUid) !== sandbox && !kept.has(sandbox.id);
  });
  return { containers: removed, sandboxes: removedSandboxes.map(({ id }) => id), pods: [...gone] };
}

function isNewer(one: RuntimeContainer, other: RuntimeContainer): boolean {
  return one.attempt > other.attempt || (one.attempt === other.attempt && one.createdAtMs > other.createdAtMs);
}
