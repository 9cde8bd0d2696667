// The scheme: all kinds an API server or client knows, their schemas, defaults and conversions, and which of them are
// served. A host composes one from lists of definitions; the built-in kinds come in by the same door (builtin.ts).
// Immutable once made: `with` answers a new scheme, so a server that learns of a custom resource swaps one for another
// while requests in flight keep theirs. All look-ups are by Map, so hostile names find nothing: first to a
// group-version, whose kinds are made when something of it is first asked for (version-kinds.ts), then to the kind.
// As apimachinery/pkg/runtime/scheme.go, without its internal types: a registered version is the hub
// (kind-definition.ts).
import type { GroupVersion, GroupVersionKind, GroupVersionResource } from '../objects/gvk.js';
import { groupVersionKindKey, groupVersionKindOf, printGroupVersion, printGroupVersionKind } from '../objects/gvk.js';
import type { ApiList, ApiObject, Frozen } from '../objects/meta.js';
import type { StructType } from '../schema/type.js';
import type { ApiSwitches } from './api-switches.js';
import { readApiSwitches } from './api-switches.js';
import type { KindDefinition, KindOptions, ServedKind } from './kind-definition.js';
import { kindNotRegistered, notConvertible } from './not-registered-error.js';
import { once } from './once.js';
import type { VersionKinds } from './version-kinds.js';
import { versionKinds } from './version-kinds.js';
import { compareVersions } from './version-order.js';

/** What a scheme is made of. */
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

/** The kinds of a group-version, not made before somebody asks for one of them. */
export interface SchemeSection extends GroupVersion {
  /** Whether any of them has an endpoint. */
  readonly hasResources: boolean;
  /** Makes them. */
  kinds(): readonly KindOptions[];
}

/** A kind that belongs to no group of its own. */
export interface CommonKind {
  readonly kind: string;
  /** The schema; asked on first use. */
  readonly type: () => StructType;
}

/** A group that is served. */
export interface ApiGroup {
  readonly name: string;
  /** The served versions, best first. */
  readonly versions: readonly string[];
  /** The first of them. */
  readonly preferredVersion: string;
}

/** Turns an object of one version into another; answers the argument itself where nothing changes. */
export type Converter = (object: Frozen<ApiObject>) => Frozen<ApiObject>;

/** Everything known about kinds. */
export interface Scheme {
  readonly name: string;
  /** The definition of a kind, served or not. Lists and common kinds have none. */
  kind(gvk: GroupVersionKind): KindDefinition | undefined;
  /** Whether `typeOf` would answer. */
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
  /** What a group-version serves, by name of the resource. */
  resourcesOf(version: GroupVersion): readonly ServedKind[];
  /** The kind served at an endpoint. */
  resource(gvr: GroupVersionResource): ServedKind | undefined;
  /** A scheme with more kinds. */
  with(kinds: readonly KindOptions[]): Scheme;
}

/** Makes a scheme. Throws for definitions that contradict each other and for switches that name nothing. */
export function createScheme(options: SchemeOptions): Scheme {
  const { name } = options;
  const versions = register(options);
  const everywhere = new Map(options.everywhere?.map(({ kind, type }) => [kind, type]));
  const unversioned = new Map(options.unversioned?.map(({ kind, type }) => [kind, type]));
  const groups = once(() => servedGroups(versions.values()));
  const names = once(() => namesByType(versions.values(), options));

  const typeThunk = (gvk: GroupVersionKind): (() => StructType) | undefined => {
    const found = versions.get(versionKey(gvk));
    const known =
      found &&
      (found.read().kinds.get(gvk.kind)?.type ??
        found.read().lists.get(gvk.kind)?.listType ??
        everywhere.get(gvk.kind));
    return known ?? unversioned.get(gvk.kind);
  };

  const converter = (from: GroupVersionKind, target: GroupVersion): Converter => {
    const listed = versions.get(versionKey(from))?.read().lists.get(from.kind);
    const source = kindOf(versions, from) ?? listed;
    if (source === undefined) {
      if (typeThunk(from) === undefined) throw kindNotRegistered(name, from);
      return unchanged;
    }
    const goal = inVersion(versions, source.hub, target);
    if (goal === undefined) throw notConvertible(name, source.type().goType, target);
    return goal === source ? unchanged : conversion(source, goal, listed !== undefined);
  };

  return {
    name,
    get groups() {
      return groups();
    },
    kind: (gvk) => kindOf(versions, gvk),
    recognizes: (gvk) => typeThunk(gvk) !== undefined,
    typeOf(gvk) {
      const type = typeThunk(gvk);
      if (type === undefined) throw kindNotRegistered(name, gvk);
      return type();
    },
    kindsOf: (type) => names().get(type.name) ?? [],
    setDefaults(object, gvk = groupVersionKindOf(object)) {
      const known = versions.get(versionKey(gvk))?.read();
      const listed = known?.lists.get(gvk.kind);
      if (listed?.setDefaults !== undefined && isList(object))
        for (const item of object.items) listed.setDefaults(item);
      else known?.kinds.get(gvk.kind)?.setDefaults?.(object);
    },
    convert: (object, target) => converter(groupVersionKindOf(object), target)(object),
    converter,
    storageOf(gvk) {
      const known = kindOf(versions, gvk);
      const hub = known && kindOf(versions, known.hub);
      const stored = hub && inVersion(versions, hub, hub.storage ?? hub);
      if (stored === undefined) throw kindNotRegistered(name, gvk);
      return stored;
    },
    resourcesOf: (version) => [...(versions.get(versionKey(version))?.read().byResource.values() ?? [])],
    resource: (gvr) => versions.get(versionKey(gvr))?.read().byResource.get(gvr.resource),
    with: (more) => createScheme({ ...options, kinds: [...options.kinds, ...more] }),
  };
}

