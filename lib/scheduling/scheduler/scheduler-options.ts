// The options of a scheduler, and its interface.
import type { Observable } from 'rxjs';
import type { Client, Informers, Transport } from '../../client/index.js';
import type { Clock, Frozen, MetricFamily, Part, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { Extender, SchedulerConfiguration } from '../configuration/scheduler-configuration.js';
import type { PluginDefinition } from '../framework/plugin-definition.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import type { Explanation } from '../what-if/explain.js';
import type { SimulatedPlacement, WhatIf } from '../what-if/simulate.js';
import type { SchedulerActivity } from './scheduler-activity.js';
import type { SchedulerParts } from './scheduler-parts.js';

/** The options of `createScheduler`. Only `client` is required. */
export interface SchedulerOptions {
  /** A client with the permissions of `system:kube-scheduler`. */
  readonly client: Client;
  /** Informers shared with other parts of the process. Default: its own, through `client`. */
  readonly informers?: Informers;
  readonly clock?: Clock;
  /** Breaks ties between nodes and adds jitter to retries. */
  readonly random?: Random;
  /** Default: Kubernetes' default configuration with one profile, `default-scheduler`. */
  readonly configuration?: SchedulerConfiguration;
  /** Plugins in addition to the built-in ones. They run where the configuration enables them; see `registryOf`. */
  readonly plugins?: readonly (SchedulingPlugin | PluginDefinition)[];
  /**
   * Creates the transport to an extender. Default: the platform's `fetch`, which cannot use the extender's TLS
   * settings.
   */
  readonly extenderTransport?: (extender: Extender) => Transport;
  /** Distinguishes schedulers of the same name in Events: usually the host name. Default `vivarium`. */
  readonly instance?: string;
  /**
   * The placer: `fast` caches filter verdicts and scores per equivalence class of pods, `plain` runs every plugin for
   * every node. Both choose the same node. Default `fast`.
   */
  readonly placing?: 'fast' | 'plain';
  /** An unschedulable pod is retried after this time even without an event. Default 5 minutes. */
  readonly unschedulableMaxMs?: number;
}

/** Assigns pods to nodes. */
export interface Scheduler extends Part<SchedulerActivity> {
  /**
   * Schedules pods while subscribed, and emits what it does. Cold; never completes or errors by itself. Unsubscribing
   * stops every watch, timer and request. A second concurrent subscription errors.
   */
  run(): Observable<SchedulerActivity>;
  /**
   * Explains where a pod would be scheduled, or which changes would make it fit: the result of each plugin on each
   * node. Writes nothing. Reads the cache of a running scheduler; otherwise lists the cluster once, and rejects if that
   * fails.
   */
  explain(pod: Frozen<Pod>): Promise<Explanation>;
  /**
   * Simulates the placement of pods, one after another, on the cluster as it is or with changes. Writes nothing; reads
   * the cluster as `explain` does.
   */
  simulate(pods: readonly Frozen<Pod>[], whatIf?: WhatIf): Promise<readonly SimulatedPlacement[]>;
  /** Returns the metrics in the Prometheus text format. */
  metrics(): string;
  /** Returns the metrics as families, to be combined with those of other parts. */
  metricFamilies(): readonly MetricFamily[];
  /** The parts while it runs, for inspection in tests; else undefined. */
  readonly parts: SchedulerParts | undefined;
}
