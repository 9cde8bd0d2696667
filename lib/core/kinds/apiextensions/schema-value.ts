// Whether a value fits a schema, and what is wrong where it does not: as kube-openapi/pkg/validation/validate answers,
// errors, their order and their choice among alternatives included. Of several alternatives that all fail, the errors
// of the one with most passed checks are reported; hence the counting. Here for defaults in schemas, which must fit
// them.
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../errors/go-format.js';
import { deepEqual } from '../../objects/deep-equal.js';
import { isJsonObject } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.generated.js';
import { formatRule } from './formats.js';
import { parseGoRegexp } from './go-regexp.js';
import { matcher } from './go-regexp-match.js';
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

/** A schema as users write it. */
export type Schema = Frozen<JSONSchemaProps>;

/** Everything wrong with a value; `path` is its place. */
export function validateValue(schema: Schema, value: unknown, path: FieldPath): readonly FieldError[] {
  return check(schema, value, '').errors.map((error) => error.at(path));
}

/** What checks found. */
class Outcome {
  readonly errors: ValueError[] = [];
  /** Checks that passed. */
  passed = 0;

  /** The same sentence is reported once. */
  add(errors: readonly ValueError[]): void {
    for (const error of errors) if (!this.errors.some(({ text }) => text === error.text)) this.errors.push(error);
  }

  merge({ errors, passed }: Outcome): void {
    this.add(errors);
    this.passed += passed;
  }
}

/** `name` is the way from the root to the value: `spec.list[0]`. */
function check(schema: Schema, value: unknown, name: string): Outcome {
  const outcome = new Outcome();
  const { type = '', format = '' } = schema;
  const wrong = checkType(schema, value, name);
  if (value === null) {
    outcome.add([...wrong, ...checkEnum(schema, value, name)]);
    if (wrong.length === 0) outcome.passed += 1;
    return outcome;
  }
  const count = (errors: readonly ValueError[], own: number): void => {
    outcome.add(errors);
    outcome.passed += own + 1;
  };
  if (type !== '' || format !== '') count(wrong, wrong.length === 0 ? 1 : 0);
  outcome.merge(checkAlternatives(schema, value, name));
  outcome.passed += 1;
  if (typeof value === 'string') {
    count(checkString(schema, value, name), 0);
    const rule = formatRule(format);
    if (rule !== undefined) count(rule(value) ? [] : [wrongValueType(name, format, value)], 0);
  }
  if (typeof value === 'number') count(checkNumber(schema, value, name), 1);
  if (Array.isArray(value)) {
    outcome.merge(checkList(schema, value, name));
    outcome.passed += 2;
  }
  count(checkEnum(schema, value, name), 0);
  if (isJsonObject(value)) {
    outcome.merge(checkObject(schema, value, name));
    outcome.passed += 1;
  }
  outcome.passed += 1;
  return outcome;
}

function checkType({ type = '', format = '', nullable }: Schema, value: unknown, name: string): readonly ValueError[] {
  if (value === null) return type === '' || nullable === true ? [] : [wrongValueType(name, type, 'null')];
  const actual = typeOf(value);
  const fits =
    type === actual ||
    (type === 'integer' && Number.isInteger(value)) ||
    (type === 'number' && typeof value === 'number');
  const formatted = typeof value === 'string' || Array.isArray(value);
  // A format stands in for the type of texts and lists, and is what others lack.
  if (format !== '' && formatted && type !== 'number' && type !== 'integer') return [];
  if (fits) return [];
  if (format !== '' && !formatted) {
    const found = actual === 'integer' ? 'int64' : actual === 'number' ? 'float64' : '';
    return found === format ? [wrongValueType(name, type, actual)] : [wrongValueType(name, format, found)];
  }
  return [wrongValueType(name, type, actual)];
}

function typeOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Numbers are compared as the listed one's type, which cuts fractions off. */
function checkEnum({ enum: listed = [] }: Schema, value: unknown, name: string): readonly ValueError[] {
  if (listed.length === 0) return [];
  const same = (item: unknown): boolean =>
    item !== null &&
    (typeof item === 'number' && typeof value === 'number' && Number.isInteger(item)
      ? Math.trunc(value) === item
      : deepEqual(item, value));
  return listed.some(same) ? [] : [notListed(name, value, listed)];
}

