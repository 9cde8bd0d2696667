// Types for conversions. They run before validation, so a field that the API declares as one of a few words may still
// hold any other; and what they read is frozen.

import type { JsonValue } from '../../objects/json.js';

/** T read-only all the way down, with every closed set of words opened to any string. */
export type Open<T> = [JsonValue] extends [T] // unknown shapes stay as they are
  ? T
  : T extends string
    ? string
    : T extends object
      ? { readonly [K in keyof T]: Open<T[K]> }
      : T;
