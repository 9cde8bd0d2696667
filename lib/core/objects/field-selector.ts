// Selectors of objects by a few of their fields: `metadata.name=a,status.phase!=Running`. Immutable; terms stand
// sorted as text, as Kubernetes prints them. Which fields exist is the kind's business: the server runs a parsed
// selector through `transformFieldSelector` to rename or refuse them, and matches against values the kind extracts.
// Bounded in length and terms. As apimachinery/pkg/fields/selector.go.
import { ParseError } from './parse-error.js';
import { refuseLongSelector, refuseManyTerms } from './selector-bounds.js';

/** One term of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A field selector ready to match: the AND of its terms; without terms it matches everything. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
}

/** A term's field and value under other names. */
export type FieldTerm = Pick<FieldRequirement, 'field' | 'value'>;

/** Reads `?fieldSelector=`; in values `\` escapes `,` `=` and itself. Empty text is everything. Throws ParseError. */
export function parseFieldSelector(text: string): FieldSelector {
  refuseLongSelector(text);
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const requirement = parseTerm(term);
    if (requirement === undefined) throw new ParseError(`invalid selector: '${text}'; can't understand '${term}'`);
    requirements.push(requirement);
  }
  return selectorOf(requirements);
}

/** The text form; parses to a selector of the same terms. */
export function printFieldSelector(selector: FieldSelector): string {
  return selector.requirements
    .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
    .join(',');
}

/** An arbitrary string as the value of a term. */
export function escapeFieldValue(value: string): string {
  return value.replaceAll(/[\\,=]/g, '\\$&');
}

/** Returns whether an object matches, whose fields `read` returns; an unknown field compares as the empty string. */
export function matchesFields(selector: FieldSelector, read: (field: string) => string | undefined): boolean {
  for (const { field, operator, value } of selector.requirements) {
    if (((read(field) ?? '') === value) !== (operator === '=')) return false;
  }
  return true;
}

/**
 * Returns the selector with each term as `transform` returns it: renamed, or dropped where field and value come back
 * empty. To refuse a field, throw: the first error in the order of terms is thrown.
 */
export function transformFieldSelector(
  selector: FieldSelector,
  transform: (field: string, value: string) => FieldTerm,
): FieldSelector {
  return selectorOf(
    selector.requirements.map(({ field, operator, value }) => {
      const term = transform(field, value);
      return { field: term.field, operator, value: term.value };
    }),
  );
}

/**
 * The only value `field` may have in a match, so that an index can find candidates; undefined when none is required.
 */
export function requiresExact(selector: FieldSelector, field: string): string | undefined {
  return selector.requirements.find((term) => term.field === field && term.operator === '=')?.value;
}

/**
 * A term without field and value is no restriction: Kubernetes drops it while transforming, even when it parses `=`.
 */
function selectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  refuseManyTerms(requirements.length);
  const kept = requirements.filter(({ field, value }) => field !== '' || value !== '');
  return Object.freeze({ requirements: Object.freeze(kept.map((requirement) => Object.freeze(requirement))) });
}

/** Splits at commas that no backslash precedes; escapes stay as they are. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    else if (char === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/** Splits at the first operator; a field has no escapes. */
function parseTerm(term: string): FieldRequirement | undefined {
  const equals = term.indexOf('=');
  if (equals < 0) return undefined;
  if (term[equals - 1] === '!') {
    return { field: term.slice(0, equals - 1), operator: '!=', value: unescapeValue(term.slice(equals + 1)) };
  }
  const valueStart = equals + (term[equals + 1] === '=' ? 2 : 1);
  return { field: term.slice(0, equals), operator: '=', value: unescapeValue(term.slice(valueStart)) };
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  let escaped = false;
  for (const char of text) {
    const special = char === '\\' || char === ',' || char === '=';
    if (escaped && !special) throw new ParseError(`invalid field selector: invalid escape sequence: \\${char}`);
    if (!escaped && special && char !== '\\') {
      // Kubernetes prints the character's number: 61 for '=', 44 for ','.
      throw new ParseError(`invalid field selector: unescaped character in value: ${char.codePointAt(0) ?? 0}`);
    }
    escaped = !escaped && char === '\\';
    if (!escaped) value += char;
  }
  if (escaped) throw new ParseError('invalid field selector: invalid escape sequence: \\');
  return value;
}
