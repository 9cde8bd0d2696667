// How large a selector may be. Kubernetes is bounded only by its limit on request headers; here a selector may also
// come from an in-process caller, and its terms are run against every object of a list. For the selector files only.
import { ParseError } from './parse-error.js';

/** Longest selector text taken, in characters. */
export const selectorLengthMax = 65_536;

/** Most terms of one selector: far beyond any in use, and a bound on the cost of a match. */
export const selectorTermsMax = 1000;

/** Throws ParseError when the text is too long to be parsed. */
export function refuseLongSelector(text: string): void {
  if (text.length > selectorLengthMax) {
    throw new ParseError(`selector too long: may not be more than ${selectorLengthMax} characters`);
  }
}

/** Throws ParseError when there are too many terms to be matched. */
export function refuseManyTerms(count: number): void {
  if (count > selectorTermsMax) {
    throw new ParseError(`selector too long: may not have more than ${selectorTermsMax} terms`);
  }
}
