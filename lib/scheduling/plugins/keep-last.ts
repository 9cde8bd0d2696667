// A function that remembers its last answer: plugins are asked about one pod and many nodes, and then about the next
// pod.

/** The same function, which computes again only for another argument than last time. */
export function keepLast<A extends object, T>(compute: (argument: A) => T): (argument: A) => T {
  let last: { readonly argument: A; readonly value: T } | undefined;
  return (argument) => {
    if (last?.argument !== argument) last = { argument, value: compute(argument) };
    return last.value;
  };
}
