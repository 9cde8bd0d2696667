// Discovery: the groups, versions and resources that are served. The plain form has a document per group and version;
// the aggregated form, which newer clients prefer, has everything in one. Documents are created from the scheme on
// request; parts for groups and versions without changes are reused.
// As apiserver/pkg/endpoints/discovery.
import { deepFreeze, isAggregatedDiscovery, mediaTypes, printGroupVersion, encodeBase64 } from '../../core/index.js';
import type {
  ApiGroup,
  GroupVersion,
  GroupVersionKind,
  Kinds,
  Offer,
  Scheme,
  ServedKind,
  ApiResponse,
  RawResponse,
} from '../../core/index.js';
import type { DiscoveredResource } from '../../client/index.js';
import { servedGroups } from '../aggregation/merged-groups.js';
import type { ServedGroups } from '../aggregation/merged-groups.js';
import type { RemoteApi, RemoteApis } from '../aggregation/remote-apis.js';
import type { Exchange } from '../pipeline.js';
import { taggedDocument } from './tagged-document.js';

/** The documents at `/api`, `/apis` and below. */
export interface Discovery {
  /** Returns the function that serves the document of a path; undefined where there is none. */
  documentAt(path: string): ((exchange: Exchange) => Promise<ApiResponse>) | undefined;
}

/**
 * Creates discovery of the current kinds and of the group-versions of other servers. `/api` publishes `serverAddress`.
 */
export function discoveryOf(
  kinds: Kinds,
  remotes: Pick<RemoteApis, 'current'>,
  serverAddress: () => string,
): Discovery {
  const current = servedGroups(kinds, remotes);
  const parts: DiscoveryParts = { groups: new WeakMap(), versions: new WeakMap() };
  const aggregated = {
    core: taggedDocument(current, (served) => groupDiscoveryList(served, coreOf(served), parts), aggregatedType),
    named: taggedDocument(current, (served) => groupDiscoveryList(served, namedOf(served), parts), aggregatedType),
  };
  return {
    documentAt(path) {
      const served = current();
      const { scheme } = served;
      const [root = '', ...rest] = path.split('/').filter((part) => part !== '');
      if (root === 'api' && rest.length === 0)
        return (exchange) => groupList(exchange, aggregated.core, () => apiVersions(scheme.group(''), serverAddress()));
      if (root === 'apis' && rest.length === 0)
        return (exchange) => groupList(exchange, aggregated.named, () => apiGroupList(namedOf(served)));
      const [group = '', version] = root === 'api' ? ['', rest[0]] : rest;
      const found =
        (root === 'api' && rest.length === 1) || (root === 'apis' && rest.length <= 2)
          ? served.groups.find(({ name }) => name === group)
          : undefined;
      if (found === undefined || (root === 'apis') !== (group !== '')) return undefined;
      if (version === undefined) return (exchange) => Promise.resolve(plain(exchange, apiGroup(found, true)));
      return scheme.group(group)?.versions.includes(version) === true
        ? async (exchange) => plain(exchange, await resourceList(scheme, { group, version }, parts))
        : undefined;
    },
  };
}

/** Cached parts of documents, by the identity of a group and of a version's resources. */
interface DiscoveryParts {
  /** The text of a group in the aggregated document. */
  readonly groups: WeakMap<ApiGroup, string>;
  /** The entries of a version in the plain document. */
  readonly versions: WeakMap<readonly ServedKind[], Promise<readonly object[]>>;
}

function coreOf({ scheme }: ServedGroups): readonly ApiGroup[] {
  const core = scheme.group('');
  return core === undefined ? [] : [core];
}

function namedOf({ groups }: ServedGroups): readonly ApiGroup[] {
  return groups.filter(({ name }) => name !== '');
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

/** Responds with a list of groups in the negotiated form; `Vary` keeps proxies from mixing the two. */
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

function groupDiscoveryList(served: ServedGroups, groups: readonly ApiGroup[], parts: DiscoveryParts): string {
  const items = groups.map((group) => {
    const known = parts.groups.get(group) ?? JSON.stringify(groupDiscovery(served, group));
    parts.groups.set(group, known);
    return known;
  });
  return `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[${items.join()}]}`;
}

function groupDiscovery({ scheme, remote }: ServedGroups, { name, versions }: ApiGroup): object {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => {
      const other = remote(name, version);
      if (other !== undefined) return remoteVersion(version, other);
      const resources = scheme.resourcesOf({ group: name, version }).map(resourceDiscovery);
      return { version, resources, freshness: 'Current' };
    }),
  };
}

/** A version of another server: stale while that does not list its resources; the last known ones are published. */
function remoteVersion(version: string, { resources = [], isFresh }: RemoteApi): object {
  return {
    version,
    ...(resources.length > 0 && { resources: resources.map(remoteResource) }),
    freshness: isFresh ? 'Current' : 'Stale',
  };
}

function remoteResource(kind: DiscoveredResource): object {
  const { resource, singular, namespaced, verbs, shortNames = [], categories = [], subresources } = kind;
  return {
    resource,
    responseKind: { group: kind.group, version: kind.version, kind: kind.kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular ?? '',
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map(({ name, kind: responseKind, verbs: offered }) => ({
        subresource: name,
        responseKind,
        verbs: offered,
      })),
    }),
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

/** The kind of a response; group and version are empty where they are those of the parent. */
function responseKind(gvk: GroupVersionKind, parent: ServedKind): object {
  return isElsewhere(gvk, parent)
    ? { group: gvk.group, version: gvk.version, kind: gvk.kind }
    : { group: '', version: '', kind: gvk.kind };
}

function isElsewhere({ group, version }: GroupVersion, parent: GroupVersion): boolean {
  return group !== parent.group || version !== parent.version;
}

/** The start of a hash of a kind's storage version. As apiserver/pkg/endpoints/discovery/storageversionhash.go. */
async function storageVersionHash(scheme: Scheme, kind: ServedKind): Promise<string> {
  const { group, version, kind: name } = scheme.storageOf(kind);
  // CustomResourceDefinition publishes the hash of v1beta1, which is no longer served.
  const announced = group === 'apiextensions.k8s.io' && name === 'CustomResourceDefinition' ? 'v1beta1' : version;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${group}/${announced}/${name}`));
  return encodeBase64(new Uint8Array(digest, 0, 8));
}
