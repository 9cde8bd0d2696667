// Field owners: the decoded form of `metadata.managedFields`, and the order, the limit and the identity of its
// entries. As apimachinery/pkg/util/managedfields/internal/{managedfields,capmanagers}.go.
import type { Frozen, ManagedFieldsEntry } from '../objects/meta.js';
import { quote } from '../go/format.js';
import type { FieldSet } from './field-set.js';
import { unionOf } from './field-set.js';
import { compareText } from './path-element.js';

/** The fields of one manager, by operation, subresource and, for updates, version. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** The version in which the fields are named. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** The time of the last change, RFC 3339 in seconds. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Owners by identity; see `ownerKey`. */
export type FieldOwners = ReadonlyMap<string, FieldOwner>;

/** An entry of an object, as stored. */
export type FrozenEntry = Frozen<ManagedFieldsEntry>;

/**
 * The identity of an owner, in the form by which Kubernetes sorts: an applier is the same in all versions.
 */
export function ownerKey({ manager, operation, apiVersion, subresource }: Omit<FieldOwner, 'time' | 'fields'>): string {
  const name = manager === '' ? '' : `"manager":${JSON.stringify(manager)},`;
  const version = operation === 'Update' ? `,"apiVersion":${JSON.stringify(apiVersion)}` : '';
  return `{${name}"operation":"${operation}"${version}${subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`}}`;
}

/** Decodes an entry with its fields. Throws an Error in the words of Kubernetes for one that is not valid. */
export function fieldOwnerOf(entry: FrozenEntry, index: number, fields: FieldSet): FieldOwner {
  const { manager = '', operation, apiVersion = '', subresource = '', time, fieldsType = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new Error('apiVersion must not be empty');
  if (fieldsType === '') throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw new Error(`invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`);
  return { manager, operation, apiVersion, subresource, time, fields };
}

/** Encodes an owner, in the order of Kubernetes' fields. */
export function entryOf({ manager, operation, apiVersion, subresource, time, fields }: FieldOwner): FrozenEntry {
  const entry: ManagedFieldsEntry =
    time === undefined
      ? { manager, operation, apiVersion, fieldsType: 'FieldsV1', fieldsV1: fields }
      : { manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1: fields };
  if (subresource !== '') entry.subresource = subresource;
  if (manager === '') delete entry.manager;
  return Object.freeze(entry);
}

/** Returns the owners in the order of entries: appliers first, then by time, manager, version and subresource. */
export function sortedOwners(owners: FieldOwners): readonly FieldOwner[] {
  if (owners.size < 2) return [...owners.values()];
  return [...owners.values()].sort(
    (a, b) =>
      compareText(a.operation, b.operation) ||
      compareText(a.time ?? '', b.time ?? '') ||
      compareText(a.manager, b.manager) ||
      compareText(a.apiVersion, b.apiVersion) ||
      compareText(a.subresource, b.subresource),
  );
}

/** The number of entries of updates that an object may have. */
const updatersMax = 10;

/**
 * Returns owners of which at most ten are updaters: the oldest are joined, one per version, under the name
 * `ancient-changes`.
 */
export function capUpdaters(owners: FieldOwners): FieldOwners {
  const updaters = [...owners].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= updatersMax) return owners;
  updaters.sort(([a, one], [b, other]) => compareText(one.time ?? '', other.time ?? '') || compareText(a, b));
  const capped = new Map(owners);
  const firstByVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [key, owner] of updaters) {
    if (count <= updatersMax) break;
    const { apiVersion } = owner;
    const first = firstByVersion.get(apiVersion);
    if (first === undefined) {
      firstByVersion.set(apiVersion, key);
      continue;
    }
    const bucket = { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' } as const;
    const bucketKey = ownerKey(bucket);
    const joined = capped.get(bucketKey) ?? capped.get(first);
    if (!capped.has(bucketKey)) capped.delete(first);
    capped.delete(key);
    capped.set(bucketKey, {
      ...bucket,
      time: owner.time,
      fields: joined === undefined ? owner.fields : unionOf(owner.fields, joined.fields),
    });
    count--;
  }
  return capped;
}
