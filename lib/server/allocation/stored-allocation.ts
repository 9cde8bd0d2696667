// Allocation of addresses and node ports as the store decides it, for any number of servers on one store. The allocator
// (service-allocator.ts) chooses what is free as far as this server knows. The transaction that writes a Service also
// creates its IPAddress objects, on the condition that they are absent, and changes the stored range of node ports, on
// the condition that it is as it was read. Where a condition fails, the write reads what is allocated and reserves
// again. A value that only seems to be allocated is looked up in the store before it is refused, because another server
// may have released it.
//
// A Service and its allocations are one transaction, so a crash leaks nothing; repair.ts mends what is written apart.
import { errorText } from '../../core/index.js';
import type { ApiObject, Frozen, WriteContext } from '../../core/index.js';
import type { Service, ServiceCIDR } from '../../core/types/index.js';
import type { Revision, Store } from '../../storage/index.js';
import type { Registry } from '../registry/registry.js';
import type { StoredKind, StoredObject } from '../registry/stored-kind.js';
import type { CompanionContext, Companions, Reservation, Reserving } from '../writes/kind-behaviour.js';
import { NodePortRange } from './node-port-range.js';
import type { AllocatedValues, ServiceAllocator } from './service-allocator.js';
import { addressesOf, portsOf } from './service-allocator.js';
import { addressChanges, endpointsToFree } from './service-companions.js';
import { rangeFull } from './service-ports.js';

/** Dependencies of the allocation. */
export interface StoredAllocationOptions {
  readonly registry: Registry;
  readonly store: Store;
  /** First and last node port. */
  readonly nodePorts: readonly [first: number, last: number];
  /** The ranges that the server was started with; those of ServiceCIDRs come after them. */
  readonly serviceRanges: readonly string[];
  readonly createAllocator: () => ServiceAllocator;
  /** Called when allocations may differ from the Services: a write has an unknown outcome. */
  readonly onDoubt: () => void;
}

/** Addresses and ports of Services. Reads nothing before the first reservation. */
export class StoredAllocation implements Reserving {
  readonly #options: StoredAllocationOptions;
  readonly #range: NodePortRange;
  #allocator: ServiceAllocator | undefined;
  #reading: Promise<ServiceAllocator> | undefined;
  /** The revision of the store before it was read. */
  #revision: Revision = 0;
  /** A condition failed: what this server knows is old. */
  #isStale = false;
  /** The ranges that the allocator uses, joined. */
  #ranges = '';

