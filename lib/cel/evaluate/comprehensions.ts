// Loops. Their costs are those of the reference, which spells a loop out with an accumulator: reading it, testing it
// before each element, and combining it with the result of the body each cost 1. Failures of `all` and `exists` are
// absorbed by a later element that decides; other loops go on after a failure and return it, the last one of a filter.
import type { CelValue } from '../cel-value.js';
import type { MapValue } from '../cel-value.js';
import { OptionalValue, optionalOf } from '../cel-value.js';
import type { ComprehensionNode, OptionalMapNode } from '../check/checked.js';
import { literalType } from '../check/literal-type.js';
import { EvaluationFailure, noSuchOverload } from '../values/failure.js';
import { elementAt, isList } from '../values/lists.js';
import type { AnyList } from '../values/lists.js';
import { MapBuilder } from '../values/keyed-map.js';
import type { JsonMap } from '../values/maps.js';
import { isMap, mapGet, mapKeys } from '../values/maps.js';
import { printKey } from '../values/print.js';
import { LazyValue } from './frame.js';
import type { Frame, StepOutcome, EvaluationStep } from './frame.js';
import type { Plan, Planner } from './planner.js';
import { asStep } from './planner.js';

/** Compiles a loop. */
export function planComprehension(planner: Planner, node: ComprehensionNode): Plan {
  const range = planner.step(node.range);
  const fold = planFold(planner, node);
  const { slots } = node;
  const isPair = slots.length === 2;
  return {
    step: (frame) => {
      const outcome = range(frame);
      if (outcome instanceof EvaluationFailure) return outcome;
      const elements = elementsToVisit(outcome, isPair);
      if (elements instanceof EvaluationFailure) return elements;
      if (slots.length === 1) return fold(frame, elements.length, new SingleReader(frame, elements, slots[0]));
      const map = !isList(outcome) && isMap(outcome) ? outcome : undefined;
      return fold(frame, elements.length, new PairReader(frame, elements, map, slots));
    },
  };
}

/** Puts an element into the local variables of a loop. */
interface ElementReader {
  read(index: number): void;
}

class SingleReader implements ElementReader {
  readonly #frame: Frame;
  readonly #elements: AnyList;
  readonly #slot: number;

  constructor(frame: Frame, elements: AnyList, slot: number) {
    this.#frame = frame;
    this.#elements = elements;
    this.#slot = slot;
  }

  read(index: number): void {
    this.#frame.iterate();
    this.#frame.locals[this.#slot] = elementAt(this.#elements, index);
  }
}

class PairReader implements ElementReader {
  readonly #frame: Frame;
  readonly #elements: AnyList;
  readonly #map: JsonMap | MapValue | undefined;
  readonly #slots: readonly [number, number];

  constructor(frame: Frame, elements: AnyList, map: JsonMap | MapValue | undefined, slots: readonly [number, number]) {
    this.#frame = frame;
    this.#elements = elements;
    this.#map = map;
    this.#slots = slots;
  }

