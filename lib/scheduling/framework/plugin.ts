// The contract of scheduling plugins. A plugin is a plain object with a name and functions at those points of the cycle
// where it has something to say; the profile says which of them are called, and in which order.
//
//   preEnqueue ─► [queue: compare, events] ─► preFilter ─► filter per node ─► (postFilter if no node is left)
//     ─► preScore ─► score per node ─► normalizeScores ─► reserve ─► permit ─► preBind ─► bind ─► postBind
//
// Up to permit everything is answered at once, so that the cluster stands still meanwhile; from preBind on plugins may
// take their time. Points as kube-scheduler/framework/interface.go.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import type { Cycle } from './cycle.js';
import type { EventInterest } from './event-interest.js';
import type { Diagnosis } from './placement.js';
import type { Rejection, Skip } from './rejection.js';

/**
 * A plugin. All functions but `postFilter`, `preBind`, `bind` and `postBind` answer at once. To throw is an error of
 * the attempt.
 */
export interface SchedulingPlugin {
  readonly name: string;
  /** The events that may help pods it rejected. Without the list every event counts; with an empty one, none. */
  readonly events?: readonly EventInterest[];

  /** Keeps a pod from being tried at all, for as long as it says so. */
  preEnqueue?(pod: PodFacts): Rejection | undefined;
  /** The order of the queue: below 0 when the first is to be tried first. */
  compare?(one: QueuedPod, other: QueuedPod): number;

  /** Before nodes are looked at. It may refuse the pod, narrow the nodes, or say that `filter` has nothing to do. */
  preFilter?(cycle: Cycle): Rejection | NodeSet | Skip | undefined;
  /**
   * Asked after `preFilter`, once: whether `filter` would let the pod go to every node as it is now. Then nodes need
   * not be asked about one by one. Of a node to which others are to come `filter` is asked all the same. Absent: it may
   * refuse some.
   */
  fitsEverywhere?(cycle: Cycle): boolean;
  /** Whether the pod may go to the node. */
  filter?(cycle: Cycle, node: NodeView): Rejection | undefined;
  /** What if this pod were on the node as well? Changes what `preFilter` remembered; `node` shows the pod already. */
  addPod?(cycle: Cycle, pod: PodFacts, node: NodeView): void;
  /** What if this pod were not on the node? */
  removePod?(cycle: Cycle, pod: PodFacts, node: NodeView): void;
  /**
   * No node was left: may make one. The first that answers other than Unschedulable ends the round. Who takes time
   * keeps the whole scheduler waiting; the signal ends it when the scheduler stops.
   */
  postFilter?(cycle: Cycle, diagnosis: Diagnosis, signal: AbortSignal): PostFilterAnswer | Promise<PostFilterAnswer>;

  /** Before nodes are scored; only called where there are at least two. */
  preScore?(cycle: Cycle, nodes: readonly NodeView[]): Skip | undefined;
  /** A whole number; from 0 to 100 unless `normalizeScores` makes it so. */
  score?(cycle: Cycle, node: NodeView): number;
  /** Brings the scores of all nodes into the range from 0 to 100, in place. */
  normalizeScores?(cycle: Cycle, scores: number[], nodes: readonly NodeView[]): void;

  /** A node was chosen, and the pod counts there. */
  reserve?(cycle: Cycle, nodeName: string): Rejection | undefined;
  /** It will not be that node. Called in reverse order, of all, also those whose `reserve` was not reached. */
  unreserve?(cycle: Cycle, nodeName: string): void;
  /** The last no, or a wait. */
  permit?(cycle: Cycle, nodeName: string): Rejection | PermitWait | undefined;

  /** What `preBind` will do: nothing, or something that may run beside others. Without this function it runs alone. */
  preBindPreFlight?(cycle: Cycle, nodeName: string): Skip | { readonly parallel: boolean };
  /**
   * Does what must be done before the pod is bound. The signal ends it when the pod is preempted or the scheduler
   * stops.
   */
  preBind?(cycle: Cycle, nodeName: string, signal: AbortSignal): Promise<Rejection | undefined>;
  /**
   * Binds the pod, or leaves it to the next. The signal ends it when the scheduler stops, and is the same for all pods:
   * `onAbort` waits for it without a listener each.
   */
  bind?(cycle: Cycle, nodeName: string, signal: AbortSignal): Promise<Rejection | Skip | undefined>;
  /** The pod is bound. */
  postBind?(cycle: Cycle, nodeName: string): void;
}

/** Only these nodes come into question. */
export interface NodeSet {
  readonly nodeNames: ReadonlySet<string>;
}

/** A pod that waits until somebody allows it; after the time it is rejected. At most 15 minutes. */
export interface PermitWait {
  readonly waitMs: number;
}

/** What came of an attempt to make a node. `nominatedNodeName`: empty clears it, absent leaves it as it is. */
export interface PostFilterAnswer {
  /** Success: the pod is to come to a node later. */
  readonly done?: boolean;
  /** Why not. */
  readonly rejection?: Rejection;
  readonly nominatedNodeName?: string;
}

/** A pod with the node that it waits to be bound to. */
export interface WaitingPod {
  readonly pod: PodFacts;
  readonly nodeName: string;
  /** The plugins that have not allowed it yet. */
  readonly pendingPlugins: readonly string[];
  /** One plugin is content. The last one lets the pod go on. */
  allow(plugin: string): void;
  /** Sends the pod back. */
  reject(plugin: string, reason: string): void;
}

/** An event for people, about a pod. */
export interface PodNote {
  readonly about: Frozen<Pod>;
  readonly related?: Frozen<Pod>;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** What a plugin did, where metrics count it. */
export type PluginActivity =
  /** Somebody looked for pods that could make room. */
  | { readonly type: 'preemption-attempt' }
  /** So many pods have to leave. */
  | { readonly type: 'preemption'; readonly victims: number }
  /** They were told to, or could not be. */
  | { readonly type: 'preemption-done'; readonly result: 'success' | 'error'; readonly durationMs: number };
