// Correlates Events: repetitions increase a count, many Events that differ only in their message are combined into one,
// and Events about one object are rate limited. Memory is bounded; evicted entries start anew. As
// client-go/tools/record, events_cache.go.
import { LRUCache } from 'lru-cache';
import type { Frozen } from '../../core/index.js';
import type { ObjectReference } from '../../core/types/index.js';

/** An Event to record. */
export interface EventDetails {
  readonly regarding: Frozen<ObjectReference>;
  readonly type: 'Normal' | 'Warning';
  /** A CamelCase word for programs. */
  readonly reason: string;
  /** A sentence for users. */
  readonly message: string;
  /** The node on which the component runs. Default: none. */
  readonly host?: string;
}

/** A series of equal Events, stored as one Event object. */
export interface EventTally {
  readonly name: string;
  readonly firstMs: number;
  count: number;
}

/** The Event to write: its message, perhaps a combined one, and its series. A count of 1 means a new object. */
export interface CorrelatedEvent {
  readonly message: string;
  readonly tally: EventTally;
}

/** Correlates the Events of one component. */
export class EventCorrelation {
  readonly #similar = new LRUCache<string, Similar>({ max: entriesMax });
  readonly #tallies = new LRUCache<string, EventTally>({ max: entriesMax });
  readonly #allowances = new LRUCache<string, Allowance>({ max: entriesMax });

  /** Counts an Event. Returns undefined if the rate limit is exceeded. `nameOf` is called for a new series. */
  add(details: EventDetails, nowMs: number, nameOf: () => string): CorrelatedEvent | undefined {
    const { key, message } = this.#combined(details, nowMs);
    const tally = this.#tallies.get(key) ?? { name: nameOf(), firstMs: nowMs, count: 0 };
    tally.count += 1;
    this.#tallies.set(key, tally);
    return this.#isAllowed(details, nowMs) ? { message, tally } : undefined;
  }

  /** Returns the key of the series, and the message. */
  #combined(details: EventDetails, nowMs: number): { readonly key: string; readonly message: string } {
    const { regarding: about, type, reason, message } = details;
    const group = JSON.stringify([identityOf(details), type, reason]);
    const known = this.#similar.get(group);
    const similar =
      known !== undefined && nowMs - known.lastMs <= similarMs ? known : { messages: new Set<string>(), lastMs: nowMs };
    similar.lastMs = nowMs;
    similar.messages.add(message);
    this.#similar.set(group, similar);
    if (similar.messages.size < similarMax) return { key: JSON.stringify([group, about.fieldPath, message]), message };
    // The oldest is dropped for each new one: combining ends only after a quiet period.
    for (const oldest of similar.messages) {
      similar.messages.delete(oldest);
      break;
    }
    return { key: group, message: `(combined from similar events): ${message}` };
  }

  #isAllowed(details: EventDetails, nowMs: number): boolean {
    const key = JSON.stringify([identityOf(details), details.type]);
    const { left, atMs } = this.#allowances.get(key) ?? { left: burst, atMs: nowMs };
    const now = Math.min(burst, left + (nowMs - atMs) / refillMs);
    this.#allowances.set(key, { left: now >= 1 ? now - 1 : now, atMs: nowMs });
    return now >= 1;
  }
}

/** Recent messages of Events that differ only in their message. */
interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

/** The token bucket of an object. */
interface Allowance {
  readonly left: number;
  readonly atMs: number;
}

const entriesMax = 4096;
/** The number of different messages, each within `similarMs` of the previous one, from which Events are combined. */
const similarMax = 10;
const similarMs = 10 * 60_000;
/** The burst of Events about one object, and the time in which one more is allowed. */
const burst = 25;
const refillMs = 5 * 60_000;

/** The identity of the object, regardless of its version and of the field. */
function identityOf({
  regarding: { apiVersion, kind, namespace, name, uid },
}: EventDetails): readonly (string | undefined)[] {
  return [apiVersion, kind, namespace, name, uid];
}
