// The addresses of one family that Services can have, out of one or more ranges, and which of them are taken. A range
// is never enumerated: what is kept grows with the addresses in use. Addresses chosen here come from the upper part of
// a range first, so that those that people choose by hand, at the lower end, stay free.
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

  /** Other ranges from now on; those of the other family are passed over. What is taken stays taken. */
  useRanges(cidrs: readonly string[]): void {
    this.#ranges = cidrs.map(readRange).filter(({ family }) => family === this.family);
  }

  /** Takes an address; what is wrong with that, if anything. */
  take(address: IpAddress): string | undefined {
    const number = toNumber(address);
    if (!this.#ranges.some((range) => isWithin(number, range)))
      return 'the provided network does not match the current range';
    if (this.#taken.has(number)) return 'provided IP is already allocated';
    this.#taken.add(number);
    return undefined;
  }

  /** Takes any address; undefined if there is none left. */
  takeNext(random: Random): string | undefined {
    for (const range of this.#ranges) {
      const number = this.#free(range.upper, range.last, random) ?? this.#free(range.first, range.upper - 1n, random);
      if (number === undefined) continue;
      this.#taken.add(number);
      return printIp(toAddress(number, this.family));
    }
    return undefined;
  }

  /** Gives an address back. One that is not taken is fine. */
  release(address: IpAddress): void {
    this.#taken.delete(toNumber(address));
  }

  /** An address is in use, whatever the ranges say: for Services that exist. */
  remember(address: IpAddress): void {
    this.#taken.add(toNumber(address));
  }

  /** What a dry run says of an address: only whether it lies in the first range. */
  tryTake(address: IpAddress): string | undefined {
    const range = this.#ranges[0];
    if (range !== undefined && isWithin(toNumber(address), range)) return undefined;
    return `the provided IP (${printIp(address)}) is not in the valid range. The range of valid IPs is ${range?.text ?? ''}`;
  }

  /** What a dry run shows for an address it did not choose: that of the network. */
  get example(): string | undefined {
    const range = this.#ranges[0];
    return range && printIp(toAddress(range.first - 1n, this.family));
  }

  /** A free address, looked for from a random one onwards. The search is as long as addresses are taken, at most. */
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

/** Addresses from `first` to `last`; those before `upper` are given out only when the others are gone. */
interface Range {
  readonly family: Family;
  readonly text: string;
  readonly first: bigint;
  readonly upper: bigint;
  readonly last: bigint;
}

/** The address of the network is never used, nor is that of broadcasts, which IPv4 has. */
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

/** How many addresses at the lower end are kept for people: a sixteenth, within bounds. */
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

/** A whole number below another, which may exceed what `Random` draws at once. */
function below(end: bigint, random: Random): bigint {
  if (end <= BigInt(Number.MAX_SAFE_INTEGER)) return BigInt(random.integer(Number(end)));
  return ((BigInt(random.integer(2 ** 32)) << 32n) | BigInt(random.integer(2 ** 32))) % end;
}
