// Pods between Permit and Bind that can still be stopped: those that wait at Permit until plugins allow them, and those
// in PreBind, which preemption may stop. Every wait ends as allowed, rejected, stopped or timed out. As
// pkg/scheduler/framework/runtime, waiting_pods_map.go and pods_in_prebind_map.go.
import { NEVER, defer, filter, finalize, map, merge, of, switchMap, take, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, printDuration } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { WaitingPods } from '../framework/plugin-tools.js';
import type { WaitingPod } from '../framework/plugin.js';
import type { Rejected } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';

/** How a wait at Permit ended: the pod proceeds, was rejected by a plugin, or was preempted. */
export type PermitResult =
  | { readonly type: 'allowed' }
  | { readonly type: 'rejected'; readonly rejected: Rejected }
  | { readonly type: 'stopped'; readonly error: Error };

/** The pods that wait at Permit or are in PreBind, by uid. */
export class WaitingPodsMap implements WaitingPods {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, WaitingPodEntry>();
  readonly #inPreBind = new Map<string, AbortController>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(uid: string): WaitingPod | undefined {
    return this.#waiting.get(uid);
  }

  list(): readonly WaitingPod[] {
    return [...this.#waiting.values()];
  }

  stop(uid: string, _plugin: string, reason: string): boolean {
    const waiting = this.#waiting.get(uid);
    if (waiting !== undefined) return waiting.stop(reason);
    const preBind = this.#inPreBind.get(uid);
    if (preBind === undefined) return false;
    preBind.abort(new Error(reason));
    return true;
  }

  /** Rejects a pod that waits at Permit. Returns false if it does not wait. */
  reject(uid: string, plugin: string, reason: string): boolean {
    const waiting = this.#waiting.get(uid);
    waiting?.reject(plugin, reason);
    return waiting !== undefined;
  }

  /** Adds a pod. From here on plugins find it, and may allow it before its result is subscribed to. */
  add(pod: PodFacts, nodeName: string, waitMs: ReadonlyMap<string, number>): void {
    this.#waiting.set(pod.uid, new WaitingPodEntry(pod, nodeName, waitMs));
  }

  /** Returns whether a pod waits at Permit. */
  isWaiting(uid: string): boolean {
    return this.#waiting.has(uid);
  }

  /** Emits how the wait ends, at once for a pod that does not wait. Unsubscribing removes the pod. */
  result(uid: string): Observable<PermitResult> {
    return defer(() => {
      const waiting = this.#waiting.get(uid);
      if (waiting === undefined) return of(allowed);
      return waiting.verdict(this.#clock).pipe(finalize(() => this.#waiting.delete(uid)));
    });
  }

  /** Runs the PreBind work of a pod, which `stop` aborts. Rejects with the reason if it was stopped. */
  async runPreBind<T>(uid: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#inPreBind.set(uid, controller);
    try {
      const answer = await work(AbortSignal.any([signal, controller.signal]));
      controller.signal.throwIfAborted(); // the work succeeded after it was stopped
      return answer;
    } finally {
      this.#inPreBind.delete(uid);
    }
  }
}

const allowed: PermitResult = { type: 'allowed' };

class WaitingPodEntry implements WaitingPod {
  readonly pod: PodFacts;
  readonly nodeName: string;
  readonly #waitMs: ReadonlyMap<string, number>;
  readonly #pending: Set<string>;
  readonly #changes = new Outlet<string>();
  #verdict: PermitResult | undefined;

  constructor(pod: PodFacts, nodeName: string, waitMs: ReadonlyMap<string, number>) {
    this.pod = pod;
    this.nodeName = nodeName;
    this.#waitMs = waitMs;
    this.#pending = new Set(waitMs.keys());
  }

  get pendingPlugins(): readonly string[] {
    return [...this.#pending];
  }

  allow(plugin: string): void {
    if (!this.#pending.delete(plugin)) return;
    if (this.#pending.size === 0) this.#verdict ??= allowed;
    this.#changes.emit(plugin);
  }

  reject(plugin: string, reason: string): void {
    this.#end({ type: 'rejected', rejected: { plugin, code: 'Unschedulable', reasons: [reason] } });
  }

  /** Ends the wait. Returns false if it has already ended. */
  stop(reason: string): boolean {
    return this.#end({ type: 'stopped', error: new Error(reason) });
  }

  verdict(clock: Clock): Observable<PermitResult> {
    const outOfTime = Array.from(this.#waitMs, ([plugin, waitMs]) => this.#timeout(plugin, waitMs, clock));
    return defer(() => (this.#verdict === undefined ? merge(this.#changes.values$, ...outOfTime) : of(''))).pipe(
      switchMap(() => (this.#verdict === undefined ? NEVER : of(this.#verdict))),
      take(1),
    );
  }

  #timeout(plugin: string, waitMs: number, clock: Clock): Observable<string> {
    if (!this.#pending.has(plugin)) return NEVER;
    return clock.timer(waitMs).pipe(
      map(() => {
        this.reject(
          plugin,
          `rejected due to timeout after waiting ${printDuration(BigInt(Math.round(waitMs * 1e6)))} at plugin ${plugin}`,
        );
        return plugin;
      }),
      takeUntil(this.#changes.values$.pipe(filter((settled) => settled === plugin))),
    );
  }

  #end(verdict: PermitResult): boolean {
    if (this.#verdict !== undefined) return false;
    this.#verdict = verdict;
    this.#changes.emit('');
    return true;
  }
}
