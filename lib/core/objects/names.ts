// The syntax rules of names, label keys and values, port names and the like. Each rule is a function from a value to
// what is wrong with it, as sentences that clients read; nothing wrong is an empty list.
// Rules and sentences as apimachinery/pkg/util/validation/validation.go and apimachinery/pkg/api/validate/content.
//
// Values come straight from requests. So every rule is one scan over the characters (no regular expression that could
// backtrack, no splitting), a megabyte costs a few milliseconds, and a valid name allocates nothing. A value that is
// too long is still scanned: Kubernetes says both that it is too long and that it is malformed.

/** A rule: what is wrong with the value, as sentences in Kubernetes' words. */
export type SyntaxRule = (value: string) => readonly string[];

/** A rule for names of objects; with `prefix` the name is a generateName, to which characters will be added. */
export type NameRule = (name: string, prefix: boolean) => readonly string[];

/** At most 63 of `a-z`, `0-9` and `-`, no hyphen at either end. Namespaces, containers, since 1.36 services. */
export function isDns1123Label(value: string): readonly string[] {
  if (isLabel(value)) return byteLimit(value, labelBytesMax, 'characters');
  const syntax = isSubdomain(value) ? 'must not contain dots' : dns1123LabelSentence;
  return [...byteLimit(value, labelBytesMax, 'characters'), syntax];
}

/** At most 253 characters: labels joined by dots. Most objects. */
export function isDns1123Subdomain(value: string): readonly string[] {
  return subdomain(value, 'characters');
}

/** A subdomain behind `*.`. Hosts of an Ingress. */
export function isWildcardDns1123Subdomain(value: string): readonly string[] {
  const tooLong = byteLimit(value, subdomainBytesMax, 'characters');
  return value.startsWith('*.') && isSubdomain(value.slice(2)) ? tooLong : [...tooLong, wildcardSentence];
}

/** A label that starts with a letter. */
export function isDns1035Label(value: string): readonly string[] {
  const tooLong = byteLimit(value, labelBytesMax, 'characters');
  const valid = isLabel(value) && isCharacter(value, 0, LOWER);
  return valid ? tooLong : [...tooLong, dns1035LabelSentence];
}

/** A label key: an optional `subdomain/` and a name of at most 63 bytes. Also finalizers, conditions, annotations. */
export function isQualifiedName(value: string): readonly string[] {
  const slash = value.indexOf('/');
  if (slash < 0) return qualifiedNamePart(value);
  if (value.includes('/', slash + 1)) return [qualifiedNameSentence];
  const prefix = value.slice(0, slash);
  const wrongPrefix = prefix === '' ? ['must be non-empty'] : subdomain(prefix, 'bytes');
  const wrongName = qualifiedNamePart(value.slice(slash + 1));
  return wrongPrefix.length === 0 ? wrongName : [...wrongPrefix.map((wrong) => `prefix part ${wrong}`), ...wrongName];
}

/** Empty, or at most 63 bytes of letters, digits, `-`, `_` and `.` with a letter or digit at both ends. */
export function isLabelValue(value: string): readonly string[] {
  const tooLong = byteLimit(value, labelBytesMax, 'bytes');
  const valid = value === '' || isEdged(value, ALPHANUMERIC, NAME);
  return valid ? tooLong : [...tooLong, labelValueSentence];
}

/** Anything that can be one segment of a URL's path. Roles, and what else may contain `:` or capitals. */
export function isPathSegment(value: string): readonly string[] {
  return value === '.' || value === '..' ? [`may not be '${value}'`] : isPathSegmentPrefix(value);
}

/** At most 15 of `a-z`, `0-9` and `-`, with a letter, and hyphens only one by one inside. */
export function isPortName(value: string): readonly string[] {
  const wrong = [...byteLimit(value, 15, 'characters')];
  if (value === '' || !consistsOf(value, LOWER | DIGIT | DASH)) {
    wrong.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!containsAny(value, LOWER)) wrong.push('must contain at least one letter (a-z)');
  if (value.includes('--')) wrong.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) wrong.push('must not begin or end with a hyphen');
  return wrong.length === 0 ? nothing : wrong;
}

/** A port of TCP, UDP or SCTP. */
export function isPortNumber(port: number): readonly string[] {
  return isInRange(port, 1, 65535);
}

/** A whole number from `min` to `max`. */
export function isInRange(value: number, min: number, max: number): readonly string[] {
  if (Number.isInteger(value) && value >= min && value <= max) return nothing;
  return [`must be between ${min} and ${max}, inclusive`];
}

/** The name of an environment variable, by the relaxed rule that 1.36 always applies. */
export function isEnvVarName(value: string): readonly string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 0x20 || code > 0x7e || code === 0x3d) return [envVarSentence];
  }
  return nothing;
}

