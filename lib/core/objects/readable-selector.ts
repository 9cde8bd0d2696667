// Selectors of objects that validation has let through. One that cannot be read all the same matches nothing, so that
// no object of a user can stop those who work for all.
import type { LabelSelector } from '../types/meta-v1.generated.js';
import { nothing } from './label-selector.js';
import type { Selector } from './label-selector.js';
import type { Frozen } from './meta.js';
import { isParseError } from './parse-error.js';
import { selectorFromStructured } from './structured-selector.js';

/** The selector of an object; `nothing` where it is absent or wrong. */
export function readableSelector(selector: Frozen<LabelSelector> | undefined): Selector {
  return readable(() => selectorFromStructured(selector));
}

/** What is made, unless it cannot be read: then `nothing`. */
export function readable(make: () => Selector): Selector {
  try {
    return make();
  } catch (error) {
    if (!isParseError(error)) throw error;
    return nothing;
  }
}
