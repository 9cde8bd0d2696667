// What a server serves: every resource with its verbs, and a REST mapper over them. Asked for in one document per root
// where the server has aggregated discovery, else version by version, and then kept until somebody wants it fresh.
// As client-go/discovery (aggregated_discovery.go, discovery_client.go) with restmapper/discovery.go.
import { isApiError, printGroupVersion, restMapper, untilAborted } from '../core/index.js';
import type { GroupVersion, ResourceEntry, RestMapper, Subresource } from '../core/index.js';
import type { Carrier } from './carrier.js';
import { isConnectionError } from './connection-error.js';
import type { DiscoveredVersion } from './discovery-documents.js';
import { readAggregated, readGroupVersions, readResourceList } from './discovery-documents.js';
import type { CallOptions } from './request-options.js';

/** A resource that is served, in one version. */
export interface DiscoveredResource extends ResourceEntry {
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
}

/** All that a server serves. */
export interface Discovered {
  /** In discovery order: groups by priority, and of each group the preferred version first. */
  readonly resources: readonly DiscoveredResource[];
  /** Finds resources by kind, plural, singular, short name and category. */
  readonly mapper: RestMapper;
  /** Versions about which nobody could tell, because the server behind them did not answer. */
  readonly failed: readonly GroupVersion[];
}

/** How to discover. */
export interface DiscoverOptions extends CallOptions {
  /** Asks again, whatever is known. */
  readonly fresh?: boolean;
}

/** Discovers through a carrier. Callers that come while the server is being asked share the answer. */
export function discoverer(carrier: Carrier): (options?: DiscoverOptions) => Promise<Discovered> {
  let known: Promise<Discovered> | undefined;
  return ({ fresh = false, signal } = {}) => {
    if (known === undefined || fresh) {
      const asked = discover(carrier);
      known = asked;
      asked.catch(() => {
        if (known === asked) known = undefined;
      });
    }
    return untilAborted(known, signal);
  };
}

async function discover(carrier: Carrier): Promise<Discovered> {
  const roots = await Promise.all(['/api', '/apis'].map((path) => versionsBelow(carrier, path)));
  const versions = roots.flat();
  const resources = versions.flatMap(({ resources: found = [] }) => found);
  return {
    resources,
    mapper: restMapper(resources),
    failed: versions
      .filter((version) => version.resources === undefined)
      .map(({ group, version }) => ({ group, version })),
  };
}

async function versionsBelow(carrier: Carrier, path: string): Promise<readonly DiscoveredVersion[]> {
  const document = await readRoot(carrier, path);
  const aggregated = readAggregated(document);
  if (aggregated !== undefined) return aggregated;
  const versions = readGroupVersions(document);
  const found: DiscoveredVersion[] = [];
  for (let at = 0; at < versions.length; at += requestsAtOnce) {
    found.push(
      ...(await Promise.all(
        versions.slice(at, at + requestsAtOnce).map((version) => oneVersion(carrier, path, version)),
      )),
    );
  }
  return found;
}

const requestsAtOnce = 16;

/** A server may have no core group, or nothing else, and may tell not everybody. */
async function readRoot(carrier: Carrier, path: string): Promise<unknown> {
  try {
    return await carrier.read(path, { aggregated: true });
  } catch (error) {
    if (isApiError(error, 'NotFound') || isApiError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** One version; that of a server which does not answer is no reason to know nothing of the others. */
async function oneVersion(carrier: Carrier, root: string, version: GroupVersion): Promise<DiscoveredVersion> {
  try {
    return {
      ...version,
      resources: readResourceList(await carrier.read(`${root}/${printGroupVersion(version)}`, {}), version),
    };
  } catch (error) {
    if (isApiError(error) || isConnectionError(error)) return { ...version, resources: undefined };
    throw error;
  }
}
