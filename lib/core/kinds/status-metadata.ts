// Metadata of an update through the status subresource, for the kinds that let only the status change there.
// As apimachinery/pkg/apis/meta/v1/meta.go, ResetObjectMetaForStatus.
import type { ApiObject, Frozen, ObjectMeta } from '../objects/meta.js';

/** Takes all that a user could change, except managed fields, from the old object. */
export function keepMetadata(object: ApiObject, old: Frozen<ApiObject>): void {
  const kept: Record<string, unknown> = {};
  for (const name of keptFields) kept[name] = old.metadata?.[name];
  object.metadata = withoutUndefined({ ...object.metadata, ...kept });
}

const keptFields = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const;

function withoutUndefined(metadata: object): ObjectMeta {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
}
