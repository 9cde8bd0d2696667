// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import { eventOfEventsGroup } from '../../scheme/conversions/event.js';
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { binding } from './binding.js';
import { componentStatus } from './component-status.js';
import { configMap } from './config-map.js';
import { endpoints } from './endpoints.js';
import { event } from './event.js';
import { limitRange, limitRangeDefaults } from './limit-range.js';
import { namespace, namespaceDefaults } from './namespace.js';
import { node, nodeDefaults } from './node.js';
import { replicationController, replicationControllerDefaults } from './replication-controller.js';
import { persistentVolumeClaim, persistentVolumeClaimDefaults } from './persistent-volume-claim.js';
import { persistentVolume, persistentVolumeDefaults } from './persistent-volume.js';
import { resourceQuota, resourceQuotaDefaults } from './resource-quota.js';
import { secret, secretDefaults } from './secret.js';
import { serviceAccount } from './service-account.js';
import { serviceDefaults } from './service-defaults.js';
import { service } from './service.js';

/** What is particular to each kind of the group. */
export const coreKinds: Readonly<Record<string, KindParticulars>> = {
  '/v1/Binding': { strategy: binding },
  '/v1/ComponentStatus': { strategy: componentStatus },
  '/v1/ConfigMap': { strategy: configMap },
  '/v1/Endpoints': { strategy: endpoints },
  '/v1/Event': { strategy: event },
  'events.k8s.io/v1/Event': { conversion: eventOfEventsGroup },
  '/v1/LimitRange': { setDefaults: limitRangeDefaults, strategy: limitRange },
  '/v1/Namespace': { setDefaults: namespaceDefaults, strategy: namespace },
  '/v1/Node': { setDefaults: nodeDefaults, strategy: node },
  '/v1/PersistentVolume': { setDefaults: persistentVolumeDefaults, strategy: persistentVolume },
  '/v1/PersistentVolumeClaim': { setDefaults: persistentVolumeClaimDefaults, strategy: persistentVolumeClaim },
  '/v1/ResourceQuota': { setDefaults: resourceQuotaDefaults, strategy: resourceQuota },
  '/v1/Secret': { setDefaults: secretDefaults, strategy: secret },
  '/v1/Service': { setDefaults: serviceDefaults, strategy: service },
  '/v1/ServiceAccount': { strategy: serviceAccount },
  '/v1/ReplicationController': { strategy: replicationController, setDefaults: replicationControllerDefaults },
};
