// Metadata of an update through the status subresource of this group's kinds: all of it is the old object's, but for the
// managed fields, which tell who wrote the status.
import type { ApiObject, Frozen } from '../../objects/meta.js';

/** Takes the metadata of the old object. */
export function keepAllMetadata(object: ApiObject, old: Frozen<ApiObject>): void {
  const { managedFields } = object.metadata ?? {};
  const { managedFields: _, ...metadata } = old.metadata ?? {};
  object.metadata = { ...metadata, ...(managedFields !== undefined && { managedFields }) };
}
