// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { flowSchema, flowSchemaDefaults } from './flow-schema.js';
import { priorityLevelConfiguration, priorityLevelConfigurationDefaults } from './priority-level-configuration.js';

/** The strategy of each kind of the group. */
export const flowcontrolKinds: Readonly<Record<string, KindParticulars>> = {
  'flowcontrol.apiserver.k8s.io/v1/FlowSchema': { setDefaults: flowSchemaDefaults, strategy: flowSchema },
  'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration': {
    setDefaults: priorityLevelConfigurationDefaults,
    strategy: priorityLevelConfiguration,
  },
};