/** Only the first thing wrong with a text is told. */
function checkString(
  { maxLength, minLength, pattern = '' }: Schema,
  value: string,
  name: string,
): readonly ValueError[] {
  const length = maxLength === undefined && minLength === undefined ? 0 : Array.from(value).length;
  if (maxLength !== undefined && length > maxLength) return [tooLongValue(name, maxLength)];
  if (minLength !== undefined && length < minLength) {
    return [invalidValue(name, value, `should be at least ${minLength} chars long`)];
  }
  if (pattern === '') return [];
  const parsed = parseGoRegexp(pattern);
  if ('error' in parsed)
    return [invalidValue(name, value, `should match '${pattern}, but pattern is invalid: ${parsed.error}'`)];
  return matcher(parsed.expression)(value) ? [] : [invalidValue(name, value, `should match '${pattern}'`)];
}

function checkList(
  { items, minItems, maxItems, uniqueItems }: Schema,
  value: readonly unknown[],
  name: string,
): Outcome {
  const outcome = new Outcome();
  if (items !== undefined && !Array.isArray(items)) {
    value.forEach((item, index) => outcome.merge(check(items as Schema, item, `${name}[${index}]`)));
  }
  if (minItems !== undefined && value.length < minItems)
    outcome.add([invalidValue(name, value.length, `should have at least ${minItems} items`)]);
  if (maxItems !== undefined && value.length > maxItems) outcome.add([tooManyValues(name, value.length, maxItems)]);
  if (uniqueItems === true && hasRepeats(value)) outcome.add([invalidValue(name, '', "shouldn't contain duplicates")]);
  return outcome;
}

function hasRepeats(items: readonly unknown[]): boolean {
  return items.some((item, index) => items.slice(0, index).some((other) => deepEqual(item, other)));
}

function checkObject(schema: Schema, value: Readonly<Record<string, unknown>>, name: string): Outcome {
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
    for (const key of others) outcome.merge(check(additionalProperties, value[key], `${name}.${key}`));
  }
  for (const [key, property] of Object.entries(properties)) {
    if (Object.hasOwn(value, key)) outcome.merge(check(property, value[key], name === '' ? key : `${name}.${key}`));
  }
  outcome.add(required.filter((key) => !Object.hasOwn(value, key)).map((key) => missingValue(`${name}.${key}`)));
  return outcome;
}

function checkAlternatives({ anyOf = [], oneOf = [], allOf = [], not }: Schema, value: unknown, name: string): Outcome {
  const outcome = new Outcome();
  if (anyOf.length > 0) {
    const { outcomes, valid } = checkEach(anyOf, value, name);
    if (valid.length === 0) outcome.add([generalError(`${quote(name)} must validate at least one schema (anyOf)`)]);
    outcome.merge(valid[0] ?? best(outcomes));
  }
  if (oneOf.length > 0) {
    const { outcomes, valid } = checkEach(oneOf, value, name);
    if (valid.length !== 1) {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      outcome.add([generalError(`${quote(name)} must validate one and only one schema (oneOf). ${found}`)]);
    }
    if (valid.length <= 1) outcome.merge(valid[0] ?? best(outcomes));
  }
  if (allOf.length > 0) {
    const { outcomes, valid } = checkEach(allOf, value, name);
    for (const each of outcomes) outcome.merge(each);
    if (valid.length < allOf.length) {
      outcome.add([
        generalError(
          `${quote(name)} must validate all the schemas (allOf)${valid.length === 0 ? '. None validated' : ''}`,
        ),
      ]);
    }
  }
  if (not !== undefined && check(not, value, name).errors.length === 0) {
    outcome.add([generalError(`${quote(name)} must not validate the schema (not)`)]);
  }
  outcome.passed += 1;
  return outcome;
}

function checkEach(
  schemas: readonly Schema[],
  value: unknown,
  name: string,
): { outcomes: readonly Outcome[]; valid: readonly Outcome[] } {
  const outcomes = schemas.map((schema) => check(schema, value, name));
  return { outcomes, valid: outcomes.filter(({ errors }) => errors.length === 0) };
}

/** The first of those with most checks passed. */
function best(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((a, b) => (b.passed > a.passed ? b : a));
}
