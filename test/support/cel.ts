// CEL for tests: an environment of the language, and values and types in the notation of the recorded answers.
import {
  Double,
  Duration,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  boolType,
  bytesType,
  createEnvironment,
  double,
  doubleType,
  durationType,
  dynType,
  elementsOf,
  int,
  intType,
  isList,
  isMap,
  listType,
  mapGet,
  mapKeys,
  mapType,
  nullType,
  optionalLibrary,
  parseTimestamp,
  printTimestamp,
  standardLibrary,
  stringType,
  timestampType,
  twoVariableLibrary,
  typeName,
  uintType,
} from '../../lib/cel/index.js';
import type { CelType, CelValue, Environment, Evaluation, Variables } from '../../lib/cel/index.js';
import { parseDuration } from '../../lib/core/index.js';

/** The language with optionals and two-variable loops. */
export const language: Environment = createEnvironment({
  libraries: [standardLibrary, twoVariableLibrary, optionalLibrary],
});

/** Compiles with variables of type dyn and evaluates; throws if it does not compile. */
export function evaluate(expression: string, variables: Variables = {}, budget = 1_000_000): Evaluation {
  const types = Object.fromEntries(Object.keys(variables).map((name) => [name, dynType]));
  const compilation = language.extend({ variables: types }).compile(expression);
  if (!compilation.ok) throw new Error(compilation.message);
  return compilation.expression.evaluate(variables, { budget });
}

/** Returns the value of an expression, or the message of its failure. */
export function valueOf(expression: string, variables: Variables = {}): unknown {
  const evaluation = evaluate(expression, variables);
  return evaluation.ok ? evaluation.value : evaluation.error.message;
}

const simpleTypes: Readonly<Record<string, CelType>> = {
  int: intType,
  uint: uintType,
  double: doubleType,
  bool: boolType,
  string: stringType,
  bytes: bytesType,
  timestamp: timestampType,
  duration: durationType,
  null_type: nullType,
  dyn: dynType,
};

/** Returns the type of a text such as `map(string,list(int))`. */
export function typeOf(text: string): CelType {
  const list = /^list\((.*)\)$/.exec(text);
  if (list !== null) return listType(typeOf(list[1] ?? ''));
  const map = /^map\((\w+),(.*)\)$/.exec(text);
  if (map !== null) return mapType(typeOf(map[1] ?? ''), typeOf(map[2] ?? ''));
  return simpleTypes[text] ?? dynType;
}

/** Returns the value of JSON for a variable of a type. */
export function valueOfJson(json: unknown, type: string): CelValue {
  if (type === 'timestamp') return parseTimestamp(String(json)) ?? null;
  if (type === 'duration') return new Duration(parseDuration(String(json)));
  if (type === 'bytes') return Uint8Array.from(Buffer.from(String(json), 'base64'));
  return json as CelValue;
}

/** Returns a value as the recorded answers write it: what JSON does not tell apart has its type as a key. */
export function described(value: CelValue): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return { int: String(value) };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { int: String(value) } : { double: describedDouble(value) };
  if (value instanceof Double) return { double: describedDouble(value.value) };
  if (value instanceof Uint) return { uint: String(value.value) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (value instanceof Timestamp) return { timestamp: printTimestamp(value) };
  if (value instanceof Duration) return { duration: String(value.nanos) };
  if (value instanceof TypeValue) return { type: typeName(value.type) };
  if (value instanceof OptionalValue) return { optional: value.value === undefined ? [] : [described(value.value)] };
  if (isList(value)) return { list: elementsOf(value).map(described) };
  if (!isMap(value)) return { other: true };
  return { map: mapKeys(value).map((key) => [described(key), described(mapGet(value, key) ?? null)]) };
}

function describedDouble(value: number): number | string {
  return Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? '-0' : String(value);
}

/** Returns a recorded value in the form of `described`: doubles as numbers, names of types without parameters. */
export function recorded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(recorded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      if (key === 'type' && typeof inner === 'string') return [key, inner.replace(/\(.*/, '')];
      if (key === 'double' && typeof inner === 'string')
        return [key, describedDouble(Number(inner.replace('Inf', 'Infinity').replace('+', '')))];
      return [key, recorded(inner)];
    }),
  );
}

/** Returns a double, as a value. */
export const asDouble = double;

/** Returns an int, as a value. */
export const asInt = int;
