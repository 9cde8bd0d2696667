// Bounded collection of findings: field errors and warnings about the items of a list. Validation of a list stops soon
// after `findingsMax` findings or `findingsTextMax` characters, so that an object with a million wrong items costs as
// much as one with a thousand, and nothing is formatted that is not sent. Below these limits the findings are complete
// and in order. Kubernetes has no such limits.

/** A response lists at most this many field errors; the collection of a list ends with the item that exceeds it. */
export const findingsMax = 1000;

/**
 * The same for their text, in characters. Some errors print the whole list for each wrong item; a single error may
 * exceed the limit.
 */
export const findingsTextMax: number = 4 * 1024 * 1024;

/** A field error or a warning. */
type Finding = string | { readonly message: string };

/** Returns the findings about all items in order, as `flatMap` does; ends after the item that exceeds a limit. */
export function collect<T, R extends Finding>(items: Iterable<T>, find: (item: T, index: number) => readonly R[]): R[] {
  const findings: R[] = [];
  let index = 0;
  let text = 0;
  for (const item of items) {
    const found = find(item, index++);
    if (found.length === 0) continue;
    findings.push(...found);
    for (const finding of found) text += textLength(finding);
    if (findings.length > findingsMax || text > findingsTextMax) break;
  }
  return findings;
}

/** Visits items in order until `findings`, to which `visit` adds, has more than `findingsMax` elements. */
export function visitUntilFull<T>(
  items: Iterable<T>,
  findings: readonly unknown[],
  visit: (item: T, index: number) => void,
): void {
  let index = 0;
  for (const item of items) {
    if (findings.length > findingsMax) return;
    visit(item, index++);
  }
}

/** Returns how many of the findings a response lists: the first within both limits, and at least one. */
export function listedFindings(findings: readonly Finding[]): number {
  let text = 0;
  for (const [index, finding] of findings.entries()) {
    text += textLength(finding);
    if (index >= findingsMax || (index > 0 && text > findingsTextMax)) return index;
  }
  return findings.length;
}

function textLength(finding: Finding): number {
  return typeof finding === 'string' ? finding.length : finding.message.length;
}
