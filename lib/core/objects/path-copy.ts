// Changes to immutable JSON values: copies the containers along a path and shares everything beside it. The argument is
// never touched, and an update that changes nothing returns the argument itself, so `===` shows whether anything
// changed. A path names map entries by string and list elements by number. Only own properties are read, and any name
// may be written: a ConfigMap may have a key `__proto__`. There is no "present but undefined": setting undefined
// deletes. Results are not frozen at the copied nodes; `deepFreeze` finishes them at the cost of the path.
import { isJsonObject } from './json.js';

/** Map keys and list indexes from the root down. */
export type ObjectPath = readonly (string | number)[];

/**
 * The type of the value at a literal path in T; `unknown` for a path or a value of unknown shape, `never` for a wrong
 * name.
 */
export type ValueAt<T, P extends ObjectPath> = number extends P['length']
  ? unknown
  : P extends readonly [infer K, ...infer Rest extends ObjectPath]
    ? unknown extends T
      ? unknown
      : K extends keyof NonNullable<T>
        ? ValueAt<NonNullable<T>[K], Rest>
        : never
    : T;

/** The value at a path, or undefined where the path leads nowhere. */
export function getIn<T, const P extends ObjectPath>(object: T, path: P): ValueAt<T, P> | undefined;
export function getIn(object: unknown, path: ObjectPath): unknown {
  let value = object;
  for (const segment of path) {
    value = child(value, segment);
    if (value === undefined) return undefined;
  }
  return value;
}

/**
 * The object with `value` at `path`. Absent or null containers on the way are made: a list where the next segment is a
 * number, else a map. A list may be extended only at its end. Throws TypeError where the path contradicts the object.
 */
export function setIn<T, const P extends ObjectPath>(object: T, path: P, value: ValueAt<T, P> | undefined): T;
export function setIn(object: unknown, path: ObjectPath, value: unknown): unknown {
  if (value === undefined) return deleteIn(object, path);
  if (getIn(object, path) === value) return object;
  const spine = containersAlong(object, path);
  let next: unknown = value;
  for (let depth = path.length - 1; depth >= 0; depth--) next = withChild(spine[depth], path, depth, next);
  return next;
}

/**
 * The object without what is at `path`: a map loses the entry, a list closes the gap. Emptied containers stay. The
 * empty path cannot be deleted.
 */
export function deleteIn<T>(object: T, path: ObjectPath): T;
export function deleteIn(object: unknown, path: ObjectPath): unknown {
  if (path.length === 0) throw new TypeError('cannot delete the root of an object');
  if (getIn(object, path) === undefined) return object;
  const spine = containersAlong(object, path);
  const last = path.length - 1;
  let next = withoutChild(spine[last], path[last] ?? '');
  for (let depth = last - 1; depth >= 0; depth--) next = withChild(spine[depth], path, depth, next);
  return next;
}

/** The object with the value at `path` replaced by what `update` makes of it. */
export function updateIn<T, const P extends ObjectPath>(
  object: T,
  path: P,
  update: (value: ValueAt<T, P> | undefined) => ValueAt<T, P> | undefined,
): T {
  return setIn(object, path, update(getIn(object, path)));
}

/** The containers that the segments of the path select from, undefined from the first absent one on. */
function containersAlong(object: unknown, path: ObjectPath): unknown[] {
  const spine: unknown[] = [];
  let container = object;
  for (const segment of path) {
    spine.push(container);
    container = child(container, segment);
  }
  return spine;
}

function child(container: unknown, segment: string | number): unknown {
  if (Array.isArray(container)) return typeof segment === 'number' ? container[segment] : undefined;
  if (!isJsonObject(container) || typeof segment !== 'string') return undefined;
  return Object.hasOwn(container, segment) ? container[segment] : undefined;
}

function withChild(container: unknown, path: ObjectPath, depth: number, value: unknown): unknown {
  const segment = path[depth] ?? '';
  if (typeof segment === 'number') {
    const list: unknown = container ?? [];
    if (!Array.isArray(list)) throw contradiction(path, depth, 'is not a list');
    if (!Number.isInteger(segment) || segment < 0 || segment > list.length) {
      throw contradiction(path, depth, `has ${list.length} elements`);
    }
    const copy: unknown[] = list.slice();
    copy[segment] = value;
    return copy;
  }
  const map: unknown = container ?? {};
  if (!isJsonObject(map)) throw contradiction(path, depth, 'is not a map');
  // A computed key defines an own property whatever its name; an assignment to `__proto__` would not.
  return { ...map, [segment]: value };
}

function withoutChild(container: unknown, segment: string | number): unknown {
  if (Array.isArray(container)) return container.filter((_, index) => index !== segment);
  if (!isJsonObject(container)) return container;
  const { [segment]: _removed, ...rest } = container;
  return rest;
}

function contradiction(path: ObjectPath, depth: number, what: string): TypeError {
  return new TypeError(`cannot set ${JSON.stringify(path)}: ${JSON.stringify(path.slice(0, depth))} ${what}`);
}
