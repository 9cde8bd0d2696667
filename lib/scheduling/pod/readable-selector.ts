// Selectors of pods that validation has let through. One that cannot be read all the same matches nothing, so that no
// object of a user can stop the scheduler.
import { isParseError, nothing, selectorFromStructured } from '../../core/index.js';
import type { Frozen, Selector } from '../../core/index.js';
import type { LabelSelector } from '../../core/types/index.js';

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
