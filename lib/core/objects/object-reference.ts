// A reference to an object as it is at one moment, for those who point at objects of any kind: Events, and volumes at
// their claims. As client-go/tools/reference, GetReference.
import type { ObjectReference } from '../types/core-v1.generated.js';
import type { ApiObject, Frozen } from './meta.js';

/** Points at an object of that kind. What the object does not say is left out. */
export function objectReference(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  { metadata = {} }: Frozen<ApiObject>,
): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    apiVersion,
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
