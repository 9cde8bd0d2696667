/**
 * The order in which go-yaml prints keys (as its sorter.go, keyList.Less): letters after everything else, numbers
 * inside of words by their value, so that `item2` stands before `item10`.
 */

/** Compares two keys for sorting. */
export function naturalOrder(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === shorter) return a.length - b.length;
  // Two characters beyond 16 bits may differ in their second half only.
  if (isLowSurrogate(a.charCodeAt(at)) && isLowSurrogate(b.charCodeAt(at))) at--;
  const x = a.codePointAt(at) ?? 0;
  const y = b.codePointAt(at) ?? 0;
  const [xIsLetter, yIsLetter] = [isLetter(x), isLetter(y)];
  if (xIsLetter !== yIsLetter) return xIsLetter ? 1 : -1;
  return (xIsLetter ? 0 : compareNumbers(a, b, at)) || x - y;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function isLetter(codePoint: number): boolean {
  if (codePoint < 0x80) return (codePoint | 0x20) >= 0x61 && (codePoint | 0x20) <= 0x7a;
  return /^\p{L}$/u.test(String.fromCodePoint(codePoint));
}

/** By the numbers that begin where the keys first differ; a zero there may be inside of a number that began before. */
function compareNumbers(a: string, b: string, at: number): number {
  const x = numberAt(a, at);
  const y = numberAt(b, at);
  const lead =
    (x.startsWith('0') || y.startsWith('0')) && /[1-9]\d*$/.test(a.slice(Math.max(at - 20, 0), at)) ? '1' : '';
  return Number(lead + x) - Number(lead + y) || x.length - y.length;
}

function numberAt(text: string, at: number): string {
  return /^\d*/.exec(text.slice(at, at + 20))?.[0] ?? '';
}
