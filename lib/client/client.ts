// The client: the interface through which parts of a cluster and programs use an API server. It returns typed clients
// for kinds. The same interface works in process and over HTTP.
import { builtinEndpoint, isNoMatchError, parseGroupVersion } from '../core/index.js';
import type { ApiObject, Frozen, GroupVersionKind, ResourceEntry } from '../core/index.js';
import type { KindTypes, UserInfo } from '../core/types/index.js';
import type { RequestTarget } from './resources/request-builder.js';
import type { RequestSender } from './request-sender.js';
import type { Discovered, DiscoverOptions } from './discovery.js';
import { createDiscovery } from './discovery.js';
import type { KindSubresources } from './resources/kind-subresources.js';
import type { CallOptions } from './resources/request-options.js';
import type { DynamicObject, ResourceClient } from './resources/resource-client.js';
import { ResourceRequests } from './resources/resource-requests.js';

/** The type of a built-in kind. */
export type KindType<V extends keyof KindTypes, K extends keyof KindTypes[V]> = KindTypes[V][K] extends infer T extends
  ApiObject
  ? T
  : never;

/** The client of a built-in kind, with the subresources that only this kind has. */
export type KindClient<V extends keyof KindTypes, K extends keyof KindTypes[V]> = ResourceClient<KindType<V, K>> &
  KindSubresources<V, K>;

/** The apiVersion and kind of an object. */
export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A client of an API server. */
export interface Client {
  /** Returns the typed client of a built-in kind: `client.kind('apps/v1', 'Deployment')`. Sends no request. */
  kind<V extends keyof KindTypes, K extends keyof KindTypes[V]>(apiVersion: V, kind: K): KindClient<V, K>;
  /**
   * Returns the client of any kind. For a name that is not built in, the first call discovers where it is served; calls
   * reject with NoMatchError if it is not. An entry of `discover` or of a REST mapper needs no discovery.
   */
  resource<T extends ApiObject = DynamicObject>(kind: KindName | ResourceEntry): ResourceClient<T>;
  /** Returns what the server serves. Cached after the first call. */
  discover(options?: DiscoverOptions): Promise<Discovered>;
  /**
   * Reads a document that is not a resource, such as `/version` or `/readyz`: parsed if it is JSON, otherwise as text.
   */
  read(path: string, options?: CallOptions): Promise<unknown>;
  /**
   * Returns a client that acts as another user: directly in process; over HTTP by impersonation, which the server must
   * allow.
   */
  as(user: Frozen<UserInfo>): Client;
}

/** Creates a client whose requests go through `sender`. */
export function createClient(sender: RequestSender): Client {
  const discover = createDiscovery(sender);

  /** A kind may have been defined since the last discovery. */
  const find = async (gvk: GroupVersionKind): Promise<ResourceEntry> => {
    try {
      return (await discover()).mapper.kind(gvk, [gvk.version]);
    } catch (error) {
      if (!isNoMatchError(error)) throw error;
      return (await discover({ fresh: true })).mapper.kind(gvk, [gvk.version]);
    }
  };
  // Built-in kinds only, so the map is bounded although callers may name a kind in every call.
  const known = new Map<string, ResourceEntry>();
  const endpointOf = ({ apiVersion, kind }: KindName): RequestTarget['endpoint'] => {
    const key = `${apiVersion}/${kind}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const gvk = { kind, ...parseGroupVersion(apiVersion) };
    const builtin = builtinEndpoint(gvk);
    if (builtin === undefined) return memoize(() => find(gvk));
    known.set(key, builtin);
    return builtin;
  };
  const resource = <T extends ApiObject>(of: KindName | ResourceEntry): ResourceClient<T> =>
    new ResourceRequests<T>({
      sender,
      endpoint: 'apiVersion' in of ? endpointOf(of) : of,
      namespace: '',
      subresource: '',
    });

  return {
    kind: <V extends keyof KindTypes, K extends keyof KindTypes[V]>(apiVersion: V, kind: K) =>
      // The object has the subresources of every kind; the type shows those of this kind.
      resource<KindType<V, K>>({ apiVersion, kind: kind as string }) as KindClient<V, K>,
    resource,
    discover,
    read: (path, options = {}) => sender.read(path, options),
    as: (user) => createClient(sender.as(user)),
  };
}

/** Returns a function that calls `make` once and shares its result. A rejection is not cached. */
function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
