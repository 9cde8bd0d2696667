// The scheme: all kinds an API server or client knows, their schemas, defaults and conversions, and which of them are
// served. A host composes one from lists of definitions; the built-in kinds come in by the same door (builtin.ts).
// Immutable: `with` and `without` return a new scheme that shares all but the changed kinds (group-layers.ts), so a
// server that learns of a custom resource swaps one for another while requests in flight keep theirs. All look-ups go
// by maps, so hostile names find nothing: to the group, its version, whose kinds are made when something of it is first
// looked up (version-kinds.ts), then to the kind.
// As apimachinery/pkg/runtime/scheme.go, without its internal types: a registered version is the hub
// (kind-definition.ts).
import type { GroupVersion, GroupVersionKind, GroupVersionResource } from '../objects/gvk.js';
import { groupVersionKindOf, printGroupVersion, sameGroupVersionKind } from '../objects/gvk.js';
import type { ApiList, ApiObject, Frozen } from '../objects/meta.js';
import type { StructType } from '../schema/type.js';
import type { ApiSwitches } from './api-switches.js';
import { readApiSwitches } from './api-switches.js';
import type { ApiGroup, GroupLayers, RegisteredVersion } from './group-layers.js';
import {
  changeKinds,
  checkKind,
  groupLayers,
  groupOf,
  groupsOf,
  inVersion,
  kindOf,
  versionOf,
} from './group-layers.js';
import type { KindDefinition, KindOptions, ServedKind } from './kind-definition.js';
import { kindNotRegistered, notConvertible } from './not-registered-error.js';
import { once } from '../schema/type.js';
import { SortedMap } from './sorted-map.js';
import { listKindOf, versionKinds } from './version-kinds.js';

/** Options of `createScheme`. */
export interface SchemeOptions {
  /** Named in refusals. */
  readonly name: string;
  /** In discovery order of their groups. */
  readonly kinds: readonly KindOptions[];
  /** Whole group-versions that come before them. They are trusted not to contradict each other. */
  readonly sections?: readonly SchemeSection[];
  /** Kinds that every registered group-version has, such as DeleteOptions. */
  readonly everywhere?: readonly CommonKind[];
  /** Kinds known under any version at all, such as Status. They are never converted. */
  readonly unversioned?: readonly CommonKind[];
  readonly switches?: ApiSwitches;
}

/** The kinds of a group-version, created when the first of them is looked up. */
export interface SchemeSection extends GroupVersion {
  /** Whether any of them has an endpoint. */
  readonly hasResources: boolean;
  /** Makes them. */
  kinds(): readonly KindOptions[];
}

/** A kind that belongs to no group of its own. */
export interface CommonKind {
  readonly kind: string;
  /** The schema; called on first use. */
  readonly type: () => StructType;
}

