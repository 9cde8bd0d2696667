// The scheme: all kinds an API server or client knows, their schemas, defaults and conversions, and which of them are
// served. A host composes one from lists of definitions; the built-in kinds come in by the same door (builtin.ts).
// Immutable once made: `with` answers a new scheme, so a server that learns of a custom resource swaps one for another
// while requests in flight keep theirs. All look-ups are by Map, so hostile names find nothing.
// As apimachinery/pkg/runtime/scheme.go, without its internal types: a registered version is the hub (kind-definition.ts).
import type { GroupVersion, GroupVersionKind, GroupVersionResource } from '../objects/gvk.js';
import { groupVersionKindKey, groupVersionKindOf, groupVersionResourceKey, printGroupVersion, printGroupVersionKind } from '../objects/gvk.js';
import type { ApiList, ApiObject, Frozen } from '../objects/meta.js';
import type { StructType } from '../schema/type.js';
import type { ApiSwitches } from './api-switches.js';
import { readApiSwitches } from './api-switches.js';
import { completeKind } from './complete-kind.js';
import type { KindDefinition, KindOptions, ResourceDefinition } from './kind-definition.js';
import { kindNotRegistered, notConvertible } from './not-registered-error.js';
import { compareVersions } from './version-order.js';

/** What a scheme is made of. */
export interface SchemeOptions {
  /** Named in refusals. */
  readonly name: string;
  /** In discovery order of their groups. */
  readonly kinds: readonly KindOptions[];
  /** Kinds that every registered group-version has, such as DeleteOptions. */
  readonly everywhere?: readonly CommonKind[];
  /** Kinds known under any version at all, such as Status. They are never converted. */
  readonly unversioned?: readonly CommonKind[];
  readonly switches?: ApiSwitches;
}

/** A kind that belongs to no group of its own. */
export interface CommonKind {
  readonly kind: string;
  /** The schema; asked on first use. */
  readonly type: () => StructType;
}

/** A kind with an endpoint. */
export type ServedKind = KindDefinition & { readonly resource: ResourceDefinition };

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
  const registry = register(options.kinds);
  const { kinds, lists, families } = registry;
  const everywhere = new Map(options.everywhere?.map(({ kind, type }) => [kind, type]));
  const unversioned = new Map(options.unversioned?.map(({ kind, type }) => [kind, type]));
  const { groups, byVersion, byResource } = serve([...kinds.values()], options.switches ?? {});
  let names: ReadonlyMap<string, readonly GroupVersionKind[]> | undefined;

  const typeThunk = (gvk: GroupVersionKind): (() => StructType) | undefined => {
    const key = groupVersionKindKey(gvk);
    const known = kinds.get(key)?.type ?? lists.get(key)?.listType;
    if (known !== undefined) return known;
    return (registry.versions.has(printGroupVersion(gvk)) ? everywhere.get(gvk.kind) : undefined) ?? unversioned.get(gvk.kind);
  };

  const converter = (from: GroupVersionKind, target: GroupVersion): Converter => {
    const key = groupVersionKindKey(from);
    const listed = lists.get(key);
    const source = kinds.get(key) ?? listed;
    if (source === undefined) {
      if (typeThunk(from) === undefined) throw kindNotRegistered(name, from);
      return unchanged;
    }
    const goal = families.get(groupVersionKindKey(source.hub))?.get(printGroupVersion(target));
    if (goal === undefined) throw notConvertible(name, source.type().goType, target);
    return goal === source ? unchanged : conversion(source, goal, listed !== undefined);
  };

  return {
    name,
    groups,
    kind: (gvk) => kinds.get(groupVersionKindKey(gvk)),
    recognizes: (gvk) => typeThunk(gvk) !== undefined,
    typeOf(gvk) {
      const type = typeThunk(gvk);
      if (type === undefined) throw kindNotRegistered(name, gvk);
      return type();
    },
    kindsOf(type) {
      names ??= namesByType(registry, options);
      return names.get(type.name) ?? [];
    },
    setDefaults(object, gvk = groupVersionKindOf(object)) {
      const key = groupVersionKindKey(gvk);
      const listed = lists.get(key);
      if (listed?.setDefaults !== undefined && isList(object)) for (const item of object.items) listed.setDefaults(item);
      else kinds.get(key)?.setDefaults?.(object);
    },
    convert: (object, target) => converter(groupVersionKindOf(object), target)(object),
    converter,
    storageOf(gvk) {
      const known = kinds.get(groupVersionKindKey(gvk));
      const hub = known && kinds.get(groupVersionKindKey(known.hub));
      const stored = hub && families.get(groupVersionKindKey(hub))?.get(printGroupVersion(hub.storage ?? hub));
      if (stored === undefined) throw kindNotRegistered(name, gvk);
      return stored;
    },
    resourcesOf: (version) => byVersion.get(printGroupVersion(version)) ?? [],
    resource: (gvr) => byResource.get(groupVersionResourceKey(gvr)),
    with: (more) => createScheme({ ...options, kinds: [...options.kinds, ...more] }),
  };
}

interface Registry {
  /** By groupVersionKindKey, in the order given. */
  readonly kinds: ReadonlyMap<string, KindDefinition>;
  /** The item's definition by the name of its list. */
  readonly lists: ReadonlyMap<string, KindDefinition>;
  /** The versions of a kind by hub, then by group-version. */
  readonly families: ReadonlyMap<string, ReadonlyMap<string, KindDefinition>>;
  /** Every registered group-version, printed. */
  readonly versions: ReadonlyMap<string, GroupVersion>;
}

