// What a client knows of the objects that it wrote to a server which may be killed at any moment. A write that was
// answered has to be there afterwards, to the byte; one that was not answered is there as a whole or not at all. Each
// name has one writer, which sends one request at a time, so that at most one outcome per name is unknown.
import { deepEqual } from '../../lib/core/index.js';
import type { JsonObject } from '../../lib/core/index.js';

/** The object that a name stands for; undefined if there is none. */
export type KnownObject = JsonObject | undefined;

/** A write that was sent. `matches` decides whether an object is what it makes of the one before. */
export interface SentWrite {
  readonly what: string;
  matches(object: KnownObject, before: KnownObject): boolean;
}

/** The objects of all names, as the responses say. */
export class AcknowledgedWrites {
  /** The writes that were answered. */
  answered = 0;
  /** The unanswered writes that took effect, and those that did not. */
  readonly unanswered = { stored: 0, lost: 0 };
  readonly #objects = new Map<string, KnownObject>();
  readonly #unknown = new Map<string, SentWrite>();

  /** The object of a name as the last response or list had it. */
  get(name: string): KnownObject {
    return this.#objects.get(name);
  }

  /** A write was sent. */
  sent(name: string, write: SentWrite): void {
    this.#unknown.set(name, write);
  }

  /** The response to it arrived; `object` is undefined after a deletion. */
  acknowledged(name: string, object: KnownObject): void {
    this.#unknown.delete(name);
    this.#objects.set(name, object);
    this.answered += 1;
  }

  /** The write was refused and changed nothing. */
  refused(name: string): void {
    this.#unknown.delete(name);
  }

  /** Compares with a list after a restart, and continues from it. Returns a description of a lost write. */
  compare(listed: ReadonlyMap<string, JsonObject>): string | undefined {
    for (const name of new Set([...listed.keys(), ...this.#objects.keys(), ...this.#unknown.keys()])) {
      const [found, known, write] = [listed.get(name), this.#objects.get(name), this.#unknown.get(name)];
      if (deepEqual(found, known)) {
        if (write !== undefined) this.unanswered.lost += 1;
      } else if (write?.matches(found, known) === true) this.unanswered.stored += 1;
      else
        return `${name} is ${JSON.stringify(found)}, where the last response was ${JSON.stringify(known)} and ${write?.what ?? 'nothing'} was sent`;
      this.#objects.set(name, found);
    }
    this.#unknown.clear();
    return undefined;
  }
}
