// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { csiDriver } from './csi-driver.js';
import { csiNode } from './csi-node.js';
import { csiStorageCapacity } from './csi-storage-capacity.js';
import { storageClass } from './storage-class.js';
import { volumeAttachment, volumeAttachmentDefaults } from './volume-attachment.js';
import { volumeAttributesClass } from './volume-attributes-class.js';

/** The strategy of each kind of the group. */
export const storageKinds: Readonly<Record<string, KindParticulars>> = {
  'storage.k8s.io/v1/CSIDriver': { strategy: csiDriver },
  'storage.k8s.io/v1/CSINode': { strategy: csiNode },
  'storage.k8s.io/v1/CSIStorageCapacity': { strategy: csiStorageCapacity },
  'storage.k8s.io/v1/StorageClass': { strategy: storageClass },
  'storage.k8s.io/v1/VolumeAttachment': { setDefaults: volumeAttachmentDefaults, strategy: volumeAttachment },
  'storage.k8s.io/v1/VolumeAttributesClass': { strategy: volumeAttributesClass },
};
