// The certificate that a client presented in its TLS handshake. The handshake takes any; whether it was signed by the
// authority that the server trusts for clients is noted here, and whether that makes a user is the authenticator's to say.
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../auth/index.js';

/** What the client presented; undefined for nothing. */
export function clientCertificateOf(socket: TLSSocket): ClientCertificate | undefined {
  // The type does not say so, but both are undefined once the socket is gone.
  const certificate = socket.getPeerCertificate(false) as PeerCertificate | undefined;
  const raw = certificate?.raw as Uint8Array | undefined;
  if (certificate === undefined || raw === undefined) return undefined;
  const subject = certificate.subject as { readonly CN?: string | string[]; readonly O?: string | string[] } | undefined;
  return { raw, verified: socket.authorized, commonName: listOf(subject?.CN)[0] ?? '', organizations: listOf(subject?.O) };
}

/** Node gives one value as a text and several as a list. */
function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}
