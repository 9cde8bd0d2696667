// StorageObjectInUseProtection: claims, volumes and VolumeAttributesClasses get a finalizer that controllers remove
// when they are no longer in use. As plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go.
import type { AdmissionPlugin } from './plugin.js';

/** Creates the plugin. */
export function storageObjectInUseProtection(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    handles: {
      operations: ['CREATE'],
      resources: ['persistentvolumes', 'persistentvolumeclaims', 'volumeattributesclasses.storage.k8s.io'],
    },
    mutate: ({ object, resource }) => {
      const finalizer = finalizers.get(resource.resource);
      const { finalizers: present = [] } = object?.metadata ?? {};
      if (finalizer === undefined || present.includes(finalizer)) return undefined;
      return { ...object, metadata: { ...object?.metadata, finalizers: [...present, finalizer] } };
    },
  };
}

const finalizers: ReadonlyMap<string, string> = new Map([
  ['persistentvolumes', 'kubernetes.io/pv-protection'],
  ['persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['volumeattributesclasses', 'kubernetes.io/vac-protection'],
]);
