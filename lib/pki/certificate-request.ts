// Requests for certificates (PKCS #10): the verified request, and the extensions of the certificate that answers it.
// Names are encoded anew, in the order and the string types that Go chooses, and only alternative names are taken over:
// a request cannot smuggle in other extensions. As crypto/x509, ParseCertificateRequest and CreateCertificate, and
// pkg/controller/certificates/authority.
import { createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { derChildren, derValue, errorText, readDer } from '../core/index.js';
import type { Der } from '../core/index.js';
import { nameAttributes } from './certificate.js';
import {
  bitString,
  booleanTrue,
  implicitTag,
  objectIdentifier,
  octetString,
  printableString,
  sequence,
  setOf,
  utf8String,
} from './der-encoder.js';

/** A request whose signature is that of its key. */
export interface VerifiedRequest {
  /** The subject of the certificate, in DER. */
  readonly subject: Uint8Array;
  readonly publicKey: KeyObject;
  /** The extension of alternative names, in DER; undefined if the request has none. */
  readonly alternativeNames: Uint8Array | undefined;
}

/** Reads a request in PEM and verifies its signature. Throws Error. */
export function verifyCertificateRequest(pem: string): VerifiedRequest {
  const [, body = ''] = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END CERTIFICATE REQUEST-----/.exec(pem) ?? [];
  const raw = Uint8Array.from(Buffer.from(body, 'base64'));
  const outer = readDer(raw);
  const [info, algorithm, signature] = outer === undefined ? [] : derChildren(outer);
  const [version, subject, key, attributes] = info === undefined ? [] : derChildren(info);
  if (
    outer === undefined ||
    info === undefined ||
    version === undefined ||
    subject === undefined ||
    key === undefined ||
    algorithm === undefined ||
    signature === undefined
  )
    throw new Error('unable to parse certificate request: asn1: syntax error: sequence truncated');
  const publicKey = readKey(raw.subarray(subject.end, key.end));
  // The first byte of a bit string is the number of its unused bits.
  verifySignature(algorithm, {
    publicKey,
    signed: raw.subarray(outer.start, info.end),
    signature: derValue(signature).subarray(1),
  });
  return { subject: subjectName(subject), publicKey, alternativeNames: alternativeNamesOf(attributes) };
}

/** Returns the extensions of usages in the words of the API, such as `client auth`. Throws Error for an unknown one. */
export function usageExtensions(usages: readonly string[]): readonly Uint8Array[] {
  const unknown = usages.filter((usage) => !keyUsages.has(usage) && !extendedUsages.has(usage));
  if (unknown.length > 0)
    throw new Error(`unrecognized usage values: [${unknown.map((each) => `"${each}"`).join(' ')}]`);
  const bits = usages.flatMap((usage) => keyUsages.get(usage) ?? []);
  // In the order of Go's constants.
  const extended = [...new Set([...extendedUsages].flatMap(([usage, id]) => (usages.includes(usage) ? [id] : [])))];
  return [
    ...(bits.length === 0
      ? []
      : [sequence(objectIdentifier('2.5.29.15'), booleanTrue(), octetString(usageBits(bits)))]),
    ...(extended.length === 0
      ? []
      : [sequence(objectIdentifier('2.5.29.37'), octetString(sequence(...extended.map(objectIdentifier))))]),
  ];
}

const keyUsages: ReadonlyMap<string, number> = new Map([
  ['signing', 0],
  ['digital signature', 0],
  ['content commitment', 1],
  ['key encipherment', 2],
  ['data encipherment', 3],
  ['key agreement', 4],
  ['cert sign', 5],
  ['crl sign', 6],
  ['encipher only', 7],
  ['decipher only', 8],
]);

const extendedUsages: ReadonlyMap<string, string> = new Map([
  ['any', '2.5.29.37.0'],
  ['server auth', '1.3.6.1.5.5.7.3.1'],
  ['client auth', '1.3.6.1.5.5.7.3.2'],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
]);

function usageBits(bits: readonly number[]): Uint8Array {
  const last = Math.max(...bits);
  const bytes = new Uint8Array(last < 8 ? 1 : 2);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(bytes, 7 - (last & 7));
}

function readKey(spki: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  } catch (error) {
    throw new Error(`unable to parse certificate request: ${errorText(error)}`, { cause: error });
  }
}

