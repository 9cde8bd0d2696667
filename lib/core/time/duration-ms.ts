// Durations as people write them for a clock: `90s`, `1h30m`, `2.5d`. Go's grammar (time.ParseDuration) with days added
// and units below a millisecond left out, because a clock cannot tell them apart. For durations inside API objects,
// where Go's grammar holds to the letter, use core/objects.

/** Milliseconds, or a duration written out in d, h, m, s and ms, such as `30d` or `1h30m`. */
export type Duration = number | string;

const unitMs: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
]);

/** The whole milliseconds of a duration. Throws RangeError when it is malformed, negative or not finite. */
export function durationMs(duration: Duration): number {
  const ms = Math.ceil(typeof duration === 'number' ? duration : parse(duration));
  if (ms >= 0 && Number.isSafeInteger(ms)) return ms;
  throw new RangeError(`not a duration: ${JSON.stringify(duration)} (milliseconds, or such as 30d, 1h30m, 500ms)`);
}

// Reads part after part, so that no regular expression has to repeat a repetition. NaN when anything is left over.
function parse(text: string): number {
  const part = /(\d{1,15}(?:\.\d{1,15})?)(ms|[dhms])/y;
  let total = 0;
  do {
    const match = part.exec(text);
    if (match === null) return NaN;
    total += Number(match[1]) * (unitMs.get(match[2] ?? '') ?? NaN);
  } while (part.lastIndex < text.length);
  return total;
}
