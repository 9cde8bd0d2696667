// What is known of the sizes of a value before evaluation: of itself, of its elements, and by its path below a
// variable, for which the caller may give hints.
import type { CelType } from '../cel-type.js';
import { dynType } from '../cel-type.js';
import type { EstimateRange, ValueEstimate } from '../library.js';

/** What is known of a value. What is absent is unknown. */
export interface SizeShape {
  readonly size?: EstimateRange | undefined;
  readonly key?: SizeShape | undefined;
  readonly element?: SizeShape | undefined;
  readonly path?: readonly string[] | undefined;
  readonly literal?: ValueEstimate['literal'];
}

/** Returns hints for paths. */
export type SizeHints = (path: readonly string[], type: CelType) => ValueEstimate | undefined;

/** Nothing is known. */
export const unknownShape: SizeShape = {};

/** The size of anything. */
export const anySize: EstimateRange = { min: 0, max: Infinity };

/** Adds ranges. */
export function addRanges(one: EstimateRange, other: EstimateRange): EstimateRange {
  return { min: one.min + other.min, max: one.max + other.max };
}

/** Multiplies ranges; zero times infinity is zero. */
export function multiplyRanges(one: EstimateRange, other: EstimateRange): EstimateRange {
  const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);
  return { min: times(one.min, other.min), max: times(one.max, other.max) };
}

/** Returns the range of what is in either. */
export function uniteRanges(one: EstimateRange, other: EstimateRange): EstimateRange {
  return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) };
}

/** Returns the shape of a value that has one of two shapes. `sizeOf` gives their sizes, also by hints. */
export function uniteShapes(
  one: SizeShape | undefined,
  other: SizeShape | undefined,
  sizeOf: (shape: SizeShape) => EstimateRange | undefined,
): SizeShape {
  if (one === undefined || other === undefined) return unknownShape;
  const [left, right] = [sizeOf(one), sizeOf(other)];
  return {
    size: left && right && uniteRanges(left, right),
    key: one.key && other.key && uniteShapes(one.key, other.key, sizeOf),
    element: one.element && other.element && uniteShapes(one.element, other.element, sizeOf),
  };
}

/** Returns the shape of an element of a list, or of a value of a map. */
export function elementShape({ element, path }: SizeShape, type: CelType): SizeShape {
  if (element !== undefined) return element;
  const step = type.kind === 'list' ? '@items' : type.kind === 'map' ? '@values' : undefined;
  return step === undefined ? unknownShape : { path: [...(path ?? []), step] };
}

/** Returns the shape of a key of a map. */
export function keyShape({ key, path }: SizeShape, type: CelType): SizeShape {
  if (key !== undefined) return key;
  return path === undefined || type.kind !== 'map' ? unknownShape : { path: [...path, '@keys'] };
}

/** Returns the type of the elements of a list, or of the values of a map. */
export function elementTypeOf(type: CelType): CelType {
  return type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : dynType;
}
