// Whether a PEM certificate and a PEM private key belong together, in the words of Go's crypto/tls X509KeyPair, which
// warns about secrets of type kubernetes.io/tls. RSA and elliptic keys are compared by their public halves. A key whose
// public half would have to be computed (Ed25519, elliptic keys that leave it out) counts as matching.
// Reads only what the comparison needs; a certificate is not otherwise checked. Linear in its input, never throws.
import { decodeBase64 } from '../../go/base64.js';
import { isParseError } from '../../objects/parse-error.js';
import { derChildren, derValue, readDer } from './der.js';
import type { Der } from './der.js';

/** Validates the pair, if anything. */
export function keyPairProblem(certificatePem: Uint8Array, keyPem: Uint8Array): string | undefined {
  const certificates = pemBlocks(certificatePem);
  const certificate = certificates.find(({ type }) => type === 'CERTIFICATE');
  if (certificate === undefined) return noCertificate(certificates.map(({ type }) => type));
  const blocks = pemBlocks(keyPem);
  const key = blocks.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (key === undefined) return noKey(blocks.map(({ type }) => type));

  const certified = certifiedKey(certificate.bytes);
  if (certified === undefined) return 'x509: malformed certificate';
  const held = privateKey(key.bytes);
  if (held === undefined) return 'tls: failed to parse private key';
  if (certified.algorithm === undefined) return 'tls: unknown public key algorithm';
  if (certified.algorithm !== held.algorithm) return 'tls: private key type does not match public key type';
  const comparable = certified.publicHalf !== undefined && held.publicHalf !== undefined;
  return comparable && certified.publicHalf !== held.publicHalf
    ? 'tls: private key does not match public key'
    : undefined;
}

interface PemBlock {
  readonly type: string;
  readonly bytes: Uint8Array;
}

type Algorithm = 'rsa' | 'ec' | 'ed25519';

/** The half of a key pair that both sides have, as text: the modulus, or the point. */
interface Half {
  readonly algorithm: Algorithm | undefined;
  readonly publicHalf?: string;
}

/** All well-formed blocks; others are passed over, as encoding/pem does. */
function pemBlocks(pem: Uint8Array): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let type: string | undefined;
  let body = '';
  for (const line of new TextDecoder('latin1')
    .decode(pem)
    .split('\n')
    .map((text) => text.trimEnd())) {
    const begin = boundary(line, 'BEGIN');
    if (begin !== undefined) {
      type = begin;
      body = '';
    } else if (type !== undefined && boundary(line, 'END') === type) {
      const bytes = bytesOf(body);
      if (bytes !== undefined) blocks.push({ type, bytes });
      type = undefined;
    } else if (!line.includes(':')) body += line;
  }
  return blocks;
}

function boundary(line: string, word: string): string | undefined {
  const start = `-----${word} `;
  return line.startsWith(start) && line.endsWith('-----') && line.length >= start.length + 5
    ? line.slice(start.length, -5)
    : undefined;
}

function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return decodeBase64(base64.replace(/\s/g, ''));
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

function noCertificate(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (skipped.length === 1 && skipped[0]?.endsWith('PRIVATE KEY') === true) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`;
}

function noKey(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in key input';
  if (skipped.length === 1 && skipped[0] === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`;
}

/** Certificate ::= SEQUENCE { tbsCertificate SEQUENCE { [0] version, serial, …, subjectPublicKeyInfo, … }, … } */
function certifiedKey(der: Uint8Array): Half | undefined {
  const [body] = children(readDer(der));
  const fields = children(body);
  const info = fields[fields[0]?.tag === contextZero ? 6 : 5];
  const [algorithm, bits] = children(info);
  const [oid] = children(algorithm);
  if (oid === undefined || bits?.tag !== bitString) return undefined;
  // The first octet of a bit string counts unused bits: none in a key.
  return publicHalf(hex(derValue(oid)), derValue(bits).subarray(1));
}

/** PKCS #1, then PKCS #8, then SEC 1, as crypto/tls tries them. */
function privateKey(der: Uint8Array): Half | undefined {
  const [version, second, third, fourth] = children(readDer(der));
  if (version?.tag !== integer || second === undefined) return undefined;
  if (second.tag === integer) return rsaHalf(der);
  if (second.tag === octetString) return ecHalf(third?.tag === contextOne ? third : fourth);
  const [oid] = children(second);
  if (oid === undefined || third?.tag !== octetString) return undefined;
  switch (algorithms.get(hex(derValue(oid)))) {
    case 'rsa':
      return rsaHalf(derValue(third));
    case 'ec': {
      const [, , parameters, point] = children(readDer(derValue(third)));
      return ecHalf(parameters?.tag === contextOne ? parameters : point);
    }
    case 'ed25519':
      return { algorithm: 'ed25519' };
    case undefined:
      return undefined;
  }
}

/** RSAPrivateKey ::= SEQUENCE { version, modulus, publicExponent, … } */
function rsaHalf(der: Uint8Array): Half | undefined {
  const [version, modulus, exponent] = children(readDer(der));
  const isKey = version?.tag === integer && modulus?.tag === integer && exponent?.tag === integer;
  return isKey ? { algorithm: 'rsa', publicHalf: hex(derValue(modulus)) } : undefined;
}

function ecHalf(part: Der | undefined): Half {
  const [bits] = part?.tag === contextOne ? children(part) : [];
  return bits === undefined ? { algorithm: 'ec' } : { algorithm: 'ec', publicHalf: hex(derValue(bits).subarray(1)) };
}

function publicHalf(oid: string, key: Uint8Array): Half {
  const algorithm = algorithms.get(oid);
  if (algorithm !== 'rsa') return { algorithm, publicHalf: hex(key) };
  const [modulus] = children(readDer(key));
  return modulus === undefined ? { algorithm } : { algorithm, publicHalf: hex(derValue(modulus)) };
}

function children(der: Der | undefined): readonly Der[] {
  return der === undefined ? [] : derChildren(der);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const integer = 0x02;
const bitString = 0x03;
const octetString = 0x04;
const contextZero = 0xa0;
const contextOne = 0xa1;

/** Object identifiers: rsaEncryption, id-ecPublicKey, id-Ed25519. */
const algorithms: ReadonlyMap<string, Algorithm> = new Map([
  ['2a864886f70d010101', 'rsa'],
  ['2a8648ce3d0201', 'ec'],
  ['2b6570', 'ed25519'],
]);
