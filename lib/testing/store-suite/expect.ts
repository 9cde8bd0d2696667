/**
 * The few assertions the suite needs, so that it depends on no test runner. Each takes the claim that must hold, as a
 * sentence, and throws with that sentence and what was seen instead.
 */
import { deepEqual, pause, systemClock } from '../../core/index.js';
import { isStoreError, type StoreError, type StoreErrorCode } from '../../storage/index.js';
import type { StoreHarness } from './harness.js';

/** Fails unless the condition holds. */
export function expectThat(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new Error(claim);
}

/** Fails unless both say the same. A property that holds undefined counts as no property. */
export function expectSame(actual: unknown, expected: unknown, claim: string): void {
  if (sameAnswer(actual, expected)) return;
  throw new Error(`${claim}\n  expected ${brief(expected)}\n  but saw  ${brief(actual)}`);
}

/**
 * Returns whether two answers of a store say the same: an entry without a lease may well have a lease that is
 * undefined.
 */
export function sameAnswer(actual: unknown, expected: unknown): boolean {
  return deepEqual(actual, expected) || deepEqual(withoutUndefined(actual), withoutUndefined(expected));
}

/** Fails unless the call is refused by that name; answers the refusal. */
export async function expectRefusal(call: Promise<unknown>, code: StoreErrorCode, claim: string): Promise<StoreError> {
  const error = await errorOf(call);
  if (isStoreError(error, code)) return error;
  const seen = isStoreError(error) ? `was refused as ${error.code}` : `failed with ${describeError(error)}`;
  throw new Error(`${claim}: expected a refusal as ${code}, but it ${error === undefined ? 'was accepted' : seen}`, {
    cause: error,
  });
}

/** Returns whether an error is a refusal by one of these names. */
export function isStoreRefusal(error: unknown, ...codes: readonly StoreErrorCode[]): error is StoreError {
  return isStoreError(error) && codes.includes(error.code);
}

/** Why a call failed; undefined when it did not. */
export async function errorOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return error ?? new Error('failed without an error');
  }
}

/**
 * Waits until the condition holds. Most stores are there within some microtasks, so those are tried before real time.
 */
export async function expectSoon(
  harness: StoreHarness,
  condition: () => boolean | Promise<boolean>,
  claim: () => string,
): Promise<void> {
  const clock = systemClock();
  const patienceMs = harness.patienceMs ?? 5000;
  const start = clock.now();
  for (let round = 0; !(await condition()); round++) {
    if (round > 50) await pause(clock, 1);
    if (clock.now() - start > patienceMs) throw new Error(`${claim()} (waited ${patienceMs} ms)`);
  }
}

/** An error in words, whatever was thrown. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return brief(error);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

/** Returns a value as text, truncated. */
export function brief(value: unknown, lengthMax = 600): string {
  const text = value === undefined ? 'undefined' : JSON.stringify(value);
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}… (${text.length} characters)` : text;
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines rather than assigns, so that a `__proto__` of a value stays a key like any other.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => (child === undefined ? [] : [[key, withoutUndefined(child)]])),
  );
}
