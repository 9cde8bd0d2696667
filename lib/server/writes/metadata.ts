// Metadata that the server and nobody else decides. As apiserver/pkg/registry/rest/{meta,create,update}.go.
import { badRequest, dedupeOwnerReferences, nameSuffix, namespaceMismatch, printTime } from '../../core/index.js';
import type { ApiObject, ObjectMeta, OwnerReference, WriteContext } from '../../core/index.js';
import type { Exchange } from '../requests/exchange.js';
import type { Stored, StoredKind } from '../registry/stored-kind.js';

/** The metadata of an object that is being written. */
export function metadataOf(object: ApiObject): ObjectMeta {
  return (object.metadata ??= {});
}

/** A copy of a stored object whose metadata may be changed. */
export function draftOf(old: Stored): ApiObject {
  return { ...old, metadata: { ...old.metadata } } as ApiObject;
}

/** Forgets what a client may not say about a new object. */
export function wipeSystemFields(object: ApiObject): void {
  const metadata = metadataOf(object);
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Gives a new object its identity, and a name where it asks for one. */
export function fillSystemFields(object: ApiObject, { now, random }: WriteContext): void {
  const metadata = metadataOf(object);
  metadata.creationTimestamp = printTime(now);
  metadata.uid = random.uuid();
  const { generateName = '', name = '' } = metadata;
  if (generateName !== '' && name === '')
    metadata.name = generateName.slice(0, generatedPrefixMax) + nameSuffix(random);
}

/** Places the object in the namespace of the request. Throws ApiError 400 where it says another. */
export function ensureNamespace(
  object: ApiObject,
  namespace: string,
  { namespaced }: Pick<StoredKind, 'namespaced'>,
): void {
  const metadata = metadataOf(object);
  if (!namespaced) {
    delete metadata.namespace;
    return;
  }
  const own = metadata.namespace ?? '';
  if (own !== '' && own !== namespace) throw namespaceMismatch();
  if (namespace === '') throw badRequest('an empty namespace may not be set during creation');
  metadata.namespace = namespace;
}

/** Drops owner references that are there twice, and tells the client. */
export function dedupeOwners(
  object: ApiObject,
  exchange: Exchange,
  when: '' | ' after mutating admission happens' = '',
): void {
  const references = object.metadata?.ownerReferences;
  if (references === undefined || references.length < 2) return;
  const { references: kept, duplicates } = dedupeOwnerReferences(references);
  if (duplicates.length === 0) return;
  metadataOf(object).ownerReferences = [...kept] as OwnerReference[];
  exchange.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
}

/** A generated name has at most 63 characters, five of them by chance. */
const generatedPrefixMax = 58;
