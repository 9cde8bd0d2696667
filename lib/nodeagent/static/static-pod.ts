// Static pods: pods that a node runs from a manifest of its own, without the API. The manifest becomes a pod with a
// name and UID of its own, and a mirror pod shows it in the API. As pkg/kubelet/config/common.go and pkg/kubelet/pod.
import {
  apiObjectReference,
  deepCopy,
  deepFreeze,
  mirrorPodAnnotation,
  ownerReference,
  podDefaults,
  printTime,
} from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import { pseudoDigest } from '../simulated/simulated-images.js';

/** Where a manifest comes from. */
export interface StaticPodOrigin {
  /** The name of the node. */
  readonly node: string;
  /** `file`, or `http`. */
  readonly source: string;
  readonly seenAtMs: number;
}

const hashAnnotation = 'kubernetes.io/config.hash';

/**
 * Returns the pod of a manifest. Equal manifests of one node have equal UIDs. Throws where the manifest has no name, or
 * names objects of the API, which a static pod may not need.
 */
export function staticPodOf(manifest: Frozen<Pod>, { node, source, seenAtMs }: StaticPodOrigin): Frozen<Pod> {
  const { name = '', namespace = 'default', labels, annotations } = manifest.metadata ?? {};
  if (name === '') throw new Error('a static pod needs a name');
  const reference = apiObjectReference(manifest);
  if (reference !== undefined) throw new Error(`static pods may not reference ${reference}`);
  const uid = pseudoDigest(`${node}/${source}/${JSON.stringify(manifest)}`).slice(0, 32);
  const merged: Frozen<Pod> = {
    metadata: {
      name: `${name}-${node.toLowerCase()}`,
      namespace,
      uid,
      ...(labels && { labels }),
      annotations: {
        ...annotations,
        'kubernetes.io/config.source': source,
        'kubernetes.io/config.seen': printTime(seenAtMs),
        [hashAnnotation]: uid,
      },
    },
    spec: {
      containers: [],
      ...manifest.spec,
      nodeName: node,
      // A static pod stays on its node, whatever happens to it.
      tolerations: [...(manifest.spec?.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' }],
    },
  };
  const pod = deepCopy(merged) as Pod;
  podDefaults(pod);
  return deepFreeze(pod);
}

/** Returns the mirror pod of a static pod, owned by its node. */
export function mirrorPodOf(pod: Frozen<Pod>, node: Frozen<Node>): Frozen<Pod> {
  const { name = '', namespace = '', labels, annotations = {} } = pod.metadata ?? {};
  return {
    metadata: {
      name,
      namespace,
      ...(labels && { labels }),
      annotations: { ...annotations, [mirrorPodAnnotation]: hashOf(pod) },
      ownerReferences: [ownerReference({ apiVersion: 'v1', kind: 'Node', ...node }, { controller: true })],
    },
    ...(pod.spec && { spec: pod.spec }),
  };
}

/** Returns whether a mirror shows this version of a static pod. */
export function isMirrorOf(mirror: Frozen<Pod>, pod: Frozen<Pod>): boolean {
  return mirror.metadata?.annotations?.[mirrorPodAnnotation] === hashOf(pod);
}

function hashOf({ metadata }: Frozen<Pod>): string {
  return metadata?.annotations?.[hashAnnotation] ?? '';
}
