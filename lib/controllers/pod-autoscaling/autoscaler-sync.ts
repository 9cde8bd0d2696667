// One reconcile of an autoscaler: reads the scale of its target and its metrics, decides, writes the scale, and reports
// in the status and in Events. The status is written on every path on which it has changed. As
// pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler.
import type { Client, Stored } from '../../client/index.js';
import { errorText, isParseError, parseLabelSelector, parseQuantity } from '../../core/index.js';
import type { Clock, Frozen, Selector } from '../../core/index.js';
import type { HorizontalPodAutoscaler, Pod } from '../../core/types/index.js';
import type { CallContext, EventSink } from '../workloads/pod-control.js';
import { StatusReport } from './autoscaler-status.js';
import { proposeForMetrics } from './metric-proposals.js';
import type { AutoscalerMetricStatus, MetricsProposal } from './metric-proposals.js';
import type { MetricsSource } from './metrics-source.js';
import type { Tolerances } from './replica-count.js';
import { findScale, writeReplicas } from './scale-target.js';
import type { ScaleTarget } from './scale-target.js';
import { limitReplicas } from './scaling-rules.js';
import type { ScalingHistory } from './scaling-rules.js';

/** The dependencies of a reconcile. */
export interface AutoscalerSync {
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventSink;
  readonly metrics: MetricsSource;
  readonly limits: {
    readonly downscaleWindowMs: number;
    readonly tolerance: number;
    readonly cpuInitializationMs: number;
    readonly initialReadinessDelayMs: number;
  };
  readonly history: ScalingHistory;
  readonly call: CallContext;
  /** Returns the pods of the namespace that match. */
  podsOf(selector: Selector): readonly Stored<Pod>[];
  /** Records the selector of this autoscaler. Returns the keys of all whose selectors match one of the pods. */
  autoscalersOf(selector: Selector, pods: readonly Stored<Pod>[]): readonly string[];
  scaled(from: number, to: number): void;
}

