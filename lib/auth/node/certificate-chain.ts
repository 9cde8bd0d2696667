// Whether a certificate leads to an authority that is trusted for clients: chains are built from what the client sent
// along, each link verified, as Go's crypto/x509 does in Certificate.Verify, with its words. Authorities are trusted as
// they stand; nothing is fetched, nothing is revoked. Constraints on names concern alternative names only, which make
// no user here: instead of being weighed, a certificate that has such names is refused under an authority with
// constraints.
import { printTime } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { ClientCertificate } from '../authenticator.js';
import type { Certificate } from './certificate.js';
import { certificatesOf, readCertificate } from './certificate.js';

/** Whom to trust for clients. */
export interface TrustOptions {
  /** Certificates of authorities, in PEM. */
  readonly authorities: string;
  readonly clock: Clock;
}

/** A certificate that was verified, or why it could not be. */
export type CertificateVerdict =
  | { readonly certificate: Certificate; readonly problem?: undefined }
  | { readonly certificate: Certificate | undefined; readonly problem: string };

/** Judges the certificates of clients. */
export type CertificateJudge = (presented: ClientCertificate) => CertificateVerdict;

/**
 * Makes a judge. A verdict is kept as long as the connection that presented the certificate holds on to it: a good one
 * until a certificate of its chain is no longer valid, a bad one for ten seconds. Throws ParseError where the
 * authorities cannot be read.
 */
export function certificateJudge({ authorities, clock }: TrustOptions): CertificateJudge {
  const roots = certificatesOf(authorities);
  const kept = new WeakMap<
    ClientCertificate,
    { readonly verdict: CertificateVerdict; readonly fromMs: number; readonly untilMs: number }
  >();
  return (presented) => {
    const nowMs = clock.now();
    const known = kept.get(presented);
    if (known !== undefined && nowMs >= known.fromMs && nowMs <= known.untilMs) return known.verdict;
    const { verdict, chain } = judged(presented, roots, nowMs);
    const untilMs = chain === undefined ? nowMs + badKeptMs : Math.min(...chain.map(({ notAfterMs }) => notAfterMs));
    kept.set(presented, { verdict, fromMs: nowMs, untilMs });
    return verdict;
  };
}

const badKeptMs = 10_000;

function judged(
  { raw, intermediates }: ClientCertificate,
  roots: readonly Certificate[],
  nowMs: number,
): { readonly verdict: CertificateVerdict; readonly chain?: readonly Certificate[] } {
  let certificate: Certificate | undefined;
  try {
    certificate = readCertificate(raw);
    const chain = verifiedChain(certificate, {
      roots,
      intermediates: readable(intermediates),
      nowMs,
      checks: { left: signatureChecksMax },
    });
    return { verdict: { certificate }, chain };
  } catch (error) {
    return { verdict: { certificate, problem: error instanceof Error ? error.message : String(error) } };
  }
}

/** Somebody else's certificate may be of a kind that nobody here can read; it leads nowhere then. */
function readable(intermediates: readonly Uint8Array[]): readonly Certificate[] {
  return intermediates.slice(0, intermediatesMax).flatMap((raw) => {
    try {
      return [readCertificate(raw)];
    } catch {
      return [];
    }
  });
}

/** What a client can make the server do: so many certificates are read, and so many signatures verified. */
const intermediatesMax = 10;
const signatureChecksMax = 100;
const keyBitsMax = 8192;

interface Search {
  readonly roots: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
  readonly nowMs: number;
  readonly checks: { left: number };
}

/** A chain that is good for a client. Throws AuthenticationError in Go's words. */
function verifiedChain(leaf: Certificate, search: Search): readonly Certificate[] {
  refuseIf(problemOf(leaf, [], 'leaf', search.nowMs));
  const chains = search.roots.some((root) => isSame(root, leaf)) ? [[leaf]] : chainsFrom([leaf], search);
  const good = chains.find((chain) => chain.every(isForClients));
  if (good === undefined) throw new AuthenticationError('x509: certificate specifies an incompatible key usage');
  return good;
}

/** Certificates from the one that has to be signed next down to the client's. */
type Chain = readonly [top: Certificate, ...below: Certificate[]];

