// A certificate authority in memory: issues the serving certificate that kubectl verifies and the certificates that
// clients authenticate with. ECDSA on P-256, X.509 v3 as RFC 5280, accepted by openssl, Go and Node. To keep an
// authority across restarts, store its `key` and `certificate` and pass them to `restoreAuthority`
// (`stored-authority.ts` does so with files).
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
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
} from './der-encoder.js';
import { usageExtensions, verifyCertificateRequest } from './certificate-request.js';

/** A private key and its certificate, in PEM. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** A certificate authority: its own key and certificate, and the issuing of others. */
export interface CertificateAuthority extends KeyPair {
  /** Issues a serving certificate for these DNS names and IP addresses, with a new key. */
  issueServerCertificate(hosts: readonly string[]): KeyPair;
  /** Issues a client certificate with a new key: the common name is the user, the organizations are its groups. */
  issueClientCertificate(user: string, groups?: readonly string[]): KeyPair;
  /**
   * Signs a PKCS #10 request in PEM and returns the certificate in PEM. It begins five minutes ago and never outlives
   * the authority. Throws Error if the request is malformed or not signed with its key, or if a usage is unknown.
   */
  signRequest(request: string, options: SignRequestOptions): string;
}

/** Options of a certificate that is signed on request. */
export interface SignRequestOptions {
  /** Usages in the words of the Kubernetes API, such as `client auth`. */
  readonly usages: readonly string[];
  readonly validMs: number;
  /** Current time, in milliseconds since 1970. */
  readonly now: number;
}

/** Options of an authority. */
export interface AuthorityOptions {
  /**
   * Current time, in milliseconds since 1970. Certificates are valid from one hour before. TLS compares them with the
   * system's clock, so pass its time.
   */
  readonly now: number;
  /** Common name of the authority. Default `vivarium`. */
  readonly name?: string;
  /** Validity of issued certificates; the authority's own is ten times as long. Default one year. */
  readonly validMs?: number;
}

/** Names and addresses of the API server in a serving certificate: loopback, and its Service. */
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

/** Creates an authority with a new key and a self-signed certificate. */
export function createAuthority({ now, name = 'vivarium', validMs = yearMs }: AuthorityOptions): CertificateAuthority {
  const keys = generateKeys();
  const subject = { commonName: name, organizations: [] };
  const issuer = {
    issuer: subject,
    issuerKey: keys.privateKey,
    issuerKeyId: keyIdentifier(keys.publicKey),
    notBefore: now - hourMs,
  };
  const certificate = signCertificate({
    ...issuer,
    subject,
    publicKey: keys.publicKey,
    notAfter: now + 10 * validMs,
    extensions: [...authorityExtensions, ...keyIds(keys.publicKey, issuer.issuerKeyId)],
  });
  return issuingAuthority({ key: pkcs8Pem(keys.privateKey), certificate }, issuer, now + validMs);
}

/**
 * Restores an authority from its stored key and certificate. Throws Error if they cannot be read, have expired or were
 * not created by `createAuthority`.
 */
