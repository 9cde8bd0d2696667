// Discovery: what is served, as clients ask before anything else. The plain form is a document per group and version;
// the aggregated one has everything at once, which modern clients prefer. Made from the scheme on request; of what was
// made before, the groups and versions in which no kind changed are used again.
// As apiserver/pkg/endpoints/discovery.
import { deepFreeze, isAggregatedDiscovery, mediaTypes, printGroupVersion } from '../../core/index.js';
import type { ApiGroup, GroupVersion, GroupVersionKind, Kinds, Offer, Scheme, ServedKind } from '../../core/index.js';
import type { ApiResponse, RawResponse } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';
import { storageVersionHash } from './storage-version-hash.js';
import { taggedDocument } from './tagged-document.js';

/** Answers `/api`, `/apis` and what is below them. */
export interface Discovery {
  /** What makes the document of a path; undefined where it has none. */
  documentAt(path: string): ((exchange: Exchange) => Promise<ApiResponse>) | undefined;
}

/** Discovery of what is served at the moment of a request. `serverAddress` is what `/api` names for connecting. */
export function discoveryOf(kinds: Kinds, serverAddress: () => string): Discovery {
  const current = (): Scheme => kinds.current;
  const parts: DiscoveryParts = { groups: new WeakMap(), versions: new WeakMap() };
  const aggregated = {
    core: taggedDocument(current, (scheme) => groupDiscoveryList(scheme, coreOf(scheme), parts), aggregatedType),
    named: taggedDocument(current, (scheme) => groupDiscoveryList(scheme, namedOf(scheme), parts), aggregatedType),
  };
  return {
    documentAt(path) {
      const scheme = kinds.current;
      const [root = '', ...rest] = path.split('/').filter((part) => part !== '');
      if (root === 'api' && rest.length === 0)
        return (exchange) => groupList(exchange, aggregated.core, () => apiVersions(scheme.group(''), serverAddress()));
      if (root === 'apis' && rest.length === 0)
        return (exchange) => groupList(exchange, aggregated.named, () => apiGroupList(namedOf(scheme)));
      const [group = '', version] = root === 'api' ? ['', rest[0]] : rest;
      const found =
        (root === 'api' && rest.length === 1) || (root === 'apis' && rest.length <= 2)
          ? scheme.group(group)
          : undefined;
      if (found === undefined || (root === 'apis') !== (group !== '')) return undefined;
      if (version === undefined) return (exchange) => Promise.resolve(plain(exchange, apiGroup(found, true)));
      return found.versions.includes(version)
        ? async (exchange) => plain(exchange, await resourceList(scheme, { group, version }, parts))
        : undefined;
    },
  };
}

/** What is made of a group, or of the resources of a version: kept as long as they are the same. */
interface DiscoveryParts {
  /** The text of a group in the aggregated document. */
  readonly groups: WeakMap<ApiGroup, string>;
  /** The entries of a version in the plain document. */
  readonly versions: WeakMap<readonly ServedKind[], Promise<readonly object[]>>;
}

function coreOf(scheme: Scheme): readonly ApiGroup[] {
  const core = scheme.group('');
  return core === undefined ? [] : [core];
}

function namedOf(scheme: Scheme): readonly ApiGroup[] {
  return scheme.groups.filter(({ name }) => name !== '');
}

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const offer: Offer = {
  mediaTypes: [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf],
  allows: (_type, transform) => transform === undefined,
};
const groupsOffer: Offer = {
  ...offer,
  allows: (type, transform) =>
    transform === undefined || (type === mediaTypes.json && isAggregatedDiscovery(transform)),
};

/** The lists of groups come in either form, and proxies must not mix them up. */
async function groupList(
  exchange: Exchange,
  aggregated: (exchange: Exchange) => Promise<RawResponse>,
  make: () => object,
): Promise<ApiResponse> {
  const form = exchange.request.negotiate(groupsOffer);
  const response: ApiResponse =
    form.transform === undefined ? { type: 'object', code: 200, object: make(), form } : await aggregated(exchange);
  return { ...response, headers: { ...response.headers, Vary: 'Accept' } };
}

function plain(exchange: Exchange, object: object): ApiResponse {
  return { type: 'object', code: 200, object: object, form: exchange.request.negotiate(offer) };
}

function apiVersions(core: ApiGroup | undefined, serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: core?.versions ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

function apiGroupList(groups: readonly ApiGroup[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((group) => apiGroup(group, false)) };
}

function apiGroup({ name, versions, preferredVersion }: ApiGroup, alone: boolean): object {
  const entry = (version: string): object => ({ groupVersion: `${name}/${version}`, version });
  return {
    ...(alone && { kind: 'APIGroup', apiVersion: 'v1' }),
    name,
    versions: versions.map(entry),
    preferredVersion: entry(preferredVersion),
  };
}

async function resourceList(scheme: Scheme, version: GroupVersion, { versions }: DiscoveryParts): Promise<object> {
  const served = scheme.resourcesOf(version);
  const entries = versions.get(served) ?? versionEntries(scheme, served);
  versions.set(served, entries);
  const apiVersion = version.group === '' ? {} : { apiVersion: 'v1' };
  return {
    kind: 'APIResourceList',
    ...apiVersion,
    groupVersion: printGroupVersion(version),
    resources: await entries,
  };
}

async function versionEntries(scheme: Scheme, served: readonly ServedKind[]): Promise<readonly object[]> {
  const resources = await Promise.all(served.map((kind) => resourceEntries(scheme, kind)));
  return deepFreeze(resources.flat());
}

async function resourceEntries(scheme: Scheme, kind: ServedKind): Promise<readonly object[]> {
  const { plural, singular, namespaced, verbs, shortNames, categories, subresources } = kind.resource;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(verbs.includes('watch') && { storageVersionHash: await storageVersionHash(scheme, kind) }),
  };
  const below = subresources.map(({ name, kind: gvk, verbs: offered }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(isElsewhere(gvk, kind) && { group: gvk.group, version: gvk.version }),
    kind: gvk.kind,
    verbs: offered,
  }));
  return [main, ...below];
}

function groupDiscoveryList(scheme: Scheme, groups: readonly ApiGroup[], parts: DiscoveryParts): string {
  const items = groups.map((group) => {
    const known = parts.groups.get(group) ?? JSON.stringify(groupDiscovery(scheme, group));
    parts.groups.set(group, known);
    return known;
  });
  return `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[${items.join()}]}`;
}

function groupDiscovery(scheme: Scheme, { name, versions }: ApiGroup): object {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => ({
      version,
      resources: scheme.resourcesOf({ group: name, version }).map(resourceDiscovery),
      freshness: 'Current',
    })),
  };
}

function resourceDiscovery(kind: ServedKind): object {
  const { plural, singular, namespaced, verbs, shortNames, categories, subresources } = kind.resource;
  return {
    resource: plural,
    responseKind: responseKind(kind, kind),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map(({ name, kind: gvk, verbs: offered }) => ({
        subresource: name,
        responseKind: responseKind(gvk, kind),
        verbs: offered,
      })),
    }),
  };
}

/** Group and version are left empty where they are those of the parent. */
function responseKind(gvk: GroupVersionKind, parent: ServedKind): object {
  return isElsewhere(gvk, parent)
    ? { group: gvk.group, version: gvk.version, kind: gvk.kind }
    : { group: '', version: '', kind: gvk.kind };
}

function isElsewhere({ group, version }: GroupVersion, parent: GroupVersion): boolean {
  return group !== parent.group || version !== parent.version;
}
