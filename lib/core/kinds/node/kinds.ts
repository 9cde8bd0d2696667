// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { runtimeClass } from './runtime-class.js';

/** The strategy of each kind of the group. */
export const nodeKinds: Readonly<Record<string, KindParticulars>> = {
  'node.k8s.io/v1/RuntimeClass': { strategy: runtimeClass },
};
