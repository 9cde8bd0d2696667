// The kinds of one group-version, by each of the names that the scheme finds them under. For scheme.ts alone, which
// makes one when first asked for something of that group-version: completing a hundred kinds takes milliseconds that a
// process which needs five of them does not have to spend.
import {
  groupVersionKindKey,
  groupVersionResourceKey,
  printGroupVersion,
  printGroupVersionKind,
} from '../objects/gvk.js';
import type { Served } from './api-switches.js';
import { completeKind } from './complete-kind.js';
import type { KindDefinition, KindOptions, ServedKind } from './kind-definition.js';

/** The kinds of a group-version. */
export interface VersionKinds {
  /** By kind, in the order given. */
  readonly kinds: ReadonlyMap<string, KindDefinition>;
  /** The item's definition by the kind of its list. */
  readonly lists: ReadonlyMap<string, KindDefinition>;
  /** By groupVersionKindKey of the hub: no two of them share one. */
  readonly byHub: ReadonlyMap<string, KindDefinition>;
  /** What is served, by name of the resource, in the order of the names. */
  readonly byResource: ReadonlyMap<string, ServedKind>;
}

/** Completes the kinds. Throws where one contradicts another. */
export function versionKinds(options: readonly KindOptions[], isServed: Served): VersionKinds {
  const kinds = new Map<string, KindDefinition>();
  const lists = new Map<string, KindDefinition>();
  const byHub = new Map<string, KindDefinition>();
  for (const each of options) {
    const definition = completeKind(each);
    const { kind, hub } = definition;
    if (kinds.has(kind) || lists.has(kind))
      throw new Error(`Double registration of ${printGroupVersionKind(definition)}`);
    kinds.set(kind, definition);
    if (definition.listType !== undefined) lists.set(`${kind}List`, definition);
    const family = groupVersionKindKey(hub);
    if (byHub.has(family))
      throw new Error(`two kinds of ${printGroupVersion(definition)} share the hub ${printGroupVersionKind(hub)}`);
    byHub.set(family, definition);
  }
  return { kinds, lists, byHub, byResource: servedOf(kinds.values(), isServed) };
}

function servedOf(kinds: Iterable<KindDefinition>, isServed: Served): ReadonlyMap<string, ServedKind> {
  const served: ServedKind[] = [];
  for (const kind of kinds)
    if (isServedKind(kind) && isServed({ group: kind.group, version: kind.version, resource: kind.resource.plural }))
      served.push(kind);
  served.sort((a, b) => (a.resource.plural < b.resource.plural ? -1 : 1));
  const byResource = new Map<string, ServedKind>();
  for (const kind of served) {
    const { plural } = kind.resource;
    if (byResource.has(plural))
      throw new Error(`two kinds are served as ${groupVersionResourceKey({ ...kind, resource: plural })}`);
    byResource.set(plural, kind);
  }
  return byResource;
}

function isServedKind(kind: KindDefinition): kind is ServedKind {
  return kind.resource !== undefined;
}
