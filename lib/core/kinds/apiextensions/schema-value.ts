// Whether a value fits a schema, and what is wrong where it does not: as kube-openapi/pkg/validation/validate answers,
// errors, their order and their choice among alternatives included. Of several alternatives that all fail, the errors
// of the one with most passed checks are reported; hence the counting. For defaults in schemas, which must fit them,
// and for custom resources. An update ratchets: errors of a value that did not change are dropped (`Correlation`).
import { collect, findingsMax } from '../../errors/collect.js';
import { fieldInvalidUnprinted } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { sortedJson } from '../../go/struct-form.js';
import { deepEqual, isJsonObject } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.generated.js';
import type { Correlation } from './correlation.js';
import { formatRule, isRecognizedFormat } from './formats.js';
import { checkNumber } from './schema-number.js';
import {
  generalError,
  invalidValue,
  missingValue,
  notListed,
  tooLongValue,
  tooManyValues,
  wrongValueType,
} from './schema-value-errors.js';
import type { ValueError } from './schema-value-errors.js';
import type { SchemaWork } from './schema-work.js';

/** A schema as users write it. */
export type Schema = Frozen<JSONSchemaProps>;

/**
 * Validates a value; `path` is its place. Where `work` does not suffice, an error says so. With the value that it
 * replaces, errors of unchanged parts are dropped.
 */
export function validateValue(
  schema: Schema,
  value: unknown,
  path: FieldPath,
  work: SchemaWork,
  correlation?: Correlation,
): readonly FieldError[] {
  const { errors } = checkRatcheting(schema, value, '', work, correlation);
  if (work.isSpent) return [fieldInvalidUnprinted(path, 'takes too many steps to validate against its schema')];
  return collect(errors, (error) => [error.at(path)]);
}

/** What a check of one value or one listed value counts as. */
const stepsOfCheck = 20;

/** What checks found. */
class Outcome {
  readonly errors: ValueError[] = [];
  /** Checks that passed. */
  passed = 0;
  readonly #texts = new Set<string>();

