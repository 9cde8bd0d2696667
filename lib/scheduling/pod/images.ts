// The images that a pod needs on its node, by the names that nodes report. As the plugin ImageLocality.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** The images of init containers, containers and volumes, in that order; one that is needed twice counts twice. */
export function podImages({ spec }: Frozen<Pod>): readonly string[] {
  const { initContainers = [], containers = [], volumes = [] } = spec ?? {};
  const images = [...initContainers, ...containers].map(({ image = '' }) => imageName(image));
  for (const { image } of volumes) if (image !== undefined) images.push(imageName(image.reference ?? ''));
  return images;
}

/** The name that a node reports for an image: with `:latest` where there is neither tag nor digest. */
export function imageName(image: string): string {
  return image.lastIndexOf(':') > image.lastIndexOf('/') ? image : `${image}:latest`;
}
