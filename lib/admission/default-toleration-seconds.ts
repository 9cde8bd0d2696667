// DefaultTolerationSeconds: pods stay for five minutes on a node that is not ready or unreachable, unless they say
// otherwise. As plugin/pkg/admission/defaulttolerationseconds/admission.go.
import { withMembers } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Pod, Toleration } from '../core/types/index.js';
import type { AdmissionPlugin } from './plugin.js';

/** Creates the plugin. */
export function defaultTolerationSeconds(): AdmissionPlugin {
  return {
    name: 'DefaultTolerationSeconds',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
    mutate: ({ object }) => {
      // The resource says what the object is.
      const pod = object as Frozen<Pod>;
      const { spec } = pod;
      const tolerations = spec?.tolerations ?? [];
      const missing = keys.filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)));
      if (spec === undefined || missing.length === 0) return undefined;
      const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
      return { ...pod, spec: withMembers(spec, { tolerations: [...tolerations, ...added] }) };
    },
  };
}

const keys: readonly string[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

function tolerates({ key = '', effect }: Frozen<Toleration>, taint: string): boolean {
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === undefined);
}
