// Field ownership: which field manager owns which fields of an object (`metadata.managedFields`). Every write of a
// client passes `ownFields` exactly once, with the object before and after: creates, updates, patches, subresources,
// and objects that the server writes itself. Server-side apply computes its own (verbs/apply.ts). Deletions, bindings
// and evictions change objects without a field manager, as in Kubernetes.
import { deepEqual, printGroupVersion, printTime } from '../../core/index.js';
import type { ApiObject, Frozen, GroupVersion, ManagedFieldsEntry } from '../../core/index.js';
import type { StoredKind } from '../registry/stored-kind.js';
import { resetFieldsOf } from './reset-fields.js';

/** The input of field ownership for one write. */
export interface FieldWrite {
  /** The stored object, in `version`; undefined for a create. */
  readonly old: Frozen<ApiObject> | undefined;
  /** The new object, in `version`. */
  readonly new: ApiObject;
  /** The name of the field manager; see `fieldManagerOf`. */
  readonly manager: string;
  /** The subresource that is written through; empty for the object itself. */
  readonly subresource: string;
  readonly version: GroupVersion;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** Returns the new object with its managed fields. */
export function ownFields(
  stored: StoredKind,
  { old, new: object, manager, subresource, version, time }: FieldWrite,
): ApiObject {
  return stored.ownership.update({
    old,
    object,
    manager,
    subresource,
    apiVersion: printGroupVersion(version),
    time: printTime(time),
    filter: resetFieldsOf(stored, subresource),
  });
}

/**
 * The field manager of a request: the one it names, or else the first part of its user agent. As managerOrUserAgent of
 * apiserver/pkg/endpoints/handlers/create.go and the default of the field manager itself.
 */
export function fieldManagerOf(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager !== undefined && fieldManager !== '') return fieldManager;
  if (userAgent === undefined || userAgent === '') return 'unknown';
  const slash = userAgent.indexOf('/');
  const product = slash < 0 ? userAgent : userAgent.slice(0, slash);
  const name = isPlain.test(product) ? product : product.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '');
  return name === '' ? 'unknown' : truncated(name);
}

/** Whether a write changes nothing. Times of managed fields are ignored: they change with every write. */
export function isUnchanged(object: Frozen<ApiObject>, old: Frozen<ApiObject>): boolean {
  const [now, before] = [object.metadata?.managedFields, old.metadata?.managedFields];
  if (now === undefined || before === undefined || now === before) return deepEqual(object, old);
  return deepEqual(withEntries(object, now.map(timeless)), withEntries(old, before.map(timeless)));
}

const isPlain = /^[\x20-\x7e]*$/;
const managerBytesMax = 128;

function truncated(name: string): string {
  if (name.length * 3 <= managerBytesMax) return name;
  let bytes = 0;
  let end = 0;
  for (const character of name) {
    bytes += utf8.encode(character).length;
    if (bytes > managerBytesMax) break;
    end += character.length;
  }
  return name.slice(0, end);
}

const utf8 = new TextEncoder();

function timeless({ time: _time, ...entry }: Frozen<ManagedFieldsEntry>): Frozen<ManagedFieldsEntry> {
  return entry;
}

function withEntries(object: Frozen<ApiObject>, managedFields: readonly Frozen<ManagedFieldsEntry>[]): unknown {
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