  /** The same sentence is reported once. */
  add(errors: readonly ValueError[]): void {
    for (const error of errors) {
      if (this.errors.length > findingsMax) return;
      if (this.#texts.has(error.text)) continue;
      this.#texts.add(error.text);
      this.errors.push(error);
    }
  }

  merge({ errors, passed }: Outcome): void {
    this.add(errors);
    this.passed += passed;
  }
}

/** Checks a value; its errors are dropped where the value did not change. */
function checkRatcheting(
  schema: Schema,
  value: unknown,
  name: string,
  work: SchemaWork,
  correlation: Correlation | undefined,
): Outcome {
  const outcome = check(schema, value, name, work, correlation);
  return outcome.errors.length > 0 && correlation?.isUnchanged === true ? new Outcome() : outcome;
}

/** `name` is the way from the root to the value: `spec.list[0]`. */
function check(
  schema: Schema,
  value: unknown,
  name: string,
  work: SchemaWork,
  correlation: Correlation | undefined,
): Outcome {
  const outcome = new Outcome();
  work.spend(stepsOfCheck);
  if (work.isSpent) return outcome;
  const types = typesOf(schema);
  const [type = ''] = types;
  const format = formatOf(schema, types);
  const wrong = checkType(schema, types, format, value, name);
  if (value === null) {
    outcome.add([...wrong, ...checkEnum(schema, value, name, work)]);
    if (wrong.length === 0) outcome.passed += 1;
    return outcome;
  }
  const count = (errors: readonly ValueError[], own: number): void => {
    outcome.add(errors);
    outcome.passed += own + 1;
  };
  if (type !== '' || format !== '') count(wrong, wrong.length === 0 ? 1 : 0);
  outcome.merge(checkAlternatives(schema, value, name, work, correlation));
  outcome.passed += 1;
  if (typeof value === 'string') {
    count(checkString(schema, value, name, work), 0);
    const rule = formatRule(format);
    if (rule !== undefined) count(rule(value) ? [] : [wrongValueType(name, format, value)], 0);
  }
  if (typeof value === 'number') count(checkNumber(schema, value, name), 1);
  if (Array.isArray(value)) {
    outcome.merge(checkList(schema, value, name, work, correlation));
    outcome.passed += 2;
  }
  count(checkEnum(schema, value, name, work), 0);
  if (isJsonObject(value)) {
    outcome.merge(checkObject(schema, value, name, work, correlation));
    outcome.passed += 1;
  }
  outcome.passed += 1;
  return outcome;
}

/** The types that a value may have; none for any. */
function typesOf({ type = '', 'x-kubernetes-int-or-string': isIntOrString }: Schema): readonly string[] {
  if (isIntOrString === true) return intOrString;
  return type === '' ? none : [type];
}

const intOrString: readonly string[] = ['integer', 'string'];
const none: readonly string[] = [];

/** The format that is checked; unknown formats, and those of other types, are not. */
function formatOf({ format = '' }: Schema, types: readonly string[]): string {
  return format !== '' && isRecognizedFormat(format, types.length === 1 ? (types[0] ?? '') : '') ? format : '';
}

function checkType(
  { nullable }: Schema,
  types: readonly string[],
  format: string,
  value: unknown,
  name: string,
): readonly ValueError[] {
  const expected = types.join();
  if (value === null) return types.length === 0 || nullable === true ? [] : [wrongValueType(name, expected, 'null')];
  const actual = typeOf(value);
  const isNumeric = types.includes('integer') || types.includes('number');
  const fits =
    types.includes(actual) ||
    (types.includes('integer') && Number.isInteger(value)) ||
    (types.includes('number') && typeof value === 'number');
  const formatted = typeof value === 'string' || Array.isArray(value);
  // A format stands in for the type of texts and lists, and is what others lack.
  if (format !== '' && formatted && !isNumeric) return [];
  if (fits || (types.length === 0 && format === '')) return [];
  if (format !== '' && !formatted) {
    const found = actual === 'integer' ? 'int64' : actual === 'number' ? 'float64' : '';
    return found === format ? [wrongValueType(name, expected, actual)] : [wrongValueType(name, format, found)];
  }
  return [wrongValueType(name, expected, actual)];
}

function typeOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Numbers are compared as the listed one's type, which cuts fractions off. */
function checkEnum(
  { enum: listed = [] }: Schema,
  value: unknown,
  name: string,
  work: SchemaWork,
): readonly ValueError[] {
  if (listed.length === 0) return [];
  // An error prints all that is listed.
  work.spend(stepsOfCheck * listed.length);
  if (work.isSpent) return [];
  const same = (item: unknown): boolean =>
    item !== null &&
    (typeof item === 'number' && typeof value === 'number' && Number.isInteger(item)
      ? Math.trunc(value) === item
      : deepEqual(item, value));
  return listed.some(same) ? [] : [notListed(name, value, listed)];
}

/** Only the first error of a text is reported. */
function checkString(
  { maxLength, minLength, pattern = '' }: Schema,
  value: string,
  name: string,
  work: SchemaWork,
): readonly ValueError[] {
  const length = maxLength === undefined && minLength === undefined ? 0 : Array.from(value).length;
  if (maxLength !== undefined && length > maxLength) return [tooLongValue(name, maxLength)];
  if (minLength !== undefined && length < minLength) {
    return [invalidValue(name, value, `should be at least ${minLength} chars long`)];
  }
  if (pattern === '') return [];
  const matching = work.matches(pattern, value);
  if (typeof matching === 'object')
    return [invalidValue(name, value, `should match '${pattern}, but pattern is invalid: ${matching.error}'`)];
  return matching === false ? [invalidValue(name, value, `should match '${pattern}'`)] : [];
}

function checkList(
  { items, minItems, maxItems, uniqueItems }: Schema,
  value: readonly unknown[],
  name: string,
  work: SchemaWork,
  correlation: Correlation | undefined,
): Outcome {
  const outcome = new Outcome();
  if (items !== undefined && !Array.isArray(items)) {
    value.forEach((item, index) =>
      outcome.merge(checkRatcheting(items as Schema, item, `${name}[${index}]`, work, correlation?.item(index))),
    );
  }
  if (minItems !== undefined && value.length < minItems)
    outcome.add([invalidValue(name, value.length, `should have at least ${minItems} items`)]);
  if (maxItems !== undefined && value.length > maxItems) outcome.add([tooManyValues(name, value.length, maxItems)]);
  if (uniqueItems === true && hasRepeats(value)) outcome.add([invalidValue(name, '', "shouldn't contain duplicates")]);
  return outcome;
}

function hasRepeats(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(sortedJson(item)))).size < items.length;
}

