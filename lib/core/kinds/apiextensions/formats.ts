// The formats that schemas may name: which of them are known, which texts they accept.
// As apiextensions-apiserver/pkg/apiserver/validation/formats.go and kube-openapi/pkg/validation/strfmt. An e-mail
// address is only looked at roughly: Kubernetes reads all of RFC 5322.
import { isParseError } from '../../objects/parse-error.js';
import { parseDuration } from '../../go/duration.js';
import { parseCidr, parseIp } from '../../objects/ip-address.js';
import { isDns1123Label, isDns1123Subdomain, utf8Length } from '../../objects/names.js';
import { parseGoRequestUri } from '../../go/url.js';

/** Returns whether a text has the format; undefined for unknown formats. Hyphens in names of formats do not count. */
export function formatRule(format: string): ((text: string) => boolean) | undefined {
  return rules.get(format.replaceAll('-', ''));
}

/** Returns whether a schema of that type may name the format without a warning. */
export function isRecognizedFormat(format: string, type: string): boolean {
  switch (type) {
    case '':
    case 'string':
      return formatRule(format) !== undefined;
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}

const hex = '[0-9a-f]';
const uuidPattern = (version: string, variant: string): RegExp =>
  new RegExp(`^${hex}{8}-?${hex}{4}-?${version}-?${variant}-?${hex}{12}$`, 'i');
const anyGroup = `${hex}{4}`;

const cardNumber =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const colorPart = String.raw`\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`;
const rgbColor = new RegExp(`^rgb\\(${colorPart},${colorPart},${colorPart}\\)$`);

const rules: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['uri', (text) => 'url' in parseGoRequestUri(text)],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && parseIp(text) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseIp(text)?.strict === true],
  ['cidr', (text) => parseCidr(text) !== undefined],
  ['mac', isMac],
  ['uuid', (text) => uuidPattern(anyGroup, anyGroup).test(text)],
  ['uuid3', (text) => uuidPattern(`3${hex}{3}`, anyGroup).test(text)],
  ['uuid4', (text) => uuidPattern(`4${hex}{3}`, `[89ab]${hex}{3}`).test(text)],
  ['uuid5', (text) => uuidPattern(`5${hex}{3}`, `[89ab]${hex}{3}`).test(text)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', (text) => rgbColor.test(text)],
  ['byte', (text) => text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => isDns1123Label(text).length === 0],
  ['k8slongname', (text) => isDns1123Subdomain(text).length === 0],
]);

function isEmail(text: string): boolean {
  const address = /^[^<>]*<([^<>]+)>$/.exec(text.trim())?.[1] ?? text.trim();
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
  return (
    /^[^\s@<>()[\]\\,;:"]+$/.test(local) &&
    !/^\.|\.\.|\.$/.test(local) &&
    /^[^\s@<>()\\,;:"]+$/.test(domain) &&
    !/^\.|\.\.|\.$/.test(domain)
  );
}

/** Labels of letters, digits and symbols of any script; a name of several ends in letters. */
function isHostname(text: string): boolean {
  const labels = text.split('.');
  if (utf8Length(text) > 255 || labels.some((label) => utf8Length(label) > 63)) return false;
  const [only = ''] = labels;
  if (labels.length === 1) return /^[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}$/u.test(only);
  const last = labels.pop() ?? '';
  return /^[a-zA-Z\p{L}]{2,63}$/u.test(last) && labels.every(isInnerLabel);
}

function isInnerLabel(label: string): boolean {
  return /^[a-zA-Z0-9\-\p{S}\p{L}]+$/u.test(label) && !label.startsWith('-') && !label.endsWith('-');
}

function isMac(text: string): boolean {
  const separated =
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1)*[0-9a-f]{2}|[0-9a-f]{4}(?:\.[0-9a-f]{4})+|[0-9a-f]+)$/i.test(text);
  const digits = text.replace(/[:.-]/g, '').length;
  return separated && (digits === 12 || digits === 16 || digits === 40);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = Array.from(digits, (digit, index) => (index + 1) * (digit === 'X' ? 10 : Number(digit))).reduce(
    (a, b) => a + b,
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const sum = Array.from(digits.slice(0, 12), (digit, index) => (index % 2 === 0 ? 1 : 3) * Number(digit)).reduce(
    (a, b) => a + b,
    0,
  );
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!cardNumber.test(digits)) return false;
  const sum = Array.from(digits).reduceRight((total, digit, index) => {
    const doubled = (digits.length - 1 - index) % 2 === 1 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === '') return false;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const [, hours = '', minutes = '', seconds = ''] =
    /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time) ?? [];
  return hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
}

/** As Go reads durations, or somewhere a number and a unit: `2 weeks`. */
function isDuration(text: string): boolean {
  return (
    isGoDuration(text) ||
    Array.from(text.matchAll(/\d+\s*([A-Za-zµ]+)/g)).some(([, unit = '']) => isUnit(unit.toLowerCase()))
  );
}

function isGoDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch (error) {
    if (isParseError(error)) return false;
    throw error;
  }
}

const exactUnits: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk']);
const unitPrefixes = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];

function isUnit(unit: string): boolean {
  return exactUnits.has(unit) || unitPrefixes.some((prefix) => unit.startsWith(prefix));
}
