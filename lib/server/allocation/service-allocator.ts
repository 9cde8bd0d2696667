// Allocates addresses and node ports of Services. The write pipeline reserves before it prepares and validates a write
// (as BeginCreate and BeginUpdate), because validation requires the allocated values; commits when the write is stored,
// rolls back when it fails, and releases those of a deleted Service. A retry after a conflict rolls back and reserves
// again. Dry runs get families and example values, and allocate nothing.
//
// The state is what this server believes: it chooses values that are free as far as it knows, and the store decides
// (stored-allocation.ts), which several servers may write. `replace` rebuilds the state from what is stored.
// As pkg/registry/core/service/storage/{storage,alloc}.go.
import {
  internalError,
  invalid,
  isExternalName,
  isHeadless,
  needsHealthCheck,
  parseIp,
  printIp,
  usesNodePorts,
  fieldInvalid,
  fieldPath,
  quote,
} from '../../core/index.js';
import type { FieldError, Frozen, IpAddress, Random, WriteContext } from '../../core/index.js';
import type { Service, ServiceSpec } from '../../core/types/index.js';
import type { Reservation, Reserving } from '../writes/kind-behaviour.js';
import { AddressPool, familyOf } from './address-pool.js';
import type { Family } from './address-pool.js';
import { alignClusterIps, keepAllocatedValues, specOf } from './allocated-values.js';
import { keepsPreference, settleFamilies } from './ip-families.js';
import type { Families } from './ip-families.js';
import { NodePorts, portOperation, tryPortOperation } from './node-ports.js';
import type { PortOperation } from './node-ports.js';
import { allocatePorts, rangeFull, reallocatePorts } from './service-ports.js';

/** Options of the allocator. */
export interface ServiceAllocatorOptions {
  /**
   * One range of addresses, or one of each family with the primary first. Kubernetes' flag has no default; that of
   * kubeadm is 10.96.0.0/12.
   */
  readonly serviceRanges: readonly [string] | readonly [string, string];
  /** First and last node port. Default: 30000 to 32767. */
  readonly nodePorts?: readonly [first: number, last: number];
  readonly random: Random;
}

/** Addresses and node ports. */
export interface AllocatedValues {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

/** The addresses and ports of a cluster's Services. */
export class ServiceAllocator implements Pick<Reserving, 'reserve' | 'release'> {
  readonly #pools: ReadonlyMap<Family, AddressPool>;
  readonly #families: Families;
  readonly #ports: NodePorts;
  readonly #random: Random;
  /** What writes under way have allocated, and is not stored yet. */
  readonly #underWay = new Set<AllocatedValues>();

  constructor({ serviceRanges, nodePorts = [30_000, 32_767], random }: ServiceAllocatorOptions) {
    const pools = serviceRanges.map((range) => new AddressPool(familyOfRange(range), [range]));
    const [primary, secondary] = pools.map(({ family }) => family);
    if (primary === undefined || primary === secondary)
      throw new RangeError('the ranges of a cluster are one of each family');
    this.#pools = new Map(pools.map((pool) => [pool.family, pool]));
    this.#families = secondary === undefined ? [primary] : [primary, secondary];
    this.#ports = new NodePorts(...nodePorts);
    this.#random = random;
  }