/** A registered group-version. */
interface Version extends GroupVersion {
  readonly isServed: () => boolean;
  /** Its kinds, made when first asked for. */
  readonly read: () => VersionKinds;
}

/** By versionKey, in discovery order. */
type Versions = ReadonlyMap<string, Version>;

/** No registered name has a slash, so that a hostile one is no other's key. */
function versionKey({ group, version }: GroupVersion): string {
  return `${group}/${version}`;
}

function kindOf(versions: Versions, gvk: GroupVersionKind): KindDefinition | undefined {
  return versions.get(versionKey(gvk))?.read().kinds.get(gvk.kind);
}

/** The kind of that version among those that share the hub. */
function inVersion(versions: Versions, hub: GroupVersionKind, version: GroupVersion): KindDefinition | undefined {
  return versions.get(versionKey(version))?.read().byHub.get(groupVersionKindKey(hub));
}

/** Kinds given one by one are looked at here and now, whole sections not before they are needed. */
function register({ sections = [], kinds, switches = {} }: SchemeOptions): Versions {
  const own = new Map<string, KindOptions[]>();
  for (const kind of kinds) {
    const key = versionKey(kind);
    const list = own.get(key);
    if (list === undefined) own.set(key, [kind]);
    else list.push(kind);
  }
  const isServed = readApiSwitches(switches, [...sections, ...kinds]);
  const hasSwitches = Object.keys(switches).length > 0;
  const versions = new Map<string, Version>();
  for (const section of sections) {
    const { group, version } = section;
    const key = versionKey(section);
    const added = own.get(key) ?? [];
    const read = once(() => versionKinds([...section.kinds(), ...added], isServed));
    const isKnownToServe = !hasSwitches && section.hasResources;
    versions.set(key, {
      group,
      version,
      read,
      isServed: () => (isKnownToServe ? isServed({ group, version, resource: '' }) : read().byResource.size > 0),
    });
  }
  for (const [key, list] of own) {
    const [{ group, version }] = list as [KindOptions];
    const read = once(() => versionKinds(list, isServed));
    if (!versions.has(key)) versions.set(key, { group, version, read, isServed: () => read().byResource.size > 0 });
  }
  for (const key of own.keys()) versions.get(key)?.read();
  for (const kind of kinds) checkKind(versions, kind);
  return versions;
}

function checkKind(versions: Versions, kind: KindOptions): void {
  const name = printGroupVersionKind(kind);
  const named = kind.conversion?.hub ?? kind;
  const hub = kindOf(versions, named);
  if (hub === undefined || hub.conversion !== undefined)
    throw new Error(`${name} names a hub that is not one: ${printGroupVersionKind(named)}`);
  if (kind.storage === undefined) return;
  if (kind.conversion !== undefined) throw new Error(`${name} names a storage version, which only its hub may`);
  if (inVersion(versions, hub, kind.storage) === undefined)
    throw new Error(`${name} is stored in a version it does not have`);
}

function servedGroups(versions: Iterable<Version>): readonly ApiGroup[] {
  const byGroup = new Map<string, string[]>();
  for (const { group, version, isServed } of versions)
    if (isServed()) byGroup.set(group, [...(byGroup.get(group) ?? []), version]);
  return [...byGroup].map(([name, unordered]) => {
    const ordered = unordered.sort(compareVersions);
    return { name, versions: ordered, preferredVersion: ordered[0] ?? '' };
  });
}

function namesByType(
  versions: Iterable<Version>,
  { everywhere = [], unversioned = [] }: SchemeOptions,
): ReadonlyMap<string, readonly GroupVersionKind[]> {
  const names = new Map<string, GroupVersionKind[]>();
  const add = (type: StructType, { group, version }: GroupVersion, kind: string): void => {
    names.set(type.name, [...(names.get(type.name) ?? []), { group, version, kind }]);
  };
  const all = [...versions];
  for (const version of all) {
    for (const { kind, type, listType } of version.read().kinds.values()) {
      add(type(), version, kind);
      if (listType !== undefined) add(listType(), version, `${kind}List`);
    }
  }
  for (const { kind, type } of everywhere) for (const version of all) add(type(), version, kind);
  // Where Kubernetes registers them, and how their objects name themselves.
  for (const { kind, type } of unversioned) add(type(), { group: '', version: 'v1' }, kind);
  return names;
}

const unchanged: Converter = (object) => object;

function conversion(source: KindDefinition, goal: KindDefinition, ofLists: boolean): Converter {
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
    const converted = { ...list, items: isList(list) ? list.items.map(convertItem) : [] };
    return withTypeMeta(converted, `${goal.kind}List`, apiVersion);
  };
}

/** The object under that name, or under none; `kind` and `apiVersion` come first, as Kubernetes prints them. */
function withTypeMeta(object: Frozen<ApiObject>, kind?: string, apiVersion?: string): Frozen<ApiObject> {
  if (object.kind === kind && object.apiVersion === apiVersion) return object;
  // Conversions seldom say what they made, which saves a copy.
  if (kind !== undefined && apiVersion !== undefined && !('kind' in object) && !('apiVersion' in object))
    return { kind, apiVersion, ...object };
  const { kind: _kind, apiVersion: _apiVersion, ...content } = object;
  return kind === undefined || apiVersion === undefined ? content : { kind, apiVersion, ...content };
}

function isList<T extends Frozen<ApiObject>>(object: T): object is T & ApiList {
  return 'items' in object && Array.isArray(object.items);
}
