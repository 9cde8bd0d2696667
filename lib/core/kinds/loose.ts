// What validation reads: types of the API say what a valid object looks like, but the object in hand is a user's.
// Fields that the API requires may be absent, and a field of a few words may hold any other.
import type { JsonValue } from '../objects/json.js';

/** T read-only all the way down, every field optional, every closed set of words opened to any string. */
export type Loose<T> = [JsonValue] extends [T] // unknown shapes stay as they are
  ? T
  : T extends string
    ? string
    : T extends readonly (infer Item)[]
      ? readonly Loose<Item>[]
      : T extends object
        ? string extends keyof T
          ? { readonly [K in keyof T]: Loose<T[K]> }
          : { readonly [K in keyof T]?: Loose<T[K]> }
        : T;
