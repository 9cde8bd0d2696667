// ImageLocality: rather a node that has the pod's images already. As the plugin of the same name.
import type { SchedulingPlugin } from '../framework/plugin.js';
import { imageScore, imageWorth } from './image-score.js';

/** Makes the plugin. */
export function imageLocality(): SchedulingPlugin {
  return {
    name: 'ImageLocality',
    score: ({ pod, cluster }, node) => {
      let worth = 0;
      for (const name of pod.images) {
        const image = node.images.get(name);
        if (image !== undefined) worth += imageWorth(image.size, image.nodeCount, cluster.nodes.length);
      }
      return imageScore(worth, pod.containerCount);
    },
  };
}
