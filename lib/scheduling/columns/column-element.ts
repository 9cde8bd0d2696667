// Elements of columns that are there: whoever asks has the index from the columns themselves. Two functions, since an
// engine is fastest where a function sees one kind of array.

/** An element of a column of whole numbers. */
export function intAt(column: Int32Array, index: number): number {
  return column[index] ?? 0;
}

/** An element of a column of numbers. */
export function floatAt(column: Float64Array, index: number): number {
  return column[index] ?? 0;
}
