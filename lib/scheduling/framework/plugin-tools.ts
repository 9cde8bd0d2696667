// What plugins are made with. A maker is called once per profile, before anything runs; what it makes must not start
// anything by itself.
import type { Client } from '../../client/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import type { SchedulerProfile } from '../configuration/scheduler-configuration.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { Cycle } from './cycle.js';
import type { PluginActivity, PodNote, SchedulingPlugin, WaitingPod } from './plugin.js';
import type { Rejected } from './rejection.js';

/** What a plugin may use. */
export interface PluginTools {
  readonly client: Client;
  readonly clock: Clock;
  /** A stream of the plugin's own. */
  readonly random: Random;
  readonly profile: SchedulerProfile;
  /** The cluster as it is now. Within a cycle, use the cycle's. */
  readonly cluster: ClusterView;
  /** The filters of the profile, for what-if. */
  readonly filters: Filters;
  /** Pods that wait at Permit, and those whose binding can still be stopped. */
  readonly waiting: WaitingPods;
  /** The newest object of a pod that has no node yet, or of one on a node; undefined once it is gone. */
  podNow(pod: Frozen<Pod>): Frozen<Pod> | undefined;
  /** Has pods tried without waiting any longer. */
  activate(pods: Iterable<Frozen<Pod>>): void;
  /** Nominates a waiting pod to a node, here only; an empty name takes it back. */
  nominate(pod: Frozen<Pod>, nodeName: string): void;
  /** Tells people. */
  note(note: PodNote): void;
  /** Names of plugins that are not the built-in ones, though they may be called like them. */
  readonly foreign?: ReadonlySet<string>;
  /** Extenders with a say in who has to leave. */
  readonly extenders?: readonly PreemptionExtender[];
  /** Tells of what metrics count. */
  tell(activity: PluginActivity): void;
  /** Work that goes on after the answer; it ends with the scheduler, and its failures are told to `onError`. */
  background(work: (signal: AbortSignal) => Promise<void>, onError: (error: unknown) => void): void;
}

/** Makes a plugin for a profile, with the arguments that the profile has for it. */
export type PluginMaker = (tools: PluginTools, args: unknown) => SchedulingPlugin;

/** The filters of a profile. */
export interface Filters {
  /** Why the node does not do, with regard to pods nominated to it as well. */
  filter(cycle: Cycle, node: NodeView): Rejected | undefined;
  /** Tells plugins of a pod that was put on a copy of a node. */
  addPod(cycle: Cycle, pod: PodFacts, node: NodeView): void;
  /** Tells plugins of a pod that was taken off a copy of a node. */
  removePod(cycle: Cycle, pod: PodFacts, node: NodeView): void;
}

/** Pods that would have to leave a node, and how many of them no budget allows to. */
export interface LeavingPods {
  readonly pods: readonly PodFacts[];
  readonly violations: number;
}

/** A service beside the scheduler that has a say in who leaves which node. */
export interface PreemptionExtender {
  /** Whether scheduling goes on where it fails. */
  readonly ignorable: boolean;
  /** Whether the pod asks for anything that the extender takes care of. */
  isInterested(pod: Frozen<Pod>): boolean;
  /** Which of the nodes, and which victims on them, it agrees to. */
  preempt(
    pod: Frozen<Pod>,
    candidates: ReadonlyMap<NodeView, LeavingPods>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<NodeView, LeavingPods>>;
}

/** Pods past the choice of a node that can still be held. */
export interface WaitingPods {
  /** A pod that waits at Permit. */
  get(uid: string): WaitingPod | undefined;
  /** All that wait at Permit. */
  list(): readonly WaitingPod[];
  /** Stops a pod that waits at Permit or is in PreBind. False when it is past that, or not here. */
  stop(uid: string, plugin: string, reason: string): boolean;
}
