// A value made when first asked for and kept. For values that never change: whoever asks gets the same.

/** Answers what `make` made the first time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
