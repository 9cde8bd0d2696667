// The client: the only way in which parts of a cluster, and programs that use it, meet. It hands out typed views of
// kinds; what the views ask is carried in process or over HTTP, and nobody above can tell which.
import { builtinEndpoint, isNoMatchError, parseGroupVersion } from '../core/index.js';
import type { ApiObject, Frozen, GroupVersionKind, ResourceEntry } from '../core/index.js';
import type { KindTypes, UserInfo } from '../core/types/index.js';
import type { Place } from './calls.js';
import type { Carrier } from './carrier.js';
import type { Discovered, DiscoverOptions } from './discovery.js';
import { discoverer } from './discovery.js';
import type { KindSubresources } from './kind-subresources.js';
import type { CallOptions } from './request-options.js';
import type { DynamicObject, ResourceClient } from './resource-client.js';
import { ResourceRequests } from './resource-requests.js';

/** The type of a built-in kind. */
export type KindType<V extends keyof KindTypes, K extends keyof KindTypes[V]> = KindTypes[V][K] extends infer T extends
  ApiObject
  ? T
  : never;

/** The objects of a kind of Kubernetes, with the subresources that only this kind has. */
export type KindClient<V extends keyof KindTypes, K extends keyof KindTypes[V]> = ResourceClient<KindType<V, K>> &
  KindSubresources<V, K>;

/** What an object says it is. */
export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A client of an API server. */
export interface Client {
  /** The objects of a kind of Kubernetes, typed: `client.kind('apps/v1', 'Deployment')`. Asks nobody. */
  kind<V extends keyof KindTypes, K extends keyof KindTypes[V]>(apiVersion: V, kind: K): KindClient<V, K>;
  /**
   * The objects of any kind. By name, the server is asked once where it is served, unless Kubernetes itself has it;
   * calls then reject with NoMatchError where it is not. An entry, as `discover` and REST mappers have them, asks
   * nobody.
   */
  resource<T extends ApiObject = DynamicObject>(kind: KindName | ResourceEntry): ResourceClient<T>;
  /** What the server serves. Kept after the first time. */
  discover(options?: DiscoverOptions): Promise<Discovered>;
  /** A document that is no resource, such as `/version` or `/readyz`: parsed where it is JSON, else as text. */
  read(path: string, options?: CallOptions): Promise<unknown>;
  /**
   * The same as another user: in process as a matter of fact, over HTTP by impersonation, which the server must allow.
   */
  as(user: Frozen<UserInfo>): Client;
}

/** A client whose requests a carrier carries. */
export function clientOf(carrier: Carrier): Client {
  const discover = discoverer(carrier);

  /** An own kind may have been defined since the server was last asked. */
  const find = async (gvk: GroupVersionKind): Promise<ResourceEntry> => {
    try {
      return (await discover()).mapper.kind(gvk, [gvk.version]);
    } catch (error) {
      if (!isNoMatchError(error)) throw error;
      return (await discover({ fresh: true })).mapper.kind(gvk, [gvk.version]);
    }
  };
  // Of those that Kubernetes has, and so bounded: callers may name a kind for every call.
  const known = new Map<string, ResourceEntry>();
  const endpointOf = ({ apiVersion, kind }: KindName): Place['endpoint'] => {
    const key = `${apiVersion}/${kind}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const gvk = { ...parseGroupVersion(apiVersion), kind };
    const builtin = builtinEndpoint(gvk);
    if (builtin === undefined) return kept(() => find(gvk));
    known.set(key, builtin);
    return builtin;
  };
  const resource = <T extends ApiObject>(of: KindName | ResourceEntry): ResourceClient<T> =>
    new ResourceRequests<T>({
      carrier,
      endpoint: 'apiVersion' in of ? endpointOf(of) : of,
      namespace: '',
      subresource: '',
    });

  return {
    kind: <V extends keyof KindTypes, K extends keyof KindTypes[V]>(apiVersion: V, kind: K) =>
      // It has the subresources of every kind; the type shows those that this kind has.
      resource<KindType<V, K>>({ apiVersion, kind: kind as string }) as KindClient<V, K>,
    resource,
    discover,
    read: (path, options = {}) => carrier.read(path, options),
    as: (user) => clientOf(carrier.as(user)),
  };
}

/** Asks until there was an answer, and then no more. */
function kept<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