/** All chains from a root down to what is there already. */
function chainsFrom(chain: Chain, search: Search): readonly (readonly Certificate[])[] {
  const [child] = chain;
  const found: (readonly Certificate[])[] = [];
  let problem: string | undefined;
  let hint = '';
  const consider = (parent: Certificate, place: 'root' | 'intermediate'): void => {
    if (parent.subject !== child.issuer || chain.some((each) => isSameAuthority(each, parent))) return;
    if (search.checks.left-- <= 0) {
      problem = 'x509: signature check attempts limit reached while verifying certificate chain';
      return;
    }
    const unsigned = signatureProblem(child, parent);
    if (unsigned !== undefined) {
      hint ||= ` (possibly because of ${JSON.stringify(unsigned)} while trying to verify candidate authority certificate ${JSON.stringify(nameOf(parent))})`;
      return;
    }
    const longer: Chain = [parent, ...chain];
    const invalid = problemOf(parent, chain, place, search.nowMs);
    if (invalid !== undefined) problem = invalid;
    else if (place === 'root') found.push(longer);
    else problem = gather(longer);
  };
  const gather = (longer: Chain): string | undefined => {
    try {
      found.push(...chainsFrom(longer, search));
      return problem;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  for (const root of search.roots) consider(root, 'root');
  for (const intermediate of search.intermediates) consider(intermediate, 'intermediate');
  if (found.length === 0)
    throw new AuthenticationError(problem ?? `x509: certificate signed by unknown authority${hint}`);
  return found;
}

/** What is wrong with a certificate in its place behind the others of a chain. */
function problemOf(
  certificate: Certificate,
  below: readonly Certificate[],
  place: 'leaf' | 'intermediate' | 'root',
  nowMs: number,
): string | undefined {
  const { notBeforeMs, notAfterMs, isAuthority, intermediatesMax: limit } = certificate;
  if (certificate.hasUnknownDemands) return 'x509: unhandled critical extension';
  if (nowMs < notBeforeMs) return `${outOfDate}: current time ${printTime(nowMs)} is before ${printTime(notBeforeMs)}`;
  if (nowMs > notAfterMs) return `${outOfDate}: current time ${printTime(nowMs)} is after ${printTime(notAfterMs)}`;
  if (certificate.constrainsNames && below.some(({ hasAlternativeNames }) => hasAlternativeNames))
    return 'x509: a root or intermediate certificate is not authorized to sign for this name';
  if (place === 'intermediate' && isAuthority !== true)
    return 'x509: certificate is not authorized to sign other certificates';
  if (limit !== undefined && below.length - 1 > limit) return 'x509: too many intermediates for path length constraint';
  return undefined;
}

const outOfDate = 'x509: certificate has expired or is not yet valid';

function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new AuthenticationError(problem);
}

/** Why the parent did not sign the child, or must not have. */
function signatureProblem({ x509, signature }: Certificate, parent: Certificate): string | undefined {
  const mustNot =
    (parent.isVersion3 && parent.isAuthority === undefined) ||
    parent.isAuthority === false ||
    parent.signsCertificates === false;
  if (mustNot) return 'x509: invalid signature: parent certificate cannot sign this kind of certificate';
  const algorithm = algorithms.get(signature.algorithm);
  if (algorithm === undefined || (algorithm.needsHash && !strongHashes.has(signature.hash ?? '')))
    return 'x509: cannot verify signature: algorithm unimplemented';
  const { publicKey } = parent;
  const isFit =
    publicKey.asymmetricKeyType === algorithm.key || (algorithm.needsHash && publicKey.asymmetricKeyType === 'rsa-pss');
  if (!isFit || (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) > keyBitsMax)
    return 'x509: signature algorithm specifies a public key of another type';
  return x509.verify(publicKey) ? undefined : algorithm.failure;
}

interface Algorithm {
  readonly key: 'rsa' | 'ec' | 'ed25519';
  readonly failure: string;
  /** Whether the hash is a parameter. */
  readonly needsHash: boolean;
}

const rsa: Algorithm = { key: 'rsa', failure: 'crypto/rsa: verification error', needsHash: false };
const ecdsa: Algorithm = { key: 'ec', failure: 'x509: ECDSA verification failure', needsHash: false };

/** Those that are not broken, by identifier: RSA and ECDSA with SHA-256, SHA-384 and SHA-512, RSA-PSS, and Ed25519. */
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

/** A certificate that names no purposes is for all. */
function isForClients({ purposes }: Certificate): boolean {
  return purposes === undefined || purposes.some((each) => each === clientAuth || each === anyPurpose);
}

const clientAuth = '2b06010505070302';
const anyPurpose = '551d2500';

function isSame(one: Certificate, other: Certificate): boolean {
  return Buffer.compare(one.raw, other.raw) === 0;
}

/** The same name and key: a chain that comes by twice goes in a circle. */
function isSameAuthority(one: Certificate, other: Certificate): boolean {
  return one.subject === other.subject && one.publicKey.equals(other.publicKey);
}

function nameOf({ commonName, organizations, serialNumber }: Certificate): string {
  return commonName || (organizations[0] ?? `serial:${serialNumber}`);
}
