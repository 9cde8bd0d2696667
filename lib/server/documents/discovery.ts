// Discovery: what is served, as clients ask before anything else. The plain form is a document per group and version;
// the aggregated one tells everything at once, which modern clients prefer. Made from the scheme when first asked for.
// As apiserver/pkg/endpoints/discovery.
import { isAggregatedDiscovery, mediaTypes, printGroupVersion } from '../../core/index.js';
import type { ApiGroup, GroupVersion, GroupVersionKind, Offer, Scheme, ServedKind } from '../../core/index.js';
import type { ApiResponse, RawResponse } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';
import { storageVersionHash } from './storage-version-hash.js';
import { taggedDocument } from './tagged-document.js';

/** Answers `/api`, `/apis` and what is below them. */
export interface Discovery {
  /** What makes the document of a path; undefined where it has none. */
  documentAt(path: string): ((exchange: Exchange) => Promise<ApiResponse>) | undefined;
}

/** Discovery of a scheme. `serverAddress` is what `/api` tells clients to connect to. */
export function discoveryOf(scheme: Scheme, serverAddress: () => string): Discovery {
  const groups = new Map(scheme.groups.map((group) => [group.name, group]));
  const core = groups.get('');
  const named = scheme.groups.filter(({ name }) => name !== '');
  const aggregated = {
    core: taggedDocument(() => groupDiscoveryList(scheme, core === undefined ? [] : [core]), aggregatedType),
    named: taggedDocument(() => groupDiscoveryList(scheme, named), aggregatedType),
  };
  return {
    documentAt(path) {
      const [root = '', ...rest] = path.split('/').filter((part) => part !== '');
      if (root === 'api' && rest.length === 0)
        return (exchange) => groupList(exchange, aggregated.core, () => apiVersions(core, serverAddress()));
      if (root === 'apis' && rest.length === 0)
        return (exchange) => groupList(exchange, aggregated.named, () => apiGroupList(named));
      const [group = '', version] = root === 'api' ? ['', rest[0]] : rest;
      const found =
        (root === 'api' && rest.length === 1) || (root === 'apis' && rest.length <= 2) ? groups.get(group) : undefined;
      if (found === undefined || (root === 'apis') !== (group !== '')) return undefined;
      if (version === undefined) return (exchange) => Promise.resolve(plain(exchange, apiGroup(found, true)));
      return found.versions.includes(version)
        ? async (exchange) => plain(exchange, await resourceList(scheme, { group, version }))
        : undefined;
    },
  };
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

async function resourceList(scheme: Scheme, version: GroupVersion): Promise<object> {
  const resources = await Promise.all(scheme.resourcesOf(version).map((kind) => resourceEntries(scheme, kind)));
  const apiVersion = version.group === '' ? {} : { apiVersion: 'v1' };
  return {
    kind: 'APIResourceList',
    ...apiVersion,
    groupVersion: printGroupVersion(version),
    resources: resources.flat(),
  };
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

function groupDiscoveryList(scheme: Scheme, groups: readonly ApiGroup[]): string {
  const items = groups.map(({ name, versions }) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => ({
      version,
      resources: scheme.resourcesOf({ group: name, version }).map(resourceDiscovery),
      freshness: 'Current',
    })),
  }));
  return JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items });
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
