// Field ownership of a kind, for the server: keeps `metadata.managedFields` through updates and applies. Entries that a
// client sends replace the stored ones, as Kubernetes has it, so that they can be edited; entries that are not valid,
// or that are sent through a subresource, are ignored. As apimachinery/pkg/util/managedfields/internal/fieldmanager.go.
import { printGoJson } from '../go/encoding-json.js';
import { sortedJson } from '../go/struct-form.js';
import type { JsonObject } from '../objects/json.js';
import { deepEqual, isJsonObject } from '../objects/json.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import { areAnnotationsWithinLimit } from '../objects/meta-validation.js';
import { withMembers } from '../objects/with-members.js';
import { isNotRegisteredError } from '../scheme/not-registered-error.js';
import { isDecodeError } from '../schema/decode-error.js';
import type { FieldApply } from './apply.js';
import { applyFields, lastAppliedAnnotation } from './apply.js';
import { checkFields } from './check-fields.js';
import { CreatedFields } from './created-fields.js';
import type { FieldOwners, FrozenEntry } from './field-owners.js';
import { ownerKey } from './field-owners.js';
import { isEmptySet } from './field-set.js';
import { ItemKeyError } from './list-items.js';
import type { FieldUpdate, OwnedKind } from './ownership.js';
import { ManagedFieldsCodec, isReset, ownersAfterUpdate } from './ownership.js';

/** A configuration for an object that may not exist yet. */
export interface ConfigApply extends Omit<FieldApply, 'live'> {
  /** The stored object in the version of the writer; undefined where it does not exist. */
  readonly old: Frozen<ApiObject> | undefined;
}

/** The result of applying a configuration. */
export interface AppliedConfig {
  /** The merged document, with managed fields. It shares parts with the stored object and the configuration. */
  readonly document: JsonObject;
  /** Whether the stored object already has all values of the configuration. */
  readonly isUnchanged: boolean;
}

/** Keeps the managed fields of a kind's objects. */
export class FieldOwnership {
  readonly #kind: OwnedKind;
  readonly #codec: ManagedFieldsCodec;
  readonly #created = new Map<string, CreatedFields>();

  constructor(kind: OwnedKind) {
    this.#kind = kind;
    this.#codec = new ManagedFieldsCodec(kind);
  }

  /**
   * Returns the object with its managed fields after a create or an update. Objects that do not have the type of their
   * kind lose them.
   */
  update(update: FieldUpdate): ApiObject {
    const { old, object, subresource } = update;
    const stored = old?.metadata?.managedFields;
    const sent = object.metadata?.managedFields;
    if (old === undefined && sent === undefined) return withEntries(object, this.#createdEntries(update));
    const owners = this.#startingOwners(stored, subresource === '' ? sent : undefined);
    // Ownership that was lost stays lost until an apply: see `before-first-apply`.
    if (owners.size === 0 && old !== undefined) return withEntries(object, undefined);
    try {
      return withEntries(object, this.#codec.encode(ownersAfterUpdate(this.#kind, owners, update), stored));
    } catch (error) {
      if (!isTypeFailure(error)) throw error;
      return withEntries(object, undefined);
    }
  }

  #createdEntries({ object, manager, apiVersion, subresource, time, filter }: FieldUpdate): Entries {
    let created = this.#created.get(apiVersion);
    if (created === undefined) {
      const type = this.#kind.typeIn(apiVersion);
      if (type === undefined) return undefined;
      this.#created.set(apiVersion, (created = new CreatedFields(type)));
    }
    try {
      const set = created.of(object as JsonObject);
      const fields = filter === undefined ? set : filter(set);
      if (isEmptySet(fields)) return undefined;
      const name = manager === '' ? 'unknown' : manager;
      const owner = { manager: name, operation: 'Update', apiVersion, subresource, time, fields } as const;
      return this.#codec.encode(new Map([[ownerKey(owner), owner]]), undefined);
    } catch (error) {
      if (!isTypeFailure(error)) throw error;
      return undefined;
    }
  }

  /** The owners that a client sent, if they are valid; otherwise the stored ones. */
  #startingOwners(stored: Entries, sent: Entries): FieldOwners {
    if (sent !== undefined && sent !== stored && !deepEqual(sent, stored)) {
      if (isReset(sent)) return noOwners;
      const owners = this.#decodeOrNone(sent);
      if (owners.size > 0) return owners;
    }
    return this.#decodeOrNone(stored);
  }

