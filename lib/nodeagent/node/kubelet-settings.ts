// The settings of an agent that a kubelet reads from its configuration file, by the same names: eviction, garbage
// collection and shutdown.
import { durationMs } from '../../core/index.js';
import type { Duration } from '../../core/index.js';
import { completeEviction } from '../eviction/thresholds.js';
import type { EvictionOptions, EvictionSettings } from '../eviction/thresholds.js';
import type { ImageCollectionOptions, ImageCollectionSettings } from '../images/image-collector.js';

/** Settings by the names of KubeletConfiguration. Defaults as those of a kubelet. */
export interface KubeletOptions extends EvictionOptions, ImageCollectionOptions {
  /** The time that pods get when the node shuts down. Default 0: they are not stopped in order. */
  readonly shutdownGracePeriod?: Duration;
  /** The part of it that is kept for critical pods. Default 0. */
  readonly shutdownGracePeriodCriticalPods?: Duration;
}

/** Complete settings. */
export interface KubeletSettings {
  readonly eviction: EvictionSettings;
  readonly images: ImageCollectionSettings;
  readonly shutdownMs: number;
  readonly criticalShutdownMs: number;
}

/** Fills in defaults. Throws RangeError for an invalid value. */
export function completeKubelet(options: KubeletOptions): KubeletSettings {
  const { imageGCHighThresholdPercent: highPercent = 85, imageGCLowThresholdPercent: lowPercent = 80 } = options;
  for (const percent of [highPercent, lowPercent])
    if (!(percent >= 0 && percent <= 100)) throw new RangeError(`image GC thresholds are percentages, not ${percent}`);
  if (lowPercent >= highPercent)
    throw new RangeError(
      `imageGCLowThresholdPercent ${lowPercent} must be less than imageGCHighThresholdPercent ${highPercent}`,
    );
  const maxAgeMs = durationMs(options.imageMaximumGCAge ?? 0);
  const shutdownMs = durationMs(options.shutdownGracePeriod ?? 0);
  const criticalShutdownMs = durationMs(options.shutdownGracePeriodCriticalPods ?? 0);
  if (criticalShutdownMs > shutdownMs)
    throw new RangeError('shutdownGracePeriodCriticalPods must not be longer than shutdownGracePeriod');
  return {
    eviction: completeEviction(options),
    images: {
      highPercent,
      lowPercent,
      minAgeMs: durationMs(options.imageMinimumGCAge ?? '2m'),
      maxAgeMs: maxAgeMs === 0 ? Infinity : maxAgeMs,
    },
    shutdownMs,
    criticalShutdownMs,
  };
}
