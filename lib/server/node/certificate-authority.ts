// A certificate authority of one's own: what a server on a port needs so that kubectl trusts it, and what clients need
// who prove themselves by certificate. ECDSA on P-256; certificates as RFC 5280 has them and as openssl, Go and Node
// verify them. The authority lives in memory; who wants to keep it keeps `key` and `certificate`, and restores it from
// them.
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { bits, explicit, identifier, implicit, octets, sequence, setOf, text, time, truth, unsigned } from './der.js';

/** A private key and its certificate, in PEM. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** Signs certificates. */
export interface CertificateAuthority extends KeyPair {
  /** For a server under these names and addresses. */
  serving(hosts: readonly string[]): KeyPair;
  /** For a client: its name becomes the user, its groups the groups. */
  client(user: string, groups?: readonly string[]): KeyPair;
}

/** What an authority is made of. */
export interface AuthorityOptions {
  /**
   * Milliseconds since 1970: certificates are valid from an hour before. TLS reads the machine's clock, so this should
   * be its time.
   */
  readonly now: number;
  /** The authority's name. */
  readonly name?: string;
  /** How long what it signs is valid; the authority itself ten times as long. Default a year. */
  readonly validMs?: number;
}

/** The names by which pods and people know the API server, besides those it listens on. */
export const apiServerHosts: readonly string[] = Object.freeze([
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '10.96.0.1',
]);

/** A new authority. */
export function createAuthority({ now, name = 'vivarium', validMs = yearMs }: AuthorityOptions): CertificateAuthority {
  const keys = newKeys();
  const subject = { commonName: name, organizations: [] };
  const seal = {
    issuer: subject,
    signer: keys.privateKey,
    issuerIdentity: keyIdentifier(keys.publicKey),
    notBefore: now - hourMs,
  };
  const certificate = certify({
    ...seal,
    subject,
    publicKey: keys.publicKey,
    notAfter: now + 10 * validMs,
    extensions: authorityExtensions,
  });
  return signing({ key: pemOf(keys.privateKey), certificate }, seal, now + validMs);
}

/**
 * The authority whose key and certificate were kept. Throws Error where they are broken, expired or not of
 * `createAuthority`.
 */
export function restoreAuthority(
  kept: KeyPair,
  { now, validMs = yearMs }: Omit<AuthorityOptions, 'name'>,
): CertificateAuthority {
  if (!isKeyPair(kept)) throw new Error('the key cannot be read or is not that of the certificate');
  const root = new X509Certificate(kept.certificate);
  const validTo = Date.parse(root.validTo);
  if (validTo <= now) throw new Error(`the certificate has expired on ${root.validTo}`);
  const [, commonName] = /^CN=([^\n]*)$/.exec(root.subject) ?? [];
  if (!root.ca || commonName === undefined || root.publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('the certificate is not of an authority that vivarium made');
  const seal = {
    issuer: { commonName, organizations: [] },
    signer: createPrivateKey(kept.key),
    issuerIdentity: keyIdentifier(root.publicKey),
    notBefore: now - hourMs,
  };
  return signing(kept, seal, Math.min(now + validMs, validTo));
}

/** An authority that signs with a seal, valid until then. */
function signing({ key, certificate }: KeyPair, seal: Seal, notAfter: number): CertificateAuthority {
  const issue = (leaf: Subject, extensions: readonly Uint8Array[]): KeyPair => {
    const { privateKey, publicKey } = newKeys();
    return {
      key: pemOf(privateKey),
      certificate: certify({
        ...seal,
        subject: leaf,
        publicKey,
        notAfter,
        extensions: [...leafExtensions, ...extensions],
      }),
    };
  };
  return {
    key,
    certificate,
    serving: (hosts) =>
      issue({ commonName: 'kube-apiserver', organizations: [] }, [extendedUsage(serverAuth), alternativeNames(hosts)]),
    client: (user, groups = []) => issue({ commonName: user, organizations: groups }, [extendedUsage(clientAuth)]),
  };
}

/** Whether a key belongs to a certificate; false also where either cannot be read. */
export function isKeyPair({ key, certificate }: KeyPair): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** What an authority puts under everything it signs. */
interface Seal {
  readonly issuer: Subject;
  readonly signer: KeyObject;
  readonly issuerIdentity: Uint8Array;
  readonly notBefore: number;
}

interface Content extends Seal {
  readonly subject: Subject;
  readonly publicKey: KeyObject;
  readonly notAfter: number;
  readonly extensions: readonly Uint8Array[];
}

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'));
const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';

/** Bits of KeyUsage: digitalSignature is the first, keyEncipherment the third, keyCertSign the sixth. */
const authorityExtensions: readonly Uint8Array[] = [
  extension('2.5.29.19', sequence(truth()), true),
  extension('2.5.29.15', bits(Uint8Array.of(0b1010_0100), 2), true),
];
const leafExtensions: readonly Uint8Array[] = [
  extension('2.5.29.19', sequence(), true),
  extension('2.5.29.15', bits(Uint8Array.of(0b1010_0000), 5), true),
];

function newKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function certify(content: Content): string {
  const body = sequence(
    explicit(0, unsigned(Uint8Array.of(2))), // version 3
    unsigned(positive(randomBytes(16))),
    ecdsaWithSha256,
    nameOf(content.issuer),
    sequence(time(content.notBefore), time(content.notAfter)),
    nameOf(content.subject),
    content.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        ...content.extensions,
        extension('2.5.29.14', octets(keyIdentifier(content.publicKey))),
        extension('2.5.29.35', sequence(implicit(0, content.issuerIdentity))),
      ),
    ),
  );
  const whole = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, content.signer)));
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(whole).toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`;
}

/** A serial number is positive and not zero. */
function positive(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of((bytes[0] ?? 0) | 0x01, ...bytes.subarray(1)).map((byte, at) => (at === 0 ? byte & 0x7f : byte));
}

function nameOf({ organizations, commonName }: Subject): Uint8Array {
  const attribute = (type: string, value: string): Uint8Array => setOf(sequence(identifier(type), text(value)));
  return sequence(...organizations.map((each) => attribute('2.5.4.10', each)), attribute('2.5.4.3', commonName));
}

function extension(id: string, value: Uint8Array, critical = false): Uint8Array {
  return sequence(identifier(id), ...(critical ? [truth()] : []), octets(value));
}

function extendedUsage(id: string): Uint8Array {
  return extension('2.5.29.37', sequence(identifier(id)));
}

function alternativeNames(hosts: readonly string[]): Uint8Array {
  return extension(
    '2.5.29.17',
    sequence(
      ...hosts.map((host) =>
        isIPv4(host) || isIPv6(host) ? implicit(7, addressBytes(host)) : implicit(2, Buffer.from(host, 'latin1')),
      ),
    ),
  );
}

function addressBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.').map(Number));
  // The URL standard prints an IPv6 address in one way only, without dots and with at most one gap.
  const [left = '', right] = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [front, back] = [groups(left), groups(right ?? '')];
  const all =
    right === undefined ? front : [...front, ...new Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return Uint8Array.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]));
}

/** The hash by which a certificate names a key: of the bits of the public key alone. */
function keyIdentifier(publicKey: KeyObject): Uint8Array {
  // The last 65 bytes of the encoding are the point on the curve.
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }).subarray(-65))
    .digest();
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
