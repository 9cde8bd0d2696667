// Values of schemas that are not plain JSON: texts that have a format, numbers that are doubles, and lists whose
// equality and concatenation follow x-kubernetes-list-type. A converter is undefined where JSON is used as it is.
import { decodeBase64, parseDuration } from '../../core/index.js';
import { Duration, ListValue, MapValue, double } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import { equalValues } from '../values/equality.js';
import { elementsOf, isList } from '../values/lists.js';
import { parseTimestamp } from '../values/time.js';

/** Converts a JSON value to a value of CEL. */
export type SchemaConverter = (json: unknown) => CelValue;

/** Converts a number to a double. */
export const readDouble: SchemaConverter = (json) => (typeof json === 'number' ? double(json) : (json as CelValue));

/** Converts the text of a date. */
export const readDate: SchemaConverter = (json) => timestampOf(`${String(json)}T00:00:00Z`, json);

/** Converts the text of a date with a time. */
export const readDateTime: SchemaConverter = (json) => timestampOf(String(json), json);

/** Converts the text of a duration. */
export const readDuration: SchemaConverter = (json) => new Duration(parseDuration(String(json)));

/** Converts text in base64. */
export const readBytes: SchemaConverter = (json) => decodeBase64(String(json));

function timestampOf(text: string, json: unknown): CelValue {
  const time = parseTimestamp(text.replace(/^(\d{4}-\d\d-\d\d)[t ]/, '$1T').replace(/z$/, 'Z'));
  if (time === undefined) throw new EvaluationError(`Invalid date formatted string ${String(json)}`);
  return time;
}

/** How the elements of a list are converted, and what makes two of them the same. */
export interface ListRules {
  readonly element: SchemaConverter | undefined;
  /** The elements are a set. */
  readonly isSet: boolean;
  /** The keys of a list that is a map; undefined for other lists. */
  readonly keys: readonly string[] | undefined;
}

/** Returns the converter of lists with rules; undefined where JSON is used as it is. */
export function listConverter(rules: ListRules): SchemaConverter | undefined {
  if (rules.element === undefined && !rules.isSet && rules.keys === undefined) return undefined;
  return (json) => (Array.isArray(json) ? new SchemaList(json, rules) : (json as CelValue));
}

/** A list of a schema. Elements are converted when they are read. */
class SchemaList extends ListValue {
  readonly #items: readonly unknown[];
  readonly #rules: ListRules;

  constructor(items: readonly unknown[], rules: ListRules) {
    super();
    this.#items = items;
    this.#rules = rules;
  }

  get length(): number {
    return this.#items.length;
  }

  at(index: number): CelValue {
    const item = this.#items[index] ?? null;
    return item === null || this.#rules.element === undefined ? (item as CelValue) : this.#rules.element(item);
  }

  override equals(other: CelValue): boolean {
    if (!isList(other) || other.length !== this.length) return false;
    const [own, others] = [elementsOf(this), elementsOf(other)];
    if (!this.#hasIdentity) return own.every((item, index) => equalValues(item, others[index] ?? null));
    return own.every((item) => others.some((each) => equalValues(item, each)));
  }

  /** Elements of the other list replace those with the same identity and follow where there is none. */
  override concatenate(other: CelValue): CelValue {
    const added = isList(other) ? elementsOf(other) : [];
    if (!this.#hasIdentity) return [...elementsOf(this), ...added];
    const items = [...elementsOf(this)];
    for (const item of added) {
      const at = items.findIndex((each) => this.#isSame(each, item));
      if (at < 0) items.push(item);
      else items[at] = item;
    }
    return new SchemaList(items, { ...this.#rules, element: undefined });
  }

  get #hasIdentity(): boolean {
    return this.#rules.isSet || this.#rules.keys !== undefined;
  }

  #isSame(a: CelValue, b: CelValue): boolean {
    const { keys } = this.#rules;
    if (keys === undefined) return equalValues(a, b);
    return keys.every((key) => equalValues(memberOf(a, key), memberOf(b, key)));
  }
}

function memberOf(value: CelValue, key: string): CelValue {
  const object = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, CelValue>>) : {};
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

/** Returns the converter of maps whose values are converted; undefined where JSON is used as it is. */
export function mapConverter(value: SchemaConverter | undefined): SchemaConverter | undefined {
  return value && ((json) => (isObject(json) ? new SchemaMap(json, value) : (json as CelValue)));
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** A map of a schema. Values are converted when they are read. */
class SchemaMap extends MapValue {
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #value: SchemaConverter;

  constructor(object: Readonly<Record<string, unknown>>, value: SchemaConverter) {
    super();
    this.#object = object;
    this.#value = value;
  }

  get size(): number {
    return Object.keys(this.#object).length;
  }

  has(key: CelValue): boolean {
    return typeof key === 'string' && Object.hasOwn(this.#object, key);
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === 'string' && this.has(key) ? this.#value(this.#object[key]) : undefined;
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.#object);
  }
}
