// What the store in the main thread and the database in its worker say to each other. Every request has a number and
// gets one answer. Answers come in the order in which the work was done, and about a write only once it is durable, so
// a receiver that handles them in order sees history in order.
//
// What is sent for a transaction is flat and made of text: a structured clone of 64 transactions with pods in them
// takes 0.08 ms as tuples of strings, 0.26 ms as records, and 4 ms with the pods as objects. Values cross as JSON text,
// written and parsed in the main thread, where the objects are.
import type { Revision } from '../store.js';
import type { StoreErrorCode } from '../store-error.js';
import type { StoredEntry, StoredValue } from '../value-codec.js';

/** Which database the worker opens. */
export interface DatabaseOptions {
  /** Absolute. */
  readonly path: string;
  /** The most that the file may take; no limit without it. */
  readonly bytesMax?: number;
  /** Whether the structure of an existing file is checked. */
  readonly check: boolean;
}

/** A put or a delete; `known` is the revision of the entry of that key that the main thread has at hand, 0 if none. */
export type WirePut = readonly [key: string, value: StoredValue, lease: string | null, known: Revision];
export type WireDelete = readonly [key: string, known: Revision];

/** What a transaction compares, puts and deletes, and whether anyone wants to know what it replaced. */
export type WireTransaction = readonly [
  kind: 'transaction',
  compare: readonly (readonly [key: string, modRevision: Revision])[],
  put: readonly WirePut[],
  remove: readonly WireDelete[],
  watched: boolean,
];

/** What a put or delete replaced: an entry, the one that is known, or nothing. */
export type Replaced = StoredEntry | 'known' | null;

/** Whatever takes part in a group commit: a transaction, the beginning of a lease, or its end with that of its keys. */
export type GroupedWrite =
  WireTransaction | readonly [kind: 'grant', ttlMs: number] | readonly [kind: 'end', lease: string];

/** What became of a write. */
export type WriteOutcome =
  /** `replaced` has what each put and then each delete replaced, if the transaction was watched. */
  | readonly [kind: 'committed', revision: Revision, replaced: readonly Replaced[] | null]
  | readonly [kind: 'failed', revision: Revision, found: readonly (StoredEntry | null)[]]
  | readonly [kind: 'granted', lease: string]
  | readonly [kind: 'ended', revision: Revision, deleted: readonly StoredEntry[]]
  | readonly [kind: 'refused', error: WireError];

/** A change of history: the entry that was put, or null for a delete, and what it replaced. */
export type WireChange = readonly [entry: StoredEntry | null, previous: StoredEntry | null];

/** A StoreError on its way. */
export interface WireError {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly revision?: Revision;
}

/** What can be asked of the worker, by name, and what it answers. */
export interface Calls {
  /** Comes first, and once. */
  open: { readonly ask: DatabaseOptions; readonly answer: Opened };
  /** `bytes` is about what the values take, for the bound on a group commit. */
  write: {
    readonly ask: { readonly writes: readonly GroupedWrite[]; readonly bytes: number };
    readonly answer: readonly WriteOutcome[];
  };
  get: {
    readonly ask: { readonly key: string; readonly revision?: Revision | undefined };
    readonly answer: { readonly entry: StoredEntry | null; readonly revision: Revision };
  };
  /** One part of a page. */
  list: {
    readonly ask: PartOf & {
      readonly after?: string | undefined;
      readonly revision?: Revision | undefined;
      readonly limit: number;
    };
    readonly answer: {
      readonly entries: readonly StoredEntry[];
      readonly revision: Revision;
      /** How many entries come after the page; undefined when the page goes on after the last entry of this part. */
      readonly remaining: number | undefined;
    };
  };
  /** One part of what happened after a revision, or, without one, where history stands now. */
  replay: {
    readonly ask: PartOf & { readonly after?: Revision | undefined };
    readonly answer: {
      readonly batches: readonly (readonly [revision: Revision, changes: readonly WireChange[]])[];
      /** Everything up to this revision has been delivered. More follows if it is before the newest revision. */
      readonly seen: Revision;
      readonly newest: Revision;
    };
  };
  /** Refuses from now on what is older. Taking it away is for `sweep`. */
  compact: { readonly ask: { readonly revision: Revision }; readonly answer: object };
  /** Takes away a slice of what was compacted, up to a revision, then gives a slice of free space back. */
  sweep: { readonly ask: { readonly upTo: Revision }; readonly answer: { readonly more: boolean } };
  /** Begins a copy of what is there now. Until it ends nothing may be swept. */
  backup: { readonly ask: { readonly path: string }; readonly answer: { readonly revision: Revision } };
  /** Copies a slice. Returns whether there is more; the copy has its name once there is not. */
  copy: { readonly ask: object; readonly answer: { readonly more: boolean } };
  /** Gives up a backup under way, and ends. */
  close: { readonly ask: object; readonly answer: object };
}

/** What several parts of one read have in common. */
interface PartOf {
  readonly prefix: string;
  /** Whether it goes on: it may then read what was compacted since it began, but not yet swept. */
  readonly underway: boolean;
}

/** A request. */
export type WorkerRequest = {
  readonly [C in keyof Calls]: { readonly id: number; readonly call: C; readonly ask: Calls[C]['ask'] };
}[keyof Calls];

/** What the worker found. */
export interface Opened {
  readonly revision: Revision;
  readonly leases: readonly (readonly [lease: string, ttlMs: number])[];
  /** The oldest revision that may be read. */
  readonly compacted: Revision;
  /** Up to where what was compacted is gone; a sweep may have been cut short. */
  readonly swept: Revision;
}

/** An answer. */
export type WorkerAnswer =
  { readonly id: number; readonly answer: unknown } | { readonly id: number; readonly error: WireError };
