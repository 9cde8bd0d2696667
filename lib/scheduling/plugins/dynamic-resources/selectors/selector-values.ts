// The values of device selectors, and what can be done with them: texts, whole numbers, truth, quantities, versions,
// lists and maps. What cannot be compared is an error, as in CEL, not a silent no. As apiserver/pkg/cel, quantity.go
// and semver.go.
import { compareQuantities, parseQuantity } from '../../../../core/index.js';
import type { Quantity } from '../../../../core/index.js';
import { SelectorError } from './device-selectors.js';

/** A value. */
export type Value =
  string | bigint | boolean | Quantity | SemanticVersion | Maybe | readonly Value[] | ReadonlyMap<string, Value>;

/** A semantic version. */
export interface SemanticVersion {
  /** Major, minor and patch. */
  readonly numbers: readonly bigint[];
  /** What comes after the dash: a version with it comes before the one without. */
  readonly prerelease: readonly string[];
}

/** What may be missing: `map.?key`. */
export interface Maybe {
  readonly present: Value | undefined;
}

/** A failure while a selector is held against a device. */
export function failure(message: string): SelectorError {
  return new SelectorError('runtime', message);
}

/** What a text says, or a failure. */
export function quantityValue(text: string): Quantity {
  try {
    return parseQuantity(text);
  } catch {
    throw failure(`quantity parse error: ${text}`);
  }
}

/** The same for versions: three numbers, and perhaps more behind a dash or a plus. */
export function versionValue(text: string): SemanticVersion {
  const [withoutBuild = ''] = text.split('+', 1);
  const dash = withoutBuild.indexOf('-');
  const numbers = (dash < 0 ? withoutBuild : withoutBuild.slice(0, dash)).split('.');
  if (numbers.length !== 3 || !numbers.every((each) => /^(0|[1-9]\d{0,18})$/.test(each)))
    throw failure(`semver parse error: ${text}`);
  return { numbers: numbers.map(BigInt), prerelease: dash < 0 ? [] : withoutBuild.slice(dash + 1).split('.') };
}

/** The order of two values of one type: below, at or above 0. */
export function compareValues(one: Value, other: Value): number {
  if (isQuantity(one) && isQuantity(other)) return compareQuantities(one, other);
  if (isVersion(one) && isVersion(other)) return compareVersions(one, other);
  if ((typeof one === 'string' && typeof other === 'string') || (typeof one === 'bigint' && typeof other === 'bigint'))
    return one < other ? -1 : Number(one > other);
  throw failure('no such overload');
}

/** Whether two values are the same. Those of different plain types never are. */
export function areEqual(one: Value, other: Value): boolean {
  if (isPlain(one) && isPlain(other)) return one === other;
  if (Array.isArray(one) && Array.isArray(other))
    return (
      one.length === other.length &&
      one.every((each: Value, index) => areEqual(each, other[index] as Value /* as long */))
    );
  return compareValues(one, other) === 0;
}

/** Whether a value is in a list, or a key in a map. */
export function isIn(value: Value, within: Value): boolean {
  if (within instanceof Map) return typeof value === 'string' && within.has(value);
  if (Array.isArray(within)) return within.some((each: Value) => areEqual(value, each));
  throw failure('no such overload');
}

/** The value of a key. */
export function valueAt(container: Value, key: Value): Value {
  if (!(container instanceof Map) || typeof key !== 'string') throw failure('no such overload');
  const value = container.get(key) as Value | undefined; // maps hold values only
  if (value === undefined) throw failure(`no such key: ${key}`);
  return value;
}

/** Whether a value is an amount. */
export function isQuantity(value: Value): value is Quantity {
  return typeof value === 'object' && 'nanos' in value;
}

/** Whether a value is a version. */
export function isVersion(value: Value): value is SemanticVersion {
  return typeof value === 'object' && 'prerelease' in value;
}

/** Whether a value may be missing. */
export function isMaybe(value: Value): value is Maybe {
  return typeof value === 'object' && 'present' in value;
}

function isPlain(value: Value): boolean {
  return typeof value !== 'object';
}

function compareVersions(one: SemanticVersion, other: SemanticVersion): number {
  for (const [index, number] of one.numbers.entries()) {
    const than = other.numbers[index] ?? 0n;
    if (number !== than) return number < than ? -1 : 1;
  }
  if (one.prerelease.length === 0 || other.prerelease.length === 0)
    return other.prerelease.length - one.prerelease.length;
  for (const [index, part] of one.prerelease.entries()) {
    const than = other.prerelease[index];
    if (than === undefined) return 1;
    if (part !== than) return comparePrerelease(part, than);
  }
  return one.prerelease.length - other.prerelease.length;
}

/** Numbers by value and before texts. */
function comparePrerelease(one: string, other: string): number {
  const [number, than] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (number && than) return BigInt(one) < BigInt(other) ? -1 : 1;
  if (number !== than) return number ? -1 : 1;
  return one < other ? -1 : 1;
}
