// Addresses and ports for Services: chosen for them, reserved when they ask, given back when they no longer need them.
// The registry asks before it prepares and validates a write (as BeginCreate and BeginUpdate of the real one), because
// validation demands what is filled in here; commits once the write is in storage, rolls back when it fails; and
// releases what a deleted Service had. A write that repeats after a conflict rolls back and asks again. Dry runs see
// the families and example values, and leave no trace. What is kept is rebuilt from the Services by `load`.
// As pkg/registry/core/service/storage/{storage,alloc}.go. IPAddress objects are written beside
// (service-companions.ts).
import {
  internalError,
  invalid,
  isExternalName,
  isHeadless,
  needsHealthCheck,
  parseIp,
  usesNodePorts,
} from '../../core/index.js';
import { fieldInvalid, fieldPath, quote } from '../../core/index.js';
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
import { allocatePorts, reallocatePorts } from './service-ports.js';

/** What Services can have. */
export interface ServiceAllocatorOptions {
  /**
   * One range of addresses, or one of each family with that of the cluster first. Kubernetes' flag has no default;
   * kubeadm's is 10.96.0.0/12.
   */
  readonly serviceRanges: readonly [string] | readonly [string, string];
  /** First and last port on nodes: 30000–32767 unless said otherwise. */
  readonly nodePorts?: readonly [first: number, last: number];
  readonly random: Random;
}

/** The addresses and ports of a cluster's Services. */
export class ServiceAllocator implements Pick<Reserving, 'reserve' | 'release'> {
  readonly #pools: ReadonlyMap<Family, AddressPool>;
  readonly #families: Families;
  readonly #ports: NodePorts;
  readonly #random: Random;

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

  /** Other ranges of the same families, as ServiceCIDRs come and go. */
  useRanges(ranges: readonly string[]): void {
    for (const pool of this.#pools.values()) pool.useRanges(ranges);
  }

  /** Takes note of Services that exist. */
  load(services: Iterable<Frozen<Service>>): void {
    for (const service of services) {
      for (const { pool, address } of this.#addressesOf(service)) pool.remember(address);
      for (const port of portsOf(service)) this.#ports.remember(port);
    }
  }

  /** Reserves what a Service needs and writes it into the Service. Throws ApiError, having reserved nothing. */
  reserve(
    service: Service,
    old: Frozen<Service> | undefined,
    context: Pick<WriteContext, 'dryRun'>,
  ): Promise<Reservation> {
    return new Promise((resolve) => resolve(this.#reserve(service, old, context)));
  }

  /** Gives back what a deleted Service had. */
  release(service: Frozen<Service>): void {
    for (const { pool, address } of this.#addressesOf(service)) pool.release(address);
    for (const port of portsOf(service)) this.#ports.release(port);
  }

  #reserve(service: Service, old: Frozen<Service> | undefined, { dryRun }: Pick<WriteContext, 'dryRun'>): Reservation {
    const undo: (() => void)[] = [];
    const rollback = (): void => undo.splice(0).forEach((step) => step());
    try {
      if (old !== undefined) keepAllocatedValues(service, old);
      alignClusterIps(service, old);
      refuse(service, settleFamilies(service, old, this.#families));
      const released = this.#settleAddresses(service, old, { dryRun, undo });
      const ports = dryRun ? tryPortOperation(this.#ports) : portOperation(this.#ports, this.#random);
      undo.push(() => ports.rollback());
      settlePorts(service, old, ports);
      const commit = (): void => {
        undo.length = 0;
        ports.commit();
        if (!dryRun) for (const text of released) this.#release(text);
      };
      return { commit, rollback };
    } catch (error) {
      rollback();
      throw error;
    }
  }

  /** Takes new addresses and answers those that are to be given back with the commit. */
  #settleAddresses(
    service: Service,
    old: Frozen<Service> | undefined,
    write: { dryRun: boolean; undo: (() => void)[] },
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

  /** One address for each family, from the one at `from` on: the one asked for, or any. */
  #takeAll(service: Service, from: number, { dryRun, undo }: { dryRun: boolean; undo: (() => void)[] }): void {
    const spec = specOf(service);
    const { ipFamilies = [] } = spec;
    const wanted = ipFamilies.map((_, index) => spec.clusterIPs?.[index] ?? '');
    const addresses = ipFamilies.map((family, index) => {
      if (index < from) return wanted[index] ?? '';
      const taken = this.#take(family, wanted[index] ?? '', { dryRun, service, wanted });
      if (!dryRun) undo.push(() => this.#release(taken));
      return taken;
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
          `failed to allocate a serviceIP for Service ${quote(service.metadata?.name ?? '')}: range is full`,
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

  #release(text: string): void {
    const address = parseIp(text);
    if (address !== undefined) this.#pools.get(familyOf(address))?.release(address);
  }

  #addressesOf(service: Frozen<Service>): readonly { readonly pool: AddressPool; readonly address: IpAddress }[] {
    if (isExternalName(service)) return [];
    return (service.spec?.clusterIPs ?? []).flatMap((text) => {
      const address = parseIp(text);
      if (address === undefined) return [];
      const pool = this.#pools.get(familyOf(address));
      return pool === undefined ? [] : [{ pool, address }];
    });
  }
}

function familyOfRange(range: string): Family {
  return range.includes(':') ? 'IPv6' : 'IPv4';
}

/**
 * The ports on nodes that a Service has, that of its health check included. Other types may name ports, but own none.
 */
function portsOf(service: Frozen<Service>): readonly number[] {
  if (!usesNodePorts(service)) return [];
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
  if (port === undefined) throw internalError('failed to allocate a HealthCheck NodePort 0: range is full');
  spec.healthCheckNodePort = port;
}

function refuse({ metadata }: Frozen<Service>, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, metadata?.name ?? '', errors);
}
