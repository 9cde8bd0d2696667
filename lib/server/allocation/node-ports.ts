// The ports on nodes that Services can have, and which of them are taken; and one write's dealings with them: what it
// takes is taken at once, what it gives up is given back only when the write is committed.
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

  /** Takes a port; what is wrong with that, if anything. */
  take(port: number): string | undefined {
    if (port < this.#first || port >= this.#first + this.#size) {
      return `provided port is not in the valid range. The range of valid ports is ${this.#first}-${this.#first + this.#size - 1}`;
    }
    if (this.#taken.has(port)) return alreadyTaken;
    this.#taken.add(port);
    return undefined;
  }

  /** Takes any port, of the upper part first; undefined if there is none left. */
  takeNext(random: Random): number | undefined {
    const lower = this.#reserved();
    const port = this.#free(this.#first + lower, this.#size - lower, random) ?? this.#free(this.#first, lower, random);
    if (port !== undefined) this.#taken.add(port);
    return port;
  }

  /** Gives a port back. One that is not taken is fine. */
  release(port: number): void {
    this.#taken.delete(port);
  }

  /** Whether a port is taken. */
  has(port: number): boolean {
    return this.#taken.has(port);
  }

  /** A port is in use, whatever the range says: for Services that exist. */
  remember(port: number): void {
    this.#taken.add(port);
  }

  /** How many ports at the lower end are kept for people: a part, within bounds. */
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

/** What one write does about ports. */
export interface PortOperation {
  take(port: number): string | undefined;
  takeNext(): number | undefined;
  releaseLater(port: number): void;
  commit(): void;
  rollback(): void;
}

/** Begins the dealings of a write. */
export function portOperation(ports: NodePorts, random: Random): PortOperation {
  const taken: number[] = [];
  const given: number[] = [];
  return {
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
 * The dealings of a dry run, which leave no trace. As in Kubernetes it does not look at the range, and the ports it
 * shows are no real ones: 32769 and those after it, or those after the highest that was asked for.
 */
export function tryPortOperation(ports: NodePorts): PortOperation {
  const taken: number[] = [];
  return {
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
