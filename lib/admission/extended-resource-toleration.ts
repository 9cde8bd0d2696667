// ExtendedResourceToleration: pods that request an extended resource tolerate the taint of that name, so that nodes
// with such resources can be kept for them. As plugin/pkg/admission/extendedresourcetoleration/admission.go.
import { deepEqual, isExtendedResource } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Pod, Toleration } from '../core/types/index.js';
import type { AdmissionPlugin } from './plugin.js';

/** Creates the plugin. */
export function extendedResourceToleration(): AdmissionPlugin {
  return {
    name: 'ExtendedResourceToleration',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
    mutate: ({ object }) => {
      const pod = object as Frozen<Pod>;
      const { spec } = pod;
      const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
      const names = new Set(containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {})));
      const extended = [...names].filter(isExtendedResource).sort();
      if (spec === undefined || extended.length === 0) return undefined;
      let tolerations: readonly Frozen<Toleration>[] = spec.tolerations ?? [];
      for (const key of extended) {
        const added: Toleration = { key, operator: 'Exists', effect: 'NoSchedule' };
        if (!tolerations.some((toleration) => deepEqual(toleration, added))) tolerations = [...tolerations, added];
      }
      return { ...pod, spec: { ...spec, tolerations } };
    },
  };
}
