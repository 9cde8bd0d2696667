// Finds endpoints by what people and programs call them: kinds, plurals, singulars, short names, categories and the
// arguments of kubectl (`po`, `deployments.apps`, `deployments.v1.apps`, `all`). Made from a scheme, or from the
// entries of any server's discovery. Of several matches the first in discovery order wins, the core group always being
// first, and within a group its preferred version: so `events` are the core ones, `hpa` those of autoscaling/v2.
// As apimachinery/pkg/api/meta/restmapper.go and priority.go with client-go/restmapper (discovery.go, shortcut.go,
// category_expansion.go). Every look-up goes by Map to the few entries of one name.
import type { GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource } from '../objects/gvk.js';
import {
  groupVersionKindKey,
  parseKindArgument,
  parseResourceArgument,
  printGroupVersion,
  printGroupVersionResource,
} from '../objects/gvk.js';
import type { Scheme } from './scheme.js';
import { quote } from '../go/format.js';

/** One endpoint as discovery lists it. Subresources have none. */
export interface ResourceEntry extends GroupVersionKind, GroupVersionResource {
  readonly namespaced: boolean;
  /** The kind in lower case by default. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** An endpoint and all its names. It is its own GroupVersionKind and GroupVersionResource. */
export type RestMapping = Required<ResourceEntry>;

/** A resource by plural, singular or short name; a group may be given by its beginning. */
export interface ResourceQuery extends Partial<GroupVersion> {
  readonly resource: string;
}

/** Finds endpoints by name. */
export interface RestMapper {
  /** The endpoint of a kind, in the first of the versions that has it, or in the preferred one. Throws NoMatchError. */
  kind(kind: GroupKind, versions?: readonly string[]): RestMapping;
  /** The best match. Throws NoMatchError. */
  resource(query: ResourceQuery): RestMapping;
  /** All matches, best first; never empty. Throws NoMatchError. */
  resources(query: ResourceQuery): readonly RestMapping[];
  /** The members of a category, each in its preferred version; empty for an unknown one. */
  category(name: string): readonly RestMapping[];
  /** What an argument of kubectl names: types or categories, joined by commas. Throws NoMatchError. */
  argument(text: string): readonly RestMapping[];
}

/** A mapper of what a scheme serves. */
export function restMapperOf(scheme: Scheme): RestMapper {
  const entries: ResourceEntry[] = [];
  for (const { name: group, versions } of scheme.groups) {
    for (const version of versions) {
      for (const { kind, resource } of scheme.resourcesOf({ group, version })) {
        const { plural, namespaced, singular, shortNames, categories } = resource;
        entries.push({ group, version, kind, resource: plural, namespaced, singular, shortNames, categories });
      }
    }
  }
  return restMapper(entries);
}

/** A mapper of entries in discovery order: groups by priority, and of each group the preferred version first. */
export function restMapper(entries: readonly ResourceEntry[]): RestMapper {
  const index = indexEntries(entries);

  const findKind = (gk: GroupKind, versions: readonly string[]): RestMapping | undefined => {
    const known = index.kinds.get(kindKey(gk)) ?? [];
    const wanted = versions.filter((version) => version !== '');
    if (wanted.length === 0) return known[0];
    const inOrder = wanted.map((version) => known.find((each) => each.version === version));
    return inOrder.find((each) => each !== undefined);
  };

  const findResources = (query: ResourceQuery): readonly RestMapping[] => {
    const { group = '', version = '', resource } = expandShortName(index, query);
    return matching(index.names.get(resource.toLowerCase()) ?? [], group, version);
  };

  const category = (name: string): readonly RestMapping[] => index.categories.get(name) ?? [];

  /** Resource names come before kinds, and versioned readings before group names with dots. */
  const single = (text: string): RestMapping => {
    const { versioned, unversioned } = parseResourceArgument(text);
    const asKind = parseKindArgument(text);
    const found =
      (versioned && findResources(versioned)[0]) ??
      findResources(unversioned)[0] ??
      (asKind.versioned && findKind(asKind.versioned, [asKind.versioned.version])) ??
      findKind(asKind.unversioned, []);
    if (found === undefined) throw unknownResourceType(unversioned.resource);
    return found;
  };

  const argument = (text: string): readonly RestMapping[] => {
    const found = new Set<RestMapping>();
    for (const name of text.split(',')) {
      const members = category(name);
      for (const each of members.length > 0 ? members : [single(name)]) found.add(each);
    }
    return [...found];
  };

  return {
    kind(gk, versions = []) {
      const found = findKind(gk, versions);
      if (found === undefined) throw noKindMatch(gk, versions);
      return found;
    },
    resource(query) {
      const [found] = findResources(query);
      if (found === undefined) throw noMatchFor(index, query);
      return found;
    },
    resources(query) {
      const found = findResources(query);
      if (found.length === 0) throw noMatchFor(index, query);
      return found;
    },
    category,
    argument,
  };
}

/** Each list in discovery order. */
interface EntryIndex {
  readonly kinds: ReadonlyMap<string, readonly RestMapping[]>;
  /** By plural and by singular. */
  readonly names: ReadonlyMap<string, readonly RestMapping[]>;
  readonly shortNames: ReadonlyMap<string, readonly RestMapping[]>;
  readonly categories: ReadonlyMap<string, readonly RestMapping[]>;
}

function indexEntries(entries: readonly ResourceEntry[]): EntryIndex {
  const kinds = new Map<string, RestMapping[]>();
  const names = new Map<string, RestMapping[]>();
  const shortNames = new Map<string, RestMapping[]>();
  const categories = new Map<string, RestMapping[]>();
  const coreFirst = [...entries.filter(({ group }) => group === ''), ...entries.filter(({ group }) => group !== '')];
  for (const entry of coreFirst) {
    const mapping = Object.freeze({ singular: entry.kind.toLowerCase(), shortNames: [], categories: [], ...entry });
    push(kinds, kindKey(mapping), mapping);
    for (const name of new Set([mapping.resource, mapping.singular])) push(names, name, mapping);
    for (const name of mapping.shortNames) push(shortNames, name, mapping);
    for (const name of mapping.categories) {
      const known =
        categories.get(name)?.some(({ group, resource }) => group === mapping.group && resource === mapping.resource) ??
        false;
      if (!known) push(categories, name, mapping);
    }
  }
  return { kinds, names, shortNames, categories };
}

function push(map: Map<string, RestMapping[]>, key: string, mapping: RestMapping): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [mapping]);
  else list.push(mapping);
}

