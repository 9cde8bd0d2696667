// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { flowSchema } from './flow-schema.js';
import { priorityLevelConfiguration } from './priority-level-configuration.js';

/** What is particular to each kind of the group. */
export const flowcontrolKinds: Readonly<Record<string, KindParticulars>> = {
  'flowcontrol.apiserver.k8s.io/v1/FlowSchema': { strategy: flowSchema },
  'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration': { strategy: priorityLevelConfiguration },
};
