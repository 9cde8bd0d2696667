// The certificate that a client presented in its TLS handshake. The handshake takes any, and proves only that the
// client has its key; whether it makes a user is the authenticator's to say. Read once for each connection.
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../auth/index.js';

/** What the client presented; undefined for nothing. */
export function clientCertificateOf(socket: TLSSocket): ClientCertificate | undefined {
  const known = presented.get(socket);
  if (known !== undefined) return known;
  const found = read(socket);
  if (found !== undefined) presented.set(socket, found);
  return found;
}

const presented = new WeakMap<TLSSocket, ClientCertificate>();

function read(socket: TLSSocket): ClientCertificate | undefined {
  // The type does not say so, but there is nothing once the socket is gone, and nothing in it without a certificate.
  let next = socket.getPeerCertificate(true) as Partial<DetailedPeerCertificate> | undefined;
  const chain: Uint8Array[] = [];
  const seen = new Set<unknown>();
  // An authority that signed itself is its own issuer.
  for (; next?.raw !== undefined && !seen.has(next); next = next.issuerCertificate) {
    seen.add(next);
    chain.push(next.raw);
  }
  const [raw, ...intermediates] = chain;
  return raw === undefined ? undefined : { raw, intermediates };
}
