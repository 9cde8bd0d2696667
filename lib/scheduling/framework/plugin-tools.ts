// The dependencies of plugins. A factory is called once per profile, before the scheduler runs, and must not start
// anything. As kube-scheduler/framework, Handle.
import type { Client } from '../../client/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import type { SchedulerProfile } from '../configuration/scheduler-configuration.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { Cycle } from './cycle-state.js';
import type { PluginActivity, PodEventDetails, SchedulingPlugin, WaitingPod } from './plugin.js';
import type { Rejected } from './rejection.js';

/** The dependencies that a plugin factory receives. */
export interface PluginTools {
  readonly client: Client;
  readonly clock: Clock;
  /** A random stream of this plugin alone. */
  readonly random: Random;
  readonly profile: SchedulerProfile;
  /** The current cluster. Within a cycle, use `cycle.cluster`. */
  readonly cluster: ClusterView;
  /** The filters of the profile, for plugins that evaluate hypothetical nodes, such as preemption. */
  readonly filters: Filters;
  /** Pods that wait at Permit or are in PreBind. */
  readonly waitingPods: WaitingPods;
  /** Returns the newest version of a pod, scheduled or not; undefined after it was deleted. */
  currentPod(pod: Frozen<Pod>): Frozen<Pod> | undefined;
  /** Moves pending pods to the active queue. */
  activate(pods: Iterable<Frozen<Pod>>): void;
  /** Nominates a pending pod to a node, in memory only. An empty name removes the nomination. */
  nominate(pod: Frozen<Pod>, nodeName: string): void;
  /** Records a Kubernetes Event. */
  recordEvent(note: PodEventDetails): void;
  /** Names of the plugins that the host supplied. A name in it may be that of a built-in plugin, which it replaces. */
  readonly customPlugins?: ReadonlySet<string>;
  /** Extenders that take part in preemption. */
  readonly extenders?: readonly PreemptionExtender[];
  /** Records an activity for metrics. */
  recordActivity(activity: PluginActivity): void;
  /**
   * Runs work after the plugin function returned. The signal aborts when the scheduler stops; `onError` receives a
   * failure.
   */
  runInBackground(work: (signal: AbortSignal) => Promise<void>, onError: (error: unknown) => void): void;
}

/** Creates a plugin for a profile. `args` are the profile's arguments for it. */
export type PluginFactory = (tools: PluginTools, args: unknown) => SchedulingPlugin;

/** The filters of a profile. */
export interface Filters {
  /** Returns why a node is infeasible, with the pods that are nominated to it counted as present. */
  filter(cycle: Cycle, node: NodeView): Rejected | undefined;
  /** Updates the cycle state of plugins for a pod that was added to a copy of a node. */
  addPod(cycle: Cycle, pod: PodFacts, node: NodeView): void;
  /** Updates the cycle state of plugins for a pod that was removed from a copy of a node. */
  removePod(cycle: Cycle, pod: PodFacts, node: NodeView): void;
}

/** The victims on one node, and how many of them violate a PodDisruptionBudget. */
export interface ProposedVictims {
  readonly pods: readonly PodFacts[];
  readonly violations: number;
}

/** An extender that takes part in preemption. */
export interface PreemptionExtender {
  /** Whether scheduling continues when the extender fails. */
  readonly ignorable: boolean;
  /** Returns whether the pod requests a resource that the extender manages. */
  isInterested(pod: Frozen<Pod>): boolean;
  /** Returns the candidates, and the victims on them, that the extender accepts. */
  preempt(
    pod: Frozen<Pod>,
    candidates: ReadonlyMap<NodeView, ProposedVictims>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<NodeView, ProposedVictims>>;
}

/** Pods between Permit and Bind whose binding can still be stopped. */
export interface WaitingPods {
  /** Returns a pod that waits at Permit. */
  get(uid: string): WaitingPod | undefined;
  /** Returns all pods that wait at Permit. */
  list(): readonly WaitingPod[];
  /** Stops a pod that waits at Permit or is in PreBind. Returns false if the pod is in neither state. */
  stop(uid: string, plugin: string, reason: string): boolean;
}
