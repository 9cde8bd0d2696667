// Decoding of JSON text: `JSON.parse`, then the walker. `JSON.parse` keeps the last of several equal keys without a
// word and words its errors its own way; the slower scanner is asked only when the number of members shows that a key
// was lost, or when parsing failed.
import type { ScanVisitor } from './json-scanner.js';
import { countMembers, membersAtMost, scanJson } from './json-scanner.js';
import type { Decoded } from './decode.js';
import { decodeValue, depthMax, problemsMax } from './decode.js';
import type { RouteStep } from './decode-error.js';
import { DecodeError, printSteps } from './decode-error.js';
import type { Shape, StructType } from './type.js';

/** Decodes JSON text; besides unknown fields, duplicate ones are among the problems. */
export function decodeJson(type: StructType, text: string): Decoded {
  return decodeJsonDocument(type, text, parseJson(text));
}

/**
 * The same where the text was parsed already, to see what type it claims to be of. The document is the decoder's to
 * change.
 */
export function decodeJsonDocument(type: StructType, text: string, document: unknown): Decoded {
  const decoded = decodeValue(type, document, { owned: true });
  if (decoded.members === membersAtMost(text) || decoded.members === countMembers(text)) return decoded;
  return { ...decoded, problems: strictProblems(type, text) };
}

/** `JSON.parse` with Go's words for what is wrong. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(wellFormed(text));
  } catch (cause) {
    throw new DecodeError(scanJson(text, undefined, depthMax) ?? 'invalid JSON', { cause });
  }
}

/** JSON whose strings are Unicode: half of a surrogate pair becomes U+FFFD, as in Go. Few texts escape any. */
export function wellFormed(text: string): string {
  return surrogate.test(text)
    ? text.replace(escapes, (escape) => (escape.length === 6 && surrogate.test(escape) ? '\\ufffd' : escape))
    : text;
}

const surrogate = /\\u[dD][89a-fA-F]/;
/** A pair, a lone character, or any other escape: a backslash that is escaped itself begins nothing. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|[^])/g;

/** Unknown and duplicate fields of a document in the order in which they stand there. */
function strictProblems(type: StructType, text: string): readonly string[] {
  const problems = new Set<string>();
  const report = (problem: string, path: readonly RouteStep[], key: string): void => {
    if (problems.size < problemsMax) problems.add(`${problem} field "${printSteps(path, key)}"`);
  };
  const visit = (shape: Shape, path: readonly RouteStep[]): ScanVisitor | undefined => {
    const seen = new Set<string>();
    const repeated = (key: string): void => {
      if (seen.has(key)) report('duplicate', path, key);
      seen.add(key);
    };
    switch (shape.kind) {
      case 'struct':
        return {
          key(name) {
            const known = shape.fields.get(name);
            if (known === undefined) report('unknown', path, name);
            else repeated(name);
            return known && visit(known.shape, [...path, known]);
          },
          element: () => undefined,
        };
      case 'map':
        return {
          key(name) {
            repeated(name);
            return visit(shape.values, [...path, name]);
          },
          element: () => undefined,
        };
      case 'list':
        return { key: () => undefined, element: (index) => visit(shape.items, [...path, index]) };
      default:
        return undefined;
    }
  };
  scanJson(text, visit(type, []), depthMax);
  return [...problems];
}
