// What a node gains by having images of a pod already. Plain numbers in and out, so that every way of placing pods does
// the same sums. An image counts by its size, and the more the more nodes have it: else all pods would follow the
// first. As the plugin ImageLocality.
import { maxScore } from '../framework/scores.js';

/** What one image that a node has counts, of `nodeTotal` nodes in the cluster. */
export function imageWorth(size: number, nodeCount: number, nodeTotal: number): number {
  return Math.trunc(size * (nodeCount / nodeTotal));
}

/** The score for all images that count, of a pod with so many containers. */
export function imageScore(worth: number, containerCount: number): number {
  const most = containerMost * containerCount;
  if (worth <= least) return 0;
  return Math.trunc((maxScore * (Math.min(worth, most) - least)) / (most - least));
}

const mebibyte = 1024 * 1024;
/** Less than this is nothing. */
const least = 23 * mebibyte;
/** More than this, for each container, is as much. */
const containerMost = 1000 * mebibyte;
