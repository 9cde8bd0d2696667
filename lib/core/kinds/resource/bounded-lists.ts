// Lists and maps of bounded size, as dynamic resource allocation has many: too many items are one error and are not
// looked at further. As pkg/apis/resource/validation/validation.go, validateSlice, validateSet and validateMap.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldTooMany } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length } from '../../objects/names.js';

type FieldErrors = readonly FieldError[];

/** A list of at most so many items, each of which is checked. */
export interface BoundedList<T> {
  readonly itemsMax: number;
  readonly check: (item: T, path: FieldPath) => FieldErrors;
}

/** A list whose items must differ. */
export interface BoundedSet<T> extends BoundedList<T> {
  /** What must differ, as an error prints it. Compared by its JSON form. */
  readonly key: (item: T) => unknown;
}

/** The errors of a list. */
export function validateList<T>(
  items: readonly T[] | undefined,
  path: FieldPath,
  { itemsMax, check }: BoundedList<T>,
): FieldErrors {
  if (items === undefined) return [];
  if (items.length > itemsMax) return [fieldTooMany(path, items.length, itemsMax)];
  return collect(items, (item, index) => check(item, path.index(index)));
}

/** The errors of a set: those of its items, then those of their being there twice. */
export function validateSet<T>(items: readonly T[] | undefined, path: FieldPath, options: BoundedSet<T>): FieldErrors {
  const errors = validateList(items, path, options);
  if (items === undefined || items.length > options.itemsMax) return errors;
  const seen = new Set<string>();
  const repeated = collect(items, (item, index) => {
    const key = options.key(item);
    const text = JSON.stringify(key);
    const known = seen.has(text);
    seen.add(text);
    return known ? [fieldDuplicate(path.index(index), key)] : [];
  });
  return [...errors, ...repeated];
}

/** How a map is checked. */
export interface BoundedMap<T> extends BoundedList<T> {
  /** Errors of the key, which stand at the map itself. */
  readonly checkKey: (key: string, path: FieldPath) => FieldErrors;
  /** Longer keys are shortened in paths. */
  readonly keyBytesMax: number;
}

/** The errors of a map. */
export function validateMap<T>(
  map: Readonly<Record<string, T>> | undefined,
  path: FieldPath,
  options: BoundedMap<T>,
): FieldErrors {
  if (map === undefined) return [];
  const entries = Object.entries(map);
  if (entries.length > options.itemsMax) return [fieldTooMany(path, entries.length, options.itemsMax)];
  return collect(entries, ([key, item]) => [
    ...options.checkKey(key, path),
    ...options.check(item, path.key(shortened(key, options.keyBytesMax))),
  ]);
}

function shortened(key: string, bytesMax: number): string {
  if (utf8Length(key) <= bytesMax) return key;
  const kept = bytesMax - 3;
  return `${key.slice(0, Math.ceil(kept / 2))}...${key.slice(key.length - Math.floor(kept / 2))}`;
}
