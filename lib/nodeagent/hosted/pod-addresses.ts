// The addresses of the sandboxes of a host: one of the pod range each, or that of the node.
import { PodAddressPool } from '../simulated/address-pool.js';

/** Allocates the addresses of sandboxes. */
export class PodAddresses {
  readonly #nodeIp: string;
  readonly #pool: PodAddressPool;
  readonly #bySandbox = new Map<string, string>();

  constructor(podCidr: string, nodeIp: string) {
    this.#pool = new PodAddressPool(podCidr);
    this.#nodeIp = nodeIp;
  }

  /** Sets the range of further addresses. */
  setCidr(podCidr: string): void {
    this.#pool.setCidr(podCidr);
  }

  /** Allocates the address of a sandbox. Throws Error where all are in use. */
  allocate(sandboxId: string, isHostNetwork: boolean): readonly string[] {
    if (isHostNetwork) return [this.#nodeIp];
    const address = this.#pool.allocate();
    this.#bySandbox.set(sandboxId, address);
    return [address];
  }

  /** Releases the address of a sandbox. Idempotent. */
  release(sandboxId: string): void {
    const address = this.#bySandbox.get(sandboxId);
    if (address !== undefined) this.#pool.release(address);
    this.#bySandbox.delete(sandboxId);
  }
}
