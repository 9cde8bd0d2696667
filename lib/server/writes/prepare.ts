// The steps between decoding and committing that need no storage: fields that the server sets, preparation by the kind,
// and validation. As apiserver/pkg/registry/rest/{create,update}.go, BeforeCreate and BeforeUpdate.
import {
  badRequest,
  dedupeOwnerReferences,
  invalid,
  nameSuffix,
  namespaceMismatch,
  printTime,
  nameIsPathSegment,
  validateFinalizerNames,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../core/index.js';
import type {
  ApiObject,
  FieldError,
  ObjectMeta,
  OwnerReference,
  UpdateStrategy,
  WriteContext,
} from '../../core/index.js';
import type { Exchange } from '../pipeline.js';
import type { StoredObject, StoredKind } from '../registry/stored-kind.js';
import type { Write } from './write.js';

/** Prepares and validates a new object in place. Throws ApiError 422. */
export function prepareCreate(write: Write, object: ApiObject): ApiObject {
  const { stored, context, exchange } = write;
  const { strategy } = stored;
  const metadata = metadataOf(object);
  if (stored.subresources.has('status') && strategy.keepsStatus !== true) setStatus(object, stored.emptyStatus());
  if (strategy.changesGeneration !== undefined) metadata.generation = 1;
  strategy.prepareForCreate?.(object, context);
  const errors = [
    ...validateObjectMeta(metadata, { namespaced: stored.namespaced, nameRule: strategy.nameRule }),
    ...(checksFinalizersItself(stored) ? [] : validateFinalizerNames(metadata)),
    ...(strategy.validate?.(object, context) ?? []),
  ];
  refuse(stored, metadata.name ?? '', errors);
  for (const warning of strategy.warningsOnCreate?.(object, context) ?? []) exchange.warn(warning);
  return object;
}

/** Prepares and validates the replacement of an object: `given` with immutable fields restored. Throws ApiError 422. */
export function prepareUpdate(write: Write, given: ApiObject, old: StoredObject, subresource: string): ApiObject {
  const { stored, context, exchange } = write;
  const strategy: UpdateStrategy =
    subresource === '' ? stored.strategy : (stored.strategy.subresources?.[subresource] ?? {});
  const oldMetadata = old.metadata ?? {};
  keep(metadataOf(given), 'generation', oldMetadata.generation);
  const object = strategy.writesStatus === true ? given : withOtherHalf(given, old, stored, subresource);
  strategy.prepareForUpdate?.(object, old, context);
  const metadata = metadataOf(object);
  if (subresource !== 'status' && stored.strategy.changesGeneration?.(object, old) === true)
    metadata.generation = (oldMetadata.generation ?? 0) + 1;
  metadata.uid ??= oldMetadata.uid ?? '';
  keep(metadata, 'creationTimestamp', oldMetadata.creationTimestamp ?? metadata.creationTimestamp);
  keep(metadata, 'deletionTimestamp', oldMetadata.deletionTimestamp ?? metadata.deletionTimestamp);
  keep(
    metadata,
    'deletionGracePeriodSeconds',
    metadata.deletionGracePeriodSeconds ?? oldMetadata.deletionGracePeriodSeconds,
  );

  const ofUpdate = validateObjectMetaUpdate(metadata, oldMetadata);
  const errors = [
    ...validateObjectMeta(metadata, { namespaced: stored.namespaced, nameRule: nameIsPathSegment }),
    ...ofUpdate,
    // Most kinds of Kubernetes validate it twice, and clients see the causes twice.
    ...(strategy.checksMetadataOnce === true ? [] : ofUpdate),
    ...(strategy.validateUpdate?.(object, old, context) ?? []),
  ];
  refuse(stored, metadata.name ?? '', errors);
  for (const warning of strategy.warningsOnUpdate?.(object, old, context) ?? []) exchange.warn(warning);
  return object;
}

/** Validates a prepared object with the guard of the kind. Rejects with ApiError 422. */
export async function refuseGuarded(write: Write, object: ApiObject, old: StoredObject | undefined): Promise<void> {
  const { stored, exchange, behaviour } = write;
  refuse(stored, object.metadata?.name ?? '', (await behaviour.errors?.(object, old, exchange)) ?? []);
}

/** Members that a write of status changes. */
export const statusHalf: ReadonlySet<string> = new Set(['metadata', 'status']);

/** Whether a write through that subresource changes only these members. */
export function writesOnlyStatus({ subresources }: StoredKind, subresource: string): boolean {
  return subresource === 'status' && subresources.has('status');
}

/** Restores the members that the write must not change: status, or all but status where the subresource is `status`. */
function withOtherHalf(
  object: ApiObject & { status?: unknown },
  old: StoredObject,
  stored: StoredKind,
  subresource: string,
): ApiObject {
  if (!stored.subresources.has('status')) return object;
  if (!writesOnlyStatus(stored, subresource)) {
    setStatus(object, (old as { readonly status?: unknown }).status);
    return object;
  }
  const { metadata, status } = object;
  const next: ApiObject & { status?: unknown } = { ...(old as ApiObject), ...(metadata && { metadata }) };
  setStatus(next, status);
  return next;
}

/**
 * Whether validation of the group's kinds checks finalizers itself (core kinds), or not at all (the two extension
 * servers).
 */
function checksFinalizersItself({ ref: { group } }: StoredKind): boolean {
  return group === '' || group === 'apiextensions.k8s.io' || group === 'apiregistration.k8s.io';
}

function setStatus(object: ApiObject & { status?: unknown }, status: unknown): void {
  if (status === undefined) delete object.status;
  else object.status = status;
}

function keep<K extends string>(metadata: Partial<Record<K, unknown>>, field: K, value: unknown): void {
  if (value === undefined) delete metadata[field];
  else metadata[field] = value;
}

function refuse({ definition }: StoredKind, name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(definition, name, errors);
}

/** The metadata of an object that is being written; created where absent. */
export function metadataOf(object: ApiObject): ObjectMeta {
  return (object.metadata ??= {});
}

/** Copies a stored object so that its metadata may be changed. */
export function draftOf(old: StoredObject): ApiObject {
  return { ...old, metadata: { ...old.metadata } } as ApiObject;
}

/** Removes the fields of a new object that clients must not set. */
export function wipeSystemFields(object: ApiObject): void {
  const metadata = metadataOf(object);
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Sets uid and creationTimestamp of a new object, and its name where `generateName` requests one. */
export function fillSystemFields(object: ApiObject, { now, random }: WriteContext): void {
  const metadata = metadataOf(object);
  metadata.creationTimestamp = printTime(now);
  metadata.uid = random.uuid();
  const { generateName = '', name = '' } = metadata;
  if (generateName !== '' && name === '')
    metadata.name = generateName.slice(0, generatedPrefixMax) + nameSuffix(random);
}

/** Sets the namespace of the request. Throws ApiError 400 where the object names another. */
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

/** Removes duplicate owner references, with a warning. */
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

/** A generated name has at most 63 characters, of which five are random. */
const generatedPrefixMax = 58;