/** The kinds of a cluster: definitions, versions, conversion, defaults. */
export interface Scheme {
  readonly name: string;
  /** The definition of a kind, served or not. Lists and common kinds have none. */
  kind(gvk: GroupVersionKind): KindDefinition | undefined;
  /** Returns whether `typeOf` returns a schema. */
  recognizes(gvk: GroupVersionKind): boolean;
  /** The schema of a kind, a list or a common kind. Throws NotRegisteredError. */
  typeOf(gvk: GroupVersionKind): StructType;
  /** The other direction: every name under which a schema is registered. */
  kindsOf(type: StructType): readonly GroupVersionKind[];
  /** Runs the defaults of the object's kind, or of the named one, on an object that the caller alone owns. */
  setDefaults(object: ApiObject, gvk?: GroupVersionKind): void;
  /** The object in another version of its kind, or the list of them. Throws NotRegisteredError. */
  convert(object: Frozen<ApiObject>, target: GroupVersion): Frozen<ApiObject>;
  /** The same, looked up once for many objects, such as list items, that need not name their kind themselves. */
  converter(from: GroupVersionKind, target: GroupVersion): Converter;
  /** The version in which storage keeps the kind: the same for all that share a hub. Throws NotRegisteredError. */
  storageOf(gvk: GroupVersionKind): KindDefinition;
  /** Served groups in discovery order. */
  readonly groups: readonly ApiGroup[];
  /** A served group by name: the same object in all schemes between which nothing in the group changed. */
  group(name: string): ApiGroup | undefined;
  /**
   * What a group-version serves, by name of the resource: the same array in all schemes between which nothing in the
   * group-version changed.
   */
  resourcesOf(version: GroupVersion): readonly ServedKind[];
  /** The kind served at an endpoint. */
  resource(gvr: GroupVersionResource): ServedKind | undefined;
  /**
   * A scheme with more kinds, all of them served; costs as much as these kinds. Groups that are new come last in
   * discovery, by name. Throws for definitions that contradict each other or those there are.
   */
  with(kinds: readonly KindOptions[]): Scheme;
  /** A scheme without some kinds. Throws where one is not registered, or the hub of one that stays. */
  without(kinds: readonly GroupVersionKind[]): Scheme;
  /** A scheme with these kinds in place of those of the same names. Throws as `with` and `without` do. */
  replacing(kinds: readonly KindOptions[]): Scheme;
}

/** Makes a scheme. Throws for definitions that contradict each other and for switches that name nothing. */
export function createScheme(options: SchemeOptions): Scheme {
  const layers = groupLayers(register(options));
  for (const kind of options.kinds) checkKind(layers, kind);
  const { name, everywhere = [], unversioned = [] } = options;
  return schemeOf(layers, SortedMap.of(), {
    name,
    everywhere: new Map(everywhere.map(({ kind, type }) => [kind, type])),
    unversioned: new Map(unversioned.map(({ kind, type }) => [kind, type])),
    names: once(() => namesByType(layers, options)),
  });
}

/** What all schemes that derive from one share. */
interface SchemeRoot {
  readonly name: string;
  readonly everywhere: ReadonlyMap<string, () => StructType>;
  readonly unversioned: ReadonlyMap<string, () => StructType>;
  /** By name of the type, for the kinds that the first scheme was created with. */
  readonly names: () => Names;
}

type Names = Pick<ReadonlyMap<string, readonly GroupVersionKind[]>, 'get'>;

