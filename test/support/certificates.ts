// Certificates of every kind that a client might show up with: good ones, and each mistake there is.
import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  bitString,
  booleanTrue,
  certificateTime,
  explicitTag,
  implicitTag,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  unsignedInteger,
  utf8String,
} from '../../lib/pki/der-encoder.js';

/** A certificate and the key it is about. */
export interface Issued {
  readonly raw: Uint8Array;
  readonly pem: string;
  readonly name: Name;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Types and texts of a name's parts. */
export type Name = readonly (readonly [type: string, value: string])[];

export const commonName = '2.5.4.3';
export const organization = '2.5.4.10';
export const uid = '1.3.6.1.4.1.57683.2';
export const clientAuth = '1.3.6.1.5.5.7.3.2';
export const serverAuth = '1.3.6.1.5.5.7.3.1';

/** What may differ from a sound certificate for a client. */
export interface Draft {
  readonly name: Name;
  /** Who signs; itself without. */
  readonly by?: Issued;
  readonly serial?: number;
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly extensions?: readonly Uint8Array[];
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly algorithm?: 'ecdsa-sha256' | 'ecdsa-sha1' | 'rsa-sha256';
  /** Who is said to have signed, where that is a lie. */
  readonly issuerName?: Name;
}

/** The time in which all of them live. */
export const now = 1_800_000_000_000;
const day = 86_400_000;

/** Makes a certificate. */
export function issue({
  name,
  by,
  serial = 5,
  fromMs = now - day,
  untilMs = now + day,
  extensions = [],
  algorithm = 'ecdsa-sha256',
  issuerName,
  keys = newKeys(),
}: Draft): Issued {
  const { publicKey, privateKey } = keys;
  const [id, hash] = algorithms[algorithm];
  const sealed = sequence(objectIdentifier(id));
  const body = sequence(
    explicitTag(0, unsignedInteger(Uint8Array.of(2))),
    unsignedInteger(Uint8Array.of(serial)),
    sealed,
    nameOf(issuerName ?? by?.name ?? name),
    sequence(certificateTime(fromMs), certificateTime(untilMs)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [explicitTag(3, sequence(...extensions))] : []),
  );
  const raw = Uint8Array.from(sequence(body, sealed, bitString(sign(hash, body, by?.privateKey ?? privateKey))));
  return { raw, pem: pemOf(raw), name, publicKey, privateKey };
}

const algorithms = {
  'ecdsa-sha256': ['1.2.840.10045.4.3.2', 'sha256'],
  'ecdsa-sha1': ['1.2.840.10045.4.1', 'sha1'],
  'rsa-sha256': ['1.2.840.113549.1.1.11', 'sha256'],
} as const;

export const newKeys = (): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** An authority, perhaps under another. */
export const authority = (cn: string, rest: Partial<Draft> = {}): Issued =>
  issue({ name: [[commonName, cn]], extensions: [isAuthority()], ...rest });

/** A client of an authority. */
export const client = (by: Issued, rest: Partial<Draft> = {}): Issued =>
  issue({
    name: [
      [organization, 'dev'],
      [commonName, 'alice'],
    ],
    by,
    extensions: [purposes(clientAuth)],
    ...rest,
  });

export const extension = (id: string, value: Uint8Array, critical = false): Uint8Array =>
  sequence(objectIdentifier(id), ...(critical ? [booleanTrue()] : []), octetString(value));
export const isAuthority = (pathLength?: number): Uint8Array =>
  extension(
    '2.5.29.19',
    sequence(booleanTrue(), ...(pathLength === undefined ? [] : [unsignedInteger(Uint8Array.of(pathLength))])),
    true,
  );
export const isNoAuthority = (): Uint8Array => extension('2.5.29.19', sequence(), true);
export const purposes = (...ids: readonly string[]): Uint8Array =>
  extension('2.5.29.37', sequence(...ids.map(objectIdentifier)));
export const keyUsage = (byte: number, unused: number): Uint8Array =>
  extension('2.5.29.15', bitString(Uint8Array.of(byte), unused), true);
export const keyIds = (own: Uint8Array, issuer: Uint8Array): readonly Uint8Array[] => [
  extension('2.5.29.14', octetString(own)),
  extension('2.5.29.35', sequence(implicitTag(0, issuer))),
];
export const dnsName = (host: string): Uint8Array =>
  extension('2.5.29.17', sequence(implicitTag(2, Buffer.from(host))));
export const nameConstraints = (): Uint8Array =>
  extension('2.5.29.30', sequence(explicitTag(0, sequence(implicitTag(2, Buffer.from('example.com'))))), true);

function nameOf(name: Name): Uint8Array {
  return sequence(...name.map(([type, value]) => setOf([sequence(objectIdentifier(type), utf8String(value))])));
}

function pemOf(raw: Uint8Array): string {
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(raw).toString('base64')}\n-----END CERTIFICATE-----\n`;
}

/** What a request for a certificate asks for. */
export interface RequestDraft {
  readonly name: Name;
  /** DNS names, e-mail addresses, IPv4 addresses and URIs, each as the tag of its choice and its bytes. */
  readonly alternativeNames?: readonly (readonly [choice: number, bytes: Uint8Array])[];
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  /** The signature is that of another key. */
  readonly isForged?: boolean;
}

/** Makes a PKCS #10 request in PEM. */
export function requestCertificate({ name, alternativeNames = [], keys, isForged = false }: RequestDraft): string {
  const { publicKey, privateKey } = keys ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const isRsa = publicKey.asymmetricKeyType === 'rsa';
  const names = sequence(...alternativeNames.map(([choice, bytes]) => implicitTag(choice, bytes)));
  const extension = sequence(objectIdentifier('2.5.29.17'), octetString(names));
  const attributes =
    alternativeNames.length === 0
      ? []
      : [sequence(objectIdentifier('1.2.840.113549.1.9.14'), setOf([sequence(extension)]))];
  const info = sequence(
    unsignedInteger(Uint8Array.of(0)),
    sequence(...name.map(([type, value]) => setOf([sequence(objectIdentifier(type), utf8String(value))]))),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicitTag(0, Buffer.concat(attributes)),
  );
  const algorithm = sequence(objectIdentifier(isRsa ? '1.2.840.113549.1.1.11' : '1.2.840.10045.4.3.2'));
  const signer = isForged ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : privateKey;
  const signed = sequence(info, algorithm, bitString(sign('sha256', info, signer)));
  const base64 = Buffer.from(signed).toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
}
