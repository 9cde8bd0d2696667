// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { lease } from './lease.js';

/** The strategy of each kind of the group. */
export const coordinationKinds: Readonly<Record<string, KindParticulars>> = {
  'coordination.k8s.io/v1/Lease': { strategy: lease },
};
