// TaintNodesByCondition: a new Node takes no pods until a controller has seen that it is ready. As
// plugin/pkg/admission/nodetaint/admission.go.
import type { Frozen } from '../core/index.js';
import type { Node } from '../core/types/index.js';
import type { AdmissionPlugin } from './plugin.js';

/** Creates the plugin. */
export function taintNodesByCondition(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    handles: { operations: ['CREATE'], resources: ['nodes'] },
    mutate: ({ object }) => {
      // The resource says what the object is.
      const node = object as Frozen<Node>;
      const taints = node.spec?.taints ?? [];
      if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return undefined;
      return { ...node, spec: { ...node.spec, taints: [...taints, { ...notReady }] } };
    },
  };
}

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
