// Certificates of every kind that a client might show up with: good ones, and each mistake there is.
import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  bits,
  explicit,
  identifier,
  implicit,
  octets,
  sequence,
  setOf,
  text,
  time,
  truth,
  unsigned,
} from '../../lib/server/node/der.js';

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
  const sealed = sequence(identifier(id));
  const body = sequence(
    explicit(0, unsigned(Uint8Array.of(2))),
    unsigned(Uint8Array.of(serial)),
    sealed,
    nameOf(issuerName ?? by?.name ?? name),
    sequence(time(fromMs), time(untilMs)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [explicit(3, sequence(...extensions))] : []),
  );
  const raw = Uint8Array.from(sequence(body, sealed, bits(sign(hash, body, by?.privateKey ?? privateKey))));
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
  sequence(identifier(id), ...(critical ? [truth()] : []), octets(value));
export const isAuthority = (pathLength?: number): Uint8Array =>
  extension(
    '2.5.29.19',
    sequence(truth(), ...(pathLength === undefined ? [] : [unsigned(Uint8Array.of(pathLength))])),
    true,
  );
export const isNoAuthority = (): Uint8Array => extension('2.5.29.19', sequence(), true);
export const purposes = (...ids: readonly string[]): Uint8Array =>
  extension('2.5.29.37', sequence(...ids.map(identifier)));
export const keyUsage = (byte: number, unused: number): Uint8Array =>
  extension('2.5.29.15', bits(Uint8Array.of(byte), unused), true);
export const keyIds = (own: Uint8Array, issuer: Uint8Array): readonly Uint8Array[] => [
  extension('2.5.29.14', octets(own)),
  extension('2.5.29.35', sequence(implicit(0, issuer))),
];
export const dnsName = (host: string): Uint8Array => extension('2.5.29.17', sequence(implicit(2, Buffer.from(host))));
export const nameConstraints = (): Uint8Array =>
  extension('2.5.29.30', sequence(explicit(0, sequence(implicit(2, Buffer.from('example.com'))))), true);

function nameOf(name: Name): Uint8Array {
  return sequence(...name.map(([type, value]) => setOf(sequence(identifier(type), text(value)))));
}

function pemOf(raw: Uint8Array): string {
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(raw).toString('base64')}\n-----END CERTIFICATE-----\n`;
}
