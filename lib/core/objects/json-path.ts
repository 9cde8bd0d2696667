// Paths into JSON, as printer columns and selectable fields write them: `.spec.color`, `.status.conditions[0].type`,
// `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels['a.b']`, `.spec.items[*].name`, `..name`. A path
// is parsed once into steps; each step maps the values found so far to the next ones. As client-go/util/jsonpath,
// without templates (range, literals outside of filters).
import type { JsonValue } from './json.js';
import { isJsonObject } from './json.js';

/** A parsed path. */
export type JsonPath = (value: unknown) => readonly JsonValue[];

/**
 * Parses a path. The returned function finds its values in document order; none where a list is needed and something
 * else is there, or an index is out of bounds. Throws Error for a text that is not a path.
 */
export function jsonPath(text: string): JsonPath {
  const steps = parseSteps(text);
  return (value) => {
    const found = follow(steps, [value as JsonValue]);
    return found ?? [];
  };
}

/** Maps values to values; undefined where the path cannot be followed. */
type PathStep = (values: readonly JsonValue[]) => readonly JsonValue[] | undefined;

function follow(steps: readonly PathStep[], values: readonly JsonValue[]): readonly JsonValue[] | undefined {
  let found: readonly JsonValue[] | undefined = values;
  for (const step of steps) {
    if (found === undefined) return undefined;
    found = step(found);
  }
  return found;
}

const fieldText = String.raw`(?:\\.|[^\\\s.,[\]$@{}])+`;
const tokens = new RegExp(
  [
    String.raw`\s+|[@$]`,
    String.raw`(?<descent>\.\.)(?<descended>${fieldText})?`,
    String.raw`\.(?<field>${fieldText})`,
    String.raw`\[\?\((?<filter>(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^"')\n])*)\)\]`,
    String.raw`\[(?<index>[^\]\n]*)\]`,
  ].join('|'),
  'gy',
);

function parseSteps(text: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    end = match.index + match[0].length;
    const { descent, descended, field, filter, index } = match.groups ?? {};
    if (descent !== undefined) steps.push(descend, ...(descended === undefined ? [] : [member(descended)]));
    else if (field !== undefined) steps.push(member(field));
    else if (filter !== undefined) steps.push(filterStep(filter));
    else if (index !== undefined) steps.push(bracketStep(index));
  }
  if (end !== text.length) throw new Error(`not a path to a field: ${text}`);
  return steps;
}

function member(written: string): PathStep {
  if (written === '*') return (values) => values.flatMap(childrenOf);
  const name = written.replaceAll('\\', '');
  return (values) =>
    values.flatMap((value) => (isJsonObject(value) && Object.hasOwn(value, name) ? [value[name] ?? null] : []));
}

function childrenOf(value: JsonValue): readonly JsonValue[] {
  return typeof value === 'object' && value !== null ? Object.values<JsonValue>(value) : [];
}

/** All objects and lists at and below the values. */
const descend: PathStep = (values) =>
  values.flatMap((value) => {
    const children = childrenOf(value);
    return children.length === 0 ? [] : [value, ...(descend(children) ?? [])];
  });

function bracketStep(text: string): PathStep {
  const parts = text.split(',');
  if (parts.length > 1) {
    const each = parts.map((part) => bracketStep(part.trim()));
    return (values) => {
      const found = each.map((step) => step(values));
      return found.includes(undefined) ? undefined : found.flatMap((some) => some ?? []);
    };
  }
  const key = /^'(.*)'$/s.exec(text)?.[1];
  if (key !== undefined) return member(key);
  const slice = /^(-?\d*)(?:(:)(-?\d*))?(?::(-?\d*))?$/.exec(text === '*' ? ':' : text);
  if (slice === null || text === '') throw new Error(`not an index of a list: ${text}`);
  const [, from = '', colon, to = '', step = ''] = slice;
  return sliceStep({
    from: from === '' ? 0 : Number(from),
    to: to === '' ? undefined : Number(to),
    step: step === '' ? 1 : Number(step),
    isIndex: colon === undefined,
  });
}

interface Slice {
  readonly from: number;
  readonly to: number | undefined;
  readonly step: number;
  readonly isIndex: boolean;
}

function sliceStep({ from, to, step, isIndex }: Slice): PathStep {
  return (values) => {
    const found: JsonValue[] = [];
    for (const value of values) {
      if (value === null) continue;
      if (!Array.isArray(value)) return undefined;
      const items = value as readonly JsonValue[];
      const start = from < 0 ? from + items.length : from;
      const end = isIndex ? start + 1 : to === undefined ? items.length : to < 0 ? to + items.length : to;
      if (start === end) return found;
      if (start < 0 || start >= items.length || end > items.length || start > end || step <= 0) return undefined;
      for (let at = start; at < end; at += step) found.push(items[at] ?? null);
    }
    return found;
  };
}

/** Keeps the items of lists for which the condition holds. */
function filterStep(text: string): PathStep {
  const comparison = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(text);
  const [, left = text, operator = 'exists', right = ''] = comparison ?? [];
  if (operator !== 'exists' && !Object.hasOwn(comparisons, operator)) throw new Error(`not an operator: ${operator}`);
  const [leftSide, rightSide] = [operand(left), right === '' ? undefined : operand(right)];
  const holds = (item: JsonValue): boolean | undefined => {
    const lefts = leftSide(item);
    if (operator === 'exists') return (lefts ?? []).length > 0;
    const rights = rightSide?.(item);
    if (lefts === undefined || rights === undefined || lefts.length > 1 || rights.length > 1) return undefined;
    const [one, other] = [lefts[0], rights[0]];
    if (one === undefined || other === undefined) return false;
    return typeof one === typeof other && comparisons[operator]?.(one, other) === true;
  };
  return (values) => {
    const found: JsonValue[] = [];
    for (const value of values) {
      if (!Array.isArray(value)) return undefined;
      for (const item of value as readonly JsonValue[]) {
        const isKept = holds(item);
        if (isKept === undefined) return undefined;
        if (isKept) found.push(item);
      }
    }
    return found;
  };
}

const comparisons: Readonly<Record<string, (one: JsonValue, other: JsonValue) => boolean>> = {
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '<': (one, other) => compared(one, other) < 0,
  '<=': (one, other) => compared(one, other) <= 0,
  '>': (one, other) => compared(one, other) > 0,
  '>=': (one, other) => compared(one, other) >= 0,
};

/** Below zero, zero or above for two texts or two numbers; NaN for others, which have no order. */
function compared(one: JsonValue, other: JsonValue): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one !== 'string' || typeof other !== 'string') return Number.NaN;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A side of a comparison: a literal, or a path from the item. */
function operand(text: string): (item: JsonValue) => readonly JsonValue[] | undefined {
  const written = text.trim();
  const quoted = /^(["'])(.*)\1$/s.exec(written)?.[2];
  if (quoted !== undefined) return constant(quoted.replace(/\\(.)/gs, '$1'));
  if (written === 'true' || written === 'false') return constant(written === 'true');
  if (/^[+-]?\d+(?:\.\d+)?$/.test(written)) return constant(Number(written));
  const steps = parseSteps(written);
  return (item) => follow(steps, [item]);
}

function constant(value: JsonValue): () => readonly JsonValue[] {
  const values = [value];
  return () => values;
}
