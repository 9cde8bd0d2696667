// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';

/** What is particular to each kind of the group. */
export const resourceKinds: Readonly<Record<string, KindParticulars>> = {
  'resource.k8s.io/v1beta2/DeviceTaintRule': { storage: { group: 'resource.k8s.io', version: 'v1alpha3' } },
};
