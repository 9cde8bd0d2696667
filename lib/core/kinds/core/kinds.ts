// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import { eventOfEventsGroup } from '../../scheme/conversions/event.js';
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { binding } from './binding.js';
import { componentStatus } from './component-status.js';
import { configMap } from './config-map.js';
import { endpoints } from './endpoints.js';
import { event } from './event.js';
import { limitRange, limitRangeDefaults } from './limit-range.js';
import { withMetadataRules } from './metadata-rules.js';
import type { MetadataRules } from './metadata-rules.js';
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

const perNamespace: MetadataRules = { namespaced: true, checksUpdateAsNew: true };
const perNamespaceOnce: MetadataRules = { namespaced: true, checksUpdateAsNew: false };
const perCluster: MetadataRules = { namespaced: false, checksUpdateAsNew: true };

/** The strategy of each kind of the group. */
export const coreKinds: Readonly<Record<string, KindParticulars>> = {
  '/v1/Binding': { strategy: binding },
  '/v1/ComponentStatus': { strategy: componentStatus },
  '/v1/ConfigMap': { strategy: withMetadataRules(configMap, perNamespace) },
  '/v1/Endpoints': { strategy: withMetadataRules(endpoints, perNamespace) },
  '/v1/Event': { strategy: event },
  'events.k8s.io/v1/Event': { conversion: eventOfEventsGroup },
  '/v1/LimitRange': { setDefaults: limitRangeDefaults, strategy: withMetadataRules(limitRange, perNamespaceOnce) },
  '/v1/Namespace': { setDefaults: namespaceDefaults, strategy: withMetadataRules(namespace, perCluster) },
  '/v1/Node': { setDefaults: nodeDefaults, strategy: withMetadataRules(node, perCluster) },
  '/v1/PersistentVolume': {
    setDefaults: persistentVolumeDefaults,
    strategy: withMetadataRules(persistentVolume, perCluster),
  },
  '/v1/PersistentVolumeClaim': {
    setDefaults: persistentVolumeClaimDefaults,
    strategy: withMetadataRules(persistentVolumeClaim, perNamespace),
  },
  '/v1/ResourceQuota': {
    setDefaults: resourceQuotaDefaults,
    strategy: withMetadataRules(resourceQuota, perNamespaceOnce),
  },
  '/v1/Secret': { setDefaults: secretDefaults, strategy: withMetadataRules(secret, perNamespace) },
  '/v1/Service': { setDefaults: serviceDefaults, strategy: withMetadataRules(service, perNamespaceOnce) },
  '/v1/ServiceAccount': { strategy: withMetadataRules(serviceAccount, perNamespace) },
  '/v1/ReplicationController': { strategy: replicationController, setDefaults: replicationControllerDefaults },
};
