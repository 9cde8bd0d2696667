// Node IPAM: allocates the ranges of pod addresses of nodes, `spec.podCIDRs`, from the ranges of the cluster, one of
// each family. Ranges are given out in order and start again at the first one after the last, so that the range of a
// deleted node is reused late. What is allocated is read from the nodes when the controller starts. As
// pkg/controller/nodeipam, ipam/range_allocator.go and cidrset.
import { awaitChange, controller, watching } from '../client/index.js';
import type { Client, ControllerActivity, EventFailed, EventRecorder, Stored } from '../client/index.js';
import { cidrContains, isApiError, namespacedName, parseCidr, printNetwork } from '../core/index.js';
import type { Cidr, NamespacedName, Part, RequestCause } from '../core/index.js';
import type { Node } from '../core/types/index.js';
import { informersOf } from './controller-environment.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { withEvents } from './with-events.js';

/** Options of the controller. */
export interface NodeIpamOptions extends ControllerEnvironment {
  /** `--cluster-cidr`: one range, or one of each family. */
  readonly clusterCidrs: readonly string[];
  /** `--service-cluster-ip-range`: ranges that nodes do not get, if they are part of those of the cluster. */
  readonly serviceCidrs?: readonly string[];
  /** `--node-cidr-mask-size-ipv4`: the prefix length of a node's range. Default 24. */
  readonly maskSizeIpv4?: number;
  /** `--node-cidr-mask-size-ipv6`. Default 64. */
  readonly maskSizeIpv6?: number;
}

/** A node got its ranges of addresses. */
export interface NodeRangesAllocated {
  readonly type: 'allocated';
  readonly node: string;
  readonly podCIDRs: readonly string[];
}

/** The activities of the controller. */
export type NodeIpamActivity = ControllerActivity<NamespacedName, NodeRangesAllocated> | EventFailed;

/** Creates the controller. Throws RangeError if the ranges of the cluster cannot be divided so. */
export function nodeIpam({
  clusterCidrs,
  serviceCidrs = [],
  maskSizeIpv4 = 24,
  maskSizeIpv6 = 64,
  ...environment
}: NodeIpamOptions): Part<NodeIpamActivity> {
  const name = 'node-ipam-controller';
  const { client, clock, concurrency = 30 } = environment;
  const nodes = informersOf(environment).kind('v1', 'Node');
  const newRanges = (): readonly NodeRanges[] =>
    clusterRanges(clusterCidrs, { maskSizeIpv4, maskSizeIpv6, serviceCidrs });
  // Checks the options: every run has ranges of its own.
  newRanges();
  const create = (recorder: EventRecorder): Part<NodeIpamActivity> => {
    const ranges = newRanges();
    return controller<NamespacedName, NodeRangesAllocated>({
      name,
      clock,
      steps$: environment.steps$,
      concurrency,
      watches: [
        // Ranges are occupied and released with the events, so that a list is complete before the first allocation.
        watching(nodes, ({ type, object }) => {
          const { podCIDRs = [] } = object.spec ?? {};
          if (type !== 'deleted') occupy(ranges, podCIDRs);
          else release(ranges, podCIDRs);
          const isWaiting =
            type !== 'deleted' && podCIDRs.length === 0 && object.metadata.deletionTimestamp === undefined;
          return isWaiting ? [namespacedName(object)] : [];
        }),
      ],
      reconcile: async (item, { emit, signal, cause }) => {
        const node = nodes.get(item.name);
        if (node === undefined || node.metadata.deletionTimestamp !== undefined) return awaitChange;
        if ((node.spec?.podCIDRs ?? []).length > 0) return awaitChange;
        const record = (reason: string): void => recordStatus(recorder, node, reason);
        const podCIDRs = allocate(ranges, record);
        if (!(await writeRanges(node, podCIDRs, { client, signal, cause, ranges, record }))) return awaitChange;
        emit({ type: 'allocated', node: item.name, podCIDRs });
        return awaitChange;
      },
    });
  };
  return withEvents({ ...environment, name, component: 'cidrAllocator', create });
}

/** The ranges of nodes in one range of the cluster, by their index. */
export class NodeRanges {
  readonly #cluster: Cidr;
  readonly #maskSize: number;
  readonly #count: number;
  readonly #used = new Set<number>();
  #next = 0;

  /** Throws RangeError if nodes would get more than the cluster has, or a range of IPv6 has more than 65,536. */
  constructor(cluster: Cidr, maskSize: number) {
    const bits = maskSize - cluster.prefixLength;
    if (bits < 0)
      throw new RangeError(
        'Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family',
      );
    if (maskSize > cluster.bits || (cluster.bits === 128 && bits > 16))
      throw new RangeError('New CIDR set failed; the node CIDR size is too big');
    this.#cluster = cluster;
    this.#maskSize = maskSize;
    this.#count = 2 ** bits;
  }

