// The pod life-cycle event generator for runtimes without events: lists all sandboxes and containers once a second and
// emits what changed. A runtime that does not answer for three minutes makes the node not ready. As
// pkg/kubelet/pleg/generic.go.
import { EMPTY, catchError, concatMap, defer, from, mergeAll } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Clock } from '../core/index.js';
import { relistMs } from './pod/pod-step.js';
import type { ContainerRuntime } from './runtime/container-runtime.js';
import type { ContainerEvent } from './runtime/runtime-state.js';

/** The dependencies of a relist. */
export interface RelistOptions {
  readonly clock: Clock;
  /** Called with why the node is not ready; empty if the runtime answers. */
  readonly setProblems: (problems: readonly string[]) => void;
}

const thresholdMs = 180_000;

/** Emits an event for each sandbox or container that changed between two lists. Never errors. */
export function relistEvents(
  runtime: ContainerRuntime,
  { clock, setProblems }: RelistOptions,
): Observable<ContainerEvent> {
  return defer(() => {
    let known = new Map<string, Known>();
    let listedAtMs = clock.now();
    const relist = async (): Promise<readonly ContainerEvent[]> => {
      const [sandboxes, containers] = await Promise.all([runtime.listPodSandboxes(), runtime.listContainers()]);
      listedAtMs = clock.now();
      setProblems([]);
      const next = new Map<string, Known>();
      for (const { id, podUid, state } of sandboxes) next.set(id, { podUid, state, sandboxId: id });
      for (const { id, podUid, state, sandboxId } of containers)
        next.set(id, { podUid, state, sandboxId, containerId: id });
      const events = changesOf(known, next, listedAtMs);
      known = next;
      return events;
    };
    const check = (): Observable<never> => {
      const silentMs = clock.now() - listedAtMs;
      if (silentMs > thresholdMs) setProblems([unhealthyText(silentMs)]);
      return EMPTY;
    };
    return clock.interval(relistMs).pipe(concatMap(() => from(relist()).pipe(mergeAll(), catchError(check))));
  });
}

interface Known {
  readonly podUid: string;
  readonly sandboxId: string;
  readonly containerId?: string;
  readonly state: string;
}

function changesOf(
  before: ReadonlyMap<string, Known>,
  after: ReadonlyMap<string, Known>,
  atMs: number,
): ContainerEvent[] {
  const events: ContainerEvent[] = [];
  const add = (type: ContainerEvent['type'], { podUid, sandboxId, containerId }: Known): void => {
    events.push({ type, podUid, sandboxId, ...(containerId !== undefined && { containerId }), atMs });
  };
  for (const [id, next] of after) {
    if (before.get(id)?.state === next.state) continue;
    if (next.state === 'running' || next.state === 'ready') add('started', next);
    else add(next.state === 'created' ? 'created' : 'stopped', next);
  }
  for (const [id, old] of before) if (!after.has(id)) add('deleted', old);
  return events;
}

function unhealthyText(silentMs: number): string {
  const text = (ms: number): string => `${Math.floor(ms / 60_000)}m${Math.floor((ms % 60_000) / 1000)}s`;
  return `PLEG is not healthy: pleg was last seen active ${text(silentMs)} ago; threshold is ${text(thresholdMs)}`;
}
