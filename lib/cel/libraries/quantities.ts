// Amounts of resources as values: `quantity('1.5Gi')`, arithmetic and comparison.
import {
  addQuantities,
  compareQuantities,
  isParseError,
  parseQuantity,
  quantityFromInteger,
  quantitySign,
  subtractQuantities,
} from '../../core/index.js';
import type { Quantity } from '../../core/index.js';
import { boolType, doubleType, intType, opaqueType, stringType } from '../cel-type.js';
import type { OpaqueType } from '../cel-type.js';
import { OpaqueValue, TypeValue, double, int } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { FunctionDeclaration, Library } from '../library.js';
import { readsFirst, traversalCost } from './costs.js';
import { declareFunction, globalOverload, memberOverload } from './overloads.js';

/** The type of quantities. */
export const quantityType: OpaqueType = opaqueType('kubernetes.Quantity');

/** A quantity. Equal where the amounts are, whatever their suffixes. */
export class QuantityValue extends OpaqueValue {
  readonly type: OpaqueType = quantityType;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  equals(other: CelValue): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

const reads = { cost: ([text]: readonly CelValue[]) => traversalCost(text), estimate: readsFirst };

const functions: readonly FunctionDeclaration[] = [
  declareFunction(
    'quantity',
    globalOverload('string_to_quantity', [stringType], quantityType, (text) => quantityValue(text as string), reads),
  ),
  declareFunction(
    'isQuantity',
    globalOverload('is_quantity_string', [stringType], boolType, (text) => isQuantity(text as string), reads),
  ),
  declareFunction(
    'sign',
    globalOverload('quantity_sign', [quantityType], intType, (value) => quantitySign(amountOf(value))),
  ),
  declareFunction(
    'isInteger',
    memberOverload(
      'quantity_is_integer',
      [quantityType],
      boolType,
      (value) => integerOf(amountOf(value)) !== undefined,
    ),
  ),
  declareFunction('asInteger', memberOverload('quantity_get_int', [quantityType], intType, asInteger)),
  declareFunction(
    'asApproximateFloat',
    memberOverload('quantity_get_float', [quantityType], doubleType, (value) =>
      double(Number(amountOf(value).nanos) / 1e9),
    ),
  ),
  declareFunction(
    'add',
    memberOverload('quantity_add', [quantityType, quantityType], quantityType, (a, b) => sum(amountOf(a), amountOf(b))),
    memberOverload('quantity_add_int', [quantityType, intType], quantityType, (a, b) => sum(amountOf(a), whole(b))),
  ),
  declareFunction(
    'sub',
    memberOverload('quantity_sub', [quantityType, quantityType], quantityType, (a, b) =>
      difference(amountOf(a), amountOf(b)),
    ),
    memberOverload('quantity_sub_int', [quantityType, intType], quantityType, (a, b) =>
      difference(amountOf(a), whole(b)),
    ),
  ),
  declareFunction(
    'isLessThan',
    memberOverload('quantity_is_less_than', [quantityType, quantityType], boolType, (a, b) => order(a, b) < 0),
  ),
  declareFunction(
    'isGreaterThan',
    memberOverload('quantity_is_greater_than', [quantityType, quantityType], boolType, (a, b) => order(a, b) > 0),
  ),
  declareFunction('compareTo', memberOverload('quantity_compare_to', [quantityType, quantityType], intType, order)),
];

/** The functions of quantities. */
export const quantityLibrary: Library = {
  name: 'kubernetes.quantity',
  functions,
  constants: { [quantityType.name]: { type: { kind: 'type', of: quantityType }, value: new TypeValue(quantityType) } },
};

function amountOf(value: CelValue | undefined): Quantity {
  return (value as QuantityValue).quantity;
}

function whole(value: CelValue | undefined): Quantity {
  return quantityFromInteger(BigInt(value as bigint | number));
}

/** Returns the value of a quantity. Throws EvaluationError where the text is none. */
export function quantityValue(text: string): QuantityValue {
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (isParseError(error)) throw new EvaluationError(error.message);
    throw error;
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (isParseError(error)) return false;
    throw error;
  }
}

function integerOf({ nanos }: Quantity): bigint | undefined {
  const units = nanos / 1_000_000_000n;
  return units * 1_000_000_000n === nanos && units >= -(2n ** 63n) && units < 2n ** 63n ? units : undefined;
}

function asInteger(value: CelValue | undefined): bigint | number {
  const units = integerOf(amountOf(value));
  if (units === undefined) throw new EvaluationError('cannot convert value to integer');
  return int(units);
}

function sum(a: Quantity, b: Quantity): QuantityValue {
  return new QuantityValue(addQuantities(a, b));
}

function difference(a: Quantity, b: Quantity): QuantityValue {
  return new QuantityValue(subtractQuantities(a, b));
}

function order(a: CelValue | undefined, b: CelValue | undefined): number {
  return compareQuantities(amountOf(a), amountOf(b));
}
