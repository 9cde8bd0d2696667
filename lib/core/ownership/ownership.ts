// Field ownership of one kind: how updates and applied configurations change which manager owns which fields.
//
// Every write compares the object with the one before, in the version of the request and in each version in which an
// owner named its fields. An update takes the fields that it changed from all other owners. An apply owns exactly what
// its configuration sets: it may not change fields of others unless forced, and it removes what it set before and now
// omits, where no other manager owns it. As structured-merge-diff/v6/merge/update.go and
// apimachinery/pkg/util/managedfields/internal.
import type { JsonObject } from '../objects/json.js';
import { deepEqual } from '../objects/json.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { ObjectApplyType } from './object-apply-type.js';
import type { CompleteObjects, FieldChanges } from './compare-fields.js';
import { compareFields, noChanges } from './compare-fields.js';
import type { FieldConflict } from './conflicts.js';
import type { FieldOwner, FieldOwners, FrozenEntry } from './field-owners.js';
import { capUpdaters, entryOf, ownerKey, fieldOwnerOf, sortedOwners } from './field-owners.js';
import type { FieldSet } from './field-set.js';
import { differenceOf, emptySet, intersectionOf, isEmptySet, parseFieldSet, unionOf } from './field-set.js';
import { reconcileFields } from './remove-fields.js';

/** What ownership needs of a kind. */
export interface OwnedKind {
  /** The type of objects in a version; undefined where the kind has no such version. */
  typeIn(apiVersion: string): ObjectApplyType | undefined;
  /** Converts a document to another version of the kind. */
  convert(object: JsonObject, apiVersion: string): JsonObject;
}

/** Removes the fields that a write does not change although the object has them, such as status. */
export type FieldFilter = (fields: FieldSet) => FieldSet;

/** Who writes, how and when. */
export interface Writer {
  readonly manager: string;
  /** The subresource that is written through; empty for the object itself. */
  readonly subresource: string;
  /** The version of the request. */
  readonly apiVersion: string;
  /** RFC 3339, in seconds. */
  readonly time: string;
  readonly filter?: FieldFilter | undefined;
}

/** A document of a version. */
export interface VersionedDocument {
  readonly object: JsonObject;
  readonly apiVersion: string;
}

/** Compares the same two documents in several versions. */
export class VersionedComparison {
  readonly #kind: OwnedKind;
  readonly #old: VersionedDocument | undefined;
  readonly #next: VersionedDocument;
  readonly #filter: FieldFilter | undefined;
  readonly #complete: CompleteObjects;
  readonly #changes = new Map<string, FieldChanges | undefined>();

  constructor(
    kind: OwnedKind,
    old: VersionedDocument | undefined,
    next: VersionedDocument,
    { filter, complete }: { readonly filter?: FieldFilter | undefined; readonly complete: CompleteObjects },
  ) {
    this.#kind = kind;
    this.#old = old;
    this.#next = next;
    this.#filter = filter;
    this.#complete = complete;
  }

