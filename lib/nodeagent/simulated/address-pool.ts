// The pod addresses of one simulated node: a range, handed out in order, each again only after all others.
import { addToIp, parseCidr, printIp } from '../../core/index.js';

/** Hands out addresses of a range. */
export class PodAddressPool {
  readonly #used = new Set<string>();
  #cidr: string;
  #next = 1;

  constructor(cidr: string) {
    this.#cidr = cidr;
  }

  /** Sets the range of further addresses. */
  setCidr(cidr: string): void {
    if (cidr === this.#cidr) return;
    this.#cidr = cidr;
    this.#next = 1;
  }

  /** Allocates an address. Throws Error if all are in use. */
  allocate(): string {
    const cidr = parseCidr(this.#cidr);
    if (cidr === undefined) throw new Error(`${this.#cidr} is not a range of addresses`);
    const bits = cidr.bits - cidr.prefixLength;
    // The first address is that of the network, the last one the broadcast.
    const count = 2 ** Math.min(bits, 20) - 2;
    for (let tried = 0; tried < count; tried += 1) {
      const index = this.#next;
      this.#next = index >= count ? 1 : index + 1;
      const address = printIp(addToIp(cidr.network, index));
      if (this.reserve(address)) return address;
    }
    throw new Error(`no address of ${this.#cidr} is free`);
  }

  /** Allocates a given address. Returns false if it is in use. */
  reserve(address: string): boolean {
    if (this.#used.has(address)) return false;
    this.#used.add(address);
    return true;
  }

  /** Releases an address. */
  release(address: string): void {
    this.#used.delete(address);
  }
}

/**
 * Returns the pod range of the n-th node, counted from 0: 10.244.0.0/24 and on, without the range of Services
 * (10.96.0.0/12). There are 61,440; further nodes share them.
 */
export function podCidrOf(index: number): string {
  const at = index % 61_440;
  const block = Math.floor(at / 256);
  const second = block < 12 ? 244 + block : block < 144 ? 112 + block - 12 : block - 144;
  return `10.${second}.${at % 256}.0/24`;
}

/** Returns the address of the n-th node, counted from 0: 172.18.0.2 and on. */
export function nodeAddressOf(index: number): string {
  const at = index + 2;
  return `172.${18 + (Math.floor(at / 65_536) % 14)}.${Math.floor(at / 256) % 256}.${at % 256}`;
}