function kindKey({ group, kind }: GroupKind): string {
  return groupVersionKindKey({ group, version: '', kind });
}

/** The full name for a short one; a full name stays as it is, even where it is also short for something else. */
function expandShortName(index: EntryIndex, query: ResourceQuery): ResourceQuery {
  const { group = '', resource } = query;
  const inGroup = (each: RestMapping): boolean => group === '' || each.group === group;
  if (index.names.get(resource)?.some(inGroup) === true) return query;
  const candidates = index.shortNames.get(resource) ?? [];
  const exact = candidates.find(inGroup);
  // A version that was requested is forgotten here, and kept below: so does Kubernetes.
  if (exact !== undefined) return { group: exact.group, resource: exact.resource };
  const prefixed = candidates.find((each) => each.group.startsWith(group));
  return prefixed === undefined ? query : { ...query, group: prefixed.group, resource: prefixed.resource };
}

function matching(named: readonly RestMapping[], group: string, version: string): readonly RestMapping[] {
  const versioned = version === '' ? named : named.filter((each) => each.version === version);
  if (group === '') return versioned;
  const exact = versioned.filter((each) => each.group === group);
  // A group may be cut short (`storageclasses.storage`), but not together with a version.
  return exact.length > 0 || version !== '' ? exact : versioned.filter((each) => each.group.startsWith(group));
}

function noMatchFor(index: EntryIndex, query: ResourceQuery): NoMatchError {
  return noResourceMatch({ group: '', version: '', ...expandShortName(index, query) });
}

/**
 * No kind or resource matches; the message is that of Kubernetes or kubectl. As apimachinery/pkg/api/meta/errors.go and
 * cli-runtime/pkg/resource/builder.go, mappingFor.
 */
export class NoMatchError extends Error {
  override readonly name = 'NoMatchError';
}

/** Returns whether a caught value is a NoMatchError, by its name. */
export function isNoMatchError(error: unknown): error is NoMatchError {
  return error instanceof Error && error.name === 'NoMatchError';
}

/** No such kind in the versions searched, or in the whole group. */
function noKindMatch({ group, kind }: GroupKind, searched: readonly string[]): NoMatchError {
  const versions = [...new Set(searched.map((version) => printGroupVersion({ group, version })))].sort().map(quote);
  if (versions.length === 0) return new NoMatchError(`no matches for kind ${quote(kind)} in group ${quote(group)}`);
  if (versions.length === 1)
    return new NoMatchError(`no matches for kind ${quote(kind)} in version ${versions.join(' ')}`);
  return new NoMatchError(`no matches for kind ${quote(kind)} in versions [${versions.join(' ')}]`);
}

/** No such resource; parts left out are empty. */
function noResourceMatch(resource: GroupVersionResource): NoMatchError {
  return new NoMatchError(`no matches for ${printGroupVersionResource(resource)}`);
}

/** The error of kubectl for an unknown argument. */
function unknownResourceType(resource: string): NoMatchError {
  return new NoMatchError(`the server doesn't have a resource type ${quote(resource)}`);
}