/** A key of a ConfigMap or Secret: it becomes a file name, so it may not climb out of a directory. */
export function isConfigMapKey(value: string): readonly string[] {
  const wrong = [...byteLimit(value, subdomainBytesMax, 'characters')];
  if (value === '' || !consistsOf(value, NAME)) wrong.push(configMapKeySentence);
  if (value === '.' || value === '..') wrong.push(`must not be '${value}'`);
  else if (value.startsWith('..')) wrong.push("must not start with '..'");
  return wrong.length === 0 ? nothing : wrong;
}

/** An identifier of the C language, of any length. */
export function isCIdentifier(value: string): readonly string[] {
  const valid = isCharacter(value, 0, LETTER | UNDERSCORE) && consistsOf(value, ALPHANUMERIC | UNDERSCORE);
  return valid ? nothing : [cIdentifierSentence];
}

/** The name of an HTTP header. */
export function isHttpHeaderName(value: string): readonly string[] {
  return value !== '' && consistsOf(value, ALPHANUMERIC | DASH) ? nothing : [httpHeaderSentence];
}

/** Digits and a percent sign. */
export function isValidPercent(value: string): readonly string[] {
  const valid = value.length > 1 && value.endsWith('%') && consistsOf(value.slice(0, -1), DIGIT);
  return valid ? nothing : [percentSentence];
}

/** Names that are subdomains: the rule of most kinds. */
export const nameIsDnsSubdomain: NameRule = (name, prefix) =>
  isDns1123Subdomain(prefix ? maskTrailingDash(name) : name);

/** Names that are labels. */
export const nameIsDnsLabel: NameRule = (name, prefix) => isDns1123Label(prefix ? maskTrailingDash(name) : name);

/** Names that are labels and start with a letter. */
export const nameIsDns1035Label: NameRule = (name, prefix) => isDns1035Label(prefix ? maskTrailingDash(name) : name);

/** Names that are path segments: the rule of RBAC kinds, and the minimum for every kind. */
export const nameIsPathSegment: NameRule = (name, prefix) => (prefix ? isPathSegmentPrefix(name) : isPathSegment(name));

const nothing: readonly string[] = Object.freeze([]);

const labelBytesMax = 63;
const subdomainBytesMax = 253;

function isLabel(value: string): boolean {
  return isEdged(value, LOWER | DIGIT, LOWER | DIGIT | DASH);
}

/** Labels joined by dots: beside a dot and at both ends stands a letter or digit. */
function isSubdomain(value: string): boolean {
  let allowed = LOWER | DIGIT;
  for (let i = 0; i < value.length; i++) {
    const current = characterClass(value, i);
    if ((current & allowed) === 0) return false;
    if (current === DOT) allowed = LOWER | DIGIT;
    else allowed = current === DASH ? LOWER | DIGIT | DASH : LOWER | DIGIT | DASH | DOT;
  }
  // The value may end where a dot could follow.
  return (allowed & DOT) !== 0;
}

function subdomain(value: string, unit: string): readonly string[] {
  const tooLong = byteLimit(value, subdomainBytesMax, unit);
  return isSubdomain(value) ? tooLong : [...tooLong, dns1123SubdomainSentence];
}

function qualifiedNamePart(name: string): readonly string[] {
  const wrongLength = name === '' ? ['must be non-empty'] : byteLimit(name, labelBytesMax, 'bytes');
  const wrong = isEdged(name, ALPHANUMERIC, NAME) ? wrongLength : [...wrongLength, qualifiedNamePartSentence];
  return wrong.length === 0 ? nothing : wrong.map((sentence) => `name part ${sentence}`);
}

function isPathSegmentPrefix(value: string): readonly string[] {
  const wrong = ['/', '%'].filter((illegal) => value.includes(illegal));
  return wrong.length === 0 ? nothing : wrong.map((illegal) => `may not contain '${illegal}'`);
}

/**
 * A generateName may end in one hyphen. As apimachinery/pkg/api/validation/generic.go, maskTrailingDash, which also
 * overwrites the character before the hyphen, so that `A-` and `a.-` pass. It works on bytes: a character of several
 * bytes survives in part and stays wrong.
 */
function maskTrailingDash(name: string): string {
  const masked = name.length > 1 && name.endsWith('-') && name.charCodeAt(name.length - 2) < 0x80;
  return masked ? `${name.slice(0, -2)}a` : name;
}

function byteLimit(value: string, bytesMax: number, unit: string): readonly string[] {
  // A code unit takes one to three bytes, so most values need no counting.
  if (value.length * 3 <= bytesMax) return nothing;
  const fits = value.length <= bytesMax && utf8Length(value) <= bytesMax;
  return fits ? nothing : [`must be no more than ${bytesMax} ${unit}`];
}

