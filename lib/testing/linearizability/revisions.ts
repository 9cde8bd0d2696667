/**
 * Checks a history against the revisions that the store returned: commits are replayed on a model in the order of their
 * revisions, and every other result must agree with the model at its revision. That is strict serializability, since
 * the order is total, explains every result, and agrees with real time. registers.ts checks the same without using
 * revisions; a store must pass both.
 *
 * A revision that no operation returned belongs to a commit whose result was lost. The search tries these commits in
 * the order of their calls and backtracks when a later result contradicts.
 */
import type { Change, Revision, Transaction } from '../../storage/index.js';
import type { CommitOperation, History, RecordedOperation, Violation, WatchRecord } from '../store-history/history.js';
import { describeOperation } from '../store-history/history.js';
import { brief, sameAnswer } from '../store-suite/expect.js';
import { sortChanges, StoreModel } from '../store-suite/store-model.js';
import { checkWatchOrder, floorsOf, type Floor } from './order-checks.js';

/** How many guesses at lost answers are taken back before the search is given up. */
const guessesMax = 100_000;

/** Returns the reason why a history is not strictly serializable in the order of its revisions, undefined if it is. */
export function checkRevisions(history: History): Violation | undefined {
  const floors = floorsOf(history.operations, history.initial.revision);
  return firstOf(history.watches, checkWatchOrder) ?? checkClaims(floors) ?? new Replay(history, floors).run();
}

/**
 * What can be said of the claimed revisions without a replay: real time, and no revision for two commits that write.
 */
function checkClaims(floors: ReadonlyMap<RecordedOperation, Floor>): Violation | undefined {
  const writers = new Map<Revision, CommitOperation>();
  for (const [operation, floor] of floors) {
    if (operation.answer === undefined) continue;
    const { revision } = operation.answer;
    if (!Number.isSafeInteger(revision))
      return { sentence: `not a revision: ${describeOperation(operation)}`, operations: [operation] };
    if (readsThePast(operation)) continue;
    const writes = isCertainWriter(operation);
    if (revision < floor.revision || (writes && revision === floor.revision)) return tooOld(operation, floor);
    if (!writes) continue;
    const other = writers.get(revision);
    if (other !== undefined) {
      const both = `${describeOperation(other)}; and ${describeOperation(operation)}`;
      return { sentence: `two commits claim revision ${revision}: ${both}`, operations: [other, operation] };
    }
    writers.set(revision, operation);
  }
  return undefined;
}

/** A revision to be made, and those who may have made it. */
interface Attempt {
  readonly revision: Revision;
  /** Those not tried yet. */
  readonly candidates: readonly CommitOperation[];
  /** Lost commits that made earlier revisions. */
  readonly placed: readonly CommitOperation[];
}

class Replay {
  readonly #model: StoreModel;
  readonly #start: Revision;
  readonly #last: Revision;
  readonly #floors: ReadonlyMap<RecordedOperation, Floor>;
  readonly #byRevision: ReadonlyMap<Revision, readonly RecordedOperation[]>;
  readonly #lost: readonly CommitOperation[];
  readonly #watches: readonly IndexedWatch[];
  #placed: readonly CommitOperation[] = [];

