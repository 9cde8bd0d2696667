// resourceVersion as clients send it, and the revision it means. They are converted nowhere else.
import { badRequest, unclassifiedError } from '../../core/index.js';
import type { Freshness } from '../../cacher/index.js';
import type { Revision } from '../../storage/index.js';

/** How fresh a get must be: consistent where nothing is said, whatever is at hand for `0`. */
export function freshnessOf(resourceVersion: string | undefined): Freshness | undefined {
  if (resourceVersion === undefined || resourceVersion === '') return undefined;
  return { notOlderThan: revisionIn(resourceVersion, unclassifiedError) };
}

/** The revision of a list option. Throws ApiError 400. */
export function listRevision(resourceVersion: string): Revision {
  return revisionIn(resourceVersion, (problem) => badRequest(`invalid resource version: ${problem}`));
}

/** The revision a watch begins after. A real server answers 500 to what is no number. */
export function watchRevision(resourceVersion: string): Revision {
  return revisionIn(resourceVersion, unclassifiedError);
}

function revisionIn(text: string, refusal: (problem: string) => Error): Revision {
  const isNumber = /^[0-9]+$/.test(text);
  // No store ever reaches 2^53 - 1, so every larger number means the same: a revision of the future.
  if (isNumber && (text.length < 20 || BigInt(text) < 2n ** 64n))
    return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  const quoted = JSON.stringify(text);
  throw refusal(
    `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${isNumber ? 'value out of range' : 'invalid syntax'}`,
  );
}