function checkObject(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  name: string,
  work: SchemaWork,
  correlation: Correlation | undefined,
): Outcome {
  const { minProperties, maxProperties, properties = {}, additionalProperties, required = [] } = schema;
  const outcome = new Outcome();
  const keys = Object.keys(value);
  if (minProperties !== undefined && keys.length < minProperties) {
    outcome.add([invalidValue(name, keys.length, `should have at least ${minProperties} properties`)]);
  }
  if (maxProperties !== undefined && keys.length > maxProperties)
    outcome.add([tooManyValues(name, keys.length, maxProperties, 'properties')]);
  const others = keys.filter((key) => !Object.hasOwn(properties, key));
  if (additionalProperties === false)
    outcome.add(others.map((key) => invalidValue(name, key, 'is a forbidden property', `${name}.${key}`)));
  else if (typeof additionalProperties === 'object') {
    for (const key of others)
      outcome.merge(
        checkRatcheting(additionalProperties, value[key], `${name}.${key}`, work, correlation?.member(key)),
      );
  }
  for (const [key, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, key)) continue;
    // The old object was converted to the same kind and version: they never change.
    const isTypeMeta = name === '' && (key === 'kind' || key === 'apiVersion');
    const inner = isTypeMeta ? undefined : correlation?.member(key);
    outcome.merge(checkRatcheting(property, value[key], name === '' ? key : `${name}.${key}`, work, inner));
  }
  outcome.add(required.filter((key) => !Object.hasOwn(value, key)).map((key) => missingValue(`${name}.${key}`)));
  return outcome;
}

function checkAlternatives(
  { anyOf = [], oneOf = [], allOf = [], not }: Schema,
  value: unknown,
  name: string,
  work: SchemaWork,
  correlation: Correlation | undefined,
): Outcome {
  const outcome = new Outcome();
  const checkEach = (schemas: readonly Schema[]): Alternatives => {
    const outcomes = schemas.map((schema) => check(schema, value, name, work, correlation));
    return { outcomes, valid: outcomes.filter(({ errors }) => errors.length === 0) };
  };
  if (anyOf.length > 0) {
    const { outcomes, valid } = checkEach(anyOf);
    if (valid.length === 0) outcome.add([generalError(`${quote(name)} must validate at least one schema (anyOf)`)]);
    outcome.merge(valid[0] ?? best(outcomes));
  }
  if (oneOf.length > 0) {
    const { outcomes, valid } = checkEach(oneOf);
    if (valid.length !== 1) {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      outcome.add([generalError(`${quote(name)} must validate one and only one schema (oneOf). ${found}`)]);
    }
    if (valid.length <= 1) outcome.merge(valid[0] ?? best(outcomes));
  }
  if (allOf.length > 0) {
    const { outcomes, valid } = checkEach(allOf);
    for (const each of outcomes) outcome.merge(each);
    if (valid.length < allOf.length) {
      outcome.add([
        generalError(
          `${quote(name)} must validate all the schemas (allOf)${valid.length === 0 ? '. None validated' : ''}`,
        ),
      ]);
    }
  }
  if (not !== undefined && check(not, value, name, work, correlation).errors.length === 0) {
    outcome.add([generalError(`${quote(name)} must not validate the schema (not)`)]);
  }
  outcome.passed += 1;
  return outcome;
}

interface Alternatives {
  readonly outcomes: readonly Outcome[];
  readonly valid: readonly Outcome[];
}

/** The first of those with most checks passed. */
function best(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((a, b) => (b.passed > a.passed ? b : a));
}
