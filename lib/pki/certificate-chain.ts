// Verifies client certificates: builds chains from the presented certificate through the intermediates that the client
// sent up to a trusted authority, and verifies every link, as Certificate.Verify of Go's crypto/x509, with its
// messages. Nothing is fetched and revocation is not checked. Name constraints are not evaluated: they concern
// alternative names, which identify no user, so a certificate with such names is rejected below an authority with
// constraints.
import { errorText, printTime } from '../core/index.js';
import type { Clock } from '../core/index.js';
import type { Certificate } from './certificate.js';
import { parseCertificate, parseCertificateBundle } from './certificate.js';

/** The authorities that are trusted to sign client certificates. */
export interface TrustOptions {
  /** Certificates of authorities, in PEM. */
  readonly authorities: string;
  /** The clock that validity periods are compared with. */
  readonly clock: Clock;
}

/** A certificate as a client presented it, in DER. */
export interface PresentedCertificate {
  readonly raw: Uint8Array;
  /** Further certificates that the client sent, in any order. */
  readonly intermediates: readonly Uint8Array[];
}

/** A verified certificate, or the reason why verification failed. */
export type CertificateVerdict =
  | { readonly certificate: Certificate; readonly problem?: undefined }
  | { readonly certificate: Certificate | undefined; readonly problem: string };

/** Verifies a client certificate. Never throws. */
export type CertificateVerifier = (presented: PresentedCertificate) => CertificateVerdict;

/**
 * Returns a verifier. It caches verdicts by the identity of the presented value, which the connection holds: success
 * until the first certificate of the chain expires, failure for ten seconds. Throws ParseError if the authorities
 * cannot be parsed.
 */
export function certificateVerifier({ authorities, clock }: TrustOptions): CertificateVerifier {
  const roots = parseCertificateBundle(authorities);
  const cache = new WeakMap<
    PresentedCertificate,
    { readonly verdict: CertificateVerdict; readonly fromMs: number; readonly untilMs: number }
  >();
  return (presented) => {
    const nowMs = clock.now();
    const cached = cache.get(presented);
    if (cached !== undefined && nowMs >= cached.fromMs && nowMs <= cached.untilMs) return cached.verdict;
    const { verdict, chain } = verify(presented, roots, nowMs);
    const untilMs = chain === undefined ? nowMs + failureTtlMs : Math.min(...chain.map(({ notAfterMs }) => notAfterMs));
    cache.set(presented, { verdict, fromMs: nowMs, untilMs });
    return verdict;
  };
}

const failureTtlMs = 10_000;

function verify(
  { raw, intermediates }: PresentedCertificate,
  roots: readonly Certificate[],
  nowMs: number,
): { readonly verdict: CertificateVerdict; readonly chain?: readonly Certificate[] } {
  let certificate: Certificate | undefined;
  try {
    certificate = parseCertificate(raw);
    const chain = findChain(certificate, {
      roots,
      intermediates: parseIntermediates(intermediates),
      nowMs,
      signatureChecks: { left: signatureChecksMax },
    });
    return { verdict: { certificate }, chain };
  } catch (error) {
    return { verdict: { certificate, problem: errorText(error) } };
  }
}

/** Parses intermediates; skips those that cannot be parsed, which no chain can use. */
function parseIntermediates(intermediates: readonly Uint8Array[]): readonly Certificate[] {
  return intermediates.slice(0, intermediatesMax).flatMap((raw) => {
    try {
      return [parseCertificate(raw)];
    } catch {
      return [];
    }
  });
}

/** Limits of the work that one client can cause: certificates parsed, signatures verified, size of RSA keys. */
const intermediatesMax = 10;
const signatureChecksMax = 100;
const keyBitsMax = 8192;

interface Search {
  readonly roots: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
  readonly nowMs: number;
  readonly signatureChecks: { left: number };
}

/** A certificate that cannot be verified; the message is Go's. */
class VerificationError extends Error {
  override readonly name = 'VerificationError';
}

/** Returns a chain whose certificates all permit client authentication. Throws VerificationError. */
function findChain(leaf: Certificate, search: Search): readonly Certificate[] {
  const problem = validityProblem(leaf, [], 'leaf', search.nowMs);
  if (problem !== undefined) throw new VerificationError(problem);
  const chains = search.roots.some((root) => isSame(root, leaf)) ? [[leaf]] : extendChain([leaf], search);
  const usable = chains.find((chain) => chain.every(permitsClientAuth));
  if (usable === undefined) throw new VerificationError('x509: certificate specifies an incompatible key usage');
  return usable;
}

/** Certificates from the one whose issuer is searched next down to the client's. */
type Chain = readonly [top: Certificate, ...below: Certificate[]];

