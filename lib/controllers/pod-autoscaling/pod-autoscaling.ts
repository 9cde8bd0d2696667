// The horizontal pod autoscaler: sets the replicas of a target so that metrics come close to what the autoscaler wants
// of them. Each autoscaler is reconciled every 15 seconds, whatever happens in between and whether or not the last
// reconcile failed. As pkg/controller/podautoscaler/horizontal.go.
import { awaitChange, controller, informers, requeueAfter, watching, watchingDelayed } from '../../client/index.js';
import type { ControllerActivity, EventFailed, EventRecorder, Stored } from '../../client/index.js';
import { matchesLabels, namespacedName, printNamespacedName } from '../../core/index.js';
import type { NamespacedName, Part, Selector } from '../../core/index.js';
import type { HorizontalPodAutoscaler, Pod } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { withEvents } from '../with-events.js';
import { namespaceValues } from '../workloads/dependent-events.js';
import { reconcileAutoscaler } from './autoscaler-sync.js';
import { apiMetrics } from './metrics-source.js';
import type { MetricsSource } from './metrics-source.js';
import { ScalingHistory } from './scaling-rules.js';

/** Options of the pod autoscaler. Defaults are those of kube-controller-manager. */
export interface PodAutoscalingOptions extends ControllerEnvironment {
  /** Where metrics are read. Default: the APIs of metrics, through `client`. */
  readonly metrics?: MetricsSource;
  /** For how long proposals of more replicas hold scaling down. Default five minutes. */
  readonly downscaleStabilizationMs?: number;
  /** The deviation from the target up to which nothing is changed. Default 0.1. */
  readonly tolerance?: number;
  /** For how long after its start CPU usage of a pod may be left out. Default five minutes. */
  readonly cpuInitializationPeriodMs?: number;
  /** For how long after its start a pod that is not ready is taken never to have been. Default 30 seconds. */
  readonly initialReadinessDelayMs?: number;
}

/** A target was scaled. */
export interface TargetScaled {
  readonly type: 'scaled';
  readonly autoscaler: NamespacedName;
  readonly from: number;
  readonly to: number;
}

/** The activities of the pod autoscaler. */
export type PodAutoscalingActivity = ControllerActivity<NamespacedName, TargetScaled> | EventFailed;

/** Creates the pod autoscaler. */
export function podAutoscaling(options: PodAutoscalingOptions): Part<PodAutoscalingActivity> {
  const component = 'horizontal-pod-autoscaler';
  return withEvents({ ...options, name, component, create: (recorder) => create(options, recorder) });
}

const name = 'horizontal-pod-autoscaler-controller';

/** Every autoscaler is retried with its period; there is no other limit. */
const retryLimit = { perSecond: 1e9, burst: 1e9 };

function create(options: PodAutoscalingOptions, recorder: EventRecorder): Part<PodAutoscalingActivity> {
  const { client, clock, random, informers: shared = informers(client, { clock, random }) } = options;
  const { concurrency = 5, syncPeriodMs = 15_000, metrics = apiMetrics(client) } = options;
  const limits = {
    downscaleWindowMs: options.downscaleStabilizationMs ?? 300_000,
    tolerance: options.tolerance ?? 0.1,
    cpuInitializationMs: options.cpuInitializationPeriodMs ?? 300_000,
    initialReadinessDelayMs: options.initialReadinessDelayMs ?? 30_000,
  };
  const autoscalers = shared.kind('autoscaling/v2', 'HorizontalPodAutoscaler');
  const pods = shared.kind('v1', 'Pod').indexedBy({ namespace: namespaceValues });
  const memories = new Map<string, AutoscalerMemory>();
  return controller<NamespacedName, TargetScaled>({
    name,
    clock,
    steps$: options.steps$,
    concurrency,
    backoff: {
      baseMs: syncPeriodMs,
      maxMs: syncPeriodMs,
      factor: 1,
      jitter: 0,
      resetAfterMs: Infinity,
      attemptsMax: Infinity,
    },
    retryLimit,
    watches: [
      watchingDelayed(autoscalers, ({ type, object }) => {
        const item = namespacedName(object);
        if (type === 'deleted') memories.delete(printNamespacedName(item));
        return type === 'deleted' ? [] : [{ item, afterMs: syncPeriodMs }];
      }),
      watching(pods),
    ],
    reconcile: async (item, { emit, signal, cause }) => {
      const key = printNamespacedName(item);
      const autoscaler = autoscalers.get(key);
      if (autoscaler === undefined) return awaitChange;
      const memory = memories.get(key) ?? { history: new ScalingHistory() };
      memories.set(key, memory);
      const podsOf = (selector: Selector): readonly Stored<Pod>[] =>
        pods.by('namespace', item.namespace).filter(({ metadata }) => matchesLabels(selector, metadata.labels));
      await reconcileAutoscaler(autoscaler, {
        client,
        clock,
        recorder,
        metrics,
        limits,
        history: memory.history,
        call: { signal, cause },
        podsOf,
        // The selector is known from the first reconcile of an autoscaler on.
        autoscalersOf: (selector, selected) => {
          memory.selector = selector;
          return [...memories]
            .filter(([other]) => isOf(item.namespace, other, autoscalers.get(other)))
            .filter(([, { selector: of }]) => of !== undefined && selected.some((pod) => isMatch(of, pod)))
            .map(([other]) => other)
            .sort();
        },
        scaled: (from, to) => emit({ type: 'scaled', autoscaler: item, from, to }),
      });
      return requeueAfter(syncPeriodMs);
    },
  });
}

/** What is remembered about an autoscaler between reconciles. */
interface AutoscalerMemory {
  readonly history: ScalingHistory;
  selector?: Selector;
}

function isOf(namespace: string, key: string, autoscaler: Stored<HorizontalPodAutoscaler> | undefined): boolean {
  return autoscaler !== undefined && key.startsWith(`${namespace}/`);
}

function isMatch(selector: Selector, { metadata }: Stored<Pod>): boolean {
  return matchesLabels(selector, metadata.labels);
}