/** `added` has the names of the kinds that came later, by type. */
function schemeOf(layers: GroupLayers, added: SortedMap<readonly GroupVersionKind[]>, root: SchemeRoot): Scheme {
  const { name, everywhere, unversioned } = root;
  const groups = once(() => groupsOf(layers).flatMap(({ served }) => served() ?? []));

  const typeThunk = (gvk: GroupVersionKind): (() => StructType) | undefined => {
    const found = versionOf(layers, gvk);
    const known =
      found && (found.kinds.get(gvk.kind)?.type ?? found.lists.get(gvk.kind)?.listType ?? everywhere.get(gvk.kind));
    return known ?? unversioned.get(gvk.kind);
  };

  const converter = (from: GroupVersionKind, target: GroupVersion): Converter => {
    const listed = versionOf(layers, from)?.lists.get(from.kind);
    const source = kindOf(layers, from) ?? listed;
    if (source === undefined) {
      if (typeThunk(from) === undefined) throw kindNotRegistered(name, from);
      return unchanged;
    }
    const goal = inVersion(layers, source.hub, target);
    if (goal === undefined) throw notConvertible(name, source.type().goType, target);
    return goal === source ? unchanged : conversion(source, goal, listed !== undefined);
  };

  const changed = (removed: readonly GroupVersionKind[], kinds: readonly KindOptions[]): Scheme => {
    const next = changeKinds(layers, removed, kinds);
    const without = removed.reduce((names, gvk) => withoutNames(names, kindOf(layers, gvk)), added);
    return schemeOf(
      next,
      kinds.reduce((names, gvk) => withNames(names, kindOf(next, gvk)), without),
      root,
    );
  };

  return {
    name,
    get groups() {
      return groups();
    },
    group: (group) => groupOf(layers, group)?.served(),
    kind: (gvk) => kindOf(layers, gvk),
    recognizes: (gvk) => typeThunk(gvk) !== undefined,
    typeOf(gvk) {
      const type = typeThunk(gvk);
      if (type === undefined) throw kindNotRegistered(name, gvk);
      return type();
    },
    kindsOf(type) {
      const first = root.names().get(type.name) ?? [];
      if (layers.changed.size === 0) return first;
      return [...first.filter((gvk) => typeThunk(gvk) !== undefined), ...(added.get(type.name) ?? [])];
    },
    setDefaults(object, gvk = groupVersionKindOf(object)) {
      const known = versionOf(layers, gvk);
      const listed = known?.lists.get(gvk.kind);
      if (listed?.setDefaults !== undefined && isObjectList(object))
        for (const item of object.items) listed.setDefaults(item);
      else known?.kinds.get(gvk.kind)?.setDefaults?.(object);
    },
    convert: (object, target) => converter(groupVersionKindOf(object), target)(object),
    converter,
    storageOf(gvk) {
      const known = kindOf(layers, gvk);
      const hub = known && kindOf(layers, known.hub);
      const stored = hub && inVersion(layers, hub, hub.storage ?? hub);
      if (stored === undefined) throw kindNotRegistered(name, gvk);
      return stored;
    },
    resourcesOf: (version) => versionOf(layers, version)?.resources() ?? none,
    resource: (gvr) => versionOf(layers, gvr)?.byResource.get(gvr.resource),
    with: (kinds) => changed([], kinds),
    without: (kinds) => changed(kinds, []),
    replacing: (kinds) =>
      changed(
        kinds.filter((kind) => kindOf(layers, kind) !== undefined),
        kinds,
      ),
  };
}

const none: readonly ServedKind[] = [];

/** Kinds given one by one are completed here and now, whole sections not before they are needed. */
function register({ sections = [], kinds, switches = {} }: SchemeOptions): readonly RegisteredVersion[] {
  const own = new Map<string, KindOptions[]>();
  for (const kind of kinds) {
    const key = versionKey(kind);
    const list = own.get(key);
    if (list === undefined) own.set(key, [kind]);
    else list.push(kind);
  }
  const isServed = readApiSwitches(switches, [...sections, ...kinds]);
  const hasSwitches = Object.keys(switches).length > 0;
  const versions = new Map<string, RegisteredVersion>();
  for (const section of sections) {
    const { group, version } = section;
    const key = versionKey(section);
    const more = own.get(key) ?? [];
    const read = once(() => versionKinds([...section.kinds(), ...more], isServed));
    const mayServe = section.hasResources || more.length > 0;
    const isKnownToServe = !hasSwitches && section.hasResources;
    versions.set(key, {
      group,
      version,
      read,
      isServed: () =>
        mayServe && (isKnownToServe ? isServed({ group, version, resource: '' }) : read().byResource.size > 0),
    });
  }
  for (const [key, list] of own) {
    const [{ group, version }] = list as [KindOptions];
    const read = once(() => versionKinds(list, isServed));
    if (!versions.has(key)) versions.set(key, { group, version, read, isServed: () => read().byResource.size > 0 });
  }
  for (const key of own.keys()) versions.get(key)?.read();
  return [...versions.values()];
}

/** No registered name has a slash, so that no two versions share a key. */
function versionKey({ group, version }: GroupVersion): string {
  return `${group}/${version}`;
}

