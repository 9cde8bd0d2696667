// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { priorityClass } from './priority-class.js';

/** The strategy of each kind of the group. */
export const schedulingKinds: Readonly<Record<string, KindParticulars>> = {
  'scheduling.k8s.io/v1/PriorityClass': { strategy: priorityClass },
};
