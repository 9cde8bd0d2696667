// Parses X.509 certificates into the fields that verification needs. Node's X509Certificate exposes neither which
// extensions are critical nor the order of the attributes of a name; it is used for the public key and for signatures
// only, from the same bytes. Rejects what Go's crypto/x509 rejects.
import { X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ParseError, derChildren, derValue, parseTime, readDer } from '../core/index.js';
import type { Der } from '../core/index.js';

/** A parsed certificate. Names and object identifiers are the hexadecimal form of their DER value. */
export interface Certificate {
  /** The DER it was parsed from. */
  readonly raw: Uint8Array;
  /** Node's view of it, which verifies its signature. */
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  readonly isVersion3: boolean;
  readonly serialNumber: bigint;
  readonly subject: string;
  readonly issuer: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** The last one, if there are several; empty if there is none. */
  readonly commonName: string;
  /** In their order in the subject. */
  readonly organizations: readonly string[];
  /** Values of the subject attribute 1.3.6.1.4.1.57683.2, from which Kubernetes reads the UID of a user. */
  readonly uids: readonly string[];
  /** Object identifiers of the signature algorithm and of the hash in its parameters, if it has one. */
  readonly signature: { readonly algorithm: string; readonly hash: string | undefined };
  /** The CA flag of BasicConstraints; undefined without that extension. */
  readonly isAuthority: boolean | undefined;
  /** The path length constraint: most intermediates below this certificate. */
  readonly intermediatesMax: number | undefined;
  /** True if KeyUsage includes keyCertSign; undefined without that extension. */
  readonly canSignCertificates: boolean | undefined;
  /** ExtendedKeyUsage; undefined means any. */
  readonly extendedKeyUsages: readonly string[] | undefined;
  readonly hasAlternativeNames: boolean;
  readonly hasNameConstraints: boolean;
  /** True if it has a critical extension that is not supported here. */
  readonly hasUnknownCriticalExtension: boolean;
  readonly subjectKeyId: Uint8Array;
  readonly authorityKeyId: Uint8Array;
}

/** Parses a certificate in DER. Throws ParseError. */
export function parseCertificate(raw: Uint8Array): Certificate {
  const whole = readDer(raw);
  if (whole?.tag !== tags.sequence || whole.end !== raw.length) throw malformed();
  const [body, algorithm] = derChildren(whole);
  const parts = [...derChildren(expected(body, tags.sequence))];
  const version = parts[0]?.tag === tags.version ? parts.shift() : undefined;
  const [serialNumber, , issuer, validity, subject] = parts;
  const [notBefore, notAfter] = derChildren(expected(validity, tags.sequence));
  const names = nameAttributes(expected(subject, tags.sequence));
  const valuesOf = (type: string): readonly string[] =>
    names.flatMap(([each, value]) => (each === type ? [value] : []));
  return {
    raw,
    ...parseWithNode(raw),
    isVersion3: version !== undefined && hex(version) === '020102',
    serialNumber: integerOf(expected(serialNumber, tags.integer)),
    subject: hex(expected(subject, tags.sequence)),
    issuer: hex(expected(issuer, tags.sequence)),
    notBeforeMs: timeOf(notBefore),
    notAfterMs: timeOf(notAfter),
    commonName: valuesOf('550403').at(-1) ?? '',
    organizations: valuesOf('55040a'),
    uids: valuesOf('2b0601040183c25302'),
    signature: signatureOf(expected(algorithm, tags.sequence)),
    ...extensionFields(parts.find(({ tag }) => tag === tags.extensions)),
  };
}

/** Parses the certificates of a PEM text; other blocks are ignored. Throws ParseError if there is no certificate. */
export function parseCertificateBundle(pem: string): readonly Certificate[] {
  const blocks = pem
    .split(begin)
    .slice(1)
    .map((each) => each.split(end, 1).join(''));
  if (blocks.length === 0) throw new ParseError('data does not contain any valid RSA or ECDSA certificates');
  return blocks.map((block) => parseCertificate(Uint8Array.from(Buffer.from(block, 'base64'))));
}

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octets: 0x04,
  identifier: 0x06,
  utcTime: 0x17,
  generalTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
} as const;

/** The supported extensions: object identifiers under 2.5.29. */
const extensionIds = {
  subjectKeyId: '551d0e',
  keyUsage: '551d0f',
  alternativeNames: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  policies: '551d20',
  authorityKeyId: '551d23',
  extendedUsage: '551d25',
} as const;

/**
 * Extensions that may be critical. Certificate policies are among them although they are not evaluated: verification
 * requires no policy, so any set of policies is acceptable.
 */
const supported: ReadonlySet<string> = new Set(Object.values(extensionIds));

type ExtensionFields = Pick<
  Certificate,
  | 'isAuthority'
  | 'intermediatesMax'
  | 'canSignCertificates'
  | 'extendedKeyUsages'
  | 'hasAlternativeNames'
  | 'hasNameConstraints'
  | 'hasUnknownCriticalExtension'
  | 'subjectKeyId'
  | 'authorityKeyId'
>;

