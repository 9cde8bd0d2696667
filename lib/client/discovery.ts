// Discovery: every resource that a server serves, with its verbs, and a REST mapper over them. One document per root
// where the server has aggregated discovery, otherwise one per version. The result is cached until a caller requests a
// fresh one. As client-go/discovery (aggregated_discovery.go, discovery_client.go) with restmapper/discovery.go.
import { isApiError, printGroupVersion, restMapper, untilAborted } from '../core/index.js';
import type { GroupVersion, ResourceEntry, RestMapper, Subresource } from '../core/index.js';
import type { RequestSender } from './request-sender.js';
import { isConnectionError } from './http/connection-error.js';
import type { DiscoveredVersion } from './discovery-documents.js';
import { readAggregated, readGroupVersions, readResourceList } from './discovery-documents.js';
import type { CallOptions } from './resources/request-options.js';

/** A served resource, in one version. */
export interface DiscoveredResource extends ResourceEntry {
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
}

/** The result of discovery. */
export interface Discovered {
  /** In discovery order: groups by priority, and of each group the preferred version first. */
  readonly resources: readonly DiscoveredResource[];
  /** Finds resources by kind, plural, singular, short name and category. */
  readonly mapper: RestMapper;
  /** Versions whose resources are unknown because the server behind them did not respond. */
  readonly failed: readonly GroupVersion[];
}

/** Options for discovery. */
export interface DiscoverOptions extends CallOptions {
  /** Ignores the cached result. */
  readonly fresh?: boolean;
}

/** Returns a function that discovers through `sender`. Concurrent callers share one discovery. */
export function createDiscovery(sender: RequestSender): (options?: DiscoverOptions) => Promise<Discovered> {
  let known: Promise<Discovered> | undefined;
  return ({ fresh = false, signal } = {}) => {
    if (known === undefined || fresh) {
      const requested = discover(sender);
      known = requested;
      requested.catch(() => {
        if (known === requested) known = undefined;
      });
    }
    return untilAborted(known, signal);
  };
}

async function discover(sender: RequestSender): Promise<Discovered> {
  const roots = await Promise.all(['/api', '/apis'].map((path) => versionsBelow(sender, path)));
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

async function versionsBelow(sender: RequestSender, path: string): Promise<readonly DiscoveredVersion[]> {
  const document = await readRoot(sender, path);
  const aggregated = readAggregated(document);
  if (aggregated !== undefined) return aggregated;
  const versions = readGroupVersions(document);
  const found: DiscoveredVersion[] = [];
  for (let at = 0; at < versions.length; at += requestsAtOnce) {
    found.push(
      ...(await Promise.all(
        versions.slice(at, at + requestsAtOnce).map((version) => oneVersion(sender, path, version)),
      )),
    );
  }
  return found;
}

const requestsAtOnce = 16;

/** Reads a root document. A server may have no core group or no other groups, and may forbid discovery. */
async function readRoot(sender: RequestSender, path: string): Promise<unknown> {
  try {
    return await sender.read(path, { aggregated: true });
  } catch (error) {
    if (isApiError(error, 'NotFound') || isApiError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** Reads one version. A failure affects only this version. */
async function oneVersion(sender: RequestSender, root: string, version: GroupVersion): Promise<DiscoveredVersion> {
  try {
    return {
      ...version,
      resources: readResourceList(await sender.read(`${root}/${printGroupVersion(version)}`, {}), version),
    };
  } catch (error) {
    if (isApiError(error) || isConnectionError(error)) return { ...version, resources: undefined };
    throw error;
  }
}
