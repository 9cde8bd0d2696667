// What becomes of a proposed number of replicas: it is stabilised against the proposals of the last minutes, limited by
// how fast replicas may change, and kept between the minimum and the maximum. Without `behavior` only shrinking is
// stabilised, and replicas at most double (or become 4). As pkg/controller/podautoscaler/horizontal.go,
// normalizeDesiredReplicas and normalizeDesiredReplicasWithBehaviors.
import type { Frozen } from '../../core/index.js';
import type {
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../../core/types/index.js';

/** A value at a time. */
interface Sample {
  readonly value: number;
  readonly atMs: number;
}

/** The recent past of one autoscaler: its proposals before they were stabilised, and how much it has scaled. */
export class ScalingHistory {
  #proposals: readonly Sample[] | undefined;
  #added: readonly Sample[] = [];
  #removed: readonly Sample[] = [];

  /** The number of replicas at the first reconcile counts as a proposal: a restart does not scale down at once. */
  begin(replicas: number, nowMs: number): void {
    this.#proposals ??= [{ value: replicas, atMs: nowMs }];
  }

  get proposals(): readonly Sample[] {
    return this.#proposals ?? [];
  }

  /** Adds a proposal and forgets those before `sinceMs`. */
  propose(value: number, nowMs: number, sinceMs: number): void {
    this.#proposals = [...this.proposals.filter(({ atMs }) => atMs >= sinceMs), { value, atMs: nowMs }];
  }

  /** Records that replicas were scaled. */
  scale(from: number, to: number, nowMs: number): void {
    const recent = ({ atMs }: Sample): boolean => atMs > nowMs - periodMaxMs;
    const sample = { value: Math.abs(to - from), atMs: nowMs };
    if (to > from) this.#added = [...this.#added.filter(recent), sample];
    else this.#removed = [...this.#removed.filter(recent), sample];
  }

  /** Returns how many replicas there were at the beginning of a period that ends now. */
  replicasBefore(periodSeconds: number, replicas: number, nowMs: number): number {
    const sum = (samples: readonly Sample[]): number =>
      samples.filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000).reduce((total, { value }) => total + value, 0);
    return replicas - sum(this.#added) + sum(this.#removed);
  }
}

/** The longest period of a policy: 30 minutes. */
const periodMaxMs = 1_800_000;

/** A number of replicas to decide about. */
export interface ReplicaDecision {
  readonly spec: Frozen<HorizontalPodAutoscalerSpec>;
  readonly current: number;
  readonly proposed: number;
  /** How long shrinking is stabilised where `behavior` does not say. */
  readonly downscaleWindowMs: number;
  readonly nowMs: number;
}

/** The replicas that are to be, and the conditions AbleToScale and ScalingLimited. */
export interface LimitedReplicas {
  readonly replicas: number;
  readonly ableToScale: ConditionReason;
  readonly scalingLimited: ConditionReason & { readonly isLimited: boolean };
}

/** The reason and the message of a condition. */
export interface ConditionReason {
  readonly reason: string;
  readonly message: string;
}

/** Stabilises and limits a proposal, and adds it to the history. */
export function limitReplicas(decision: ReplicaDecision, history: ScalingHistory): LimitedReplicas {
  const { spec, current, proposed } = decision;
  const { behavior } = spec;
  const stable =
    behavior === undefined ? stabilizeShrinking(decision, history) : stabilize(decision, behavior, history);
  const isGrowing = behavior !== undefined && proposed >= current;
  const { replicas, explanation } =
    behavior === undefined ? limitGrowth(decision, stable) : limitRate(decision, behavior, stable, history);
  return {
    replicas,
    ableToScale:
      stable === proposed
        ? because('ReadyForNewScale')
        : isGrowing
          ? because('ScaleUpStabilized')
          : because('ScaleDownStabilized'),
    scalingLimited: { ...explanation, isLimited: replicas !== stable },
  };
}

/** Returns the highest of the proposals of the window. */
function stabilizeShrinking({ proposed, downscaleWindowMs, nowMs }: ReplicaDecision, history: ScalingHistory): number {
  const sinceMs = nowMs - downscaleWindowMs;
  const recent = history.proposals.filter(({ atMs }) => atMs >= sinceMs).map(({ value }) => value);
  history.propose(proposed, nowMs, sinceMs);
  return Math.max(proposed, ...recent);
}

/** Returns the number closest to the current one between the lowest of one window and the highest of the other. */
function stabilize(
  { current, proposed, downscaleWindowMs, nowMs }: ReplicaDecision,
  { scaleUp, scaleDown }: Frozen<HorizontalPodAutoscalerBehavior>,
  history: ScalingHistory,
): number {
  const upSinceMs = nowMs - (scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
  const downWindowSeconds = scaleDown?.stabilizationWindowSeconds;
  const downSinceMs = nowMs - (downWindowSeconds === undefined ? downscaleWindowMs : downWindowSeconds * 1000);
  const valuesAfter = (sinceMs: number): readonly number[] =>
    history.proposals.filter(({ atMs }) => atMs > sinceMs).map(({ value }) => value);
  const lowest = Math.min(proposed, ...valuesAfter(upSinceMs));
  const highest = Math.max(proposed, ...valuesAfter(downSinceMs));
  history.propose(proposed, nowMs, Math.min(upSinceMs, downSinceMs));
  return Math.min(Math.max(current, lowest), highest);
}

interface Limited {
  readonly replicas: number;
  readonly explanation: ConditionReason;
}

function limitGrowth({ spec, current }: ReplicaDecision, stable: number): Limited {
  const { minReplicas = 1, maxReplicas } = spec;
  const rateMax = Math.max(2 * current, 4);
  if (stable < minReplicas) return { replicas: minReplicas, explanation: because('TooFewReplicas') };
  const most = Math.min(maxReplicas, rateMax);
  if (stable > most)
    return {
      replicas: most,
      explanation: rateMax < maxReplicas ? because('ScaleUpLimit') : because('TooManyReplicas'),
    };
  return { replicas: stable, explanation: because('DesiredWithinRange') };
}

function limitRate(
  { spec, current, nowMs }: ReplicaDecision,
  { scaleUp, scaleDown }: Frozen<HorizontalPodAutoscalerBehavior>,
  stable: number,
  history: ScalingHistory,
): Limited {
  const { minReplicas = 1, maxReplicas } = spec;
  const past: Past = { current, before: (period) => history.replicasBefore(period, current, nowMs) };
  if (stable > current) {
    const rateMax = Math.max(current, furthestReplicas(1, scaleUp, past));
    const most = Math.min(maxReplicas, rateMax);
    if (stable > most)
      return {
        replicas: most,
        explanation: rateMax < maxReplicas ? because('ScaleUpLimit') : because('TooManyReplicas'),
      };
  } else if (stable < current) {
    const rateMin = Math.min(current, furthestReplicas(-1, scaleDown, past));
    const fewest = Math.max(minReplicas, rateMin);
    if (stable < fewest)
      return {
        replicas: fewest,
        explanation: rateMin > minReplicas ? because('ScaleDownLimit') : because('TooFewReplicas'),
      };
  }
  return { replicas: stable, explanation: because('DesiredWithinRange') };
}

/** Growing is 1, shrinking is -1. */
type Direction = 1 | -1;

interface Past {
  readonly current: number;
  /** Returns how many replicas there were at the beginning of a period that ends now. */
  readonly before: (periodSeconds: number) => number;
}

/** Returns the number of replicas that the policies let the target reach; `selectPolicy` decides between several. */
function furthestReplicas(
  direction: Direction,
  rules: Frozen<HPAScalingRules> | undefined,
  { current, before }: Past,
): number {
  const { selectPolicy, policies = [] } = rules ?? {};
  if (selectPolicy === 'Disabled') return current;
  const limits = policies.map(({ type, value, periodSeconds }: Frozen<HPAScalingPolicy>) => {
    const replicas = before(periodSeconds);
    if (type === 'Pods') return replicas + direction * value;
    const limit = replicas * (1 + (direction * value) / 100);
    // Growth is rounded up: otherwise one replica could never become two.
    return direction === 1 ? Math.ceil(limit) : Math.trunc(limit);
  });
  const isHighest = (selectPolicy === 'Min') === (direction === -1);
  return isHighest ? Math.max(-int32Max, ...limits) : Math.min(int32Max, ...limits);
}

const int32Max = 2 ** 31 - 1;

/** The reasons of conditions, and their messages. */
const messages = {
  ReadyForNewScale: 'recommended size matches current size',
  ScaleUpStabilized: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
  ScaleDownStabilized:
    'recent recommendations were higher than current one, applying the highest recent recommendation',
  DesiredWithinRange: 'the desired count is within the acceptable range',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
} as const;

function because(reason: keyof typeof messages): ConditionReason {
  return { reason, message: messages[reason] };
}