  constructor({ initial, operations, watches }: History, floors: ReadonlyMap<RecordedOperation, Floor>) {
    this.#floors = floors;
    this.#model = new StoreModel(initial);
    this.#start = initial.revision;
    this.#lost = operations
      .filter((operation) => operation.type === 'commit')
      .filter(({ answer }) => answer === undefined);
    this.#byRevision = groupByRevision(operations);
    this.#watches = watches.map(indexWatch);
    let last = initial.revision;
    for (const revision of this.#byRevision.keys()) last = Math.max(last, revision);
    for (const { until } of this.#watches) last = Math.max(last, until);
    this.#last = last;
  }

  run(): Violation | undefined {
    const early = this.#contradiction(this.#start, undefined);
    if (early !== undefined || this.#last === this.#start) return early;
    const guesses: Attempt[] = [];
    let furthest: { readonly revision: Revision; readonly violation: Violation } | undefined;
    let attempt = this.#attemptAt(this.#start + 1);
    for (let takenBack = 0; takenBack <= guessesMax;) {
      const violation = this.#advance(attempt, guesses);
      if (violation === undefined) {
        if (attempt.revision === this.#last) return undefined;
        attempt = this.#attemptAt(attempt.revision + 1);
        continue;
      }
      if (furthest === undefined || attempt.revision > furthest.revision)
        furthest = { revision: attempt.revision, violation };
      const guess = guesses.pop();
      if (guess === undefined) return furthest.violation;
      takenBack += 1;
      this.#model.rewind(guess.revision - 1);
      this.#placed = guess.placed;
      attempt = guess;
    }
    const reason = furthest?.violation.sentence ?? '';
    return {
      sentence: `undecided after ${guessesMax} guesses at lost answers; the furthest failed: ${reason}`,
      operations: [],
    };
  }

  /** Makes a revision by the first candidate that nothing at that revision contradicts; the others become a guess. */
  #advance({ revision, candidates, placed }: Attempt, guesses: Attempt[]): Violation | undefined {
    let violation: Violation | undefined;
    for (const [index, writer] of candidates.entries()) {
      const outcome = this.#model.commit(writer.transaction);
      const wrong = outcome.committed ? this.#contradiction(revision, writer) : unlawful(writer, revision, this.#model);
      if (wrong === undefined) {
        if (writer.answer === undefined) this.#placed = [...placed, writer];
        const rest = candidates.slice(index + 1);
        if (rest.length > 0) guesses.push({ revision, candidates: rest, placed });
        return undefined;
      }
      violation ??= wrong;
      this.#model.rewind(revision - 1);
    }
    const gap = `revisions are gapless, but no commit claims or can have made revision ${revision}`;
    return violation ?? { sentence: gap, operations: this.#byRevision.get(revision) ?? [] };
  }

  /** Who can have made a revision: the commit that claims it; failing that, deletes that claim it, and lost commits. */
  #attemptAt(revision: Revision): Attempt {
    const placed = this.#placed;
    const claimants = (this.#byRevision.get(revision) ?? []).filter(isCommitted);
    const certain = claimants.filter(isCertainWriter);
    if (certain.length > 0) return { revision, candidates: certain, placed };
    const possible = (operation: CommitOperation): boolean =>
      (this.#floors.get(operation)?.revision ?? 0) < revision && this.#changesSomething(operation.transaction);
    const lost = this.#lost.filter((operation) => !placed.includes(operation) && possible(operation));
    return { revision, candidates: [...claimants.filter(possible), ...lost], placed };
  }

  #changesSomething({ put = [], delete: deletes = [], compare = [] }: Transaction): boolean {
    return (
      (put.length > 0 || deletes.some((key) => this.#model.get(key) !== undefined)) &&
      compare.every(({ key, modRevision }) => (this.#model.get(key)?.modRevision ?? 0) === modRevision)
    );
  }

  /** What at a revision contradicts the model, other than the commit that made it. */
  #contradiction(revision: Revision, writer: CommitOperation | undefined): Violation | undefined {
    const made = writer === undefined ? '' : `, after ${describeOperation(writer)}`;
    const operations = writer === undefined ? [] : [writer];
    for (const operation of this.#byRevision.get(revision) ?? []) {
      if (operation === writer) continue;
      const expected = this.#answerTo(operation, revision);
      if (sameAnswer(operation.answer, expected)) continue;
      const sentence = `${describeOperation(operation)}; but at revision ${revision} the answer is ${brief(expected)}${made}`;
      return { sentence, operations: [operation, ...operations] };
    }
    for (const { prefix, after, until, changes } of this.#watches) {
      if (revision <= after || revision > until) continue;
      const shown = changes.get(revision) ?? [];
      const expected = this.#model.changes(revision, prefix);
      if (sameAnswer(shown, expected)) continue;
      const what = shown.length === 0 ? 'leaves out' : `shows ${brief(shown)} for`;
      const changed = `revision ${revision}, which changed ${brief(expected)}${made}`;
      return { sentence: `the watch of ${prefix} after ${after} ${what} ${changed}`, operations };
    }
    return undefined;
  }

  /** What the model answers, as of a revision that is its newest. */
  #answerTo(operation: RecordedOperation, revision: Revision): RecordedOperation['answer'] {
    switch (operation.type) {
      case 'get':
        return { entry: this.#model.get(operation.key), revision: operation.revision ?? revision };
      case 'list':
        return this.#model.list(operation.prefix, { revision, ...operation.options });
      case 'commit': {
        // One that did not make this revision must change nothing, so the model may carry it out. If it does change
        // something, the next revision it is given differs from the one it claims.
        const outcome = this.#model.commit(operation.transaction);
        this.#model.rewind(revision);
        return outcome;
      }
    }
  }
}

function groupByRevision(
  operations: readonly RecordedOperation[],
): ReadonlyMap<Revision, readonly RecordedOperation[]> {
  const groups = new Map<Revision, RecordedOperation[]>();
  for (const operation of operations) {
    if (operation.answer === undefined) continue;
    const group = groups.get(operation.answer.revision);
    if (group === undefined) groups.set(operation.answer.revision, [operation]);
    else group.push(operation);
  }
  return groups;
}

interface IndexedWatch {
  readonly prefix: string;
  readonly after: Revision;
  readonly until: Revision;
  readonly changes: ReadonlyMap<Revision, readonly Change[]>;
}

function indexWatch({ prefix, after, batches, until }: WatchRecord): IndexedWatch {
  const changes = new Map<Revision, readonly Change[]>();
  for (const batch of batches) if (batch.changes.length > 0) changes.set(batch.revision, sortChanges(batch.changes));
  return { prefix, after, until: Math.max(until, batches.at(-1)?.revision ?? 0), changes };
}

function isCommitted(operation: RecordedOperation): operation is CommitOperation {
  return operation.type === 'commit' && operation.answer?.committed === true;
}

/** A put always changes something; deletes may find nothing to delete. */
function isCertainWriter(operation: RecordedOperation): operation is CommitOperation {
  return isCommitted(operation) && (operation.transaction.put?.length ?? 0) > 0;
}

function firstOf<T>(items: readonly T[], check: (item: T) => Violation | undefined): Violation | undefined {
  for (const item of items) {
    const violation = check(item);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function readsThePast(operation: RecordedOperation): boolean {
  if (operation.type === 'get') return operation.revision !== undefined;
  return operation.type === 'list' && operation.options.revision !== undefined;
}

function tooOld(operation: RecordedOperation, { revision, by }: Floor): Violation {
  const sentence = `real time is not respected: ${describeOperation(operation)}`;
  if (by === undefined)
    return { sentence: `${sentence}; but the history began at revision ${revision}`, operations: [operation] };
  return {
    sentence: `${sentence}; but before it was called there had returned: ${describeOperation(by)}`,
    operations: [operation, by],
  };
}

function unlawful(writer: CommitOperation, revision: Revision, model: StoreModel): Violation {
  const { compare = [] } = writer.transaction;
  const found = compare.map(({ key }) => `${key} was at ${model.get(key, revision - 1)?.modRevision ?? 0}`).join(', ');
  const sentence = `${describeOperation(writer)}; but its conditions did not hold at revision ${revision - 1}: ${found}`;
  return { sentence, operations: [writer] };
}