function register(options: readonly KindOptions[]): Registry {
  const kinds = new Map<string, KindDefinition>();
  const lists = new Map<string, KindDefinition>();
  const families = new Map<string, Map<string, KindDefinition>>();
  const versions = new Map<string, GroupVersion>();
  for (const each of options) {
    const definition = completeKind(each);
    const key = groupVersionKindKey(definition);
    if (kinds.has(key) || lists.has(key)) throw new Error(`Double registration of ${printGroupVersionKind(definition)}`);
    kinds.set(key, definition);
    if (definition.listType !== undefined) lists.set(`${key}List`, definition);
    const version = printGroupVersion(definition);
    versions.set(version, definition);
    const hub = groupVersionKindKey(definition.hub);
    const family = families.get(hub) ?? new Map<string, KindDefinition>();
    if (family.has(version)) throw new Error(`two kinds of ${version} share the hub ${printGroupVersionKind(definition.hub)}`);
    families.set(hub, family.set(version, definition));
  }
  for (const [hub, family] of families) checkFamily(kinds.get(hub), family);
  return { kinds, lists, families, versions };
}

function checkFamily(hub: KindDefinition | undefined, family: ReadonlyMap<string, KindDefinition>): void {
  for (const member of family.values()) {
    const name = printGroupVersionKind(member);
    if (hub === undefined || hub.conversion !== undefined) throw new Error(`${name} names a hub that is not one: ${printGroupVersionKind(member.hub)}`);
    if (member !== hub && member.storage !== undefined) throw new Error(`${name} names a storage version, which only its hub may`);
  }
  if (hub?.storage !== undefined && !family.has(printGroupVersion(hub.storage))) {
    throw new Error(`${printGroupVersionKind(hub)} is stored in a version it does not have`);
  }
}

interface Endpoints {
  readonly groups: readonly ApiGroup[];
  readonly byVersion: ReadonlyMap<string, readonly ServedKind[]>;
  readonly byResource: ReadonlyMap<string, ServedKind>;
}

function serve(kinds: readonly KindDefinition[], switches: ApiSwitches): Endpoints {
  const endpoints = kinds.filter(isServedKind);
  const served = readApiSwitches(switches, kinds);
  const byResource = new Map<string, ServedKind>();
  const byVersion = new Map<string, ServedKind[]>();
  const byGroup = new Map<string, Set<string>>();
  for (const kind of endpoints) {
    const gvr = { group: kind.group, version: kind.version, resource: kind.resource.plural };
    if (!served(gvr)) continue;
    const key = groupVersionResourceKey(gvr);
    if (byResource.has(key)) throw new Error(`two kinds are served as ${key}`);
    byResource.set(key, kind);
    const version = printGroupVersion(kind);
    byVersion.set(version, [...(byVersion.get(version) ?? []), kind]);
    byGroup.set(kind.group, (byGroup.get(kind.group) ?? new Set()).add(kind.version));
  }
  for (const list of byVersion.values()) list.sort((a, b) => (a.resource.plural < b.resource.plural ? -1 : 1));
  const groups = [...byGroup].map(([name, set]) => {
    const versions = [...set].sort(compareVersions);
    return { name, versions, preferredVersion: versions[0] ?? '' };
  });
  return { groups, byVersion, byResource };
}

function isServedKind(kind: KindDefinition): kind is ServedKind {
  return kind.resource !== undefined;
}

function namesByType(registry: Registry, { everywhere = [], unversioned = [] }: SchemeOptions): ReadonlyMap<string, readonly GroupVersionKind[]> {
  const names = new Map<string, GroupVersionKind[]>();
  const add = (type: StructType, { group, version }: GroupVersion, kind: string): void => {
    names.set(type.name, [...(names.get(type.name) ?? []), { group, version, kind }]);
  };
  for (const kind of registry.kinds.values()) {
    add(kind.type(), kind, kind.kind);
    if (kind.listType !== undefined) add(kind.listType(), kind, `${kind.kind}List`);
  }
  for (const { kind, type } of everywhere) for (const version of registry.versions.values()) add(type(), version, kind);
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
  const convertItem: Converter = (item) => (item.kind === undefined ? withTypeMeta(convert(item)) : withTypeMeta(convert(item), goal.kind, apiVersion));
  return (list) => {
    const converted = { ...list, items: isList(list) ? list.items.map(convertItem) : [] };
    return withTypeMeta(converted, `${goal.kind}List`, apiVersion);
  };
}

/** The object under that name, or under none; `kind` and `apiVersion` come first, as Kubernetes prints them. */
function withTypeMeta(object: Frozen<ApiObject>, kind?: string, apiVersion?: string): Frozen<ApiObject> {
  if (object.kind === kind && object.apiVersion === apiVersion) return object;
  // Conversions seldom say what they made, which saves a copy.
  if (kind !== undefined && apiVersion !== undefined && !('kind' in object) && !('apiVersion' in object)) return { kind, apiVersion, ...object };
  const { kind: _kind, apiVersion: _apiVersion, ...content } = object;
  return kind === undefined || apiVersion === undefined ? content : { kind, apiVersion, ...content };
}

function isList<T extends Frozen<ApiObject>>(object: T): object is T & ApiList {
  return 'items' in object && Array.isArray(object.items);
}
