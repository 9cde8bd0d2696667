// PersistentVolumeClaimResize: a claim may grow only when it is bound and its class allows it. As
// plugin/pkg/admission/storage/persistentvolume/resize/admission.go.
import { classOfClaim, compareQuantities, parseQuantity } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { PersistentVolumeClaim, StorageClass } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { AdmissionPlugin } from './plugin.js';
import { refusal } from './refusal.js';

/** Creates the plugin. */
export function persistentVolumeClaimResize(tools: ServerTools): AdmissionPlugin {
  const classes = followedResource<StorageClass>(tools, { group: 'storage.k8s.io', resource: 'storageclasses' });
  return {
    name: 'PersistentVolumeClaimResize',
    handles: { operations: ['UPDATE'], resources: ['persistentvolumeclaims'] },
    validate: (review) => {
      // The resource says what the objects are.
      const claim = review.object as Frozen<PersistentVolumeClaim>;
      const old = review.oldObject as Frozen<PersistentVolumeClaim>;
      if (!grows(claim, old)) return undefined;
      if (old.status?.phase !== 'Bound') throw refusal(review, 'Only bound persistent volume claims can be expanded');
      const name = classOfClaim(claim);
      return classes.whenReady(() => {
        const isAllowed =
          name !== '' && name === classOfClaim(old) && classes.cache.get(name)?.allowVolumeExpansion === true;
        if (!isAllowed)
          throw refusal(
            review,
            'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
          );
      });
    },
  };
}

function grows(claim: Frozen<PersistentVolumeClaim>, old: Frozen<PersistentVolumeClaim>): boolean {
  const [size, oldSize] = [claim, old].map(({ spec }) => spec?.resources?.requests?.storage ?? '0');
  if (size === oldSize) return false;
  return compareQuantities(parseQuantity(size ?? '0'), parseQuantity(oldSize ?? '0')) > 0;
}
