// Errors of Node's sockets and TLS in the words of Go, which users of Kubernetes know and tools parse. As the packages
// net and crypto/x509 of Go.
import type { WebhookRequest } from '../index.js';

/** Returns the sentence of Go for an error of a connection; the error's own for an unknown one. */
export function goNetworkError(error: unknown, { url, endpoint }: Pick<WebhookRequest, 'url' | 'endpoint'>): string {
  const failure = firstOfAggregate(error);
  if (!(failure instanceof Error)) return 'the connection was closed';
  const { code = '', address, port, reason } = failure as NodeError;
  const { hostname, port: urlPort } = new URL(url);
  const host = endpoint?.host ?? hostname;
  const at = `dial tcp ${address ?? host}:${port ?? endpoint?.port ?? (urlPort === '' ? 443 : urlPort)}`;
  const errno = errnoTexts.get(code);
  if (errno !== undefined) return `${at}: connect: ${errno}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return wrongName(failure, hostname, reason);
  const certificate = certificateTexts.get(code);
  if (certificate !== undefined) return `tls: failed to verify certificate: x509: ${certificate}`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'tls: first record does not look like a TLS handshake';
  return failure.message;
}

interface NodeError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly reason?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

/** Node tries the addresses of a name in turn and reports all failures; Go reports one. */
function firstOfAggregate(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
}

function wrongName(failure: NodeError, hostname: string, reason = ''): string {
  const names = (failure.cert?.subjectaltname ?? '')
    .split(', ')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter((name) => name !== '');
  if (names.length === 0 && reason === '') return failure.message;
  return `tls: failed to verify certificate: x509: certificate is valid for ${names.join(', ')}, not ${hostname}`;
}

const errnoTexts: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ETIMEDOUT', 'connection timed out'],
  ['EHOSTUNREACH', 'no route to host'],
  ['ENETUNREACH', 'network is unreachable'],
]);

const unknownAuthority = 'certificate signed by unknown authority';
const notValidNow = 'certificate has expired or is not yet valid';

const certificateTexts: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', notValidNow],
  ['CERT_NOT_YET_VALID', notValidNow],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknownAuthority],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownAuthority],
]);
