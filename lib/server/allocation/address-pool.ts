// The Service addresses of one family, from one or more ranges, and which of them are allocated. A range is never
// enumerated: memory grows with the allocated addresses. Automatic allocation uses the upper part of a range first, so
// that the lower part stays free for addresses that users choose.
// As pkg/registry/core/service/ipallocator/{ipallocator,cidrallocator}.go; messages are Kubernetes'.
import { parseCidr, printIp, printNetwork } from '../../core/index.js';
import type { IpAddress, Random } from '../../core/index.js';
import type { IPFamily } from '../../core/types/index.js';

/** A family of addresses. */
export type Family = IPFamily;

/** Addresses of one family. */
export class AddressPool {
  readonly family: Family;
  readonly #taken = new Set<bigint>();
  #ranges: readonly Range[] = [];

  constructor(family: Family, cidrs: readonly string[]) {
    this.family = family;
    this.useRanges(cidrs);
  }

  /** Replaces the ranges; those of the other family are ignored. Allocated addresses stay allocated. */
  useRanges(cidrs: readonly string[]): void {
    this.#ranges = cidrs.map(readRange).filter(({ family }) => family === this.family);
  }

  /** Allocates an address. Returns an error message where it cannot. */
  take(address: IpAddress): string | undefined {
    const number = toNumber(address);
    if (!this.#ranges.some((range) => isWithin(number, range)))
      return 'the provided network does not match the current range';
    if (this.#taken.has(number)) return 'provided IP is already allocated';
    this.#taken.add(number);
    return undefined;
  }

  /** Allocates any address; undefined where none is left. */
  takeNext(random: Random): string | undefined {
    for (const range of this.#ranges) {
      const number = this.#free(range.upper, range.last, random) ?? this.#free(range.first, range.upper - 1n, random);
      if (number === undefined) continue;
      this.#taken.add(number);
      return printIp(toAddress(number, this.family));
    }
    return undefined;
  }

  /** Releases an address; no effect where it is not allocated. */
  release(address: IpAddress): void {
    this.#taken.delete(toNumber(address));
  }

  /** Whether an address is allocated. */
  has(address: IpAddress): boolean {
    return this.#taken.has(toNumber(address));
  }

  /** Forgets all allocations. */
  clear(): void {
    this.#taken.clear();
  }

  /** Marks the address of an existing Service as allocated, in any range. */
  remember(address: IpAddress): void {
    this.#taken.add(toNumber(address));
  }

  /** Checks an address for a dry run: only whether it is in the first range. */
  tryTake(address: IpAddress): string | undefined {
    const range = this.#ranges[0];
    if (range !== undefined && isWithin(toNumber(address), range)) return undefined;
    return `the provided IP (${printIp(address)}) is not in the valid range. The range of valid IPs is ${range?.text ?? ''}`;
  }

  /** The address that a dry run shows instead of allocating one: that of the network. */
  get example(): string | undefined {
    const range = this.#ranges[0];
    return range && printIp(toAddress(range.first - 1n, this.family));
  }

  /** Finds a free address from a random start. Takes at most as many steps as addresses are allocated. */
  #free(first: bigint, last: bigint, random: Random): bigint | undefined {
    const size = last - first + 1n;
    if (size <= 0n) return undefined;
    const start = below(size, random);
    const steps = size < BigInt(this.#taken.size + 1) ? size : BigInt(this.#taken.size + 1);
    for (let step = 0n; step < steps; step++) {
      const number = first + ((start + step) % size);
      if (!this.#taken.has(number)) return number;
    }
    return undefined;
  }
}

/**
 * Addresses from `first` to `last`; those before `upper` are allocated automatically only when the others are used up.
 */
interface Range {
  readonly family: Family;
  readonly text: string;
  readonly first: bigint;
  readonly upper: bigint;
  readonly last: bigint;
}

/** Parses a range. The network address is not used, nor the broadcast address of IPv4. */
function readRange(text: string): Range {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new RangeError(`not a range of addresses: ${text}`);
  const family = familyOf(cidr.network);
  const hostBits = cidr.bits - cidr.prefixLength;
  if (family === 'IPv6' && hostBits > 64)
    throw new RangeError(`shortest allowed prefix length for service CIDR is 64, got ${cidr.prefixLength}`);
  const network = toNumber(cidr.network);
  const size = 1n << BigInt(hostBits);
  const first = network + 1n;
  const last = network + size - (family === 'IPv4' ? 2n : 1n);
  return { family, text: printNetwork(cidr), first, upper: first + reserved(size), last };
}

/** The number of addresses at the lower end that are reserved for users' choices: a sixteenth, within bounds. */
function reserved(size: bigint): bigint {
  if (size <= 16n) return 0n;
  const part = size / 16n;
  return part < 16n ? 16n : part > 256n ? 256n : part;
}

function isWithin(number: bigint, { first, last }: Range): boolean {
  return number >= first && number <= last;
}

/** The family of an address. */
export function familyOf({ family }: IpAddress): Family {
  return family === 4 ? 'IPv4' : 'IPv6';
}

function toNumber({ groups }: IpAddress): bigint {
  return groups.reduce((number, group) => (number << 16n) | BigInt(group), 0n);
}

function toAddress(number: bigint, family: Family): IpAddress {
  const groups = Array.from({ length: 8 }, (_, index) => Number((number >> BigInt(16 * (7 - index))) & 0xffffn));
  return { groups, family: family === 'IPv4' ? 4 : 6, mapped: false, strict: true };
}

/** A random integer below `end`, which may exceed the range of one draw. */
function below(end: bigint, random: Random): bigint {
  if (end <= BigInt(Number.MAX_SAFE_INTEGER)) return BigInt(random.integer(Number(end)));
  return ((BigInt(random.integer(2 ** 32)) << 32n) | BigInt(random.integer(2 ** 32))) % end;
}
