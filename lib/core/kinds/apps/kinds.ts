// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { controllerRevision } from './controller-revision.js';
import { daemonSet, daemonSetDefaults } from './daemon-set.js';
import { deploymentDefaults } from './deployment-defaults.js';
import { deployment } from './deployment.js';
import { replicaSet, replicaSetDefaults } from './replica-set.js';
import { statefulSetDefaults } from './stateful-set-defaults.js';
import { statefulSet } from './stateful-set.js';

/** The strategy of each kind of the group. */
export const appsKinds: Readonly<Record<string, KindParticulars>> = {
  'apps/v1/ControllerRevision': { strategy: controllerRevision },
  'apps/v1/DaemonSet': { strategy: daemonSet, setDefaults: daemonSetDefaults },
  'apps/v1/Deployment': { strategy: deployment, setDefaults: deploymentDefaults },
  'apps/v1/ReplicaSet': { strategy: replicaSet, setDefaults: replicaSetDefaults },
  'apps/v1/StatefulSet': { strategy: statefulSet, setDefaults: statefulSetDefaults },
};
