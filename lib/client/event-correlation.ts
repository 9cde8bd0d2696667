// How many events become few: the same one again only counts up, many that differ in their words alone are told as one,
// and of an object that is talked about without end most is left unsaid. Memory is bounded; who is forgotten begins
// anew. As client-go/tools/record, events_cache.go.
import { LRUCache } from 'lru-cache';
import type { Frozen } from '../core/index.js';
import type { ObjectReference } from '../core/types/index.js';

/** Something worth telling people about an object. */
export interface EventNote {
  readonly about: Frozen<ObjectReference>;
  readonly type: 'Normal' | 'Warning';
  /** One word that programs understand. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
}

/** Events that are one: what the API knows of them. */
export interface EventTally {
  readonly name: string;
  readonly firstMs: number;
  count: number;
}

/** What is to be written: words that may have been made general, and the tally that they add to, of 1 if it is new. */
export interface CorrelatedEvent {
  readonly message: string;
  readonly tally: EventTally;
}

/** Correlates the notes of one component. */
export class EventCorrelation {
  readonly #similar = new LRUCache<string, Similar>({ max: entriesMax });
  readonly #tallies = new LRUCache<string, EventTally>({ max: entriesMax });
  readonly #allowances = new LRUCache<string, Allowance>({ max: entriesMax });

  /** Counts a note. Undefined where enough has been said. `nameOf` is asked where it begins something new. */
  add(note: EventNote, nowMs: number, nameOf: () => string): CorrelatedEvent | undefined {
    const { key, message } = this.#combined(note, nowMs);
    const tally = this.#tallies.get(key) ?? { name: nameOf(), firstMs: nowMs, count: 0 };
    tally.count += 1;
    this.#tallies.set(key, tally);
    return this.#isAllowed(note, nowMs) ? { message, tally } : undefined;
  }

  /** Under which key a note is counted, and in which words. */
  #combined(note: EventNote, nowMs: number): { readonly key: string; readonly message: string } {
    const { about, type, reason, message } = note;
    const group = JSON.stringify([identityOf(note), type, reason]);
    const known = this.#similar.get(group);
    const similar =
      known !== undefined && nowMs - known.lastMs <= similarMs ? known : { messages: new Set<string>(), lastMs: nowMs };
    similar.lastMs = nowMs;
    similar.messages.add(message);
    this.#similar.set(group, similar);
    if (similar.messages.size < similarMax) return { key: JSON.stringify([group, about.fieldPath, message]), message };
    // One is let go for each that comes: there are many until it has been quiet for a while.
    for (const oldest of similar.messages) {
      similar.messages.delete(oldest);
      break;
    }
    return { key: group, message: `(combined from similar events): ${message}` };
  }

  #isAllowed(note: EventNote, nowMs: number): boolean {
    const key = JSON.stringify([identityOf(note), note.type]);
    const { left, atMs } = this.#allowances.get(key) ?? { left: burst, atMs: nowMs };
    const now = Math.min(burst, left + (nowMs - atMs) / refillMs);
    this.#allowances.set(key, { left: now >= 1 ? now - 1 : now, atMs: nowMs });
    return now >= 1;
  }
}

/** Events that differ in their words alone. */
interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

/** How many events an object may have yet. */
interface Allowance {
  readonly left: number;
  readonly atMs: number;
}

const entriesMax = 4096;
/** From so many different words on, that came within so long of each other, they are told as one. */
const similarMax = 10;
const similarMs = 10 * 60_000;
/** Events about one object at once, and after how long there may be one more. */
const burst = 25;
const refillMs = 5 * 60_000;

/** The object, whatever its version, and whichever part of it is meant. */
function identityOf({ about: { apiVersion, kind, namespace, name, uid } }: EventNote): readonly (string | undefined)[] {
  return [apiVersion, kind, namespace, name, uid];
}
