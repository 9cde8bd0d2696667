// Typed arrays indexed by slot or group. `intAt` and `floatAt` read an element that exists; they are two functions
// because V8 is fastest when a function sees one type of array.

/** Returns an element of an integer column. */
export function intAt(column: Int32Array, index: number): number {
  return column[index] ?? 0;
}

/** Returns an element of a floating-point column. */
export function floatAt(column: Float64Array, index: number): number {
  return column[index] ?? 0;
}

/**
 * Returns the column if it is long enough, else a longer copy filled with `filler`. The length at least doubles, so
 * that adding nodes one by one does not copy the column each time.
 */
export function ensureLength(column: Int32Array, length: number, filler = 0): Int32Array {
  if (column.length >= length) return column;
  const longer = new Int32Array(Math.max(length, column.length * 2)).fill(filler, column.length);
  longer.set(column);
  return longer;
}

/** The same for floating-point columns. */
export function ensureFloatLength(column: Float64Array, length: number, filler = 0): Float64Array {
  if (column.length >= length) return column;
  const longer = new Float64Array(Math.max(length, column.length * 2)).fill(filler, column.length);
  longer.set(column);
  return longer;
}
