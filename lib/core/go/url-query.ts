// The query of a URL, parsed as Go's net/url, ParseQuery: pairs that are malformed (a broken escape, a semicolon) are
// dropped without an error. At most 10,000 pairs are read. Values are kept in a Map, so that no name has a special
// meaning.

/** The values of a query by name, in the order they were sent. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** Parses the text after the question mark. */
export function parseQuery(text: string): Query {
  if (text === '') return noValues;
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

/** Returns the first value of that name. */
export function firstValue(query: Query, name: string): string | undefined {
  return query.get(name)?.[0];
}

/**
 * Resolves percent escapes; returns undefined if one is broken. Bytes that are not UTF-8 become U+FFFD, as in Go when
 * it prints them as JSON.
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

const noValues: Query = new Map();
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