function extensionFields(section: Der | undefined): ExtensionFields {
  const { values, critical } = readExtensions(section);
  const basic = values.get(extensionIds.basicConstraints);
  const [first, second] = basic === undefined ? [] : derChildren(expected(basic, tags.sequence));
  const limit = first?.tag === tags.integer ? first : second;
  const usage = values.get(extensionIds.keyUsage);
  const usages = values.get(extensionIds.extendedUsage);
  const authority = values.get(extensionIds.authorityKeyId);
  const keyId = values.get(extensionIds.subjectKeyId);
  return {
    isAuthority: basic === undefined ? undefined : first?.tag === tags.boolean && derValue(first)[0] !== 0,
    intermediatesMax: limit === undefined ? undefined : Number(integerOf(expected(limit, tags.integer))),
    // The first byte is the number of unused bits; keyCertSign is bit 5.
    canSignCertificates:
      usage === undefined ? undefined : ((derValue(expected(usage, tags.bitString))[1] ?? 0) & 0b100) !== 0,
    extendedKeyUsages:
      usages && derChildren(expected(usages, tags.sequence)).map((each) => hex(expected(each, tags.identifier))),
    hasAlternativeNames: values.has(extensionIds.alternativeNames),
    hasNameConstraints: values.has(extensionIds.nameConstraints),
    hasUnknownCriticalExtension: critical.some((id) => !supported.has(id)),
    subjectKeyId: keyId === undefined ? none : derValue(expected(keyId, tags.octets)),
    authorityKeyId: authority === undefined ? none : keyIdOf(derChildren(expected(authority, tags.sequence))),
  };
}

const none = new Uint8Array();

/** Returns the value of each extension. A repeated extension is ambiguous and rejected. */
function readExtensions(section: Der | undefined): {
  readonly values: ReadonlyMap<string, Der>;
  readonly critical: readonly string[];
} {
  const values = new Map<string, Der>();
  const critical: string[] = [];
  const [list] = section === undefined ? [] : derChildren(section);
  for (const each of list === undefined ? [] : derChildren(expected(list, tags.sequence))) {
    const parts = derChildren(expected(each, tags.sequence));
    const id = hex(expected(parts[0], tags.identifier));
    const content = readDer(derValue(expected(parts.at(-1), tags.octets)));
    if (content === undefined || values.has(id)) throw malformed();
    values.set(id, content);
    if (parts.length === 3 && derValue(expected(parts[1], tags.boolean))[0] !== 0) critical.push(id);
  }
  return { values, critical };
}

function keyIdOf(parts: readonly Der[]): Uint8Array {
  const keyId = parts.find(({ tag }) => tag === 0x80);
  return keyId === undefined ? none : derValue(keyId);
}

function signatureOf(algorithm: Der): Certificate['signature'] {
  const [id, parameters] = derChildren(algorithm);
  const [hash] = parameters?.tag === tags.sequence ? derChildren(parameters) : [];
  const [named] = hash?.tag === tags.version ? derChildren(hash) : [];
  const [hashId] = named === undefined ? [] : derChildren(named);
  return { algorithm: hex(expected(id, tags.identifier)), hash: hashId && hex(hashId) };
}

/** Returns the attributes of a name in their order, each with its type in hexadecimal DER. Throws ParseError. */
export function nameAttributes(name: Der): readonly (readonly [type: string, value: string])[] {
  return derChildren(name)
    .flatMap((set) => derChildren(expected(set, tags.set)))
    .map((pair) => {
      const [type, value] = derChildren(expected(pair, tags.sequence));
      return [hex(expected(type, tags.identifier)), textOf(value)];
    });
}

/** Decodes the string types that a name may use: UTF8, Numeric, Printable, IA5, Teletex and BMP. */
function textOf(value: Der | undefined): string {
  const bytes = value && derValue(value);
  if (value === undefined || bytes === undefined) throw malformed();
  switch (value.tag) {
    case 0x0c:
      return strictUtf8(bytes);
    case 0x12:
    case 0x13:
    case 0x16:
      if (bytes.some((byte) => byte > 0x7f)) throw malformed();
      return Buffer.from(bytes).toString('latin1');
    case 0x14:
      return Buffer.from(bytes).toString('latin1');
    case 0x1e:
      if (bytes.length % 2 !== 0) throw malformed();
      return Buffer.from(bytes).swap16().toString('utf16le');
    default:
      throw malformed();
  }
}

function strictUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed();
  }
}

function integerOf(element: Der): bigint {
  const bytes = derValue(element);
  if (bytes.length === 0 || bytes.length > integerBytesMax) throw malformed();
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(element)}`));
}

const integerBytesMax = 64;

/** Decodes UTCTime, whose two-digit years are 1950 to 2049, and GeneralizedTime. */
function timeOf(element: Der | undefined): number {
  const digits = Buffer.from(element === undefined ? none : derValue(element)).toString('latin1');
  const [, year = '', month, day, hour, minute, second] =
    /^(\d{2}|\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits) ?? [];
  if (year.length !== (element?.tag === tags.utcTime ? 2 : element?.tag === tags.generalTime ? 4 : 0))
    throw malformed();
  const century = year.length === 4 ? '' : Number(year) < 50 ? '20' : '19';
  return parseTime(`${century}${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function expected(element: Der | undefined, tag: number): Der {
  if (element?.tag !== tag) throw malformed();
  return element;
}

function hex(element: Der): string {
  return Buffer.from(derValue(element)).toString('hex');
}

function parseWithNode(raw: Uint8Array): Pick<Certificate, 'x509' | 'publicKey'> {
  try {
    const x509 = new X509Certificate(raw);
    return { x509, publicKey: x509.publicKey };
  } catch {
    throw malformed();
  }
}

function malformed(): ParseError {
  return new ParseError('x509: malformed certificate');
}
