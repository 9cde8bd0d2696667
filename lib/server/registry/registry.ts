// All endpoints of a server. A kind is taken into service when it is first requested: a server that is never asked for
// Leases keeps no cache of them. When a kind changes, its cache is closed, which ends its watches, and its endpoints
// are made anew on the next request; other kinds are not touched.
import type { Observable } from 'rxjs';
import { Outlet, groupVersionKindKey, groupVersionResourceKey } from '../../core/index.js';
import type {
  Clock,
  GroupVersionResource,
  KindDefinition,
  Kinds,
  ResourceDefinition,
  Scheme,
  SchemeChange,
} from '../../core/index.js';
import type { Store } from '../../storage/index.js';
import type { ResourceEndpoint } from './endpoint.js';
import { endpointOf } from './endpoint.js';
import { StoredKind } from './stored-kind.js';

/** What a registry is made with. */
export interface RegistryOptions {
  readonly kinds: Kinds;
  readonly store: Store;
  readonly clock: Clock;
}

/** The endpoints of a server. */
export class Registry {
  readonly kinds: Kinds;
  /** Completes a stream of the registry's objects: emits when the registry is closed. */
  readonly closed$: Observable<void>;
  readonly #closed = new Outlet<void>();
  readonly #options: RegistryOptions;
  readonly #endpoints = new Map<string, ResourceEndpoint>();
  /** By groupVersionKindKey of the hub. */
  readonly #stored = new Map<string, StoredKind>();

  constructor(options: RegistryOptions) {
    this.kinds = options.kinds;
    this.closed$ = this.#closed.values$;
    this.#options = options;
  }

  /** The scheme of this moment. */
  get scheme(): Scheme {
    return this.kinds.current;
  }

  /** The endpoint of a resource; undefined where none is served. */
  endpoint(gvr: GroupVersionResource): ResourceEndpoint | undefined {
    const key = groupVersionResourceKey(gvr);
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const { scheme } = this;
    const served = scheme.resource(gvr);
    if (served === undefined) return undefined;
    const hub = scheme.kind(served.hub) ?? served;
    const endpoint = endpointOf(this.kinds, served, this.#storedKind(hub, served.resource));
    this.#endpoints.set(key, endpoint);
    return endpoint;
  }

  /** The kinds in service. */
  get storedKinds(): Iterable<StoredKind> {
    return this.#stored.values();
  }

  /**
   * Takes the kinds that a change made invalid out of service, in all versions that share their storage. Returns the
   * resources whose routes lead there.
   */
  drop({ before }: Pick<SchemeChange, 'before'>): readonly GroupVersionResource[] {
    const dropped: GroupVersionResource[] = [];
    for (const definition of before) {
      const { group, version, resource } = definition;
      if (resource !== undefined) dropped.push({ group, version, resource: resource.plural });
      const key = groupVersionKindKey(definition.hub);
      const stored = this.#stored.get(key);
      if (stored === undefined) continue;
      this.#stored.delete(key);
      for (const endpoint of stored.endpoints) {
        this.#endpoints.delete(groupVersionResourceKey(endpoint));
        dropped.push(endpoint);
      }
      void stored.close();
    }
    return dropped;
  }

  async close(): Promise<void> {
    this.#closed.emit();
    await Promise.all(Array.from(this.#stored.values(), (stored) => stored.close()));
  }

  #storedKind(hub: KindDefinition, resource: ResourceDefinition): StoredKind {
    const key = groupVersionKindKey(hub);
    const known = this.#stored.get(key) ?? new StoredKind(hub, hub.resource ?? resource, this.#options);
    this.#stored.set(key, known);
    return known;
  }
}
