// The status of an autoscaler as one reconcile changes it, and the Events about it.
import type { Client, Stored } from '../../client/index.js';
import { deepEqual, errorText, objectReference, printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
} from '../../core/types/index.js';
import type { CallContext, EventSink } from '../workloads/pod-control.js';
import type { AutoscalerMetricStatus } from './metric-proposals.js';
import type { ConditionReason } from './scaling-rules.js';

/** The status of an autoscaler, some of whose metrics may not have been read. */
export interface AutoscalerStatus extends Omit<Frozen<HorizontalPodAutoscalerStatus>, 'currentMetrics'> {
  readonly currentMetrics?: readonly AutoscalerMetricStatus[];
}

/** The dependencies of a report. */
export interface StatusReportOptions {
  readonly client: Client;
  readonly recorder: EventSink;
  readonly call: CallContext;
  readonly nowMs: number;
}

/** Collects the changes of the status; `write` writes them if there are any. */
export class StatusReport {
  readonly #autoscaler: Stored<HorizontalPodAutoscaler>;
  readonly #options: StatusReportOptions;
  #status: AutoscalerStatus;

  constructor(autoscaler: Stored<HorizontalPodAutoscaler>, options: StatusReportOptions) {
    this.#autoscaler = autoscaler;
    this.#options = options;
    this.#status = autoscaler.status ?? { desiredReplicas: 0 };
  }

  /** Sets numbers and metrics. Without `desiredReplicas` the number stays. Conditions stay. */
  set(fields: {
    readonly currentReplicas: number;
    readonly desiredReplicas?: number;
    readonly currentMetrics: readonly AutoscalerMetricStatus[];
    readonly isRescaled?: boolean;
  }): void {
    const { conditions, lastScaleTime, desiredReplicas } = this.#status;
    const scaledAt = fields.isRescaled === true ? printTime(this.#options.nowMs) : lastScaleTime;
    this.#status = {
      currentReplicas: fields.currentReplicas,
      desiredReplicas: fields.desiredReplicas ?? desiredReplicas,
      ...(fields.currentMetrics.length > 0 && { currentMetrics: fields.currentMetrics }),
      ...(scaledAt !== undefined && { lastScaleTime: scaledAt }),
      ...(conditions !== undefined && { conditions }),
    };
  }

  /** Sets a condition. Its time changes with its status. */
  setCondition(type: string, status: 'True' | 'False', { reason, message }: ConditionReason): void {
    const { conditions = [] } = this.#status;
    const old = conditions.find((each) => each.type === type);
    const since = old?.status === status ? old.lastTransitionTime : printTime(this.#options.nowMs);
    const next: HorizontalPodAutoscalerCondition = {
      type,
      status,
      ...(since !== undefined && { lastTransitionTime: since }),
      reason,
      message,
    };
    this.#status = {
      ...this.#status,
      conditions: old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each)),
    };
  }

  /** Records an Event about the autoscaler. */
  record(type: 'Normal' | 'Warning', reason: string, message: string): void {
    const regarding = objectReference(autoscalerKind, this.#autoscaler);
    this.#options.recorder.record({ regarding, type, reason, message });
  }

  /** Writes the status if it has changed. A failure is recorded as an Event. */
  async write(): Promise<void> {
    if (deepEqual(comparable(this.#status), comparable(this.#autoscaler.status))) return;
    const { client, call } = this.#options;
    const { metadata } = this.#autoscaler;
    const object = { ...this.#autoscaler, ...autoscalerKind, status: this.#status };
    try {
      await client
        .resource(autoscalerKind)
        .in(metadata.namespace ?? '')
        .status.update(object, call);
    } catch (error) {
      const problem = errorText(error);
      this.record('Warning', 'FailedUpdateStatus', problem);
      throw new Error(`failed to update status for ${metadata.name}: ${problem}`, { cause: error });
    }
  }

  /** Writes the status on the way to another failure, which is the one to report. */
  async tryWrite(): Promise<void> {
    await this.write().catch(() => undefined);
  }
}

const autoscalerKind = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' } as const;

/** Fields that are absent have their zero values. */
function comparable(status: AutoscalerStatus | undefined): Required<Omit<AutoscalerStatus, 'observedGeneration'>> {
  return {
    currentReplicas: status?.currentReplicas ?? 0,
    desiredReplicas: status?.desiredReplicas ?? 0,
    currentMetrics: status?.currentMetrics ?? [],
    conditions: status?.conditions ?? [],
    lastScaleTime: status?.lastScaleTime ?? '',
  };
}