  constructor(options: StoredAllocationOptions) {
    this.#options = options;
    this.#range = new NodePortRange({
      store: options.store,
      bounds: options.nodePorts,
      portsInUse: async () => (await this.services()).flatMap(portsOf),
    });
  }

  /** The stored range of node ports. */
  get range(): NodePortRange {
    return this.#range;
  }

  async reserve(object: ApiObject, old: StoredObject | undefined, context: WriteContext): Promise<Reservation> {
    const [service, before] = [object as Service, old as Frozen<Service> | undefined]; // registered for Services only
    let allocator = this.#allocator;
    if (allocator === undefined || this.#isStale) allocator = await this.read();
    await this.#updateRanges(allocator);
    const contested = allocator.contested(service, before);
    if (contested !== undefined && (await this.#hasReleased(contested))) allocator = await this.read();
    try {
      return watched(await allocator.reserve(service, before, context), this.#options.onDoubt);
    } catch (error) {
      // Another server may have released something, unless nothing was written since.
      if (!errorText(error).endsWith(rangeFull) || (await this.#options.store.revision()) === this.#revision)
        throw error;
      return watched(await (await this.read()).reserve(service, before, context), this.#options.onDoubt);
    }
  }

  release(object: StoredObject): void {
    this.#allocator?.release(object as Frozen<Service>);
  }

  // A field, since the pipeline calls it detached. A write that changes no port has no need to wait.
  readonly companions = (
    object: ApiObject | undefined,
    old: StoredObject | undefined,
    context: CompanionContext,
  ): Companions | 'lost' | Promise<Companions | 'lost'> => {
    const [service, before] = [object as Frozen<Service> | undefined, old as Frozen<Service> | undefined];
    const addresses = this.#kind('networking.k8s.io', 'ipaddresses');
    const endpoints = service === undefined ? this.#kind('', 'endpoints') : undefined;
    const changes = addresses === undefined ? none : addressChanges(addresses, service, before, context);
    const freed = before === undefined || endpoints === undefined ? [] : endpointsToFree(endpoints, before);
    const base = { ...changes, delete: [...changes.delete, ...freed] };
    const [wanted, had] = [portsOf(service), portsOf(before)];
    const allocate = wanted.filter((port) => !had.includes(port));
    const release = had.filter((port) => !wanted.includes(port));
    if (allocate.length === 0 && release.length === 0) return { ...base, settled: this.#addressesSettled };
    return this.#withPorts(base, allocate, release);
  };

  /** Reads what is allocated from the store. Calls at the same time share one read. */
  read(): Promise<ServiceAllocator> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  /** Lists all Services, as of now. */
  async services(): Promise<readonly Frozen<Service>[]> {
    const listing = await this.#kind('', 'services')?.cacher.list();
    return (listing?.items ?? []) as readonly Frozen<Service>[];
  }

  async #read(): Promise<ServiceAllocator> {
    this.#isStale = false;
    try {
      const allocator = this.#allocator ?? this.#options.createAllocator();
      const revision = await this.#options.store.revision();
      const ports = await this.#range.read();
      const services = await this.services();
      const stored = (await this.#kind('networking.k8s.io', 'ipaddresses')?.cacher.list())?.items ?? [];
      const addresses = [...services.flatMap(addressesOf), ...stored.map(({ metadata }) => metadata?.name ?? '')];
      allocator.replace(addresses, [...ports, ...services.flatMap(portsOf)]);
      this.#revision = revision;
      return (this.#allocator = allocator);
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  /**
   * Uses the ranges of ServiceCIDRs that are not being deleted and not known to be unusable. As
   * pkg/registry/core/service/ipallocator/cidrallocator.go, syncAllocators.
   */
  async #updateRanges(allocator: ServiceAllocator): Promise<void> {
    const listing = await this.#kind('networking.k8s.io', 'servicecidrs')?.cacher.list();
    const stored = ((listing?.items ?? []) as readonly Frozen<ServiceCIDR>[])
      .filter(({ metadata, status }) => {
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        return metadata?.deletionTimestamp === undefined && (ready?.status ?? 'True') === 'True';
      })
      .flatMap(({ spec }) => spec?.cidrs ?? []);
    const ranges = [...new Set([...this.#options.serviceRanges, ...stored])];
    if (ranges.join() === this.#ranges) return;
    this.#ranges = ranges.join();
    allocator.useRanges(ranges);
  }

  /** Whether the store has none of one of these, which this server believes to be allocated. */
  async #hasReleased({ addresses, ports }: AllocatedValues): Promise<boolean> {
    const kind = this.#kind('networking.k8s.io', 'ipaddresses');
    for (const address of kind === undefined ? [] : addresses)
      if ((await kind?.cacher.get(address))?.object === undefined) return true;
    if (ports.length === 0) return false;
    const stored = await this.#range.read();
    return ports.some((port) => !stored.has(port));
  }

  readonly #addressesSettled: Companions['settled'] = (outcome, found = []) => {
    if (outcome?.committed !== false || found.every((entry) => entry === undefined)) return 'again';
    this.#isStale = true;
    return 'lost';
  };

  async #withPorts(
    base: Omit<Companions, 'settled'>,
    allocate: readonly number[],
    release: readonly number[],
  ): Promise<Companions | 'lost'> {
    const change = await this.#range.change(allocate, release);
    if (change === undefined) {
      this.#isStale = true;
      return 'lost';
    }
    return {
      compare: [...base.compare, change.compare],
      put: [...base.put, change.put],
      delete: base.delete,
      settled: (outcome, found) => {
        change.settled(outcome, found?.at(-1));
        return this.#addressesSettled(outcome, found?.slice(0, -1));
      },
    };
  }

  #kind(group: string, resource: string): StoredKind | undefined {
    return this.#options.registry.endpoint({ group, version: 'v1', resource })?.stored;
  }
}

const none: Omit<Companions, 'settled'> = { compare: [], put: [], delete: [] };

/** The reservation, which reports that the outcome of its write is unknown. */
function watched(reservation: Reservation, onDoubt: () => void): Reservation {
  return {
    commit: () => reservation.commit(),
    rollback: () => reservation.rollback(),
    keep: () => {
      reservation.keep();
      onDoubt();
    },
  };
}