  read(index: number): void {
    this.#frame.iterate();
    const element = elementAt(this.#elements, index);
    const { locals } = this.#frame;
    const [first, second] = this.#slots;
    locals[first] = this.#map === undefined ? index : element;
    locals[second] = this.#map === undefined ? element : (mapGet(this.#map, element) ?? null);
  }
}

function elementsToVisit(range: CelValue, isPair: boolean): AnyList | EvaluationFailure {
  if (isList(range)) return range;
  if (isMap(range)) return mapKeys(range);
  if (isPair) return new EvaluationFailure(`unsupported comprehension range type: ${goTypeName(range)}`);
  return new EvaluationFailure(`got '${goTypeName(range)}', expected iterable type`);
}

/** The name of a value's type in the reference's message. */
function goTypeName(value: CelValue): string {
  const { kind } = literalType(value);
  const names: Readonly<Partial<Record<typeof kind, string>>> = { null_type: 'Null', type: '*types.Type' };
  return `types.${names[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1)}`;
}

/** Runs over the elements. */
type FoldStep = (frame: Frame, length: number, elements: ElementReader) => StepOutcome;

function planFold(planner: Planner, node: ComprehensionNode): FoldStep {
  // Planned once: nested loops would take exponential time otherwise.
  const plan = planner.plan(node.body);
  const body = asStep(plan);
  switch (node.fold) {
    case 'all':
      return foldPredicate(body, false, 2);
    case 'exists':
      return foldPredicate(body, true, 3);
    case 'existsOne':
      return foldExactlyOne(body);
    case 'list':
      return foldList(planner, node, body, 'constant' in plan ? 2 : 12);
    case 'map':
      return foldMap(planner, node, body);
    case 'entries':
      return foldEntries(planner, node, body);
  }
}

/** `all` is decided by false, `exists` by true. */
function foldPredicate(body: EvaluationStep, decisive: boolean, testCost: number): FoldStep {
  return (frame, length, elements) => {
    let result: StepOutcome = !decisive;
    for (let i = 0; i < length; i++) {
      frame.cost += testCost;
      if (result === decisive) break;
      elements.read(i);
      frame.cost += 1;
      const outcome = body(frame);
      if (outcome === decisive) result = decisive;
      else if (typeof outcome !== 'boolean' && !(result instanceof EvaluationFailure))
        result = outcome instanceof EvaluationFailure ? outcome : noSuchOverload;
    }
    frame.cost += 1;
    return result;
  };
}

function foldExactlyOne(body: EvaluationStep): FoldStep {
  return (frame, length, elements) => {
    let count = 0;
    let failure: EvaluationFailure | undefined;
    for (let i = 0; i < length; i++) {
      elements.read(i);
      const outcome = body(frame);
      if (outcome === true) {
        frame.cost += 2;
        count++;
      } else if (outcome !== false) failure = outcome instanceof EvaluationFailure ? outcome : noSuchOverload;
    }
    frame.cost += 2;
    return failure ?? count === 1;
  };
}

/** Returns whether an element is to be included, or why that is not known. */
function filterOf(planner: Planner, node: ComprehensionNode): (frame: Frame) => boolean | EvaluationFailure {
  if (node.filter === undefined) return () => true;
  const filter = planner.step(node.filter);
  return (frame) => {
    const outcome = filter(frame);
    return typeof outcome === 'boolean' || outcome instanceof EvaluationFailure ? outcome : noSuchOverload;
  };
}

/** Appending makes a list of one element, which is free where the element is constant. */
function foldList(planner: Planner, node: ComprehensionNode, body: EvaluationStep, appendCost: number): FoldStep {
  const filter = filterOf(planner, node);
  return (frame, length, elements) => {
    const list: CelValue[] = [];
    let failure: EvaluationFailure | undefined;
    for (let i = 0; i < length; i++) {
      elements.read(i);
      const isIncluded = filter(frame);
      if (isIncluded === false) continue;
      if (isIncluded !== true) {
        failure = isIncluded;
        continue;
      }
      frame.cost += appendCost;
      const outcome = body(frame);
      if (outcome instanceof EvaluationFailure) failure ??= outcome;
      else if (failure === undefined) list.push(outcome);
    }
    frame.cost += 1;
    return failure ?? list;
  };
}

function foldMap(planner: Planner, node: ComprehensionNode, body: EvaluationStep): FoldStep {
  const filter = filterOf(planner, node);
  const [slot] = node.slots;
  return (frame, length, elements) => {
    const builder = new MapBuilder();
    let failure: EvaluationFailure | undefined;
    for (let i = 0; i < length; i++) {
      elements.read(i);
      const isIncluded = filter(frame);
      if (isIncluded === false) continue;
      if (isIncluded !== true) {
        failure = isIncluded;
        continue;
      }
      frame.cost += 1;
      // A failed accumulator is the first argument of the insertion, whose others are not evaluated then.
      if (failure !== undefined) continue;
      frame.cost += 2;
      const outcome = body(frame);
      if (outcome instanceof EvaluationFailure) failure = outcome;
      else failure = insert(builder, frame.locals[slot] as StepOutcome, outcome);
    }
    frame.cost += 1;
    return failure ?? builder.map;
  };
}

function foldEntries(planner: Planner, node: ComprehensionNode, body: EvaluationStep): FoldStep {
  const filter = filterOf(planner, node);
  return (frame, length, elements) => {
    const builder = new MapBuilder();
    let failure: EvaluationFailure | undefined;
    for (let i = 0; i < length; i++) {
      elements.read(i);
      const isIncluded = filter(frame);
      if (isIncluded === false) continue;
      if (isIncluded !== true) {
        failure = isIncluded;
        continue;
      }
      frame.cost += 2;
      const outcome = body(frame);
      if (failure !== undefined) continue;
      if (outcome instanceof EvaluationFailure) failure = outcome;
      else if (!isMap(outcome)) failure = noSuchOverload;
      else for (const key of mapKeys(outcome)) failure ??= insert(builder, key, mapGet(outcome, key) ?? null);
    }
    frame.cost += 1;
    return failure ?? builder.map;
  };
}

function insert(builder: MapBuilder, key: StepOutcome, value: CelValue): EvaluationFailure | undefined {
  if (key instanceof EvaluationFailure) return key;
  if (builder.has(key)) return new EvaluationFailure(`insert failed: key ${printKey(key)} already exists`);
  builder.set(key, value);
  return undefined;
}

const none = optionalOf(undefined);

/**
 * Compiles optMap and optFlatMap. The reference evaluates the target for `hasValue()`, and again for `value()` when the
 * variable is read first; here it runs once and costs as much.
 */
export function planOptionalMap(planner: Planner, node: OptionalMapNode): Plan {
  const target = planner.step(node.target);
  const body = planner.step(node.body);
  const { slot, isFlat } = node;
  return {
    step: (frame) => {
      const before = frame.cost;
      const outcome = target(frame);
      const targetCost = frame.cost - before;
      frame.cost += 1;
      if (outcome instanceof EvaluationFailure) return outcome;
      if (!(outcome instanceof OptionalValue)) return noSuchOverload;
      if (outcome.value === undefined) {
        frame.cost += 1;
        return none;
      }
      const { value } = outcome;
      if (!isFlat) frame.cost += 1;
      frame.locals[slot] = new LazyValue(() => {
        frame.spend(targetCost + 1);
        return value;
      });
      const result = body(frame);
      return isFlat || result instanceof EvaluationFailure ? result : new OptionalValue(result);
    },
  };
}
