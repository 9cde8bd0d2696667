// ImageLocality: prefers nodes that already have the pod's images. An image counts by its size times the share of nodes
// that have it; without that factor all pods would follow the first. The functions work on plain numbers, because the
// fast placer uses them too. As the plugin of the same name.
import type { SchedulingPlugin } from '../framework/plugin.js';
import { maxScore } from '../framework/scores.js';

/** Creates the plugin. */
export function imageLocality(): SchedulingPlugin {
  return {
    name: 'ImageLocality',
    score: ({ pod, cluster }, node) => {
      let worth = 0;
      for (const name of pod.images) {
        const image = node.images.get(name);
        if (image !== undefined) worth += scaledImageSize(image.size, image.nodeCount, cluster.nodes.length);
      }
      return imageScore(worth, pod.containerCount);
    },
  };
}

/** Returns the size of an image scaled by the share of the cluster's nodes that have it. */
export function scaledImageSize(size: number, nodeCount: number, nodeTotal: number): number {
  return Math.trunc(size * (nodeCount / nodeTotal));
}

/** Returns the score of a node from the sum of its scaled image sizes. */
export function imageScore(worth: number, containerCount: number): number {
  const most = maxScaledSizePerContainer * containerCount;
  if (worth <= minScaledSize) return 0;
  return Math.trunc((maxScore * (Math.min(worth, most) - minScaledSize)) / (most - minScaledSize));
}

const mebibyte = 1024 * 1024;
/** A sum up to this scores 0. */
const minScaledSize = 23 * mebibyte;
/** A sum from this on, per container, scores the maximum. */
const maxScaledSizePerContainer = 1000 * mebibyte;
