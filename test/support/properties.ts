// How far properties look. By default each draws few samples, the same in every run: what CI reports today it reports
// tomorrow. The long run (`npm run test:long`) draws many, from a seed of its own that it prints; set PROPERTY_SEED to
// that number to repeat it. Tests import fast-check from here and scale their samples with `runs`.
import process from 'node:process';
import fc from 'fast-check';

/** Whether this is the long run. */
export const isLongRun = process.env.TEST_LONG === '1';

/** The seed of everything that tests draw. */
export const seed = Number(process.env.PROPERTY_SEED ?? 36);

/**
 * The number of samples of a property that draws `count` when it is thorough: a tenth by default, but at least ten (or
 * all, if `count` is smaller); twice as many in the long run.
 */
export function runs(count: number): number {
  return isLongRun ? count * 2 : Math.max(Math.min(count, 10), Math.ceil(count / 10));
}

/**
 * How many samples of some kind a property should at least have seen, where a thorough run sees more than `count`: one
 * by default.
 */
export function seenAtLeast(count: number): number {
  return isLongRun ? count : 1;
}

fc.configureGlobal({ seed, numRuns: runs(100) });

export { fc };
