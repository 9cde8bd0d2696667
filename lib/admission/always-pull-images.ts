// AlwaysPullImages: every image is pulled with the credentials of its pod, so that no pod runs an image that only
// others may pull. Updates without a new image are left alone. As plugin/pkg/admission/alwayspullimages/admission.go.
import { fieldErrorText, fieldNotSupported, fieldPath } from '../core/index.js';
import type { FieldPath, Frozen } from '../core/index.js';
import type { Container, EphemeralContainer, Pod, PodSpec } from '../core/types/index.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

/** Creates the plugin. */
export function alwaysPullImages(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
    mutate: (review) => {
      const pod = review.object as Frozen<Pod>;
      const { spec } = pod;
      if (spec === undefined || keepsImages(review)) return undefined;
      return { ...pod, spec: pullingSpec(spec) };
    },
    validate: (review) => {
      const { spec } = review.object as Frozen<Pod>;
      if (spec === undefined || keepsImages(review)) return;
      const problems = [
        ...lists.flatMap((list) =>
          (spec[list] ?? []).flatMap(({ imagePullPolicy }, index) =>
            problemOf(fieldPath('spec', list).index(index).child('imagePullPolicy'), imagePullPolicy),
          ),
        ),
        ...(spec.volumes ?? []).flatMap(({ image }, index) =>
          image === undefined
            ? []
            : problemOf(fieldPath('spec', 'volumes').index(index).child('image').child('pullPolicy'), image.pullPolicy),
        ),
      ];
      if (problems.length > 0) throw refusal(review, problems.join(', '));
    },
  };
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

function pullingSpec(spec: Frozen<PodSpec>): Frozen<PodSpec> {
  const pulling = <C extends Frozen<Container> | Frozen<EphemeralContainer>>(containers: readonly C[]): readonly C[] =>
    containers.map((container) => ({ ...container, imagePullPolicy: 'Always' }));
  return {
    ...spec,
    // A pod that is not validated yet may have none.
    ...('containers' in spec && { containers: pulling(spec.containers) }),
    ...(spec.initContainers && { initContainers: pulling(spec.initContainers) }),
    ...(spec.ephemeralContainers && { ephemeralContainers: pulling(spec.ephemeralContainers) }),
    ...(spec.volumes && {
      volumes: spec.volumes.map((volume) =>
        volume.image === undefined ? volume : { ...volume, image: { ...volume.image, pullPolicy: 'Always' as const } },
      ),
    }),
  };
}

function keepsImages({ operation, object, oldObject }: AdmissionReview): boolean {
  if (operation !== 'UPDATE') return false;
  const old = new Set(imagesOf(oldObject as Frozen<Pod>));
  return imagesOf(object as Frozen<Pod>).every((image) => old.has(image));
}

function imagesOf({ spec }: Frozen<Pod>): readonly string[] {
  return lists.flatMap((list) => (spec?.[list] ?? []).map(({ image = '' }) => image));
}

function problemOf(path: FieldPath, policy = ''): readonly string[] {
  return policy === 'Always' ? [] : [fieldErrorText(fieldNotSupported(path, policy, ['Always']))];
}
