// Parses discovery documents from an untrusted server: fields that are missing or of another type are ignored, so that
// one malformed entry does not hide the others.
import { isJsonObject } from '../core/index.js';
import type { GroupVersion, GroupVersionKind, JsonObject, Subresource } from '../core/index.js';
import type { DiscoveredResource } from './discovery.js';

/** The resources of a version; undefined if they could not be read. */
export interface DiscoveredVersion extends GroupVersion {
  readonly resources: readonly DiscoveredResource[] | undefined;
}

/** Parses an aggregated document: all versions with their resources. Undefined if it is not one. */
export function readAggregated(document: unknown): readonly DiscoveredVersion[] | undefined {
  if (!isJsonObject(document) || document.kind !== 'APIGroupDiscoveryList') return undefined;
  return objects(document.items).flatMap((item) => {
    const group = isJsonObject(item.metadata) ? text(item.metadata.name) : '';
    return objects(item.versions).map((each) => {
      const version = { group, version: text(each.version) };
      // The server behind a stale version did not respond recently; its resources may no longer exist.
      return {
        ...version,
        resources:
          each.freshness === 'Stale'
            ? undefined
            : objects(each.resources).flatMap((resource) => aggregatedResource(resource, version)),
      };
    });
  });
}

/** Parses `/api` or `/apis`: the versions, the preferred one of each group first. */
export function readGroupVersions(document: unknown): readonly GroupVersion[] {
  if (!isJsonObject(document)) return [];
  if (document.kind === 'APIVersions') return texts(document.versions).map((version) => ({ group: '', version }));
  return objects(document.groups).flatMap((each) => {
    const group = text(each.name);
    const preferred = isJsonObject(each.preferredVersion) ? text(each.preferredVersion.version) : '';
    const versions = objects(each.versions).map(({ version }) => text(version));
    const inOrder = [
      ...versions.filter((version) => version === preferred),
      ...versions.filter((version) => version !== preferred),
    ];
    return inOrder.filter((version) => version !== '').map((version) => ({ group, version }));
  });
}

/** Parses the resources of one version, as `/api/v1` lists them. */
export function readResourceList(document: unknown, version: GroupVersion): readonly DiscoveredResource[] {
  const entries = isJsonObject(document) ? objects(document.resources) : [];
  const subresources = new Map<string, Subresource[]>();
  for (const entry of entries) {
    const [parent = '', ...rest] = text(entry.name).split('/');
    if (rest.length === 0) continue;
    const found = subresources.get(parent) ?? [];
    subresources.set(parent, found);
    found.push({ name: rest.join('/'), kind: kindOf(entry, version), verbs: texts(entry.verbs) });
  }
  return entries.flatMap((entry) => {
    const resource = text(entry.name);
    if (resource === '' || resource.includes('/') || text(entry.kind) === '') return [];
    return [
      {
        ...kindOf(entry, version),
        resource,
        namespaced: entry.namespaced === true,
        ...names(entry, entry.singularName),
        verbs: texts(entry.verbs),
        subresources: subresources.get(resource) ?? [],
      },
    ];
  });
}

function aggregatedResource(entry: JsonObject, version: GroupVersion): readonly DiscoveredResource[] {
  const resource = text(entry.resource);
  // An entry without a kind serves only subresources.
  if (resource === '' || !isJsonObject(entry.responseKind)) return [];
  const subresources = objects(entry.subresources).map((each) => ({
    name: text(each.subresource),
    kind: kindOf(isJsonObject(each.responseKind) ? each.responseKind : {}, version),
    verbs: texts(each.verbs),
  }));
  return [
    {
      ...kindOf(entry.responseKind, version),
      ...version,
      resource,
      namespaced: entry.scope === 'Namespaced',
      ...names(entry, entry.singularResource),
      verbs: texts(entry.verbs),
      subresources,
    },
  ];
}

function names(
  { shortNames, categories }: JsonObject,
  singular: unknown,
): Pick<DiscoveredResource, 'singular' | 'shortNames' | 'categories'> {
  return {
    ...(text(singular) !== '' && { singular: text(singular) }),
    shortNames: texts(shortNames),
    categories: texts(categories),
  };
}

/** Group and version are omitted where they equal those of the endpoint. */
function kindOf({ group, version, kind }: JsonObject, parent: GroupVersion): GroupVersionKind {
  return text(version) === ''
    ? { group: parent.group, version: parent.version, kind: text(kind) }
    : { group: text(group), version: text(version), kind: text(kind) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
