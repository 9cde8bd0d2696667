// Columns grow with the cluster. They grow by more than was asked for, so that nodes that come one by one do not have
// them copied each time.

/** The column itself if it is long enough, else a longer copy; what is new holds `filler`. */
export function grown(column: Int32Array, length: number, filler = 0): Int32Array {
  if (column.length >= length) return column;
  const longer = new Int32Array(Math.max(length, column.length * 2)).fill(filler, column.length);
  longer.set(column);
  return longer;
}

/** The same for columns of numbers that need not be small. */
export function grownFloats(column: Float64Array, length: number, filler = 0): Float64Array {
  if (column.length >= length) return column;
  const longer = new Float64Array(Math.max(length, column.length * 2)).fill(filler, column.length);
  longer.set(column);
  return longer;
}
