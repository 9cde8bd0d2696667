// Checks that an applied configuration has the type of its kind, in the words of Kubernetes. Nearly all configurations
// do, so a first walk only decides; paths and messages are made by a second one. As
// structured-merge-diff/v6/typed/validate.go.
import { formatGo, goType } from '../go/json-value.js';
import type { JsonValue } from '../objects/json.js';
import { isJsonObject } from '../objects/json.js';
import type { ApplyList, ApplyMap, ApplyScalar, ApplyType } from './apply-type.js';
import { shapeOf } from './apply-type.js';
import { ItemKeyError, itemElement } from './list-items.js';
import { fieldElement, printElement } from './path-element.js';

/** An object that does not have the type of its kind. The message lists every problem. */
export class FieldTypeError extends Error {
  override readonly name = 'FieldTypeError';

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems[0] : ['errors:', ...problems.map((each) => `  ${each}`)].join('\n'));
  }
}

/** Throws FieldTypeError where a value does not have its type. */
export function checkFields(
  value: JsonValue,
  type: ApplyType,
  { allowsDuplicates = false }: { readonly allowsDuplicates?: boolean } = {},
): void {
  if (conforms(value, type, allowsDuplicates)) return;
  const problems: string[] = [];
  check(value, type, { path: '', problems, allowsDuplicates });
  if (problems.length > 0) throw new FieldTypeError(problems);
}

/** Returns whether a value has its type. Decides as `check` does. */
function conforms(value: JsonValue, type: ApplyType, allowsDuplicates: boolean): boolean {
  if (value === null) return true;
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return scalarProblem(value, type.scalar) === undefined;
  if (shape === 'list') return type.list === undefined || listConforms(value, type.list, allowsDuplicates);
  const { map } = type;
  if (map === undefined) return true;
  if (!isJsonObject(value)) return false;
  const { fields, values } = map;
  for (const name of Object.keys(value)) {
    const member = fields[name]?.type ?? values;
    if (member === undefined || !conforms(value[name] ?? null, member, allowsDuplicates)) return false;
  }
  return true;
}

function listConforms(value: JsonValue, list: ApplyList, allowsDuplicates: boolean): boolean {
  if (!Array.isArray(value)) return false;
  const { items } = list;
  const isNamed = list.relation !== 'atomic';
  const seen = isNamed ? new Set<JsonValue>() : undefined;
  for (const item of value as readonly JsonValue[]) {
    if (seen !== undefined) {
      const identity = identityOf(list, item);
      if (identity === undefined || (seen.has(identity) && !allowsDuplicates)) return false;
      seen.add(identity);
    }
    if (!conforms(item, items, allowsDuplicates)) return false;
  }
  return true;
}

/**
 * Returns a value that two items of a list have in common exactly if their path elements are equal; undefined for an
 * item without one. A text under the only key needs no element.
 */
function identityOf(list: ApplyList, item: JsonValue): string | undefined {
  const [key, second] = list.keys;
  if (key !== undefined && second === undefined && isJsonObject(item)) {
    const own = Object.hasOwn(item, key) ? item[key] : list.items.map?.fields[key]?.default;
    // Elements begin with `k:`, so that a text cannot be one.
    if (typeof own === 'string') return `=${own}`;
  }
  try {
    return itemElement(list, item);
  } catch (error) {
    if (!(error instanceof ItemKeyError)) throw error;
    return undefined;
  }
}

interface Walk {
  readonly path: string;
  readonly problems: string[];
  readonly allowsDuplicates: boolean;
}

function check(value: JsonValue, type: ApplyType, walk: Walk): void {
  if (value === null) return;
  const shape = shapeOf(type, value);
  if (shape === 'map') checkMap(value, type.map, walk);
  else if (shape === 'list') checkList(value, type.list, walk);
  else {
    const problem = scalarProblem(value, type.scalar);
    if (problem !== undefined) report(walk, problem);
  }
}

function report({ path, problems }: Walk, problem: string): void {
  problems.push(path === '' ? problem : `${path}: ${problem}`);
}

function checkMap(value: JsonValue, map: ApplyMap | undefined, walk: Walk): void {
  if (map === undefined) return;
  if (!isJsonObject(value)) {
    report(walk, `expected map, got &{${formatGo(value)}}`);
    return;
  }
  for (const name of Object.keys(value)) {
    const below = { ...walk, path: walk.path + printElement(fieldElement(name)) };
    const type = map.fields[name]?.type ?? map.values;
    if (type === undefined) {
      report(below, 'field not declared in schema');
      return; // the first unknown field hides what follows
    }
    check(value[name] ?? null, type, below);
  }
}

function checkList(value: JsonValue, list: ApplyList | undefined, walk: Walk): void {
  if (list === undefined) return;
  if (!Array.isArray(value)) {
    report(walk, `expected list, got &{${formatGo(value)}}`);
    return;
  }
  const seen = new Set<string>();
  for (const [index, item] of (value as readonly JsonValue[]).entries()) {
    let element: string | undefined = `i:${index}`;
    if (list.relation !== 'atomic') {
      element = elementOrProblem(list, item, index, walk);
      if (element === undefined) return; // what is below cannot be named
      if (seen.has(element) && !walk.allowsDuplicates)
        report(walk, `duplicate entries for key ${printElement(element)}`);
      seen.add(element);
    }
    check(item, list.items, { ...walk, path: walk.path + printElement(element) });
  }
}

function elementOrProblem(list: ApplyList, item: JsonValue, index: number, walk: Walk): string | undefined {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (!(error instanceof ItemKeyError)) throw error;
    report(walk, `element ${index}: ${error.message}`);
    return undefined;
  }
}

function scalarProblem(value: JsonValue, scalar: ApplyScalar | undefined): string | undefined {
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${formatGo(value)}}`;
    default:
      return typeof value === 'object' ? `expected any scalar, got &{${formatGo(value)}}` : undefined;
  }
}

/** Prints a value as `%#v` of Go. */
function goSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map((item: JsonValue) => goSyntax(item)).join(', ')}}`;
  if (isJsonObject(value))
    return `map[string]interface {}{${Object.keys(value)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${goSyntax(value[name] ?? null)}`)
      .join(', ')}}`;
  return typeof value === 'string' ? JSON.stringify(value) : formatGo(value);
}
