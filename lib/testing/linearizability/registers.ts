/**
 * Judges histories of registers without believing any revision: is there an order of the operations, each between its
 * call and its return, that explains every answer? The search is that of Wing and Gong with Lowe's memory of the
 * configurations already seen, as in porcupine's checker.go; keys are judged one by one, since linearizability is
 * local.
 *
 * What keeps it fast: an operation that only observes is placed as soon as the value fits, without an alternative, for
 * that can never be wrong; and operations whose answer was lost are placed only after everything else was tried.
 */
import { describeRegister, type RegisterHistory, type RegisterOperation } from './register-history.js';

/** Configurations looked at for one key before the search is given up. */
const configurationsMax = 500_000;

/** The reason why no order explains a history of registers. */
export interface RegisterViolation {
  /** Says it in a sentence, operations included. */
  readonly sentence: string;
  /** The operations of which none can come next. */
  readonly operations: readonly RegisterOperation[];
}

/** Returns the reason why a history of registers is not linearizable, undefined if it is. */
export function checkRegisters({ initial, operations }: RegisterHistory): RegisterViolation | undefined {
  const byKey = new Map<string, RegisterOperation[]>();
  for (const operation of operations) {
    const group = byKey.get(operation.key);
    if (group === undefined) byKey.set(operation.key, [operation]);
    else group.push(operation);
  }
  for (const [key, group] of byKey) {
    const violation = new Search(key, group, initial.get(key)).run();
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** An answered operation, in the two lists that say what may come next: by call and by return. */
interface Item {
  readonly operation: RegisterOperation;
  /** The place in the order of calls. */
  readonly index: number;
}

/** An operation that was placed, and what was before it. */
interface Step {
  readonly item: Item;
  readonly valueBefore: string | undefined;
}

/** A point with several ways on. */
interface Fork {
  /** How many steps lead to it. */
  readonly depth: number;
  /** Ways not tried yet, the next one last. */
  readonly ways: Item[];
}

class Search {
  readonly #key: string;
  readonly #answered: readonly Item[];
  readonly #lost: readonly Item[];
  readonly #open: OpenItems;
  readonly #lostPlaced = new Set<number>();
  readonly #seen = new Set<string>();
  readonly #steps: Step[] = [];
  #value: string | undefined;
  #furthest:
    | { readonly depth: number; readonly value: string | undefined; readonly stuck: readonly RegisterOperation[] }
    | undefined;

  constructor(key: string, operations: readonly RegisterOperation[], initial: string | undefined) {
    const byCall = operations.toSorted((a, b) => a.called - b.called);
    const items = (group: readonly RegisterOperation[]): Item[] =>
      group.map((operation, index) => ({ operation, index }));
    this.#key = key;
    this.#value = initial;
    this.#answered = items(byCall.filter(({ lost = false }) => !lost));
    this.#lost = items(byCall.filter(({ lost = false, action }) => lost && action.type !== 'read'));
    this.#open = new OpenItems(this.#answered);
  }

  run(): RegisterViolation | undefined {
    const forks: Fork[] = [this.#fork()];
    for (let fork = forks.at(-1); fork !== undefined; fork = forks.at(-1)) {
      if (this.#open.isEmpty) return undefined;
      while (this.#steps.length > fork.depth) this.#takeBack();
      const way = fork.ways.pop();
      if (way === undefined) {
        forks.pop();
        continue;
      }
      this.#place(way);
      if (this.#isNew()) forks.push(this.#fork());
      if (this.#seen.size > configurationsMax)
        return this.#violation(`${this.#key} was not decided within ${configurationsMax} configurations`);
    }
    return this.#violation(`no order of the operations explains ${this.#key}`);
  }

  /** Places what only observes, then looks for the ways on. */
  #fork(): Fork {
    let candidates = this.#open.candidates();
    for (let placed = true; placed;) {
      placed = false;
      for (const item of candidates) {
        if (!observes(item.operation, this.#value)) continue;
        this.#place(item);
        placed = true;
      }
      if (placed) candidates = this.#open.candidates();
    }
    const firstReturn = this.#open.firstReturn();
    const lost = this.#lost.filter(
      ({ operation, index }) => operation.called < firstReturn && !this.#lostPlaced.has(index),
    );
    const ways = [...candidates, ...lost].filter(({ operation }) => changes(operation, this.#value)).reverse();
    if (this.#steps.length > (this.#furthest?.depth ?? -1)) {
      this.#furthest = {
        depth: this.#steps.length,
        value: this.#value,
        stuck: candidates.map(({ operation }) => operation),
      };
    }
    return { depth: this.#steps.length, ways };
  }

  #place(item: Item): void {
    const { action, lost = false } = item.operation;
    this.#steps.push({ item, valueBefore: this.#value });
    if (lost) this.#lostPlaced.add(item.index);
    else this.#open.remove(item);
    if (action.type === 'write' || (action.type === 'swap' && (action.swapped || lost))) this.#value = action.value;
  }

  #takeBack(): void {
    const step = this.#steps.pop();
    if (step === undefined) return;
    this.#value = step.valueBefore;
    if (step.item.operation.lost === true) this.#lostPlaced.delete(step.item.index);
    else this.#open.restore(step.item);
  }

  /** Returns whether this set of placed operations with this value comes up for the first time. */
  #isNew(): boolean {
    const lost = [...this.#lostPlaced].sort((a, b) => a - b).join(',');
    const configuration = `${this.#open.configuration()};${lost};${this.#value ?? ''}`;
    if (this.#seen.has(configuration)) return false;
    this.#seen.add(configuration);
    return true;
  }

  #violation(claim: string): RegisterViolation {
    const { depth = 0, value, stuck = [] } = this.#furthest ?? {};
    const best = `at best ${depth} of ${this.#answered.length} fit, which leaves the value ${value ?? 'absent'}`;
    return {
      sentence: `${claim}: ${best}, and none of these can come next: ${stuck.map(describeRegister).join('; ')}`,
      operations: stuck,
    };
  }
}

/** The answered operations not placed yet. Removing and restoring must nest, as steps do. */
class OpenItems {
  readonly #items: readonly Item[];
  readonly #placed: Uint8Array;
  /** The least index not placed. */
  #low = 0;
  /** All from this index on are not placed. */
  #high = 0;

  constructor(items: readonly Item[]) {
    this.#items = items;
    this.#placed = new Uint8Array(items.length);
  }

  get isEmpty(): boolean {
    return this.#low === this.#items.length;
  }

  /** The moment before which the next operation must be placed. */
  firstReturn(): number {
    let first = Infinity;
    for (let index = this.#low; index < this.#items.length; index++) {
      const item = this.#items[index];
      if (item === undefined || item.operation.called > first) break;
      if (this.#placed[index] === 0) first = Math.min(first, item.operation.returned);
    }
    return first;
  }

  /** Those that were called before any of the others returned. */
  candidates(): readonly Item[] {
    const first = this.firstReturn();
    const found: Item[] = [];
    for (let index = this.#low; index < this.#items.length; index++) {
      const item = this.#items[index];
      if (item === undefined || item.operation.called > first) break;
      if (this.#placed[index] === 0) found.push(item);
    }
    return found;
  }

  remove({ index }: Item): void {
    this.#placed[index] = 1;
    this.#high = Math.max(this.#high, index + 1);
    while (this.#placed[this.#low] === 1) this.#low += 1;
  }

  restore({ index }: Item): void {
    this.#placed[index] = 0;
    this.#low = Math.min(this.#low, index);
    while (this.#high > 0 && this.#placed[this.#high - 1] === 0) this.#high -= 1;
  }

  /** Which are placed, as a text: all below the first number but those listed. */
  configuration(): string {
    let text = `${this.#high}`;
    for (let index = this.#low; index < this.#high; index++) if (this.#placed[index] === 0) text += `,${index}`;
    return text;
  }
}

/** Returns whether an operation fits a value and leaves it as it is. */
function observes({ action }: RegisterOperation, value: string | undefined): boolean {
  return action.type === 'read'
    ? action.saw === value
    : action.type === 'swap' && !action.swapped && action.expected !== value;
}

/** Returns whether an operation fits a value and may change it. */
function changes({ action, lost = false }: RegisterOperation, value: string | undefined): boolean {
  return action.type === 'write' || (action.type === 'swap' && (action.swapped || lost) && action.expected === value);
}
