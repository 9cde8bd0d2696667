// The query of a request as Go reads it: pairs that make no sense (a broken escape, a semicolon) are dropped in
// silence, never refused. As net/url, ParseQuery. Looked up by Map, so that no name means anything but itself. Bounded:
// of ten thousand pairs the rest is not looked at, and the wire refuses what is longer than any honest query.

/** The values of a query by name, in the order they were sent. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** Parses what follows the question mark. */
export function parseQuery(text: string): Query {
  if (text === '') return nothing;
  const values = new Map<string, string[]>();
  for (const pair of text.split('&', pairsMax)) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const name = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : unescapeQuery(pair.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

/** The first value of that name. */
export function firstValue(query: Query, name: string): string | undefined {
  return query.get(name)?.[0];
}

/**
 * Resolves percent escapes; undefined where one is broken. Bytes that are no UTF-8 become U+FFFD, as they do wherever
 * Go prints them as JSON.
 */
export function unescapePercent(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (brokenEscape.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return unescapeBytes(text);
  }
}

const nothing: Query = new Map();
const pairsMax = 10_000;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

function unescapeQuery(text: string): string | undefined {
  return unescapePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

function unescapeBytes(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    const bytes = Uint8Array.from({ length: escapes.length / 3 }, (_, index) =>
      Number.parseInt(escapes.slice(index * 3 + 1, index * 3 + 3), 16),
    );
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  });
}
