// A reference to an object at one revision, as Events have it and volumes at
// their claims. As client-go/tools/reference, GetReference.
import type { ObjectReference } from '../types/core-v1.generated.js';
import type { ApiObject, Frozen } from './meta.js';

/** Returns a reference to an object of that kind. Absent fields are left out. */
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
