// The range of the cost of an expression before it is evaluated. It follows the costs of evaluation, except where
// Kubernetes' own estimate does not: constants of lists and maps are counted, and selections from dyn are not. Sizes
// come from literals, from hints for paths, and from functions that know the size of their result.
import type { CelType } from '../cel-type.js';
import { boolType, dynType, intType } from '../cel-type.js';
import type { CallNode, Checked, ComprehensionNode, OptionalMapNode } from '../check/checked.js';
import type { EstimateRange, ValueEstimate } from '../library.js';
import { codePointLength } from '../values/lists.js';
import type { SizeShape, SizeHints } from './shape.js';
import {
  addRanges,
  anySize,
  elementShape,
  elementTypeOf,
  keyShape,
  multiplyRanges,
  uniteRanges,
  uniteShapes,
  unknownShape,
} from './shape.js';

/** Returns the range of the cost of an expression. */
export function estimateCost(root: Checked, hints: SizeHints): EstimateRange {
  return new Estimator(hints).estimate(root).cost;
}

/** A cost, and what is known of the value. */
interface Estimate {
  readonly cost: EstimateRange;
  readonly shape: SizeShape;
}

const fixed = (cost: number): EstimateRange => ({ min: cost, max: cost });
const sum = (...ranges: readonly EstimateRange[]): EstimateRange => ranges.reduce(addRanges, fixed(0));

/** The shape of a named constant, such as a type. Its path has one step, as that of a variable. */
const namedShape: SizeShape = { path: ['@constant'] };

class Estimator {
  readonly #hints: SizeHints;
  /** The shapes of local variables by slot. */
  readonly #locals: SizeShape[] = [];

  constructor(hints: SizeHints) {
    this.#hints = hints;
  }

  estimate(node: Checked): Estimate {
    switch (node.kind) {
      case 'constant':
        return { cost: fixed(node.isName ? 1 : 0), shape: node.isName ? namedShape : literalShape(node) };
      case 'variable':
        return { cost: fixed(1), shape: { path: [node.name] } };
      case 'local':
        return { cost: fixed(1), shape: this.#locals[node.slot] ?? unknownShape };
      case 'select': {
        const operand = this.estimate(node.operand);
        const { kind } = node.operand.type;
        const isCounted = node.mode === 'optional' || (node.mode === 'value' && (kind === 'map' || kind === 'object'));
        const { path } = operand.shape;
        const shape = node.mode === 'value' && path !== undefined ? { path: [...path, node.field] } : unknownShape;
        return { cost: sum(operand.cost, fixed(isCounted ? 1 : 0)), shape };
      }
      case 'call':
        return this.#call(node);
      case 'logical': {
        const [first, ...rest] = node.operands.map((operand) => this.estimate(operand).cost);
        const all = sum(first ?? fixed(0), ...rest);
        return { cost: { min: first?.min ?? 0, max: all.max }, shape: unknownShape };
      }
      case 'conditional': {
        const condition = this.estimate(node.condition);
        const [yes, no] = [this.estimate(node.yes), this.estimate(node.no)];
        const shape = this.#unite(yes.shape, node.yes.type, no.shape, node.no.type);
        return { cost: sum(condition.cost, uniteRanges(yes.cost, no.cost)), shape };
      }
      case 'list': {
        const elements = node.elements.map(({ value }) => ({ ...this.estimate(value), type: value.type }));
        const cost = sum(fixed(10), ...elements.map((element) => element.cost));
        return { cost, shape: { size: fixed(elements.length), element: this.#uniteAll(elements) } };
      }
      case 'map': {
        const keys = node.entries.map(({ key }) => ({ ...this.estimate(key), type: key.type }));
        const values = node.entries.map(({ value }) => ({ ...this.estimate(value), type: value.type }));
        const cost = sum(fixed(30), ...[...keys, ...values].map((part) => part.cost));
        const shape = { size: fixed(keys.length), key: this.#uniteAll(keys), element: this.#uniteAll(values) };
        return { cost, shape };
      }
      case 'struct':
        return {
          cost: sum(fixed(40), ...node.fields.map(({ value }) => this.estimate(value).cost)),
          shape: unknownShape,
        };
      case 'comprehension':
        return this.#comprehension(node);
      case 'bind': {
        const value = this.estimate(node.value);
        this.#locals[node.slot] = value.shape;
        const body = this.estimate(node.body);
        return { cost: sum(fixed(bindCost), value.cost, body.cost), shape: body.shape };
      }
      case 'optionalMap':
        return this.#optionalMap(node);
    }
  }

  /** Returns the size of a value if it is known: computed, by a hint, or 1 for values without parts. */
  #size(shape: SizeShape, type: CelType): EstimateRange | undefined {
    if (shape.size !== undefined) return shape.size;
    const hint = shape.path && this.#hints(shape.path, type);
    return hint?.size ?? (isSimple(type) ? fixed(1) : undefined);
  }

  #unite(one: SizeShape, oneType: CelType, other: SizeShape, otherType: CelType): SizeShape {
    const sizes = new Map<SizeShape, CelType>([
      [one, oneType],
      [other, otherType],
    ]);
    return uniteShapes(one, other, (shape) => {
      const type = sizes.get(shape);
      return type === undefined ? shape.size : this.#size(shape, type);
    });
  }

  #uniteAll(parts: readonly { readonly shape: SizeShape; readonly type: CelType }[]): SizeShape {
    const [first, ...rest] = parts;
    if (first === undefined) return emptyShape;
    let united = first.shape;
    let isUnited = false;
    for (const { shape, type } of rest) {
      united = this.#unite(united, isUnited ? dynType : first.type, shape, type);
      isUnited = true;
    }
    return united;
  }

  #valueEstimate(shape: SizeShape, type: CelType): ValueEstimate {
    const isContainer = type.kind === 'list' || type.kind === 'map';
    const inner = isContainer ? elementShape(shape, type) : undefined;
    return {
      type,
      size: this.#size(shape, type) ?? anySize,
      ...(inner === undefined ? {} : { element: this.#valueEstimate(inner, elementTypeOf(type)) }),
      ...(shape.literal === undefined ? {} : { literal: shape.literal }),
    };
  }

  #call(node: CallNode): Estimate {
    const parts = node.values.map((value) => this.estimate(value));
    const values = parts.map(({ shape }, i) => this.#valueEstimate(shape, node.values[i]?.type ?? boolType));
    let cost: EstimateRange | undefined;
    let size: EstimateRange | undefined;
    for (const overload of node.overloads) {
      const call = overload.estimate?.(values) ?? { cost: fixed(1) };
      cost = cost === undefined ? call.cost : uniteRanges(cost, call.cost);
      if (call.resultSize !== undefined)
        size = size === undefined ? call.resultSize : uniteRanges(size, call.resultSize);
    }
    return {
      cost: sum(...parts.map((part) => part.cost), cost ?? fixed(1)),
      shape: this.#resultShape(node, parts, size),
    };
  }

  #resultShape(node: CallNode, parts: readonly Estimate[], size: EstimateRange | undefined): SizeShape {
    const [first] = parts;
    const [firstNode] = node.values;
    if (first === undefined || firstNode === undefined) return { size };
    if (node.name === '_[_]') return elementShape(first.shape, firstNode.type);
    if (node.name === 'dyn') return { ...first.shape, size: this.#size(first.shape, firstNode.type) };
    return { size };
  }

  #comprehension(node: ComprehensionNode): Estimate {
    const range = this.estimate(node.range);
    const rangeType = node.range.type;
    const size = this.#size(range.shape, rangeType) ?? anySize;
    const [first, second] = node.slots;
    const isMap = rangeType.kind === 'map';
    const element = elementShape(range.shape, rangeType);
    if (second === undefined) this.#locals[first] = isMap ? keyShape(range.shape, rangeType) : element;
    else {
      this.#locals[first] = isMap ? keyShape(range.shape, rangeType) : unknownShape;
      this.#locals[second] = element;
    }
    const filter = node.filter && this.estimate(node.filter);
    const body = this.estimate(node.body);
    const { perElement, around } = foldCosts(node, body.cost, filter?.cost);
    const isCollection = node.fold === 'list' || node.fold === 'map' || node.fold === 'entries';
    const bodySize = this.#size(body.shape, node.body.type);
    // The list starts empty, so its elements may have any smaller size.
    const made = { ...body.shape, size: bodySize && { min: 0, max: bodySize.max } };
    const shape: SizeShape = isCollection ? { size, ...(node.fold === 'list' ? { element: made } : {}) } : unknownShape;
    return { cost: sum(range.cost, fixed(around), multiplyRanges(size, perElement)), shape };
  }

  #optionalMap(node: OptionalMapNode): Estimate {
    const target = this.estimate(node.target).cost;
    this.#locals[node.slot] = unknownShape;
    const body = this.estimate(node.body).cost;
    const present = sum(fixed(bindCost), target, fixed(1), body, fixed(node.isFlat ? 0 : 1));
    return { cost: sum(target, fixed(1), uniteRanges(present, fixed(1))), shape: unknownShape };
  }
}

