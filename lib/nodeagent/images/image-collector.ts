// Garbage collection of images: which unused images are removed when their filesystem fills up, or when they were not
// used for long. As pkg/kubelet/images/image_gc_manager.go.
//
// When an image was last used is known only from looking: at each collection, images of containers that exist count as
// used now. An image that was never seen in use counts from when it was first seen.
import type { RuntimeImage } from '../runtime/runtime-state.js';

/** The settings of image garbage collection, by the names of KubeletConfiguration. */
export interface ImageCollectionOptions {
  /** The share of the image filesystem above which images are removed. Default 85. */
  readonly imageGCHighThresholdPercent?: number;
  /** The share down to which they are removed. Default 80. */
  readonly imageGCLowThresholdPercent?: number;
  /** How long an image is kept after it was first seen. Default 2 minutes. */
  readonly imageMinimumGCAge?: string | number;
  /** How long an unused image is kept at most. Default 0: for ever. */
  readonly imageMaximumGCAge?: string | number;
}

/** Complete settings, in percent and milliseconds. */
export interface ImageCollectionSettings {
  readonly highPercent: number;
  readonly lowPercent: number;
  readonly minAgeMs: number;
  /** Infinity: unused images are kept for ever. */
  readonly maxAgeMs: number;
}

/** What is known about an image. */
export interface ImageUse {
  readonly firstSeenAtMs: number;
  /** 0: never. */
  readonly lastUsedAtMs: number;
}

/** Records which images are in use. Returns what is known about those that exist. */
export function observeImages(
  known: ReadonlyMap<string, ImageUse>,
  images: readonly RuntimeImage[],
  isUsed: (image: RuntimeImage) => boolean,
  nowMs: number,
): ReadonlyMap<string, ImageUse> {
  return new Map(
    images.map((image) => {
      const { firstSeenAtMs = nowMs, lastUsedAtMs = 0 } = known.get(image.id) ?? {};
      return [image.id, { firstSeenAtMs, lastUsedAtMs: isUsed(image) ? nowMs : lastUsedAtMs }];
    }),
  );
}

/** What a collection removes. */
export interface ImageCollection {
  readonly remove: readonly RuntimeImage[];
  /** Bytes that had to be freed. */
  readonly wantedBytes: number;
  /** Bytes of the images that are removed for them. */
  readonly freedBytes: number;
}

/**
 * Decides what to remove, least recently used first. `all`: every unused image whatever its age and the space, as
 * eviction under disk pressure does.
 */
export function imagesToRemove(
  images: readonly RuntimeImage[],
  uses: ReadonlyMap<string, ImageUse>,
  { highPercent, lowPercent, minAgeMs, maxAgeMs }: ImageCollectionSettings,
  space: {
    readonly capacityBytes: number;
    readonly availableBytes: number;
    readonly nowMs: number;
    readonly all: boolean;
  },
): ImageCollection {
  const { capacityBytes, availableBytes, nowMs, all } = space;
  const useOf = ({ id }: RuntimeImage): ImageUse => uses.get(id) ?? { firstSeenAtMs: nowMs, lastUsedAtMs: 0 };
  const candidates = images
    .filter((image) => !image.isPinned && useOf(image).lastUsedAtMs !== nowMs)
    .sort((one, other) => {
      const [first, second] = [useOf(one), useOf(other)];
      return (
        first.lastUsedAtMs - second.lastUsedAtMs ||
        first.firstSeenAtMs - second.firstSeenAtMs ||
        (one.id < other.id ? -1 : 1)
      );
    });
  if (all) return { remove: candidates, wantedBytes: 0, freedBytes: sizeOf(candidates) };
  const tooOld = candidates.filter((image) => {
    const { lastUsedAtMs, firstSeenAtMs } = useOf(image);
    return nowMs - (lastUsedAtMs === 0 ? firstSeenAtMs : lastUsedAtMs) > maxAgeMs;
  });
  const usedPercent = capacityBytes === 0 ? 0 : 100 - Math.floor((availableBytes * 100) / capacityBytes);
  if (usedPercent < highPercent) return { remove: tooOld, wantedBytes: 0, freedBytes: 0 };
  const wantedBytes = Math.floor((capacityBytes * (100 - lowPercent)) / 100) - availableBytes;
  const remove = [...tooOld];
  let freedBytes = sizeOf(tooOld);
  for (const image of candidates) {
    if (freedBytes >= wantedBytes) break;
    if (remove.includes(image) || nowMs - useOf(image).firstSeenAtMs < minAgeMs) continue;
    remove.push(image);
    freedBytes += image.sizeBytes;
  }
  return { remove, wantedBytes, freedBytes };
}

function sizeOf(images: readonly RuntimeImage[]): number {
  return images.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