  /** Allocates the next free range; undefined if there is none. */
  allocate(): string | undefined {
    if (this.#used.size === this.#count) return undefined;
    while (this.#used.has(this.#next)) this.#next = (this.#next + 1) % this.#count;
    const index = this.#next;
    this.#used.add(index);
    this.#next = (index + 1) % this.#count;
    return this.#print(index);
  }

  /** Marks all ranges that a range of addresses has a part of. Ranges outside of the cluster's are ignored. */
  occupy(range: Cidr): void {
    for (const index of this.#indexes(range)) this.#used.add(index);
  }

  /** Frees all ranges that a range of addresses has a part of. */
  release(range: Cidr): void {
    for (const index of this.#indexes(range)) this.#used.delete(index);
  }

  *#indexes(range: Cidr): Generator<number> {
    const { network } = this.#cluster;
    if (range.network.family !== network.family) return;
    if (cidrContains(range, network) && range.prefixLength <= this.#cluster.prefixLength) {
      for (let index = 0; index < this.#count; index += 1) yield index;
      return;
    }
    if (!cidrContains(this.#cluster, range.network)) return;
    const shift = BigInt(this.#cluster.bits - this.#maskSize);
    const offset = numberOf(range) - numberOf(this.#cluster);
    const first = Number(offset >> shift);
    const last = Number((offset + (1n << BigInt(range.bits - range.prefixLength)) - 1n) >> shift);
    for (let index = first; index <= last; index += 1) yield index;
  }

  #print(index: number): string {
    const value = numberOf(this.#cluster) + (BigInt(index) << BigInt(this.#cluster.bits - this.#maskSize));
    const groups = Array.from({ length: 8 }, (_, group) => Number((value >> BigInt(16 * (7 - group))) & 0xffffn));
    const network = {
      ...this.#cluster.network,
      groups: this.#cluster.bits === 32 ? v4Groups(value, this.#cluster) : groups,
    };
    return printNetwork({ ...this.#cluster, network, prefixLength: this.#maskSize });
  }
}

/** The network of a range as a number, of 32 or 128 bits. */
function numberOf({ network: { groups }, bits }: Cidr): bigint {
  const digits = bits === 32 ? groups.slice(-2) : groups;
  return digits.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

function v4Groups(value: bigint, { network }: Cidr): readonly number[] {
  return [...network.groups.slice(0, 6), Number(value >> 16n), Number(value & 0xffffn)];
}

interface Division {
  readonly maskSizeIpv4: number;
  readonly maskSizeIpv6: number;
  readonly serviceCidrs: readonly string[];
}

function clusterRanges(
  texts: readonly string[],
  { maskSizeIpv4, maskSizeIpv6, serviceCidrs }: Division,
): readonly NodeRanges[] {
  const cidrs = texts.map(readCidr);
  const [first, second] = cidrs;
  if (first === undefined) throw new RangeError('Must specify --cluster-cidr if --allocate-node-cidrs is set');
  if (cidrs.length > 2 || first.bits === second?.bits)
    throw new RangeError('--cluster-cidr has one range, or one of each family');
  const services = serviceCidrs.map(readCidr);
  return cidrs.map((cidr) => {
    const ranges = new NodeRanges(cidr, cidr.bits === 32 ? maskSizeIpv4 : maskSizeIpv6);
    for (const service of services) ranges.occupy(service);
    return ranges;
  });
}

function readCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined)
    throw new RangeError(`${JSON.stringify(text)} is not a range of addresses such as 10.244.0.0/16`);
  return cidr;
}

function occupy(ranges: readonly NodeRanges[], podCIDRs: readonly string[]): void {
  for (const [index, cidr] of podCIDRs.flatMap((text) => parseCidr(text) ?? []).entries()) ranges[index]?.occupy(cidr);
}

function release(ranges: readonly NodeRanges[], podCIDRs: readonly string[]): void {
  for (const [index, cidr] of podCIDRs.flatMap((text) => parseCidr(text) ?? []).entries()) ranges[index]?.release(cidr);
}

/** Allocates a range of each family. Throws if one has none left; nothing is allocated then. */
function allocate(ranges: readonly NodeRanges[], record: (reason: string) => void): readonly string[] {
  const podCIDRs = ranges.map((each) => each.allocate());
  const found = podCIDRs.filter((each) => each !== undefined);
  if (found.length === podCIDRs.length) return found;
  for (const [index, each] of podCIDRs.entries()) if (each !== undefined) ranges[index]?.release(readCidr(each));
  record('CIDRNotAvailable');
  throw new Error(
    `failed to allocate cidr from cluster cidr at idx:${podCIDRs.indexOf(undefined)}: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range`,
  );
}

interface RangesContext {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
  readonly ranges: readonly NodeRanges[];
  readonly record: (reason: string) => void;
}

/** Writes the ranges of a node, and returns whether they were written. Ranges that are not are released. */
async function writeRanges(
  { metadata }: Stored<Node>,
  podCIDRs: readonly string[],
  { client, signal, cause, ranges, record }: RangesContext,
): Promise<boolean> {
  const { name, uid } = metadata;
  try {
    const strategic = { metadata: { uid }, spec: { podCIDR: podCIDRs[0] ?? '', podCIDRs: [...podCIDRs] } };
    await client.kind('v1', 'Node').patch(name, { strategic }, { signal, cause });
    return true;
  } catch (error) {
    // Without an answer of the server the ranges may have been written.
    if (!isApiError(error)) throw error;
    release(ranges, podCIDRs);
    if (isApiError(error, 'NotFound')) return false;
    if (isApiError(error, 'Conflict')) throw error;
    record('CIDRAssignmentFailed');
    throw error;
  }
}

function recordStatus(recorder: EventRecorder, { metadata: { name, uid } }: Stored<Node>, reason: string): void {
  const regarding = { apiVersion: 'v1', kind: 'Node', name, uid };
  recorder.record({ regarding, type: 'Normal', reason, message: `Node ${name} status is now: ${reason}` });
}