/** Of the elements of an empty literal. */
const emptyShape: SizeShape = { size: fixed(0) };

/** A binding is a loop over an empty list literal. */
const bindCost = 10;

/** Costs for each element, and those before and after the loop. As those of evaluation, with the accumulator's own. */
function foldCosts(
  { fold }: ComprehensionNode,
  body: EstimateRange,
  filter: EstimateRange | undefined,
): { readonly perElement: EstimateRange; readonly around: number } {
  const filtered = (step: EstimateRange): EstimateRange =>
    filter === undefined ? step : sum(filter, uniteRanges(step, fixed(1)));
  switch (fold) {
    case 'all':
      return { perElement: { min: 3, max: 3 + body.max }, around: 1 };
    case 'exists':
      return { perElement: { min: 4, max: 4 + body.max }, around: 1 };
    case 'existsOne':
      return { perElement: sum(body, { min: 1, max: 2 }), around: 2 };
    case 'list':
      return { perElement: filtered(sum(fixed(12), body)), around: 11 };
    case 'map':
      return { perElement: filtered(sum(fixed(3), body)), around: 31 };
    case 'entries':
      return { perElement: filtered(sum(fixed(2), body)), around: 31 };
  }
}

function literalShape({ value }: Extract<Checked, { kind: 'constant' }>): SizeShape {
  if (typeof value === 'string') return { size: fixed(codePointLength(value)), literal: value };
  return { size: fixed(value instanceof Uint8Array ? value.length : 1), literal: value };
}

/** Returns whether values of a type have no parts: their size counts as 1. */
function isSimple({ kind }: CelType): boolean {
  return simple.has(kind);
}

const simple: ReadonlySet<CelType['kind']> = new Set([
  ...([intType.kind, 'uint', 'double', 'bool', 'null_type', 'timestamp', 'duration', 'opaque'] as const),
]);