/** Returns all chains from a root down to the given partial chain. Throws VerificationError if there is none. */
function extendChain(chain: Chain, search: Search): readonly (readonly Certificate[])[] {
  const [child] = chain;
  const found: (readonly Certificate[])[] = [];
  let problem: string | undefined;
  let hint = '';
  const consider = (parent: Certificate, position: 'root' | 'intermediate'): void => {
    if (parent.subject !== child.issuer || chain.some((each) => isSameAuthority(each, parent))) return;
    if (search.signatureChecks.left-- <= 0) {
      problem = 'x509: signature check attempts limit reached while verifying certificate chain';
      return;
    }
    const unsignedReason = signatureProblem(child, parent);
    if (unsignedReason !== undefined) {
      hint ||= ` (possibly because of ${JSON.stringify(unsignedReason)} while trying to verify candidate authority certificate ${JSON.stringify(displayName(parent))})`;
      return;
    }
    const longer: Chain = [parent, ...chain];
    const invalid = validityProblem(parent, chain, position, search.nowMs);
    if (invalid !== undefined) problem = invalid;
    else if (position === 'root') found.push(longer);
    else problem = extendFurther(longer);
  };
  const extendFurther = (longer: Chain): string | undefined => {
    try {
      found.push(...extendChain(longer, search));
      return problem;
    } catch (error) {
      return errorText(error);
    }
  };
  for (const root of search.roots) consider(root, 'root');
  for (const intermediate of search.intermediates) consider(intermediate, 'intermediate');
  if (found.length === 0)
    throw new VerificationError(problem ?? `x509: certificate signed by unknown authority${hint}`);
  return found;
}

/** Returns why a certificate is invalid at its position above the others of a chain; undefined if it is valid. */
function validityProblem(
  certificate: Certificate,
  below: readonly Certificate[],
  position: 'leaf' | 'intermediate' | 'root',
  nowMs: number,
): string | undefined {
  const { notBeforeMs, notAfterMs, isAuthority, intermediatesMax: limit } = certificate;
  if (certificate.hasUnknownCriticalExtension) return 'x509: unhandled critical extension';
  if (nowMs < notBeforeMs) return `${notCurrent}: current time ${printTime(nowMs)} is before ${printTime(notBeforeMs)}`;
  if (nowMs > notAfterMs) return `${notCurrent}: current time ${printTime(nowMs)} is after ${printTime(notAfterMs)}`;
  if (certificate.hasNameConstraints && below.some(({ hasAlternativeNames }) => hasAlternativeNames))
    return 'x509: a root or intermediate certificate is not authorized to sign for this name';
  if (position === 'intermediate' && isAuthority !== true)
    return 'x509: certificate is not authorized to sign other certificates';
  if (limit !== undefined && below.length - 1 > limit) return 'x509: too many intermediates for path length constraint';
  return undefined;
}

const notCurrent = 'x509: certificate has expired or is not yet valid';

/** Returns why the child is not signed by the parent, or may not be; undefined if it is. */
function signatureProblem({ x509, signature }: Certificate, parent: Certificate): string | undefined {
  const cannotSign =
    (parent.isVersion3 && parent.isAuthority === undefined) ||
    parent.isAuthority === false ||
    parent.canSignCertificates === false;
  if (cannotSign) return 'x509: invalid signature: parent certificate cannot sign this kind of certificate';
  const algorithm = algorithms.get(signature.algorithm);
  if (algorithm === undefined || (algorithm.needsHash && !strongHashes.has(signature.hash ?? '')))
    return 'x509: cannot verify signature: algorithm unimplemented';
  const { publicKey } = parent;
  const isKeyOfAlgorithm =
    publicKey.asymmetricKeyType === algorithm.key || (algorithm.needsHash && publicKey.asymmetricKeyType === 'rsa-pss');
  if (!isKeyOfAlgorithm || (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) > keyBitsMax)
    return 'x509: signature algorithm specifies a public key of another type';
  return x509.verify(publicKey) ? undefined : algorithm.failure;
}

interface Algorithm {
  readonly key: 'rsa' | 'ec' | 'ed25519';
  readonly failure: string;
  /** True if the hash is a parameter of the algorithm (RSA-PSS). */
  readonly needsHash: boolean;
}

const rsa: Algorithm = { key: 'rsa', failure: 'crypto/rsa: verification error', needsHash: false };
const ecdsa: Algorithm = { key: 'ec', failure: 'x509: ECDSA verification failure', needsHash: false };

/** Accepted algorithms by identifier: RSA and ECDSA with SHA-256, SHA-384 and SHA-512, RSA-PSS, and Ed25519. */
const algorithms: ReadonlyMap<string, Algorithm> = new Map([
  ['2a864886f70d01010a', { ...rsa, needsHash: true }],
  ['2a864886f70d01010b', rsa],
  ['2a864886f70d01010c', rsa],
  ['2a864886f70d01010d', rsa],
  ['2a8648ce3d040302', ecdsa],
  ['2a8648ce3d040303', ecdsa],
  ['2a8648ce3d040304', ecdsa],
  ['2b6570', { key: 'ed25519', failure: 'x509: Ed25519 verification failure', needsHash: false }],
]);

const strongHashes: ReadonlySet<string> = new Set(['608648016503040201', '608648016503040202', '608648016503040203']);

function permitsClientAuth({ extendedKeyUsages: usages }: Certificate): boolean {
  return usages === undefined || usages.some((each) => each === clientAuth || each === anyUsage);
}

const clientAuth = '2b06010505070302';
const anyUsage = '551d2500';

function isSame(one: Certificate, other: Certificate): boolean {
  return Buffer.compare(one.raw, other.raw) === 0;
}

/** True for the same name and key: a chain that contains both would be a cycle. */
function isSameAuthority(one: Certificate, other: Certificate): boolean {
  return one.subject === other.subject && one.publicKey.equals(other.publicKey);
}

function displayName({ commonName, organizations, serialNumber }: Certificate): string {
  return commonName || (organizations[0] ?? `serial:${serialNumber}`);
}
