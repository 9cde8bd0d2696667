// PodTopologyLabels: pods carry the zone and the region of their node as labels, from the moment that they have a node.
// As plugin/pkg/admission/podtopologylabels/admission.go.
import type { Frozen } from '../core/index.js';
import type { Binding, Node, Pod } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';

/** Creates the plugin. */
export function podTopologyLabels(tools: ServerTools): AdmissionPlugin {
  const nodes = followedResource<Node>(tools, { group: '', resource: 'nodes' });
  return {
    name: 'PodTopologyLabels',
    handles: { operations: ['CREATE'], resources: ['pods'], subresources: ['', 'binding'] },
    mutate: (review) => {
      const nodeName = nodeOf(review);
      if (nodeName === '') return undefined;
      return nodes.whenReady(() => {
        const found = Object.entries(nodes.cache.get(nodeName)?.metadata?.labels ?? {}).filter(([key]) =>
          copied.includes(key),
        );
        if (found.length === 0) return undefined;
        const { object } = review;
        const labels = { ...object?.metadata?.labels, ...Object.fromEntries(found) };
        return { ...object, metadata: { ...object?.metadata, labels } };
      });
    },
  };
}

const copied: readonly string[] = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** The node that the pod has or gets; empty for none. */
function nodeOf({ object, subresource }: AdmissionReview): string {
  if (subresource === '') return (object as Frozen<Pod>).spec?.nodeName ?? '';
  const { target } = object as Frozen<Binding>;
  return target.kind === 'Node' ? (target.name ?? '') : '';
}