/** Reconciles an autoscaler. Rejects if a metric could not be read, even if the others have scaled the target. */
export async function reconcileAutoscaler(
  autoscaler: Stored<HorizontalPodAutoscaler>,
  sync: AutoscalerSync,
): Promise<void> {
  const { client, clock, recorder, call, history } = sync;
  const report = new StatusReport(autoscaler, { client, recorder, call, nowMs: clock.now() });
  const { scaleTargetRef: reference, behavior } = autoscaler.spec;
  const { namespace = '' } = autoscaler.metadata;
  const targetText = `${reference.kind}/${namespace}/${reference.name}`;
  const target = await findScale(reference, namespace, client, call).catch(async (error: unknown) => {
    const problem = errorText(error);
    report.record('Warning', 'FailedGetScale', problem);
    report.setCondition('AbleToScale', 'False', {
      reason: 'FailedGetScale',
      message: `the HPA controller was unable to get the target's current scale: ${problem}`,
    });
    await report.tryWrite();
    throw new Error(`failed to query scale subresource for ${targetText}: ${problem}`, { cause: error });
  });
  report.setCondition('AbleToScale', 'True', {
    reason: 'SucceededGetScale',
    message: "the HPA controller was able to get the target's current scale",
  });
  const current = target.scale.spec?.replicas ?? 0;
  history.begin(current, clock.now());
  const decision = await decide(autoscaler, target, report, sync);
  const observed = { currentReplicas: current, currentMetrics: decision.statuses };
  if (decision.replicas === undefined) {
    const { error } = decision;
    report.set(observed);
    await report.tryWrite();
    report.record('Warning', 'FailedComputeMetricsReplicas', error);
    const context = 'failed to compute desired number of replicas based on listed metrics for';
    throw new Error(`${context} ${targetText}: ${error}`);
  }
  const { replicas, reason = '', error } = decision;
  const isRescaled = replicas !== current;
  if (isRescaled) {
    await writeReplicas(target, replicas, clock, call).catch(async (failure: unknown) => {
      const problem = errorText(failure);
      report.record('Warning', 'FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${problem}`);
      report.setCondition('AbleToScale', 'False', {
        reason: 'FailedUpdateScale',
        message: `the HPA controller was unable to update the target scale: ${problem}`,
      });
      report.set(observed);
      await report.tryWrite();
      throw new Error(`failed to rescale ${targetText}: ${problem}`, { cause: failure });
    });
    report.setCondition('AbleToScale', 'True', {
      reason: 'SucceededRescale',
      message: `the HPA controller was able to update the target scale to ${replicas}`,
    });
    report.record('Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
    // Rates are limited by `behavior` only.
    if (behavior !== undefined) history.scale(current, replicas, clock.now());
    sync.scaled(current, replicas);
  }
  report.set({ ...observed, desiredReplicas: replicas, isRescaled });
  await report.write();
  if (error !== undefined) throw new Error(error);
}

/** A decision: the replicas that are to be, or why there are none. */
type Decision =
  | { readonly replicas?: undefined; readonly error: string; readonly statuses: readonly AutoscalerMetricStatus[] }
  | {
      readonly replicas: number;
      /** Why the number is another one than before. */
      readonly reason?: string;
      /** Metrics that could not be read although the target may be scaled. */
      readonly error?: string;
      readonly statuses: readonly AutoscalerMetricStatus[];
    };

async function decide(
  autoscaler: Stored<HorizontalPodAutoscaler>,
  target: ScaleTarget,
  report: StatusReport,
  sync: AutoscalerSync,
): Promise<Decision> {
  const { spec } = autoscaler;
  const current = target.scale.spec?.replicas ?? 0;
  const { minReplicas = 1, maxReplicas } = spec;
  if (current === 0) {
    report.setCondition('ScalingActive', 'False', {
      reason: 'ScalingDisabled',
      message: 'scaling is disabled since the replica count of the target is zero',
    });
    return { replicas: 0, statuses: [] };
  }
  if (current > maxReplicas)
    return { replicas: maxReplicas, statuses: [], reason: 'Current number of replicas above Spec.MaxReplicas' };
  if (current < minReplicas)
    return { replicas: minReplicas, statuses: [], reason: 'Current number of replicas below Spec.MinReplicas' };
  const selection = selectPods(target, report, sync);
  if (typeof selection === 'string') return { error: selection, statuses: [] };
  const proposal = await readMetrics(autoscaler, target, selection, sync);
  const { statuses, failures, metric, replicas: proposed } = proposal;
  for (const { reason, message } of failures) report.record('Warning', reason, message);
  const [first] = failures;
  const count = `${failures.length} invalid out of ${spec.metrics?.length ?? 0}`;
  const error = first && `invalid metrics (${count}), first error is: ${first.error}`;
  if (proposed === undefined) {
    const message = `the HPA was unable to compute the replica count: ${first?.message ?? ''}`;
    report.setCondition('ScalingActive', 'False', { reason: first?.reason ?? '', message });
    return { error: error ?? '', statuses };
  }
  report.setCondition('ScalingActive', 'True', {
    reason: 'ValidMetricFound',
    message: `the HPA was able to successfully calculate a replica count from ${metric}`,
  });
  const { downscaleWindowMs } = sync.limits;
  const nowMs = sync.clock.now();
  const limited = limitReplicas({ spec, current, proposed, downscaleWindowMs, nowMs }, sync.history);
  report.setCondition('AbleToScale', 'True', limited.ableToScale);
  report.setCondition('ScalingLimited', limited.scalingLimited.isLimited ? 'True' : 'False', limited.scalingLimited);
  const reason =
    proposed > current ? `${metric} above target` : proposed < current ? 'All metrics below target' : undefined;
  return {
    replicas: limited.replicas,
    statuses,
    ...(reason !== undefined && { reason }),
    ...(error !== undefined && { error }),
  };
}

interface PodSelection {
  readonly text: string;
  readonly pods: readonly Stored<Pod>[];
}

/** Returns the pods of the target, or why they are unknown. */
function selectPods({ scale }: ScaleTarget, report: StatusReport, sync: AutoscalerSync): PodSelection | string {
  const text = scale.status?.selector ?? '';
  const invalid = (event: string, error: string, condition = { reason: event, message: error }): string => {
    report.record('Warning', event, error);
    report.setCondition('ScalingActive', 'False', condition);
    return error;
  };
  if (text === '') {
    const message = "the HPA target's scale is missing a selector";
    return invalid('SelectorRequired', 'selector is required', { reason: 'InvalidSelector', message });
  }
  let selector: Selector;
  try {
    selector = parseLabelSelector(text);
  } catch (error) {
    if (!isParseError(error)) throw error;
    const context = "couldn't convert selector into a corresponding internal selector object";
    return invalid('InvalidSelector', `${context}: ${error.message}`);
  }
  const pods = sync.podsOf(selector);
  const selecting = sync.autoscalersOf(selector, pods);
  if (selecting.length <= 1) return { text, pods };
  const keys = selecting.map((key) => `{${key.slice(key.indexOf('/') + 1)} ${key.slice(0, key.indexOf('/'))}}`);
  return invalid('AmbiguousSelector', `pods by selector ${text} are controlled by multiple HPAs: [${keys.join(' ')}]`);
}

async function readMetrics(
  { metadata, spec }: Stored<HorizontalPodAutoscaler>,
  { scale }: ScaleTarget,
  { text, pods }: PodSelection,
  { metrics, limits, clock, call }: AutoscalerSync,
): Promise<MetricsProposal> {
  const { cpuInitializationMs, initialReadinessDelayMs } = limits;
  return await proposeForMetrics(spec.metrics ?? [], {
    source: metrics,
    namespace: metadata.namespace ?? '',
    selector: text,
    statusReplicas: scale.status?.replicas ?? 0,
    call: { signal: call.signal },
    target: {
      pods,
      replicas: scale.spec?.replicas ?? 0,
      tolerances: tolerancesOf(spec.behavior, limits.tolerance),
      nowMs: clock.now(),
      cpuInitializationMs,
      initialReadinessDelayMs,
    },
  });
}

function tolerancesOf(behavior: Frozen<HorizontalPodAutoscaler>['spec']['behavior'], fallback: number): Tolerances {
  const numberOf = (text: string | undefined): number =>
    text === undefined ? fallback : Number(parseQuantity(text).nanos) / 1e9;
  return { down: numberOf(behavior?.scaleDown?.tolerance), up: numberOf(behavior?.scaleUp?.tolerance) };
}
