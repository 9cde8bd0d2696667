// The stored range of node ports: which of them are allocated, as the store decides it for all servers. One object,
// `/registry/ranges/servicenodeports`, is a RangeAllocation as Kubernetes keeps it: the range, and a bitmap in base64
// whose bytes are a big-endian number with bit n for the nth port. A write of a Service changes it in its own
// transaction, on the condition that it is as it was read. Writes of one server are in turn, since only one of several
// that compare the same revision can be committed. A range that is missing or of other bounds is rebuilt from the
// Services.
// As pkg/registry/core/service/allocator/{bitmap.go,storage/storage.go}.
import { decodeBase64, encodeBase64 } from '../../core/index.js';
import type { JsonObject } from '../../core/index.js';
import type { Comparison, Entry, Outcome, Put, Revision, Store } from '../../storage/index.js';

/** The key of the range. */
export const nodePortRangeKey = '/registry/ranges/servicenodeports';

/** A change of the range that is part of a transaction. `settled` must be called when the transaction has ended. */
export interface RangeChange {
  readonly compare: Comparison;
  readonly put: Put;
  settled(outcome: Outcome | undefined, found: Entry | undefined): void;
}

/** Options of the range. */
export interface NodePortRangeOptions {
  readonly store: Pick<Store, 'get'>;
  /** First and last port. */
  readonly bounds: readonly [first: number, last: number];
  /** Lists the ports of all Services, as of now. */
  readonly portsInUse: () => Promise<Iterable<number>>;
}

/** The stored range. */
export class NodePortRange {
  readonly #options: NodePortRangeOptions;
  readonly #text: string;
  /** The last known state; undefined where it must be read. */
  #known: { readonly ports: ReadonlySet<number>; readonly revision: Revision } | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: NodePortRangeOptions) {
    this.#options = options;
    this.#text = options.bounds.join('-');
  }

  /** Reads the allocated ports from the store. */
  async read(): Promise<ReadonlySet<number>> {
    const { entry } = await this.#options.store.get(nodePortRangeKey);
    return (await this.#stateOf(entry)).ports;
  }

  /**
   * Waits for its turn and returns the change that allocates and releases these ports; undefined where one of them is
   * allocated already.
   */
  async change(allocate: readonly number[], release: readonly number[]): Promise<RangeChange | undefined> {
    const end = await this.#begin();
    try {
      const { ports, revision } = (this.#known ??= await this.#load());
      if (allocate.some((port) => ports.has(port))) {
        // Perhaps another server has released it: the next attempt reads.
        this.#known = undefined;
        end();
        return undefined;
      }
      const next = new Set(ports);
      for (const port of release) next.delete(port);
      for (const port of allocate) next.add(port);
      return {
        compare: { key: nodePortRangeKey, modRevision: revision },
        put: { key: nodePortRangeKey, value: this.valueOf(next) },
        settled: (outcome, found) => {
          if (outcome?.committed === true) this.#known = { ports: next, revision: outcome.revision };
          else if (found?.modRevision !== revision) this.#known = found && this.#decode(found);
          end();
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The object to store for these ports; ports out of bounds have no bit. */
  valueOf(ports: Iterable<number>): JsonObject {
    const [first, last] = this.#options.bounds;
    const bytes = new Uint8Array((last - first + 8) >> 3);
    for (const port of ports) {
      const bit = port - first;
      if (bit < 0 || port > last) continue;
      const at = bytes.length - 1 - (bit >> 3);
      bytes[at] = (bytes[at] ?? 0) | (1 << (bit & 7));
    }
    const zeros = bytes.findIndex((byte) => byte !== 0);
    const data = encodeBase64(zeros < 0 ? new Uint8Array() : bytes.subarray(zeros));
    return { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range: this.#text, data };
  }

  async #begin(): Promise<() => void> {
    const before = this.#turn;
    let end = (): void => undefined;
    this.#turn = new Promise((resolve) => (end = resolve));
    await before;
    return end;
  }

  async #load(): Promise<{ readonly ports: ReadonlySet<number>; readonly revision: Revision }> {
    return this.#stateOf((await this.#options.store.get(nodePortRangeKey)).entry);
  }

  /** The Services are listed after the range was read: a write that is not in the list changes the range. */
  async #stateOf(
    entry: Entry | undefined,
  ): Promise<{ readonly ports: ReadonlySet<number>; readonly revision: Revision }> {
    const state = entry && this.#decode(entry);
    if (state !== undefined) return state;
    return { ports: new Set(await this.#options.portsInUse()), revision: entry?.modRevision ?? 0 };
  }

  /** Undefined for a range of other bounds. */
  #decode({
    value,
    modRevision,
  }: Entry): { readonly ports: ReadonlySet<number>; readonly revision: Revision } | undefined {
    const { range, data } = value;
    if (range !== this.#text || typeof data !== 'string') return undefined;
    const [first] = this.#options.bounds;
    const ports = new Set<number>();
    const bytes = decodeBase64(data).reverse();
    for (const [index, byte] of bytes.entries()) {
      for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) ports.add(first + 8 * index + bit);
    }
    return { ports, revision: modRevision };
  }
}