  /** Replaces the ranges when ServiceCIDRs change; the families stay. */
  useRanges(ranges: readonly string[]): void {
    for (const pool of this.#pools.values()) pool.useRanges(ranges);
  }

  /** Replaces the state: these addresses and ports are allocated, and those of writes under way. */
  replace(addresses: Iterable<string>, ports: Iterable<number>): void {
    for (const pool of this.#pools.values()) pool.clear();
    this.#ports.clear();
    for (const stored of [{ addresses, ports }, ...this.#underWay]) {
      for (const text of stored.addresses) {
        const found = this.#find(text);
        found?.pool.remember(found.address);
      }
      for (const port of stored.ports) this.#ports.remember(port);
    }
  }

  /** What a write requests and seems to be allocated to others; undefined for nothing. */
  contested(service: Frozen<Service>, old: Frozen<Service> | undefined): AllocatedValues | undefined {
    const { clusterIP = '', clusterIPs = [], ports = [], healthCheckNodePort = 0 } = service.spec ?? {};
    const had: readonly (string | number)[] = [...(old?.spec?.clusterIPs ?? []), ...portsOf(old)];
    const requested = clusterIPs.includes(clusterIP) ? clusterIPs : [clusterIP, ...clusterIPs];
    const addresses = requested.filter((text) => text !== '' && !had.includes(text) && this.#isTaken(text));
    const taken = [...ports.map(({ nodePort = 0 }) => nodePort), healthCheckNodePort].filter(
      (port) => port !== 0 && !had.includes(port) && this.#ports.has(port),
    );
    return addresses.length === 0 && taken.length === 0 ? undefined : { addresses, ports: taken };
  }

  /** Allocates what a Service needs and sets it in place. Throws ApiError after releasing everything. */
  reserve(
    service: Service,
    old: Frozen<Service> | undefined,
    context: Pick<WriteContext, 'dryRun'>,
  ): Promise<Reservation> {
    return new Promise((resolve) => resolve(this.#reserve(service, old, context)));
  }

  /** Releases the allocations of a deleted Service. */
  release(service: Frozen<Service>): void {
    for (const text of addressesOf(service)) this.#release(text);
    for (const port of portsOf(service)) this.#ports.release(port);
  }

  #reserve(service: Service, old: Frozen<Service> | undefined, { dryRun }: Pick<WriteContext, 'dryRun'>): Reservation {
    const addresses: string[] = [];
    const ports = dryRun ? tryPortOperation(this.#ports) : portOperation(this.#ports, this.#random);
    const held = { addresses, ports: ports.taken };
    if (!dryRun) this.#underWay.add(held);
    const keep = (): boolean => this.#underWay.delete(held);
    const rollback = (): void => {
      if (!keep()) return;
      for (const text of addresses) this.#release(text);
      ports.rollback();
    };
    try {
      if (old !== undefined) keepAllocatedValues(service, old);
      alignClusterIps(service, old);
      refuse(service, settleFamilies(service, old, this.#families));
      const released = this.#settleAddresses(service, old, { dryRun, taken: addresses });
      settlePorts(service, old, ports);
      const commit = (): void => {
        if (!keep()) return;
        ports.commit();
        for (const text of released) this.#release(text);
      };
      return { commit, rollback, keep: () => void keep() };
    } catch (error) {
      rollback();
      throw error;
    }
  }

  /** Allocates new addresses. Returns those to release with the commit. */
  #settleAddresses(
    service: Service,
    old: Frozen<Service> | undefined,
    write: { readonly dryRun: boolean; readonly taken: string[] },
  ): readonly string[] {
    const spec = specOf(service);
    if (old === undefined || (isExternalName(old) && !isExternalName(service))) {
      if (!isExternalName(service) && !isHeadless(service)) this.#takeAll(service, 0, write);
      return [];
    }
    if (keepsPreference(service, old) || isHeadless(old)) return [];
    const { ipFamilies: families = [], clusterIPs = [] } = old.spec ?? {};
    if (isExternalName(service)) return isExternalName(old) ? [] : clusterIPs;
    const { ipFamilies = [] } = spec;
    if (families.length === 1 && ipFamilies.length === 2) this.#takeAll(service, 1, write);
    return families.length === 2 && ipFamilies.length === 1 ? clusterIPs.slice(1) : [];
  }

  /** Allocates one address per family from index `from` on: the requested one, or any. */
  #takeAll(
    service: Service,
    from: number,
    { dryRun, taken }: { readonly dryRun: boolean; readonly taken: string[] },
  ): void {
    const spec = specOf(service);
    const { ipFamilies = [] } = spec;
    const wanted = ipFamilies.map((_, index) => spec.clusterIPs?.[index] ?? '');
    const addresses = ipFamilies.map((family, index) => {
      if (index < from) return wanted[index] ?? '';
      const address = this.#take(family, wanted[index] ?? '', { dryRun, service, wanted });
      if (!dryRun) taken.push(address);
      return address;
    });
    spec.clusterIPs = addresses;
    if (from === 0 && addresses[0] !== undefined) spec.clusterIP = addresses[0];
  }

  #take(
    family: Family,
    text: string,
    { dryRun, service, wanted }: { dryRun: boolean; service: Service; wanted: readonly string[] },
  ): string {
    const pool = this.#pools.get(family);
    const address = parseIp(text);
    if (pool === undefined) throw internalError(`there are no addresses of ${family}`);
    if (address === undefined) {
      const next = dryRun ? pool.example : pool.takeNext(this.#random);
      if (next === undefined)
        throw internalError(
          `failed to allocate a serviceIP for Service ${quote(service.metadata?.name ?? '')}: ${rangeFull}`,
        );
      return next;
    }
    const problem = dryRun ? pool.tryTake(address) : pool.take(address);
    if (problem !== undefined)
      refuse(service, [
        fieldInvalid(fieldPath('spec', 'clusterIPs'), wanted, `failed to allocate IP ${text}: ${problem}`),
      ]);
    return text;
  }

  #isTaken(text: string): boolean {
    const found = this.#find(text);
    return found?.pool.has(found.address) === true;
  }

  #release(text: string): void {
    const found = this.#find(text);
    found?.pool.release(found.address);
  }

  /** The pool of an address; undefined for other texts and for families that the cluster lacks. */
  #find(text: string): PooledAddress | undefined {
    const address = parseIp(text);
    const pool = address && this.#pools.get(familyOf(address));
    return pool && { pool, address };
  }
}

/** An address and its pool. */
interface PooledAddress {
  readonly pool: AddressPool;
  readonly address: IpAddress;
}

function familyOfRange(range: string): Family {
  return range.includes(':') ? 'IPv6' : 'IPv4';
}

/** The addresses of a Service, in canonical form. */
export function addressesOf(service: Frozen<Service> | undefined): readonly string[] {
  if (service === undefined || isExternalName(service)) return [];
  return (service.spec?.clusterIPs ?? []).flatMap((text) => {
    const address = parseIp(text);
    return address === undefined ? [] : [printIp(address)];
  });
}

/** The node ports of a Service, including the health check port. Other types may name ports, but own none. */
export function portsOf(service: Frozen<Service> | undefined): readonly number[] {
  if (service === undefined || !usesNodePorts(service)) return [];
  const { ports = [], healthCheckNodePort = 0 } = service.spec ?? {};
  const all = [...ports.map(({ nodePort = 0 }) => nodePort), needsHealthCheck(service) ? healthCheckNodePort : 0];
  return all.filter((port) => port !== 0);
}

function settlePorts(service: Service, old: Frozen<Service> | undefined, operation: PortOperation): void {
  const spec = specOf(service);
  if (old === undefined) {
    if (usesNodePorts(service)) refuse(service, allocatePorts(spec, operation));
  } else {
    if (usesNodePorts(old) && !usesNodePorts(service)) {
      for (const { nodePort = 0 } of old.spec?.ports ?? []) if (nodePort !== 0) operation.releaseLater(nodePort);
    }
    if (usesNodePorts(service)) refuse(service, reallocatePorts(spec, old.spec ?? {}, operation));
  }
  const needed = old !== undefined && needsHealthCheck(old);
  if (needsHealthCheck(service) && !needed) settleHealthCheck(spec, operation);
  if (!needsHealthCheck(service) && needed) operation.releaseLater(old.spec?.healthCheckNodePort ?? 0);
}

function settleHealthCheck(spec: ServiceSpec, operation: PortOperation): void {
  const { healthCheckNodePort: asked = 0 } = spec;
  if (asked !== 0) {
    const problem = operation.take(asked);
    if (problem !== undefined)
      throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`);
    return;
  }
  const port = operation.takeNext();
  if (port === undefined) throw internalError(`failed to allocate a HealthCheck NodePort 0: ${rangeFull}`);
  spec.healthCheckNodePort = port;
}

function refuse({ metadata }: Frozen<Service>, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, metadata?.name ?? '', errors);
}
