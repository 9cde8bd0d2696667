// All endpoints of a server. The cache of a kind is created with its first request. When a kind changes, its cache is
// closed, which ends its watches, its endpoints are created again by the next request, and cached routes and metrics
// are dropped; other kinds are not touched.
import type { Observable } from 'rxjs';
import { Outlet, groupVersionKindKey, groupVersionResourceKey, objectApplyTypes } from '../../core/index.js';
import type {
  Clock,
  GroupVersionResource,
  KindDefinition,
  Kinds,
  ObjectApplyType,
  ResourceDefinition,
  Scheme,
  SchemeChange,
  StructType,
  GroupResource,
} from '../../core/index.js';
import type { Revision, Store } from '../../storage/index.js';
import type { ResourceEndpoint } from './endpoint.js';
import { endpointOf } from './endpoint.js';
import { StoredKind } from './stored-kind.js';
import { tap } from 'rxjs';

/** Options of a registry. */
export interface RegistryOptions {
  readonly kinds: Kinds;
  readonly store: Store;
  readonly clock: Clock;
}

/** What the kinds of a registry share. */
export interface SharedTypes {
  /** How field managers share the fields of a type. */
  readonly applyTypeOf: (type: StructType) => ObjectApplyType;
}

/** The endpoints of a server. */
export class Registry {
  readonly kinds: Kinds;
  /** Emits when the registry is closed. */
  readonly closed$: Observable<void>;
  readonly #closed = new Outlet<void>();
  readonly #options: RegistryOptions & SharedTypes;
  readonly #endpoints = new Map<string, ResourceEndpoint>();
  /** Keyed by groupVersionKindKey of the hub version. */
  readonly #stored = new Map<string, StoredKind>();

  constructor(options: RegistryOptions) {
    this.kinds = options.kinds;
    this.closed$ = this.#closed.values$;
    this.#options = { ...options, applyTypeOf: objectApplyTypes() };
  }

  /** The current scheme. */
  get scheme(): Scheme {
    return this.kinds.current;
  }

  /** Returns the endpoint of a resource; undefined where it is not served. */
  endpoint(gvr: GroupVersionResource): ResourceEndpoint | undefined {
    const key = groupVersionResourceKey(gvr);
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const { scheme } = this;
    const served = scheme.resource(gvr);
    if (served === undefined) return undefined;
    const hub = storedDefinition(scheme, served);
    const endpoint = endpointOf(this.kinds, served, this.#storedKind(hub, served.resource));
    this.#endpoints.set(key, endpoint);
    return endpoint;
  }

  /** The kinds that were requested so far. */
  get storedKinds(): Iterable<StoredKind> {
    return this.#stored.values();
  }

  /**
   * Closes the kinds that a change made invalid, in all versions that share their storage. Returns the resources whose
   * routes are stale.
   */
  drop({ before }: Pick<SchemeChange, 'before'>): readonly GroupVersionResource[] {
    const dropped: GroupVersionResource[] = [];
    for (const definition of before) {
      const { group, version, resource } = definition;
      if (resource !== undefined) dropped.push({ group, version, resource: resource.plural });
      const key = groupVersionKindKey(definition.versionStorage === undefined ? definition.hub : definition);
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

  /** Drops from the caches what only revisions before this one need, because the store was compacted. */
  compact(revision: Revision): void {
    for (const stored of this.#stored.values()) stored.compact(revision);
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

/** The definition whose storage a served kind uses: its hub, or itself. */
function storedDefinition(scheme: Scheme, served: KindDefinition): KindDefinition {
  return served.versionStorage === undefined ? (scheme.kind(served.hub) ?? served) : served;
}

/** A cache of data about resources. */
export interface ResourceCache {
  /** Drops the data of a resource in all versions. */
  forget(resource: GroupResource): void;
}

/**
 * Applies changes of kinds to the registry and to the caches while subscribed. Emits each change after it took effect.
 * Other parts read `kinds.current` per request, or cache by the identity of a group or of a version's resources.
 */
export function followKinds(
  kinds: Kinds,
  { registry, caches }: { readonly registry: Registry; readonly caches: () => readonly ResourceCache[] },
): Observable<SchemeChange> {
  return kinds.changes$.pipe(
    tap((change) => {
      const dropped = registry.drop(change);
      for (const resource of dropped) for (const cache of caches()) cache.forget(resource);
    }),
  );
}
