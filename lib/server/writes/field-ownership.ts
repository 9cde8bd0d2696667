// The one place where a write is attributed to a field manager. Every create, update and patch passes here with the old
// and the new object before admission sees it. Ownership is not kept yet: what a client sends of it is left out.
import type { ApiObject } from '../../core/index.js';

/** Attributes what changed between two objects to whoever changed it, in place. */
export function attributeFields(object: ApiObject): void {
  if (object.metadata !== undefined) delete object.metadata.managedFields;
}
