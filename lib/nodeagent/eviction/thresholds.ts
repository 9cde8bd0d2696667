// Signals of a node that runs out of something, and the thresholds at which pods are evicted. As
// pkg/kubelet/eviction/defaults_linux.go and threshold parsing of pkg/kubelet/eviction/helpers.go.
import { durationMs, integerValue } from '../../core/index.js';
import type { Duration } from '../../core/index.js';

/** A figure of the node that eviction observes. */
export type EvictionSignal =
  | 'memory.available'
  | 'nodefs.available'
  | 'nodefs.inodesFree'
  | 'imagefs.available'
  | 'imagefs.inodesFree'
  | 'pid.available';

/** The condition of the node that a signal sets. */
export type PressureCondition = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

/** The available part of a capacity, in the same unit. */
export interface SignalObservation {
  readonly available: number;
  readonly capacity: number;
}

/** The newest figures of a node. Signals that it cannot measure are left out. */
export type SignalObservations = ReadonlyMap<EvictionSignal, SignalObservation>;

/** An amount, or a share of the capacity. */
export type ThresholdValue =
  { readonly amount: number; readonly share?: undefined } | { readonly amount?: undefined; readonly share: number };

/** A limit below which pods are evicted. */
export interface EvictionThreshold {
  readonly signal: EvictionSignal;
  readonly value: ThresholdValue;
  /** How long the signal must stay below it. Zero: a hard threshold. */
  readonly graceMs: number;
  /** How far above the threshold the signal must rise to end it. */
  readonly minReclaim: ThresholdValue;
}

/** The options of eviction, by the names of KubeletConfiguration. */
export interface EvictionOptions {
  /** By signal: `100Mi` or `10%`. Given: replaces all defaults. `0%` and `100%` switch a signal off. */
  readonly evictionHard?: Readonly<Partial<Record<EvictionSignal, string>>>;
  /** Needs a period in `evictionSoftGracePeriod` for each signal. Default: none. */
  readonly evictionSoft?: Readonly<Partial<Record<EvictionSignal, string>>>;
  readonly evictionSoftGracePeriod?: Readonly<Partial<Record<EvictionSignal, Duration>>>;
  /** Default: none. */
  readonly evictionMinimumReclaim?: Readonly<Partial<Record<EvictionSignal, string>>>;
  /** The longest grace period of a pod that a soft threshold evicts, in seconds. Default 0. */
  readonly evictionMaxPodGracePeriod?: number;
  /** How long a condition lasts after its signal recovered. Default 5 minutes. */
  readonly evictionPressureTransitionPeriod?: Duration;
}

/** Complete settings of eviction. */
export interface EvictionSettings {
  readonly thresholds: readonly EvictionThreshold[];
  readonly maxPodGraceMs: number;
  readonly transitionMs: number;
}

const defaultHard: NonNullable<EvictionOptions['evictionHard']> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

const signals: ReadonlySet<string> = new Set([...Object.keys(defaultHard), 'pid.available']);

/** Fills in defaults. Throws RangeError for an unknown signal or a value that is no amount. */
export function completeEviction(options: EvictionOptions): EvictionSettings {
  const { evictionHard = defaultHard, evictionSoft = {}, evictionSoftGracePeriod = {} } = options;
  const { evictionMinimumReclaim: reclaim = {} } = options;
  const none: ThresholdValue = { amount: 0 };
  const thresholdsOf = (
    values: Readonly<Partial<Record<EvictionSignal, string>>>,
    graceOf: (signal: EvictionSignal) => number,
  ): readonly EvictionThreshold[] =>
    (Object.entries(values) as [EvictionSignal, string][])
      .filter(([, text]) => text !== '0%' && text !== '100%')
      .map(([signal, text]) => {
        if (!signals.has(signal)) throw new RangeError(`unknown eviction signal ${signal}`);
        const minReclaim = reclaim[signal] === undefined ? none : valueOf(signal, reclaim[signal]);
        return { signal, value: valueOf(signal, text), graceMs: graceOf(signal), minReclaim };
      });
  return {
    thresholds: [
      ...thresholdsOf(evictionHard, () => 0),
      ...thresholdsOf(evictionSoft, (signal) => {
        const period = evictionSoftGracePeriod[signal];
        if (period === undefined)
          throw new RangeError(`grace period must be specified for the soft eviction threshold ${signal}`);
        return durationMs(period);
      }),
    ],
    maxPodGraceMs: (options.evictionMaxPodGracePeriod ?? 0) * 1000,
    transitionMs: durationMs(options.evictionPressureTransitionPeriod ?? '5m'),
  };
}

function valueOf(signal: string, text: string): ThresholdValue {
  const percent = /^([0-9]{1,3}(?:\.[0-9]{1,9})?)%$/.exec(text)?.[1];
  if (percent !== undefined) return { share: Number(percent) / 100 };
  try {
    return { amount: integerValue(text) };
  } catch (cause) {
    throw new RangeError(`no amount of ${signal}: ${text}`, { cause });
  }
}

/** Returns the amount of a threshold for a capacity. */
export function thresholdAmount({ amount, share }: ThresholdValue, capacity: number): number {
  return amount ?? Math.floor(share * capacity);
}

/** Returns the condition that a signal sets. */
export function pressureOf(signal: EvictionSignal): PressureCondition {
  if (signal === 'memory.available') return 'MemoryPressure';
  return signal === 'pid.available' ? 'PIDPressure' : 'DiskPressure';
}

/** Returns the resource that an eviction for a signal reclaims, as messages name it. */
export function starvedResource(signal: EvictionSignal): 'memory' | 'ephemeral-storage' | 'inodes' | 'pids' {
  if (signal === 'memory.available') return 'memory';
  if (signal === 'pid.available') return 'pids';
  return signal.endsWith('inodesFree') ? 'inodes' : 'ephemeral-storage';
}