  #decodeOrNone(entries: Entries): FieldOwners {
    try {
      return this.#codec.decode(entries);
    } catch {
      return noOwners;
    }
  }

  /**
   * Returns the object with a configuration merged into it. Throws ApiError 409 for conflicts, FieldTypeError for a
   * configuration that does not have the type of the kind, ItemKeyError for such a stored object, and an Error for
   * managed fields that cannot be decoded.
   */
  apply({ old, ...apply }: ConfigApply): AppliedConfig {
    const stored = old?.metadata?.managedFields;
    const type = this.#kind.typeIn(apply.apiVersion);
    if (type !== undefined) checkFields(apply.config, type.type);
    const live = (old ?? type?.zero ?? {}) as JsonObject;
    let owners = this.#codec.decode(stored);
    if (owners.size === 0 && old !== undefined) {
      const update = { ...apply, manager: 'before-first-apply', old: undefined, object: old as ApiObject };
      owners = ownersAfterUpdate(this.#kind, owners, update);
    }
    const { object, owners: next } = applyFields(this.#kind, owners, { ...apply, live });
    const isUnchanged = old !== undefined && object === live;
    const document = apply.manager === 'kubectl' ? withLastApplied(object, apply.config) : object;
    return { document: withEntries<JsonObject>(document, this.#codec.encode(next, stored)), isUnchanged };
  }

  /** Returns whether the kind has a version. */
  hasVersion(apiVersion: string): boolean {
    return this.#kind.typeIn(apiVersion) !== undefined;
  }

  /** Throws an Error in the words of Kubernetes for entries that are not valid. */
  check(entries: Entries): void {
    this.#codec.decode(entries);
  }
}

type Entries = readonly FrozenEntry[] | undefined;

const noOwners: FieldOwners = new Map();

function isTypeFailure(error: unknown): boolean {
  return error instanceof ItemKeyError || isDecodeError(error) || isNotRegisteredError(error);
}

function withEntries<T extends ApiObject>(object: T, entries: Entries): T {
  if (object.metadata?.managedFields === entries) return object;
  const { managedFields: _sent, ...metadata } = object.metadata ?? {};
  // The entries are frozen, and the object is frozen when it is stored.
  const owned = entries === undefined ? metadata : withMembers(metadata, { managedFields: entries });
  return withMembers(object, { metadata: owned });
}

/** Keeps the annotation of client-side apply current for clients that still use it. */
function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const metadata = membersOf(object.metadata);
  const annotations = membersOf(metadata.annotations);
  if ((annotations[lastAppliedAnnotation] ?? '') === '') return object;
  const next: Record<string, string> = {
    ...(annotations as Readonly<Record<string, string>>),
    [lastAppliedAnnotation]: `${printGoJson(sortedJson(withoutLastApplied(config)))}\n`,
  };
  if (!areAnnotationsWithinLimit(next)) delete next[lastAppliedAnnotation];
  return { ...object, metadata: { ...metadata, annotations: next } };
}

function withoutLastApplied(config: JsonObject): JsonObject {
  const metadata = membersOf(config.metadata);
  if (!isJsonObject(metadata.annotations)) return config;
  const { [lastAppliedAnnotation]: _last, ...annotations } = metadata.annotations;
  return { ...config, metadata: { ...metadata, annotations } };
}

function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
