// Ownership of `spec.replicas` between an object and its scale: a Scale has the owners of the number of replicas, and
// what a write of the Scale changes among them is written back. As
// apimachinery/pkg/util/managedfields/scalehandler.go, including its treatment of updaters: their identity has the
// version, which differs between the two kinds, so that an updater that keeps the replicas gets an entry of its own.
import type { FieldOwner, FieldOwners, FrozenEntry } from './field-owners.js';
import { entryOf, ownerKey, fieldOwnerOf, sortedOwners } from './field-owners.js';
import type { FieldSet } from './field-set.js';
import { differenceOf, intersectionOf, isEmptySet, parseFieldSet, setOfPath } from './field-set.js';

/** How an object and its Scale name the number of replicas. */
export interface ScaleOwnership {
  /** The apiVersion of the request for the object. */
  readonly apiVersion: string;
  /** Returns the path of the replicas in a version; undefined for versions that do not exist: their entries go. */
  replicasIn(apiVersion: string): FieldSet | undefined;
}

const scaleVersion = 'autoscaling/v1';
const replicasOfScale = setOfPath('spec', 'replicas');

type Entries = readonly FrozenEntry[] | undefined;

/** Returns the managed fields of the Scale of an object. */
export function scaleEntries(entries: Entries, scale: ScaleOwnership): Entries {
  const owners = new Map<string, FieldOwner>();
  for (const [key, owner] of decode(entries)) {
    const path = scale.replicasIn(owner.apiVersion);
    if (path === undefined || isEmptySet(intersectionOf(owner.fields, path))) continue;
    owners.set(key, { ...owner, apiVersion: scaleVersion, fields: replicasOfScale });
  }
  return encode(owners);
}

/** Returns the managed fields of an object after its Scale was written. */
export function parentEntries(entries: Entries, written: Entries, scale: ScaleOwnership): Entries {
  const { apiVersion } = scale;
  const parents = decode(entries);
  const scales = new Map(decode(written));
  const owners = new Map<string, FieldOwner>();
  for (const [key, owner] of parents) {
    const path = scale.replicasIn(owner.apiVersion);
    if (path === undefined) continue;
    if (isEmptySet(intersectionOf(owner.fields, path)) || scales.delete(key)) owners.set(key, owner);
    else {
      const fields = differenceOf(owner.fields, path);
      if (!isEmptySet(fields)) owners.set(key, { ...owner, fields });
    }
  }
  for (const [key, owner] of scales) {
    const fields = scale.replicasIn(apiVersion);
    if (fields === undefined || isEmptySet(intersectionOf(owner.fields, replicasOfScale))) continue;
    owners.set(key, { ...owner, apiVersion, fields, time: parents.get(key)?.time });
  }
  return encode(owners);
}

function decode(entries: Entries): FieldOwners {
  return new Map(
    (entries ?? []).map((entry, index) => {
      const owner = fieldOwnerOf(entry, index, parseFieldSet(entry.fieldsV1));
      return [ownerKey(owner), owner];
    }),
  );
}

function encode(owners: FieldOwners): Entries {
  return owners.size === 0 ? undefined : Object.freeze(sortedOwners(owners).map(entryOf));
}
