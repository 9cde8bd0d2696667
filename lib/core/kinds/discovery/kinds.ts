// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { endpointSlice } from './endpoint-slice.js';

/** The strategy of each kind of the group. */
export const discoveryKinds: Readonly<Record<string, KindParticulars>> = {
  'discovery.k8s.io/v1/EndpointSlice': { strategy: endpointSlice },
};
