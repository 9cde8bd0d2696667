// Objects written with all their fields, some of which may be undefined: the types of the API know only absence.
import { setOwn } from '../../objects/json.js';

/** T without the keys that hold undefined. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the keys that hold undefined; the others keep their order. */
export function withoutUndefined<T extends object>(fields: T): Present<T>;
export function withoutUndefined(fields: Readonly<Record<string, unknown>>): object {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value !== undefined) setOwn(kept, key, value);
  }
  return kept;
}