function namesByType(layers: GroupLayers, { everywhere = [], unversioned = [] }: SchemeOptions): Names {
  const names = new Map<string, GroupVersionKind[]>();
  const add = (type: StructType, { group, version }: GroupVersion, kind: string): void => {
    const known = names.get(type.name);
    if (known === undefined) names.set(type.name, [{ group, version, kind }]);
    else known.push({ group, version, kind });
  };
  const all = [...layers.base.values()].flatMap(({ versions }) => [...versions.values()]);
  for (const version of all) {
    for (const definition of version.read().kinds.values()) {
      const { kind, type, listType } = definition;
      add(type(), version, kind);
      if (listType !== undefined) add(listType(), version, listKindOf(definition));
    }
  }
  // Not of versions that come later: each would change the schema of DeleteOptions in every document.
  for (const { kind, type } of everywhere) for (const version of all) add(type(), version, kind);
  // Where Kubernetes registers them, and how their objects name themselves.
  for (const { kind, type } of unversioned) add(type(), { group: '', version: 'v1' }, kind);
  return names;
}

type AddedNames = SortedMap<readonly GroupVersionKind[]>;

function withNames(names: AddedNames, kind: KindDefinition | undefined): AddedNames {
  return namesOf(kind).reduce((all, [type, gvk]) => all.set(type, [...(all.get(type) ?? []), gvk]), names);
}

function withoutNames(names: AddedNames, kind: KindDefinition | undefined): AddedNames {
  return namesOf(kind).reduce((all, [type, gvk]) => {
    const rest = (all.get(type) ?? []).filter((each) => !sameGroupVersionKind(each, gvk));
    return rest.length === 0 ? all.delete(type) : all.set(type, rest);
  }, names);
}

/** The types of a kind and of its list, with the names they are registered under. */
function namesOf(definition: KindDefinition | undefined): readonly (readonly [type: string, gvk: GroupVersionKind])[] {
  if (definition === undefined) return [];
  const { group, version, kind, type, listType } = definition;
  const own = [type().name, { group, version, kind }] as const;
  return listType === undefined ? [own] : [own, [listType().name, { group, version, kind: listKindOf(definition) }]];
}

/** Turns an object of one version into another; returns the argument itself where nothing changes. */
export type Converter = (object: Frozen<ApiObject>) => Frozen<ApiObject>;

/** Between a version and itself, and for kinds that have none. */
export const unchanged: Converter = (object) => object;

/** Between two versions that share a hub. Keeps the two definitions, not the scheme. */
export function conversion(source: KindDefinition, goal: KindDefinition, ofLists: boolean): Converter {
  const apiVersion = printGroupVersion(goal);
  const convert: Converter = (object) => {
    const hub = source.conversion === undefined ? object : source.conversion.toHub(object);
    return goal.conversion === undefined ? hub : goal.conversion.fromHub(hub);
  };
  if (!ofLists) return (object) => withTypeMeta(convert(object), goal.kind, apiVersion);
  // The items of a list do not name their kind, unless they came that way.
  const convertItem: Converter = (item) =>
    item.kind === undefined ? withTypeMeta(convert(item)) : withTypeMeta(convert(item), goal.kind, apiVersion);
  return (list) => {
    const converted = { ...list, items: isObjectList(list) ? list.items.map(convertItem) : [] };
    return withTypeMeta(converted, listKindOf(goal), apiVersion);
  };
}

/** The object with that type metadata, or without any; `kind` and `apiVersion` come first, as in Kubernetes. */
function withTypeMeta(object: Frozen<ApiObject>, kind?: string, apiVersion?: string): Frozen<ApiObject> {
  if (object.kind === kind && object.apiVersion === apiVersion) return object;
  // Conversions seldom set type metadata, which saves a copy.
  if (kind !== undefined && apiVersion !== undefined && !('kind' in object) && !('apiVersion' in object))
    return { kind, apiVersion, ...object };
  const { kind: _kind, apiVersion: _apiVersion, ...content } = object;
  return kind === undefined || apiVersion === undefined ? content : { kind, apiVersion, ...content };
}

/** Returns whether an object is a list. */
export function isObjectList<T extends Frozen<ApiObject>>(object: T): object is T & ApiList {
  return 'items' in object && Array.isArray(object.items);
}
