// What a host says about its scheduler, and what it gets.
import type { Observable } from 'rxjs';
import type { Client, Informers, Transport } from '../../client/index.js';
import type { Clock, Frozen, MetricFamily, Part, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { Extender, SchedulerConfiguration } from '../configuration/scheduler-configuration.js';
import type { PluginDefinition } from '../framework/plugin-definition.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import type { Explanation } from '../what-if/explain.js';
import type { Simulated, WhatIf } from '../what-if/simulate.js';
import type { Attempt } from './attempt.js';
import type { SchedulerParts } from './scheduler-parts.js';

/** What a scheduler is made of. Only the client has no default. */
export interface SchedulerOptions {
  /** The cluster, as a user who may do what `system:kube-scheduler` may. */
  readonly client: Client;
  /** The watches that the scheduler shares with other parts of the process. Default: its own, through `client`. */
  readonly informers?: Informers;
  readonly clock?: Clock;
  /** Chooses among equal nodes, and spreads retries. */
  readonly random?: Random;
  /** That of a scheduler that was told nothing, unless said otherwise: one profile, `default-scheduler`. */
  readonly configuration?: SchedulerConfiguration;
  /** Plugins beside the built-in ones. They take part where the configuration enables them; see `registryOf`. */
  readonly plugins?: readonly (SchedulingPlugin | PluginDefinition)[];
  /** Reaches extenders; the platform's `fetch` unless said otherwise, which cannot be told whom to trust. */
  readonly extenderTransport?: (extender: Extender) => Transport;
  /**
   * What tells this scheduler from others of the same name in events: the host's name as a rule. Default `vivarium`.
   */
  readonly instance?: string;
  /**
   * How nodes are looked for: over columns, where results are kept from pod to pod, or plainly, asking every plugin
   * about every node. Both choose the same node. Default `columns`.
   */
  readonly placing?: 'columns' | 'plain';
  /** After so long without help a pod is tried again whatever happened. Default 5 minutes. */
  readonly unschedulableMaxMs?: number;
}

/** Gives pods their nodes. */
export interface Scheduler extends Part<Attempt> {
  /**
   * Schedules for as long as somebody subscribes, and tells of it. Cold; never errors or completes by itself.
   * Unsubscribing ends every watch, timer and request. One subscription at a time: another is refused with an error.
   */
  run(): Observable<Attempt>;
  /**
   * Why a pod goes where it goes, or what would let it fit: each plugin's word on each node. Writes nothing. While the
   * scheduler runs it answers from what is known; else the cluster is looked at once, and what goes wrong rejects.
   */
  explain(pod: Frozen<Pod>): Promise<Explanation>;
  /**
   * Where pods would go, one after the other, if the cluster were as it is or a little different. Writes nothing; see
   * `explain`.
   */
  simulate(pods: readonly Frozen<Pod>[], whatIf?: WhatIf): Promise<readonly Simulated[]>;
  /** The figures, as Prometheus reads them. */
  metrics(): string;
  /** The same before it is printed, for a page that shows the figures of others too. */
  metricFamilies(): readonly MetricFamily[];
  /** The parts, while it runs. */
  readonly parts: SchedulerParts | undefined;
}
