// Names of time zones, checked against those the JavaScript engine knows. Engines take names in any case and know a few
// that the IANA database does not; Kubernetes reads the database's files, so here names are exact.
// As pkg/apis/batch/validation/validation.go, validateTimeZone, and Go's time.LoadLocation.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { ParseError, isParseError } from '../../objects/parse-error.js';
import { printedWord } from '../printed-values.js';

/** Validates the zone of a schedule. The machine's own zone is none: it depends on the machine. */
export function validateTimeZone(name: string, path: FieldPath): readonly FieldError[] {
  const refuse = (sentence: string): FieldError => fieldInvalid(path, printedWord(name), sentence);
  if (name === '') return [refuse('timeZone must be nil or non-empty string')];
  if (!name.split('/').every(isPart)) return [refuse(`unknown time zone ${name}`)];
  const errors: FieldError[] = [];
  if (name.toLowerCase() === 'local')
    errors.push(refuse('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'));
  try {
    checkTimeZone(name);
  } catch (error) {
    if (!isParseError(error)) throw error;
    errors.push(refuse(error.message));
  }
  return errors;
}

/** Throws ParseError, in Go's words, unless the zone is known; no name is UTC. */
export function checkTimeZone(name: string): void {
  if (name === '' || name === 'UTC' || name === 'Local') return;
  if (name.includes('..') || name.startsWith('/') || name.startsWith('\\'))
    throw new ParseError('time: invalid location name');
  if (!isKnown(name)) throw new ParseError(`unknown time zone ${name}`);
}

/** One part of a path in the database: letters, digits and a few signs, neither `.` nor `..`, no leading hyphen. */
function isPart(part: string): boolean {
  return part !== '.' && part !== '..' && /^[A-Za-z._0-9+][A-Za-z._0-9+-]{0,13}$/.test(part);
}

function isKnown(name: string): boolean {
  // Engines also take offsets such as +01:00, and names in any case. The database's begin with a capital letter in each
  // part, and only abbreviations are all capitals.
  const isWritten = name.split('/').every((part) => /^[A-Z]/.test(part)) && !/[A-Z]{5}|^ETC\//.test(name);
  if (name.length > 64 || !isWritten || enginesOwn.test(name)) return false;
  try {
    const resolved = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    // A name that stands for itself shows its case; one that stands for another does not.
    return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** Abbreviations and names of the past that engines know from elsewhere. */
const enginesOwn =
  /^(A[CEGRS]T|B[ES]T|C[ANST]T|CTT|E[AC]T|I[ES]T|JST|MIT|N[ES]T|P[LNRS]T|SST|VST|SystemV\/.*|US\/Pacific-New|Canada\/East-Saskatchewan)$/;
