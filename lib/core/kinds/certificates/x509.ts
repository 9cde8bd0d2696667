// Whether bytes are a certificate or a request for one, by their outline, the names that a request asks for and when a
// certificate expires: the structures of X.509 and PKCS #10. Signatures are not verified here: that takes cryptography,
// which the engine leaves to its adapters. As crypto/x509 ParseCertificateRequest and ParseCertificates; messages only
// roughly.
import { decodeBase64 } from '../../go/base64.js';
import { derChildren, derValue, readDer } from '../core/der.js';
import type { Der } from '../core/der.js';
import { parseTime } from '../../objects/time.js';
import { readPem } from './pem.js';
import type { PemBlock } from './pem.js';

/** Validates a PKCS #10 request. */
export function certificateRequestProblem(bytes: Uint8Array): string | undefined {
  const outer = outline(bytes);
  if (typeof outer === 'string') return outer;
  const [info, algorithm, signature] = outer;
  const [version, subject, key] = info?.tag === sequence ? derChildren(info) : [];
  const complete =
    version?.tag === integer &&
    subject?.tag === sequence &&
    key?.tag === sequence &&
    algorithm?.tag === sequence &&
    signature?.tag === bitString;
  return complete ? undefined : malformed;
}

/** The name that a certificate is requested for. */
export interface RequestedSubject {
  /** The last one where there are several; empty for none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** The subject of a PKCS #10 request: PEM in base64, as in a CertificateSigningRequest. Empty if it has none. */
export function certificateRequestSubject(request: string): RequestedSubject {
  const [block] = blocksOf(request, 'CERTIFICATE REQUEST');
  const outer = block === undefined ? undefined : readDer(block.bytes);
  const [info] = outer === undefined ? [] : derChildren(outer);
  const [, subject] = info === undefined ? [] : derChildren(info);
  const attributes = (subject === undefined ? [] : derChildren(subject)).flatMap(derChildren).map(derChildren);
  const valuesOf = (type: number): readonly string[] =>
    attributes.flatMap(([oid, value]) =>
      oid !== undefined && value !== undefined && isAttribute(derValue(oid), type) ? [textOf(value)] : [],
    );
  return { commonName: valuesOf(commonNameType).at(-1) ?? '', organizations: valuesOf(organizationType) };
}

/** How many alternative names of each type a request asks for. */
export interface RequestedNames {
  readonly dnsNames: number;
  readonly emailAddresses: number;
  readonly ipAddresses: number;
  readonly uris: number;
}

/** Counts the alternative names of a PKCS #10 request: PEM in base64, as in a CertificateSigningRequest. */
export function certificateRequestNames(request: string): RequestedNames {
  const [block] = blocksOf(request, 'CERTIFICATE REQUEST');
  const outer = block === undefined ? undefined : readDer(block.bytes);
  const [info] = outer === undefined ? [] : derChildren(outer);
  // Attributes follow version, subject and key.
  const attributes = (info === undefined ? [] : derChildren(info)).slice(3).flatMap(derChildren).map(derChildren);
  const extensions = attributes
    .flatMap(([type, values]) => (hasId(type, extensionRequest) && values !== undefined ? derChildren(values) : []))
    .flatMap(derChildren)
    .map(derChildren);
  const names = extensions.flatMap((parts) => {
    const value = hasId(parts[0], alternativeNames) ? parts.at(-1) : undefined;
    const list = value === undefined ? undefined : readDer(derValue(value));
    return list === undefined ? [] : derChildren(list);
  });
  const count = (choice: number): number => names.filter(({ tag }) => tag === (0x80 | choice)).length;
  return { emailAddresses: count(1), dnsNames: count(2), uris: count(6), ipAddresses: count(7) };
}

/**
 * Returns when the first certificate of a PEM text in base64 expires, in milliseconds since 1970; undefined if there is
 * none that can be read.
 */
export function certificateExpiryMs(certificate: string): number | undefined {
  const [block] = blocksOf(certificate, 'CERTIFICATE');
  const outer = block === undefined ? undefined : readDer(block.bytes);
  const [body] = outer === undefined ? [] : derChildren(outer);
  const fields = body === undefined ? [] : derChildren(body);
  // Validity is the fourth field; the version before them may be absent.
  const validity = fields[fields[0]?.tag === versionTag ? 4 : 3];
  const [, notAfter] = validity === undefined ? [] : derChildren(validity);
  const text = notAfter === undefined ? '' : new TextDecoder().decode(derValue(notAfter));
  const [, year = '', month, day, hour, minute, second] =
    /^(\d{2}|\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  if (year === '') return undefined;
  const century = year.length === 4 ? '' : Number(year) < 50 ? '20' : '19';
  return parseTime(`${century}${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

const versionTag = 0xa0;
/** 1.2.840.113549.1.9.14, the attribute with the extensions that a request asks for. */
const extensionRequest = '2a864886f70d01090e';
/** 2.5.29.17, the extension of alternative names. */
const alternativeNames = '551d11';

function hasId(element: Der | undefined, id: string): boolean {
  if (element === undefined) return false;
  return [...derValue(element)].map((byte) => byte.toString(16).padStart(2, '0')).join('') === id;
}

function blocksOf(base64: string, type: string): readonly PemBlock[] {
  return readPem(new TextDecoder().decode(decodeBase64(base64))).filter((block) => block.type === type);
}

/** Of 2.5.4.x, the attributes of names. */
const commonNameType = 3;
const organizationType = 10;

function isAttribute(oid: Uint8Array, type: number): boolean {
  return oid.length === 3 && oid[0] === 0x55 && oid[1] === 0x04 && oid[2] === type;
}

function textOf(value: Der): string {
  const bytes = derValue(value);
  // BMPString, of two bytes each; all other strings of names are read as UTF-8, of which the rest is a part.
  if (value.tag !== 0x1e) return new TextDecoder().decode(bytes);
  let text = '';
  for (let at = 0; at + 1 < bytes.length; at += 2)
    text += String.fromCharCode(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
  return text;
}

/** Validates one or more certificates behind each other. */
export function certificatesProblem(bytes: Uint8Array): string | undefined {
  for (let at = 0; at < bytes.length;) {
    const certificate = readDer(bytes, at);
    const [body, algorithm, signature] = certificate?.tag === sequence ? derChildren(certificate) : [];
    if (
      certificate === undefined ||
      body?.tag !== sequence ||
      algorithm?.tag !== sequence ||
      signature?.tag !== bitString
    )
      return 'x509: malformed certificate';
    at = certificate.end;
  }
  return undefined;
}

const integer = 0x02;
const bitString = 0x03;
const sequence = 0x30;
const indefinite = 0x80;
const malformed = 'asn1: syntax error: sequence truncated';

/** The parts of the one sequence that the bytes are, or what is wrong with it in the words of Go's encoding/asn1. */
function outline(bytes: Uint8Array): readonly Der[] | string {
  if (bytes.length === 0) return malformed;
  if (bytes[1] === indefinite) return 'asn1: syntax error: indefinite length found (not DER)';
  const outer = readDer(bytes);
  if (outer === undefined) return 'asn1: syntax error: data truncated';
  if (outer.tag !== sequence) return malformed;
  return outer.end < bytes.length ? 'asn1: syntax error: trailing data' : derChildren(outer);
}
