// The contract of scheduling plugins. A plugin is a plain object with a name and a function for each extension point it
// implements; the profile determines which plugins run at each point, and in which order.
//
//   preEnqueue ─► [queue: compare, events] ─► preFilter ─► filter per node ─► (postFilter if no node is feasible)
//     ─► preScore ─► score per node ─► normalizeScores ─► reserve ─► permit ─► preBind ─► bind ─► postBind
//
// Up to permit all functions but postFilter are synchronous, so the cluster snapshot does not change during a cycle;
// preBind and bind are asynchronous. Extension points as kube-scheduler/framework/interface.go.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import type { Cycle } from './cycle-state.js';
import type { ClusterEventWithHint } from './queueing-hints.js';
import type { Diagnosis } from './placement.js';
import type { Rejection, Skip } from './rejection.js';

/**
 * A scheduling plugin. All functions but `postFilter`, `preBind` and `bind` are synchronous. An exception fails the
 * attempt.
 */
export interface SchedulingPlugin {
  readonly name: string;
  /** The events that may make pods schedulable that it rejected. Absent: every event; empty: none. */
  readonly events?: readonly ClusterEventWithHint[];

  /** Rejects a pod before it enters the active queue. */
  preEnqueue?(pod: PodFacts): Rejection | undefined;
  /** Orders the active queue: below 0 if the first pod is to be scheduled first. */
  compare?(one: QueuedPod, other: QueuedPod): number;

  /** Runs once before nodes are filtered. May reject the pod, restrict the nodes, or skip `filter` for this pod. */
  preFilter?(cycle: Cycle): Rejection | NodeSet | Skip | undefined;
  /**
   * Runs once after `preFilter`. True if `filter` would accept every node as it is now; then it runs only for nodes
   * with nominated pods. Absent: `filter` runs for every node.
   */
  fitsEverywhere?(cycle: Cycle): boolean;
  /** Rejects a node. */
  filter?(cycle: Cycle, node: NodeView): Rejection | undefined;
  /** Updates the data of `preFilter` for a pod that is assumed to be on the node. `node` already contains the pod. */
  addPod?(cycle: Cycle, pod: PodFacts, node: NodeView): void;
  /** Updates the data of `preFilter` for a pod that is assumed to have left the node. */
  removePod?(cycle: Cycle, pod: PodFacts, node: NodeView): void;
  /**
   * Runs when no node is feasible, and may make one feasible, as preemption does. The first result other than
   * Unschedulable ends the round. The scheduling of other pods waits for it; the signal aborts when the scheduler
   * stops.
   */
  postFilter?(cycle: Cycle, diagnosis: Diagnosis, signal: AbortSignal): PostFilterResult | Promise<PostFilterResult>;

  /** Runs once before nodes are scored, only if at least two are feasible. */
  preScore?(cycle: Cycle, nodes: readonly NodeView[]): Skip | undefined;
  /** Scores a node: an integer, from 0 to 100 unless `normalizeScores` maps it to that range. */
  score?(cycle: Cycle, node: NodeView): number;
  /** Maps the scores of all nodes to the range from 0 to 100, in place. */
  normalizeScores?(cycle: Cycle, scores: number[], nodes: readonly NodeView[]): void;

  /** Reserves resources on the chosen node. The pod is already assumed to be on it. */
  reserve?(cycle: Cycle, nodeName: string): Rejection | undefined;
  /**
   * Releases what `reserve` reserved. Called in reverse order for all plugins, also those whose `reserve` did not run.
   */
  unreserve?(cycle: Cycle, nodeName: string): void;
  /** Rejects the node, or delays the binding. */
  permit?(cycle: Cycle, nodeName: string): Rejection | PermitWait | undefined;

  /**
   * Announces whether `preBind` has anything to do, and whether it may run in parallel with others. Absent: it runs
   * alone.
   */
  preBindPreFlight?(cycle: Cycle, nodeName: string): Skip | { readonly parallel: boolean };
  /** Prepares the binding. The signal aborts when the pod is preempted or the scheduler stops. */
  preBind?(cycle: Cycle, nodeName: string, signal: AbortSignal): Promise<Rejection | undefined>;
  /**
   * Binds the pod, or skips it for the next plugin. The signal aborts when the scheduler stops and is shared by all
   * pods: use `onAbort` to wait for it without a listener per pod.
   */
  bind?(cycle: Cycle, nodeName: string, signal: AbortSignal): Promise<Rejection | Skip | undefined>;
  /** Runs after the pod was bound. */
  postBind?(cycle: Cycle, nodeName: string): void;
}

/** Restricts the search to these nodes. */
export interface NodeSet {
  readonly nodeNames: ReadonlySet<string>;
}

/** A delay at Permit: the pod is rejected unless it is allowed within this time. At most 15 minutes. */
export interface PermitWait {
  readonly waitMs: number;
}

/** The result of PostFilter. `nominatedNodeName`: empty removes the nomination, absent keeps it. */
export interface PostFilterResult {
  /** Success: the pod is nominated and retried later. */
  readonly done?: boolean;
  /** The reason for a failure. */
  readonly rejection?: Rejection;
  readonly nominatedNodeName?: string;
}

/** A pod that waits at Permit. */
export interface WaitingPod {
  readonly pod: PodFacts;
  readonly nodeName: string;
  /** The plugins that still delay the pod. */
  readonly pendingPlugins: readonly string[];
  /** Removes one plugin's delay. The last one releases the pod. */
  allow(plugin: string): void;
  /** Rejects the pod: it returns to the queue. */
  reject(plugin: string, reason: string): void;
}

/** A Kubernetes Event about a pod, before it gets a name and a time. */
export interface PodEventDetails {
  readonly regarding: Frozen<Pod>;
  readonly related?: Frozen<Pod>;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** Activities of plugins that metrics count. */
export type PluginActivity =
  /** Preemption searched for victims. */
  | { readonly type: 'preemption-attempt' }
  /** A node and its victims were chosen. */
  | { readonly type: 'preemption'; readonly victims: number }
  /** The victims were deleted, or deleting them failed. */
  | { readonly type: 'preemption-done'; readonly result: 'success' | 'error'; readonly durationMs: number };
