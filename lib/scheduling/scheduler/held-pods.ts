// Pods past the choice of a node that can still be held back: those that wait at Permit until plugins allow them, and
// those in PreBind, which preemption may stop. Every wait ends: allowed, rejected, stopped, or out of time.
// As pkg/scheduler/framework/runtime, waiting_pods_map.go and pods_in_prebind_map.go.
import { NEVER, defer, filter, finalize, map, merge, of, switchMap, take, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, printDuration } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { WaitingPods } from '../framework/plugin-tools.js';
import type { WaitingPod } from '../framework/plugin.js';
import type { Rejected } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';

/** How a wait at Permit ended: the pod goes on, is rejected by a plugin, or had to make room. */
export type PermitVerdict =
  | { readonly type: 'allowed' }
  | { readonly type: 'rejected'; readonly rejected: Rejected }
  | { readonly type: 'stopped'; readonly error: Error };

/** The pods that can still be held. */
export class HeldPods implements WaitingPods {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, PodAtPermit>();
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

  /** Rejects a pod that waits at Permit; false if it does not. */
  reject(uid: string, plugin: string, reason: string): boolean {
    const waiting = this.#waiting.get(uid);
    waiting?.reject(plugin, reason);
    return waiting !== undefined;
  }

  /** Puts a pod among those that wait. From here on plugins find it, and may allow it before anybody listens. */
  hold(pod: PodFacts, nodeName: string, waitMs: ReadonlyMap<string, number>): void {
    this.#waiting.set(pod.uid, new PodAtPermit(pod, nodeName, waitMs));
  }

  /** Whether a pod waits. */
  isWaiting(uid: string): boolean {
    return this.#waiting.has(uid);
  }

  /** The end of the pod's wait; at once for a pod that does not wait. Whoever stops listening ends it too. */
  verdict(uid: string): Observable<PermitVerdict> {
    return defer(() => {
      const waiting = this.#waiting.get(uid);
      if (waiting === undefined) return of(allowed);
      return waiting.verdict(this.#clock).pipe(finalize(() => this.#waiting.delete(uid)));
    });
  }

  /** Runs work that preemption may stop until it is over. Rejects with the reason when it was stopped. */
  async inPreBind<T>(uid: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#inPreBind.set(uid, controller);
    try {
      const answer = await work(AbortSignal.any([signal, controller.signal]));
      controller.signal.throwIfAborted(); // it came through, but too late
      return answer;
    } finally {
      this.#inPreBind.delete(uid);
    }
  }
}

const allowed: PermitVerdict = { type: 'allowed' };

class PodAtPermit implements WaitingPod {
  readonly pod: PodFacts;
  readonly nodeName: string;
  readonly #waitMs: ReadonlyMap<string, number>;
  readonly #pending: Set<string>;
  readonly #news = new Outlet<string>();
  #verdict: PermitVerdict | undefined;

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
    this.#news.emit(plugin);
  }

  reject(plugin: string, reason: string): void {
    this.#end({ type: 'rejected', rejected: { plugin, code: 'Unschedulable', reasons: [reason] } });
  }

  /** False when the wait is over already. */
  stop(reason: string): boolean {
    return this.#end({ type: 'stopped', error: new Error(reason) });
  }

  verdict(clock: Clock): Observable<PermitVerdict> {
    const outOfTime = Array.from(this.#waitMs, ([plugin, waitMs]) => this.#outOfTime(plugin, waitMs, clock));
    return defer(() => (this.#verdict === undefined ? merge(this.#news.values$, ...outOfTime) : of(''))).pipe(
      switchMap(() => (this.#verdict === undefined ? NEVER : of(this.#verdict))),
      take(1),
    );
  }

  #outOfTime(plugin: string, waitMs: number, clock: Clock): Observable<string> {
    if (!this.#pending.has(plugin)) return NEVER;
    return clock.timer(waitMs).pipe(
      map(() => {
        this.reject(
          plugin,
          `rejected due to timeout after waiting ${printDuration(BigInt(Math.round(waitMs * 1e6)))} at plugin ${plugin}`,
        );
        return plugin;
      }),
      takeUntil(this.#news.values$.pipe(filter((settled) => settled === plugin))),
    );
  }

  #end(verdict: PermitVerdict): boolean {
    if (this.#verdict !== undefined) return false;
    this.#verdict = verdict;
    this.#news.emit('');
    return true;
  }
}