function syntaxSentence(rule: string, pattern: string, ...examples: readonly string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

// Kubernetes prints the pattern it matched against; here it is text for the reader only.
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dns1123Subdomain = `${label}(\\.${label})*`;
const qualifiedName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const dns1123LabelSentence: string = syntaxSentence(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
    'an alphanumeric character',
  label,
  'my-name',
  '123-abc',
);
const dns1123SubdomainSentence: string = syntaxSentence(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
    'end with an alphanumeric character',
  dns1123Subdomain,
  'example.com',
);
const wildcardSentence: string = syntaxSentence(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of " +
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${dns1123Subdomain}`,
  '*.example.com',
);
const dns1035LabelSentence: string = syntaxSentence(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
    'and end with an alphanumeric character',
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
);
const qualifiedNamePartSentence: string = syntaxSentence(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualifiedName,
  'MyName',
  'my.name',
  '123-abc',
);
const qualifiedNameSentence: string =
  `a valid label key ${qualifiedNamePartSentence} ` +
  "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const labelValueSentence: string = syntaxSentence(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " +
    'end with an alphanumeric character',
  `(${qualifiedName})?`,
  'MyValue',
  'my_value',
  '12345',
);
const envVarSentence =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";
const configMapKeySentence: string = syntaxSentence(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  '[-._a-zA-Z0-9]+',
  'key.name',
  'KEY_NAME',
  'key-name',
);
const cIdentifierSentence: string = syntaxSentence(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters " +
    "or '_'",
  '[A-Za-z_][A-Za-z0-9_]*',
  'my_name',
  'MY_NAME',
  'MyName',
);
const httpHeaderSentence: string = syntaxSentence(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  '[-A-Za-z0-9]+',
  'X-Header-Name',
);
const percentSentence: string = syntaxSentence(
  "a valid percent string must be a numeric string followed by an ending '%'",
  '[0-9]+%',
  '1%',
  '93%',
);

// Characters are looked up once each, by an index into a table of ASCII, and a scan allocates nothing: the rules run
// several times for every object written.

/** `a` to `z`. Classes are bits: they combine with `|`. */
export const LOWER = 1;
/** `A` to `Z`. */
export const UPPER = 2;
/** `0` to `9`. */
export const DIGIT = 4;
/** `-`. */
export const DASH = 8;
/** `_`. */
export const UNDERSCORE = 16;
/** `.`. */
export const DOT = 32;
/** Letters of either case. */
export const LETTER: number = LOWER | UPPER;
/** Letters and digits. */
export const ALPHANUMERIC: number = LETTER | DIGIT;
/** What label keys, label values and configuration keys are made of. */
export const NAME: number = ALPHANUMERIC | DASH | UNDERSCORE | DOT;

/** The class of the character at `index`; 0 outside the value and outside ASCII. */
export function characterClass(value: string, index: number): number {
  const code = value.charCodeAt(index);
  // False for NaN too; and a look-up that stays inside the table is several times faster.
  return code < 128 ? (classes[code] ?? 0) : 0;
}

/** Returns whether the character at `index` is in the classes. */
export function isCharacter(value: string, index: number, mask: number): boolean {
  return (characterClass(value, index) & mask) !== 0;
}

/** Returns whether the value is not empty, consists of `inner` characters and has `edge` characters at both ends. */
export function isEdged(value: string, edge: number, inner: number): boolean {
  const last = value.length - 1;
  if (last < 0 || !isCharacter(value, 0, edge) || !isCharacter(value, last, edge)) return false;
  for (let i = 1; i < last; i++) if (!isCharacter(value, i, inner)) return false;
  return true;
}

/** Returns whether every character is in the classes; an empty value has none that is not. */
export function consistsOf(value: string, mask: number): boolean {
  for (let i = 0; i < value.length; i++) if (!isCharacter(value, i, mask)) return false;
  return true;
}

/** Returns whether some character is in the classes. */
export function containsAny(value: string, mask: number): boolean {
  for (let i = 0; i < value.length; i++) if (isCharacter(value, i, mask)) return true;
  return false;
}

/** How many bytes the text takes as UTF-8, which is how Kubernetes counts the length of a string. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Both halves of a surrogate pair count two: four bytes in two units. Half a pair alone is sent as three.
    if (code > 0x7f) bytes += code > 0x7ff && !isPaired(text, i, code) ? 2 : 1;
  }
  return bytes;
}

const classes: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character >= 'a' && character <= 'z') return LOWER;
  if (character >= 'A' && character <= 'Z') return UPPER;
  if (character >= '0' && character <= '9') return DIGIT;
  return { '-': DASH, _: UNDERSCORE, '.': DOT }[character] ?? 0;
});

function isPaired(text: string, index: number, code: number): boolean {
  if (code < 0xd800 || code > 0xdfff) return false;
  const other = text.charCodeAt(code < 0xdc00 ? index + 1 : index - 1);
  return code < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00;
}
