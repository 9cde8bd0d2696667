// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { podDefaults } from './pod-defaults.js';
import { podTemplate, podTemplateDefaults } from './pod-template.js';
import { pod } from './pod.js';

/** The strategy of each kind of the group. */
export const podsKinds: Readonly<Record<string, KindParticulars>> = {
  '/v1/Pod': { setDefaults: podDefaults, strategy: pod },
  '/v1/PodTemplate': { setDefaults: podTemplateDefaults, strategy: podTemplate },
};
