// The group-versions that other servers serve, as the APIServices of the store define them. The value `current` is
// replaced with every change, so that documents can be cached by its identity; without any remote group-version it
// stays the same, and requests pay for one comparison.
import type { DiscoveredResource } from '../../client/index.js';
import { deepEqual } from '../../core/index.js';
import type { Frozen, GroupVersion, WatcherEvent } from '../../core/index.js';
import type { APIService, APIServiceSpec } from '../../core/types/index.js';
import type { Backend } from './backend.js';

/** A group-version that another server serves. */
export interface RemoteApi extends GroupVersion {
  readonly backend: Backend;
  /** Whether the APIService has the condition `Available`. Requests are refused with 503 otherwise. */
  readonly isAvailable: boolean;
  /** The resources that the server listed last; undefined before it did. */
  readonly resources: readonly DiscoveredResource[] | undefined;
  /** Whether the last attempt to list the resources succeeded. */
  readonly isFresh: boolean;
}

/** The order of a group-version among others. */
export interface ApiPriority {
  readonly group: number;
  readonly version: number;
}

/** Remote group-versions, by `version.group`, and the priorities of all that have an APIService. */
export interface RemoteApisView {
  readonly remotes: ReadonlyMap<string, RemoteApi>;
  readonly priorities: ReadonlyMap<string, ApiPriority>;
}

const none: RemoteApisView = { remotes: new Map(), priorities: new Map() };

/** Returns the name of the APIService of a group-version. */
export function apiServiceName({ group, version }: GroupVersion): string {
  return `${version}.${group}`;
}

/** Follows APIServices. */
export class RemoteApis {
  readonly #backendOf: (spec: Frozen<APIServiceSpec>) => Backend | undefined;
  readonly #specs = new Map<string, Frozen<APIServiceSpec>>();
  #view: RemoteApisView = none;

  constructor(backendOf: (spec: Frozen<APIServiceSpec>) => Backend | undefined) {
    this.#backendOf = backendOf;
  }

  /** The remote group-versions now. */
  get current(): RemoteApisView {
    return this.#view;
  }

  /** Returns the remote group-version; undefined where this server serves it itself or it does not exist. */
  find(version: GroupVersion): RemoteApi | undefined {
    return this.#view === none ? undefined : this.#view.remotes.get(apiServiceName(version));
  }

  /** Applies an event of the APIServices. */
  apply(event: WatcherEvent<Frozen<APIService>>): void {
    if (event.type === 'listed' || event.type === 'applied') this.#changed(event.object);
    else if (event.type === 'deleted') this.#deleted(event.object.metadata?.name ?? '');
  }

  /** Records the resources that a server listed; undefined where it could not be read: the last ones are kept. */
  discovered(name: string, resources: readonly DiscoveredResource[] | undefined): void {
    const known = this.#view.remotes.get(name);
    if (known === undefined) return;
    const isFresh = resources !== undefined;
    const isSame = isFresh ? deepEqual(known.resources, resources) : true;
    if (known.isFresh === isFresh && isSame) return;
    this.#set(name, { ...known, isFresh, ...(isFresh && { resources }) });
  }

  #changed({ metadata, spec, status }: Frozen<APIService>): void {
    const name = metadata?.name ?? '';
    if (spec === undefined) return;
    const before = this.#specs.get(name);
    this.#specs.set(name, spec);
    const known = this.#view.remotes.get(name);
    const backend = known !== undefined && deepEqual(before, spec) ? known.backend : this.#backendOf(spec);
    if (backend === undefined) {
      if (known !== undefined) this.#set(name, undefined);
      return;
    }
    const { group = '', version = '' } = spec;
    const isAvailable = (status?.conditions ?? []).some(
      ({ type, status: is }) => type === 'Available' && is === 'True',
    );
    if (known?.backend === backend && known.isAvailable === isAvailable) return;
    const { resources, isFresh } = known ?? { resources: undefined, isFresh: false };
    this.#set(name, { group, version, backend, isAvailable, resources, isFresh });
  }

  #deleted(name: string): void {
    this.#specs.delete(name);
    if (this.#view.remotes.has(name)) this.#set(name, undefined);
  }

  #set(name: string, api: RemoteApi | undefined): void {
    const remotes = new Map(this.#view.remotes);
    if (api === undefined) remotes.delete(name);
    else remotes.set(name, api);
    this.#view = remotes.size === 0 ? none : { remotes, priorities: this.#priorities() };
  }

  #priorities(): ReadonlyMap<string, ApiPriority> {
    return new Map(
      Array.from(this.#specs, ([name, { groupPriorityMinimum: group, versionPriority: version }]) => [
        name,
        { group, version },
      ]),
    );
  }
}