  /** The changes in a version; undefined where the kind has no such version. */
  in(apiVersion: string): FieldChanges | undefined {
    if (this.#changes.has(apiVersion)) return this.#changes.get(apiVersion);
    const type = this.#kind.typeIn(apiVersion);
    const changes = type && this.#compare(type, apiVersion);
    this.#changes.set(apiVersion, changes);
    return changes;
  }

  #compare({ type, zero }: ObjectApplyType, apiVersion: string): FieldChanges {
    if (this.#old?.object === this.#next.object) return noChanges;
    const old = this.#old === undefined ? zero : converted(this.#kind, this.#old, apiVersion);
    const next = converted(this.#kind, this.#next, apiVersion);
    const { changed, removed } = compareFields(old, next, type, this.#complete);
    const filter = this.#filter;
    return filter === undefined ? { changed, removed } : { changed: filter(changed), removed: filter(removed) };
  }
}

/** Returns a document in a version. */
export function converted(kind: OwnedKind, { object, apiVersion }: VersionedDocument, target: string): JsonObject {
  return apiVersion === target ? object : kind.convert(object, target);
}

/** The owners after a change, and the conflicts that it has with them. */
export interface OwnerChange {
  readonly owners: Map<string, FieldOwner>;
  readonly conflicts: readonly FieldConflict[];
}

/**
 * Returns the owners without the fields that changed or were removed; `self` keeps its fields. Owners that are left
 * without fields, and those of versions that the kind no longer has, are dropped.
 */
export function withoutChanged(owners: FieldOwners, comparison: VersionedComparison, self?: string): OwnerChange {
  const left = new Map<string, FieldOwner>();
  const conflicts: FieldConflict[] = [];
  for (const [key, owner] of owners) {
    let { fields } = owner;
    if (key !== self) {
      const changes = comparison.in(owner.apiVersion);
      if (changes === undefined) continue;
      const taken = isEmptySet(changes.changed) ? emptySet : intersectionOf(fields, changes.changed);
      if (!isEmptySet(taken)) {
        conflicts.push({ owner, fields: taken });
        fields = differenceOf(fields, taken);
      }
      if (!isEmptySet(changes.removed)) fields = differenceOf(fields, changes.removed);
    }
    if (!isEmptySet(fields)) left.set(key, fields === owner.fields ? owner : { ...owner, fields });
  }
  return { owners: left, conflicts };
}

/** Fields that no manager owns. As apimachinery's managedfields/internal/stripmeta.go. */
const unownedFields: FieldSet = parseFieldSet({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:clusterName': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
});

/** Returns the fields that a manager can own. */
export function ownableFields(fields: FieldSet): FieldSet {
  return differenceOf(fields, unownedFields);
}

/** An update: the object before and after, both complete and in the version of the writer. */
export interface FieldUpdate extends Writer {
  /** Undefined for a create. */
  readonly old: Frozen<ApiObject> | undefined;
  readonly object: ApiObject;
}

/**
 * Returns the owners after an update by a manager. Throws ItemKeyError for objects that do not have their type, and
 * what conversions throw.
 */
export function ownersAfterUpdate(kind: OwnedKind, owners: FieldOwners, update: FieldUpdate): FieldOwners {
  const { old, object, manager, subresource, apiVersion, time, filter } = update;
  const document = (value: Frozen<ApiObject>): VersionedDocument => ({ object: value, apiVersion });
  const comparison = new VersionedComparison(kind, old && document(old), document(object), {
    filter,
    complete: 'both',
  });
  const { changed = emptySet } = comparison.in(apiVersion) ?? {};
  const { owners: left } = withoutChanged(owners, comparison);
  const taken = ownableFields(changed);
  if (isEmptySet(taken)) return left;
  const name = manager === '' ? 'unknown' : manager;
  const key = ownerKey({ manager: name, operation: 'Update', apiVersion, subresource });
  const before = left.get(key);
  const fields = before === undefined ? taken : unionOf(taken, before.fields);
  left.set(key, { manager: name, operation: 'Update', apiVersion, subresource, time, fields });
  return capUpdaters(left);
}

/** Decodes and encodes entries of one kind, and keeps what it decoded for as long as the entries live. */
export class ManagedFieldsCodec {
  readonly #kind: OwnedKind;
  readonly #owners = new WeakMap<FrozenEntry, FieldOwner>();
  /** Sets that are canonical and named by the current schema, by version. */
  readonly #known = new Map<string, WeakSet<object>>();

  constructor(kind: OwnedKind) {
    this.#kind = kind;
  }

  /**
   * Returns the owners that entries name, with fields as the current schema names them. Throws an Error in the words of
   * Kubernetes for entries that are not valid.
   */
  decode(entries: readonly FrozenEntry[] | undefined): FieldOwners {
    const owners = new Map<string, FieldOwner>();
    for (const [index, entry] of (entries ?? []).entries()) {
      const owner = this.#owners.get(entry) ?? this.#read(entry, index);
      owners.set(ownerKey(owner), owner);
    }
    return owners;
  }

  #read(entry: FrozenEntry, index: number): FieldOwner {
    const { fieldsV1, apiVersion = '' } = entry;
    if (isFieldSet(fieldsV1) && this.#known.get(apiVersion)?.has(fieldsV1) === true)
      return this.#keep(entry, fieldOwnerOf(entry, index, fieldsV1));
    const owner = fieldOwnerOf(entry, index, parseFieldSet(fieldsV1));
    const type = this.#kind.typeIn(apiVersion);
    const fields = type === undefined ? owner.fields : reconcileFields(owner.fields, type.type);
    return this.#keep(entry, fields === owner.fields ? owner : { ...owner, fields });
  }

  #keep(entry: FrozenEntry, owner: FieldOwner): FieldOwner {
    if (Object.isFrozen(entry)) this.#owners.set(entry, owner);
    const { apiVersion, fields } = owner;
    let known = this.#known.get(apiVersion);
    // Clients may name any version, but only those of the kind are kept.
    if (known === undefined && this.#kind.typeIn(apiVersion) !== undefined)
      this.#known.set(apiVersion, (known = new WeakSet()));
    known?.add(fields);
    return owner;
  }

  /** Returns the entries of owners, or undefined for none; `old` where they are the same. */
  encode(owners: FieldOwners, old: readonly FrozenEntry[] | undefined): readonly FrozenEntry[] | undefined {
    if (owners.size === 0) return undefined;
    const entries = sortedOwners(owners).map((owner, index) => {
      const before = old?.[index];
      if (before !== undefined && this.#owners.get(before) === owner) return before;
      const found = old?.find((each) => this.#owners.get(each) === owner);
      if (found !== undefined) return found;
      const entry = entryOf(owner);
      this.#keep(entry, owner);
      return entry;
    });
    return entries.length === old?.length && entries.every((entry, index) => entry === old[index])
      ? old
      : Object.freeze(entries);
  }
}

/** Frozen objects only: others may change after they were decoded. */
function isFieldSet(value: unknown): value is FieldSet {
  return typeof value === 'object' && value !== null && Object.isFrozen(value);
}

/** Returns whether sent entries request that ownership is forgotten: `[]` or `[{}]`. */
export function isReset(entries: readonly FrozenEntry[]): boolean {
  return entries.length === 0 || (entries.length === 1 && deepEqual(entries[0], {}));
}
