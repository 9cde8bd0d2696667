// The kinds of one group-version, by each of the names that the scheme finds them under. Made whole when something of
// the group-version is first looked up: completing a hundred kinds takes milliseconds that a process which needs five
// of them does not have to spend. From then on a kind more or less copies O(log n) nodes (sorted-map.ts).
import {
  groupVersionKindKey,
  groupVersionResourceKey,
  printGroupVersion,
  printGroupVersionKind,
} from '../objects/gvk.js';
import type { Served } from './api-switches.js';
import { completeKind } from './complete-kind.js';
import type { KindDefinition, KindOptions, ServedKind } from './kind-definition.js';
import { once } from '../schema/type.js';
import { SortedMap } from './sorted-map.js';
import type { Lookup } from './sorted-map.js';

/** The kinds of a group-version. */
export interface VersionKinds {
  /** By kind. */
  readonly kinds: Lookup<KindDefinition>;
  /** The item's definition by the kind of its list. */
  readonly lists: Lookup<KindDefinition>;
  /** By groupVersionKindKey of the hub: no two of them share one. */
  readonly byHub: Lookup<KindDefinition>;
  /** What is served, by name of the resource, in the order of the names. */
  readonly byResource: Lookup<ServedKind>;
  /** The same as an array, made on first use: always the same one. */
  readonly resources: () => readonly ServedKind[];
}

/** Completes the kinds. Throws where one contradicts another. */
export function versionKinds(options: readonly KindOptions[], isServed: Served): VersionKinds {
  const kinds = new Map<string, KindDefinition>();
  const lists = new Map<string, KindDefinition>();
  const byHub = new Map<string, KindDefinition>();
  const served: ServedKind[] = [];
  for (const each of options) {
    const definition = completeKind(each);
    checkNew(definition, kinds, lists, byHub);
    kinds.set(definition.kind, definition);
    if (definition.listType !== undefined) lists.set(listKindOf(definition), definition);
    byHub.set(groupVersionKindKey(definition.hub), definition);
    if (isServedKind(definition, isServed)) served.push(definition);
  }
  served.sort((a, b) => (a.resource.plural < b.resource.plural ? -1 : 1));
  const byResource = new Map<string, ServedKind>();
  for (const kind of served) {
    checkNewResource(kind, byResource);
    byResource.set(kind.resource.plural, kind);
  }
  return complete(kinds, lists, byHub, byResource);
}

/** The kinds and one more. Throws where it contradicts another. */
export function withKind(known: VersionKinds, options: KindOptions, isServed: Served): VersionKinds {
  const definition = completeKind(options);
  checkNew(definition, known.kinds, known.lists, known.byHub);
  const isNamed = isServedKind(definition, isServed);
  if (isNamed) checkNewResource(definition, known.byResource);
  return complete(
    sorted(known.kinds).set(definition.kind, definition),
    definition.listType === undefined ? known.lists : sorted(known.lists).set(listKindOf(definition), definition),
    sorted(known.byHub).set(groupVersionKindKey(definition.hub), definition),
    isNamed ? sorted(known.byResource).set(definition.resource.plural, definition) : known.byResource,
  );
}

/** The kinds without one of them. */
export function withoutKind(known: VersionKinds, definition: KindDefinition): VersionKinds {
  const { kind, hub, resource } = definition;
  return complete(
    sorted(known.kinds).delete(kind),
    sorted(known.lists).delete(listKindOf(definition)),
    sorted(known.byHub).delete(groupVersionKindKey(hub)),
    resource === undefined ? known.byResource : sorted(known.byResource).delete(resource.plural),
  );
}

/** The kind of a kind's lists. */
export function listKindOf({ kind, resource }: Pick<KindDefinition, 'kind' | 'resource'>): string {
  return resource?.listKind ?? `${kind}List`;
}

function complete(
  kinds: VersionKinds['kinds'],
  lists: VersionKinds['lists'],
  byHub: VersionKinds['byHub'],
  byResource: VersionKinds['byResource'],
): VersionKinds {
  return { kinds, lists, byHub, byResource, resources: once(() => Object.freeze([...byResource.values()])) };
}

/** What was made whole is copied the first time it changes, and only then. */
function sorted<V>(lookup: Lookup<V>): SortedMap<V> {
  if (lookup instanceof SortedMap) return lookup as SortedMap<V>;
  const values = [...lookup.values()];
  return SortedMap.of([...lookup.keys()].map((key, at) => [key, values[at] as V]));
}

function checkNew(
  definition: KindDefinition,
  kinds: Lookup<KindDefinition>,
  lists: Lookup<KindDefinition>,
  byHub: Lookup<KindDefinition>,
): void {
  if (kinds.has(definition.kind) || lists.has(definition.kind))
    throw new Error(`Double registration of ${printGroupVersionKind(definition)}`);
  if (byHub.has(groupVersionKindKey(definition.hub)))
    throw new Error(
      `two kinds of ${printGroupVersion(definition)} share the hub ${printGroupVersionKind(definition.hub)}`,
    );
}

function checkNewResource(kind: ServedKind, byResource: Lookup<ServedKind>): void {
  const { plural } = kind.resource;
  if (byResource.has(plural))
    throw new Error(`two kinds are served as ${groupVersionResourceKey({ ...kind, resource: plural })}`);
}

function isServedKind(kind: KindDefinition, isServed: Served): kind is ServedKind {
  return (
    kind.resource !== undefined &&
    isServed({ group: kind.group, version: kind.version, resource: kind.resource.plural })
  );
}