/** The hash by the object identifier of the signature algorithm; null for Ed25519, which has its own. */
const hashes: ReadonlyMap<string, string | null> = new Map([
  ['2a864886f70d01010b', 'sha256'],
  ['2a864886f70d01010c', 'sha384'],
  ['2a864886f70d01010d', 'sha512'],
  ['2a8648ce3d040302', 'sha256'],
  ['2a8648ce3d040303', 'sha384'],
  ['2a8648ce3d040304', 'sha512'],
  ['2b6570', null],
]);

function verifySignature(
  algorithm: Der,
  { publicKey, signed, signature }: { publicKey: KeyObject; signed: Uint8Array; signature: Uint8Array },
): void {
  const [id] = derChildren(algorithm);
  const hash = hashes.get(Buffer.from(id === undefined ? [] : derValue(id)).toString('hex'));
  const problem =
    hash === undefined
      ? 'x509: cannot verify signature: algorithm unimplemented'
      : verify(hash, signed, publicKey, signature)
        ? undefined
        : 'x509: verification error';
  if (problem !== undefined) throw new Error(`unable to verify certificate request signature: ${problem}`);
}

/** The attributes that Go keeps, in the order in which it writes them: country … common name, serial number. */
const attributeOrder = ['550406', '55040a', '55040b', '550407', '550408', '550409', '550411', '550403', '550405'];
/** Of these the last one counts. */
const singleAttributes: ReadonlySet<string> = new Set(['550403', '550405']);

function subjectName(name: Der): Uint8Array {
  const attributes = nameAttributes(name);
  return sequence(
    ...attributeOrder.flatMap((type) => {
      const values = attributes.flatMap(([each, value]) => (each === type ? [value] : []));
      if (values.length === 0) return [];
      const kept = singleAttributes.has(type) ? values.slice(-1) : values;
      const id = objectIdentifier(`2.5.4.${Number.parseInt(type.slice(4), 16)}`);
      return [
        setOf(kept.map((value) => sequence(id, isPrintable(value) ? printableString(value) : utf8String(value)))),
      ];
    }),
  );
}

function isPrintable(text: string): boolean {
  return /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text);
}

/** DNS names, e-mail addresses, IP addresses, URIs: the choices of a general name, in Go's order. */
const nameChoices = [2, 1, 7, 6];

function alternativeNamesOf(attributes: Der | undefined): Uint8Array | undefined {
  const extensions = (attributes === undefined ? [] : derChildren(attributes))
    .map(derChildren)
    .flatMap(([type, values]) => (hasId(type, extensionRequest) && values !== undefined ? derChildren(values) : []))
    .flatMap(derChildren)
    .map(derChildren);
  const names = extensions.flatMap((parts) => {
    const value = hasId(parts[0], alternativeNamesId) ? parts.at(-1) : undefined;
    const list = value === undefined ? undefined : readDer(derValue(value));
    return list === undefined ? [] : derChildren(list);
  });
  const kept = nameChoices.flatMap((choice) =>
    names.filter(({ tag }) => tag === (0x80 | choice)).map((each) => implicitTag(choice, derValue(each))),
  );
  return kept.length === 0 ? undefined : sequence(objectIdentifier('2.5.29.17'), octetString(sequence(...kept)));
}

const extensionRequest = '2a864886f70d01090e';
const alternativeNamesId = '551d11';

function hasId(element: Der | undefined, id: string): boolean {
  return element !== undefined && Buffer.from(derValue(element)).toString('hex') === id;
}
