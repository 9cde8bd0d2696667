// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { apiService } from './api-service.js';

/** The strategy of each kind of the group. */
export const apiregistrationKinds: Readonly<Record<string, KindParticulars>> = {
  'apiregistration.k8s.io/v1/APIService': { strategy: apiService },
};
