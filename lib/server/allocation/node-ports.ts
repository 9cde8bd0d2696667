// The node ports of Services and which of them are allocated; and the port operation of one write: ports are allocated
// at once and released when the write is committed.
// As pkg/registry/core/service/portallocator/{allocator,operation}.go; messages are Kubernetes'.
import type { Random } from '../../core/index.js';

/** The ports of a range. */
export class NodePorts {
  readonly #first: number;
  readonly #size: number;
  readonly #taken = new Set<number>();

  constructor(first: number, last: number) {
    if (!Number.isInteger(first) || !Number.isInteger(last) || first < 1 || last > 65_535 || first > last) {
      throw new RangeError(`not a range of ports: ${first}-${last}`);
    }
    this.#first = first;
    this.#size = last - first + 1;
  }

  /** Allocates a port. Returns an error message where it cannot. */
  take(port: number): string | undefined {
    if (port < this.#first || port >= this.#first + this.#size) {
      return `provided port is not in the valid range. The range of valid ports is ${this.#first}-${this.#first + this.#size - 1}`;
    }
    if (this.#taken.has(port)) return alreadyTaken;
    this.#taken.add(port);
    return undefined;
  }

  /** Allocates any port, of the upper part first; undefined where none is left. */
  takeNext(random: Random): number | undefined {
    const lower = this.#reserved();
    const port = this.#free(this.#first + lower, this.#size - lower, random) ?? this.#free(this.#first, lower, random);
    if (port !== undefined) this.#taken.add(port);
    return port;
  }

  /** Releases a port; no effect where it is not allocated. */
  release(port: number): void {
    this.#taken.delete(port);
  }

  /** Whether a port is allocated. */
  has(port: number): boolean {
    return this.#taken.has(port);
  }

  /** Forgets all allocations. */
  clear(): void {
    this.#taken.clear();
  }

  /** Marks the port of an existing Service as allocated, in any range. */
  remember(port: number): void {
    this.#taken.add(port);
  }

  /** The number of ports at the lower end that are reserved for users' choices. */
  #reserved(): number {
    return this.#size <= 16 ? 0 : Math.min(128, Math.max(16, Math.floor(this.#size / 32)));
  }

  #free(first: number, size: number, random: Random): number | undefined {
    if (size <= 0) return undefined;
    const start = random.integer(size);
    for (let step = 0; step < size; step++) {
      const port = first + ((start + step) % size);
      if (!this.#taken.has(port)) return port;
    }
    return undefined;
  }
}

/** The port allocations of one write. */
export interface PortOperation {
  /** The ports that it allocated. */
  readonly taken: readonly number[];
  take(port: number): string | undefined;
  takeNext(): number | undefined;
  releaseLater(port: number): void;
  commit(): void;
  rollback(): void;
}

/** Starts the port operation of a write. */
export function portOperation(ports: NodePorts, random: Random): PortOperation {
  const taken: number[] = [];
  const given: number[] = [];
  return {
    taken,
    take(port) {
      const problem = ports.take(port);
      if (problem === undefined) taken.push(port);
      return problem;
    },
    takeNext() {
      const port = ports.takeNext(random);
      if (port !== undefined) taken.push(port);
      return port;
    },
    releaseLater: (port) => void given.push(port),
    commit: () => given.forEach((port) => ports.release(port)),
    rollback: () => taken.forEach((port) => ports.release(port)),
  };
}

/**
 * Starts the port operation of a dry run, which allocates nothing. As in Kubernetes it ignores the range, and shows
 * example ports: 32769 and following, or those after the highest requested one.
 */
export function tryPortOperation(ports: NodePorts): PortOperation {
  const taken: number[] = [];
  return {
    taken: [],
    take(port) {
      if (ports.has(port) || taken.includes(port)) return alreadyTaken;
      taken.push(port);
      return undefined;
    },
    takeNext() {
      const port = (taken.length === 0 ? 32_768 : Math.max(...taken)) + 1;
      taken.push(port);
      return port;
    },
    releaseLater: () => undefined,
    commit: () => undefined,
    rollback: () => undefined,
  };
}

const alreadyTaken = 'provided port is already allocated';
