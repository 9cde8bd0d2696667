// DefaultStorageClass and DefaultIngressClass: claims and ingresses that name no class get the default one. Of several
// defaults the newest counts, and of those the first by name. As plugin/pkg/admission/storage/storageclass/setdefault
// and plugin/pkg/admission/network/defaultingressclass.
import { defaultClass, newestFirst, statedClass } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Ingress, IngressClass, PersistentVolumeClaim, StorageClass } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { AdmissionPlugin } from './plugin.js';

/** Creates DefaultStorageClass. The empty class counts as one. */
export function defaultStorageClass(tools: ServerTools): AdmissionPlugin {
  const classes = followedResource<StorageClass>(tools, { group: 'storage.k8s.io', resource: 'storageclasses' });
  return {
    name: 'DefaultStorageClass',
    handles: { operations: ['CREATE'], resources: ['persistentvolumeclaims'] },
    mutate: ({ object }) => {
      // The resource says what the object is.
      const claim = object as Frozen<PersistentVolumeClaim>;
      if (statedClass(claim) !== undefined) return undefined;
      return classes.whenReady(() => {
        const name = defaultClass(classes.cache.list())?.metadata?.name;
        return name === undefined ? undefined : { ...claim, spec: { ...claim.spec, storageClassName: name } };
      });
    },
  };
}

/** Creates DefaultIngressClass. */
export function defaultIngressClass(tools: ServerTools): AdmissionPlugin {
  const classes = followedResource<IngressClass>(tools, { group: 'networking.k8s.io', resource: 'ingressclasses' });
  return {
    name: 'DefaultIngressClass',
    handles: { operations: ['CREATE'], resources: ['ingresses.networking.k8s.io'] },
    mutate: ({ object }) => {
      const ingress = object as Frozen<Ingress>;
      const { annotations = {} } = ingress.metadata ?? {};
      if (ingress.spec?.ingressClassName !== undefined || Object.hasOwn(annotations, 'kubernetes.io/ingress.class'))
        return undefined;
      return classes.whenReady(() => {
        const [newest] = classes.cache.list().filter(isDefaultIngressClass).toSorted(newestFirst);
        const ingressClassName = newest?.metadata?.name;
        return ingressClassName === undefined ? undefined : { ...ingress, spec: { ...ingress.spec, ingressClassName } };
      });
    },
  };
}

function isDefaultIngressClass({ metadata }: Frozen<IngressClass>): boolean {
  return metadata?.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
}
