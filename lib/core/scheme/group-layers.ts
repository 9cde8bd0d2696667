// The groups of a scheme in two layers: those it was created with, and those that changed since. The first is shared by
// all schemes that derive from it; the second is an immutable sorted map. A look-up tries the second layer first.
// A change makes its own group anew, with new identities for the group's ApiGroup and the version's array of resources,
// and nothing else: documents kept by these identities are rebuilt only where something changed.
import type { GroupVersion, GroupVersionKind } from '../objects/gvk.js';
import { groupVersionKindKey, printGroupVersionKind } from '../objects/gvk.js';
import type { Served } from './api-switches.js';
import type { KindDefinition, KindOptions } from './kind-definition.js';
import { once } from '../schema/type.js';
import { SortedMap } from './sorted-map.js';
import type { VersionKinds } from './version-kinds.js';
import { versionKinds, withKind, withoutKind } from './version-kinds.js';
import { compareVersions } from './version-order.js';

/** A group that is served. The same object until something in the group changes. */
export interface ApiGroup {
  readonly name: string;
  /** The served versions, best first. */
  readonly versions: readonly string[];
  /** The first of them. */
  readonly preferredVersion: string;
}

/** A registered group-version. */
export interface RegisteredVersion extends GroupVersion {
  readonly isServed: () => boolean;
  /** Its kinds, made on first use. */
  readonly read: () => VersionKinds;
}

/** A registered group. */
export interface RegisteredGroup {
  readonly name: string;
  readonly versions: ReadonlyMap<string, RegisteredVersion>;
  /** Undefined where nothing of it is served. */
  readonly served: () => ApiGroup | undefined;
}

/** All groups. */
export interface GroupLayers {
  /** In discovery order. */
  readonly base: ReadonlyMap<string, RegisteredGroup>;
  /** Groups that were added, or that replace those of the base. */
  readonly changed: SortedMap<RegisteredGroup>;
}

/** The first layer. */
export function groupLayers(versions: Iterable<RegisteredVersion>): GroupLayers {
  const byGroup = new Map<string, Map<string, RegisteredVersion>>();
  for (const each of versions) {
    const known = byGroup.get(each.group);
    if (known === undefined) byGroup.set(each.group, new Map([[each.version, each]]));
    else known.set(each.version, each);
  }
  const base = new Map<string, RegisteredGroup>();
  for (const [name, own] of byGroup) base.set(name, registeredGroup(name, own));
  return { base, changed: SortedMap.of() };
}

/** A group by name, served or not. */
export function groupOf({ base, changed }: GroupLayers, name: string): RegisteredGroup | undefined {
  return (changed.size === 0 ? undefined : changed.get(name)) ?? base.get(name);
}

/** The kinds of a group-version. */
export function versionOf(layers: GroupLayers, { group, version }: GroupVersion): VersionKinds | undefined {
  return groupOf(layers, group)?.versions.get(version)?.read();
}

/** The definition of a kind. */
export function kindOf(layers: GroupLayers, gvk: GroupVersionKind): KindDefinition | undefined {
  return versionOf(layers, gvk)?.kinds.get(gvk.kind);
}

/** The kind of that version among those that share the hub. */
export function inVersion(
  layers: GroupLayers,
  hub: GroupVersionKind,
  version: GroupVersion,
): KindDefinition | undefined {
  return versionOf(layers, version)?.byHub.get(groupVersionKindKey(hub));
}

/** Those of the base in their order, then others by name, as Kubernetes lists the groups of custom resources. */
export function groupsOf({ base, changed }: GroupLayers): readonly RegisteredGroup[] {
  const first = Array.from(base.values(), (group) => changed.get(group.name) ?? group);
  return [...first, ...Array.from(changed.values()).filter(({ name }) => !base.has(name))];
}

/**
 * The groups without some kinds and with others, in one step. Throws where a kind to remove is not registered, where
 * kinds contradict each other, and where another version would be left without its hub.
 */
export function changeKinds(
  layers: GroupLayers,
  removed: readonly GroupVersionKind[],
  added: readonly KindOptions[],
): GroupLayers {
  const next = added.reduce(addKind, removed.reduce(removeKind, layers));
  for (const kind of added) checkKind(next, kind);
  for (const hub of removed) for (const member of familyOf(next, hub)) checkKind(next, member);
  return next;
}

/** Throws for a hub that is none, and a storage version that the kind does not have. */
export function checkKind(layers: GroupLayers, kind: KindOptions): void {
  const name = printGroupVersionKind(kind);
  const named = kind.conversion?.hub ?? kind;
  const hub = kindOf(layers, named);
  if (hub === undefined || hub.conversion !== undefined)
    throw new Error(`${name} names a hub that is not one: ${printGroupVersionKind(named)}`);
  if (kind.storage === undefined) return;
  if (kind.conversion !== undefined) throw new Error(`${name} names a storage version, which only its hub may`);
  if (inVersion(layers, hub, kind.storage) === undefined)
    throw new Error(`${name} is stored in a version it does not have`);
}

/** The versions of a kind that its group has, without the hub itself. */
function familyOf(layers: GroupLayers, hub: GroupVersionKind): readonly KindDefinition[] {
  const versions = [...(groupOf(layers, hub.group)?.versions.values() ?? [])];
  return versions.flatMap(({ read }) => {
    const member = read().byHub.get(groupVersionKindKey(hub));
    return member?.conversion === undefined ? [] : [member];
  });
}

function addKind(layers: GroupLayers, kind: KindOptions): GroupLayers {
  const known = groupOf(layers, kind.group)?.versions.get(kind.version)?.read();
  const kinds = known === undefined ? versionKinds([kind], always) : withKind(known, kind, always);
  return withVersion(layers, kind, kinds);
}

function removeKind(layers: GroupLayers, gvk: GroupVersionKind): GroupLayers {
  const known = versionOf(layers, gvk);
  const kind = known?.kinds.get(gvk.kind);
  if (known === undefined || kind === undefined) throw new Error(`not registered: ${printGroupVersionKind(gvk)}`);
  return withVersion(layers, gvk, withoutKind(known, kind));
}

/** A kind that is added at run time is served, whatever its version is called: as a custom resource is. */
const always: Served = () => true;

/** The layers with other kinds in one group-version. Versions without kinds and groups without versions are dropped. */
function withVersion(
  { base, changed }: GroupLayers,
  { group: name, version }: GroupVersion,
  kinds: VersionKinds,
): GroupLayers {
  const versions = new Map((changed.get(name) ?? base.get(name))?.versions);
  if (kinds.kinds.size === 0) versions.delete(version);
  else versions.set(version, { group: name, version, read: () => kinds, isServed: () => kinds.byResource.size > 0 });
  const isGone = versions.size === 0 && !base.has(name);
  return { base, changed: isGone ? changed.delete(name) : changed.set(name, registeredGroup(name, versions)) };
}

function registeredGroup(name: string, versions: ReadonlyMap<string, RegisteredVersion>): RegisteredGroup {
  return { name, versions, served: once(() => servedGroup(name, versions)) };
}

function servedGroup(name: string, versions: ReadonlyMap<string, RegisteredVersion>): ApiGroup | undefined {
  const served = [...versions.values()].filter((each) => each.isServed()).map(({ version }) => version);
  const [preferredVersion] = served.sort(compareVersions);
  return preferredVersion === undefined ? undefined : Object.freeze({ name, versions: served, preferredVersion });
}
