// All endpoints of a server. Kinds are taken into service when first asked for: a server that nobody asks for Leases
// keeps no cache of them.
import { groupVersionKindKey, groupVersionResourceKey } from '../../core/index.js';
import type { GroupVersionResource, Scheme } from '../../core/index.js';
import type { Endpoint } from './endpoint.js';
import { endpointOf } from './endpoint.js';
import type { StoredKindOptions } from './stored-kind.js';
import { StoredKind } from './stored-kind.js';

/** The endpoints of a server. */
export class Registry {
  readonly scheme: Scheme;
  readonly #options: StoredKindOptions;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #stored = new Map<string, StoredKind>();

  constructor(options: StoredKindOptions) {
    this.scheme = options.scheme;
    this.#options = options;
  }

  /** The endpoint of a resource; undefined where none is served. */
  endpoint(gvr: GroupVersionResource): Endpoint | undefined {
    const key = groupVersionResourceKey(gvr);
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const served = this.scheme.resource(gvr);
    if (served === undefined) return undefined;
    const hub = this.scheme.kind(served.hub) ?? served;
    const stored = this.#storedKind(hub, served.resource);
    const endpoint = endpointOf(this.scheme, served, stored);
    this.#endpoints.set(key, endpoint);
    return endpoint;
  }

  /** The kinds in service. */
  get storedKinds(): Iterable<StoredKind> {
    return this.#stored.values();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#stored.values()].map(({ cacher }) => cacher.close()));
  }

  #storedKind(hub: StoredKind['definition'], resource: ConstructorParameters<typeof StoredKind>[1]): StoredKind {
    const key = groupVersionKindKey(hub);
    const known = this.#stored.get(key) ?? new StoredKind(hub, hub.resource ?? resource, this.#options);
    this.#stored.set(key, known);
    return known;
  }
}