export function restoreAuthority(
  stored: KeyPair,
  { now, validMs = yearMs }: Omit<AuthorityOptions, 'name'>,
): CertificateAuthority {
  if (!isKeyPair(stored)) throw new Error('the key cannot be read or is not that of the certificate');
  const root = new X509Certificate(stored.certificate);
  const validTo = Date.parse(root.validTo);
  if (validTo <= now) throw new Error(`the certificate has expired on ${root.validTo}`);
  const [, commonName] = /^CN=([^\n]*)$/.exec(root.subject) ?? [];
  if (!root.ca || commonName === undefined || root.publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('the certificate is not of an authority that vivarium made');
  const issuer = {
    issuer: { commonName, organizations: [] },
    issuerKey: createPrivateKey(stored.key),
    issuerKeyId: keyIdentifier(root.publicKey),
    notBefore: now - hourMs,
  };
  return issuingAuthority(stored, issuer, Math.min(now + validMs, validTo));
}

/** Returns true if the key belongs to the certificate; false also if either cannot be read. */
export function isKeyPair({ key, certificate }: KeyPair): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Generates a private key on P-256 and returns it in PEM (PKCS #8). */
export function generatePrivateKey(): string {
  return pkcs8Pem(generateKeys().privateKey);
}

function issuingAuthority({ key, certificate }: KeyPair, issuer: Issuer, notAfter: number): CertificateAuthority {
  const issue = (subject: Subject, extensions: readonly Uint8Array[]): KeyPair => {
    const { privateKey, publicKey } = generateKeys();
    return {
      key: pkcs8Pem(privateKey),
      certificate: signCertificate({
        ...issuer,
        subject,
        publicKey,
        notAfter,
        extensions: [...leafExtensions, ...extensions, ...keyIds(publicKey, issuer.issuerKeyId)],
      }),
    };
  };
  return {
    key,
    certificate,
    issueServerCertificate: (hosts) =>
      issue({ commonName: 'kube-apiserver', organizations: [] }, [extendedUsage(serverAuth), alternativeNames(hosts)]),
    issueClientCertificate: (user, groups = []) =>
      issue({ commonName: user, organizations: groups }, [extendedUsage(clientAuth)]),
    signRequest: (request, options) => {
      const { subject, publicKey, alternativeNames } = verifyCertificateRequest(request);
      return signCertificate({
        ...issuer,
        ...requestedValidity(options, Date.parse(new X509Certificate(certificate).validTo)),
        subject,
        publicKey,
        extensions: [
          ...usageExtensions(options.usages),
          notAnAuthority,
          authorityKeyId(issuer.issuerKeyId),
          ...(alternativeNames === undefined ? [] : [alternativeNames]),
        ],
      });
    },
  };
}

interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** The fields that all certificates of one authority share. */
interface Issuer {
  readonly issuer: Subject;
  readonly issuerKey: KeyObject;
  readonly issuerKeyId: Uint8Array;
  readonly notBefore: number;
}

interface CertificateFields extends Omit<Issuer, 'issuerKeyId'> {
  /** A name, or one in DER. */
  readonly subject: Subject | Uint8Array;
  readonly publicKey: KeyObject;
  readonly notAfter: number;
  readonly extensions: readonly Uint8Array[];
}

const hourMs = 3_600_000;
const backdateMs = 300_000;
const yearMs = 365 * 24 * hourMs;
const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';

/** BasicConstraints and KeyUsage. Bits of KeyUsage: 0 digitalSignature, 2 keyEncipherment, 5 keyCertSign. */
const authorityExtensions: readonly Uint8Array[] = [
  extension('2.5.29.19', sequence(booleanTrue()), true),
  extension('2.5.29.15', bitString(Uint8Array.of(0b1010_0100), 2), true),
];
const notAnAuthority = extension('2.5.29.19', sequence(), true);
const leafExtensions: readonly Uint8Array[] = [
  notAnAuthority,
  extension('2.5.29.15', bitString(Uint8Array.of(0b1010_0000), 5), true),
];

function generateKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** Returns the signed certificate in PEM. */
function signCertificate(fields: CertificateFields): string {
  const body = sequence(
    explicitTag(0, unsignedInteger(Uint8Array.of(2))), // version 3
    unsignedInteger(positiveSerial(randomBytes(16))),
    ecdsaWithSha256,
    distinguishedName(fields.issuer),
    sequence(certificateTime(fields.notBefore), certificateTime(fields.notAfter)),
    fields.subject instanceof Uint8Array ? fields.subject : distinguishedName(fields.subject),
    fields.publicKey.export({ type: 'spki', format: 'der' }),
    explicitTag(3, sequence(...fields.extensions)),
  );
  const signed = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, fields.issuerKey)));
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(signed).toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`;
}

/** Makes a serial number positive and non-zero, as RFC 5280 section 4.1.2.2 requires. */
function positiveSerial(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of((bytes[0] ?? 0) | 0x01, ...bytes.subarray(1)).map((byte, at) => (at === 0 ? byte & 0x7f : byte));
}

function distinguishedName({ organizations, commonName }: Subject): Uint8Array {
  const attribute = (type: string, value: string): Uint8Array =>
    setOf([sequence(objectIdentifier(type), utf8String(value))]);
  return sequence(...organizations.map((each) => attribute('2.5.4.10', each)), attribute('2.5.4.3', commonName));
}

function extension(id: string, value: Uint8Array, critical = false): Uint8Array {
  return sequence(objectIdentifier(id), ...(critical ? [booleanTrue()] : []), octetString(value));
}

function keyIds(publicKey: KeyObject, issuerKeyId: Uint8Array): readonly Uint8Array[] {
  return [extension('2.5.29.14', octetString(keyIdentifier(publicKey))), authorityKeyId(issuerKeyId)];
}

function authorityKeyId(issuerKeyId: Uint8Array): Uint8Array {
  return extension('2.5.29.35', sequence(implicitTag(0, issuerKeyId)));
}

/** As pkg/controller/certificates/authority/policies.go: only certificates of 8 hours and more also end earlier. */
function requestedValidity(
  { now, validMs }: SignRequestOptions,
  authorityEndsAt: number,
): { readonly notBefore: number; readonly notAfter: number } {
  if (now >= authorityEndsAt)
    throw new Error(`the signer has expired: NotAfter=${new Date(authorityEndsAt).toISOString()}`);
  const notAfter = now + validMs - (validMs < 8 * hourMs ? 0 : backdateMs);
  return { notBefore: now - backdateMs, notAfter: Math.min(notAfter, authorityEndsAt) };
}

function extendedUsage(id: string): Uint8Array {
  return extension('2.5.29.37', sequence(objectIdentifier(id)));
}

function alternativeNames(hosts: readonly string[]): Uint8Array {
  return extension(
    '2.5.29.17',
    sequence(
      ...hosts.map((host) =>
        isIPv4(host) || isIPv6(host) ? implicitTag(7, addressBytes(host)) : implicitTag(2, Buffer.from(host, 'latin1')),
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

/** Returns the key identifier: SHA-1 over the bits of the public key, as RFC 5280 section 4.2.1.2, method 1. */
function keyIdentifier(publicKey: KeyObject): Uint8Array {
  // The last 65 bytes of the encoding are the point on the curve.
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }).subarray(-65))
    .digest();
}

function pkcs8Pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
