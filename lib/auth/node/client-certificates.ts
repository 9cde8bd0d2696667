// Authenticates users by client certificate, as `--client-ca-file`: the common name is the user, the organizations are
// its groups. TLS requests a certificate and accepts any, so all verification happens here. As
// apiserver/pkg/authentication/request/x509/x509.go.
import { createHash } from 'node:crypto';
import { certificateVerifier } from '../../pki/index.js';
import type { Certificate, TrustOptions } from '../../pki/index.js';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticated, Authenticator } from '../authenticator.js';

/** Authenticates certificates that chain to one of the authorities. Throws ParseError if those cannot be parsed. */
export function clientCertificates(options: TrustOptions): Authenticator {
  const verify = certificateVerifier(options);
  const users = new WeakMap<Certificate, Authenticated>();
  return ({ certificate: presented }) => {
    if (presented === undefined) return notAuthenticated;
    const { certificate, problem } = verify(presented);
    if (problem !== undefined)
      throw new AuthenticationError(
        certificate === undefined
          ? problem
          : `verifying certificate ${printIdentifiers(certificate)} failed: ${problem}`,
      );
    if (certificate.commonName === '') return notAuthenticated;
    const authenticated = users.get(certificate) ?? authenticatedUser(certificate);
    users.set(certificate, authenticated);
    return [authenticated];
  };
}

const notAuthenticated = [undefined] as const;

function authenticatedUser(certificate: Certificate): Authenticated {
  const { commonName, organizations, raw } = certificate;
  const uid = uidOf(certificate);
  const fingerprint = createHash('sha256').update(raw).digest('hex');
  return {
    user: {
      username: commonName,
      ...(uid !== undefined && { uid }),
      groups: organizations,
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    },
  };
}

function uidOf({ uids }: Certificate): string | undefined {
  const [uid, ...others] = uids;
  if (others.length > 0) throw new AuthenticationError(`expected 1 UID, but found multiple: [${uids.join(' ')}]`);
  if (uid === '') throw new AuthenticationError('UID cannot be an empty string');
  return uid;
}

function printIdentifiers({ serialNumber, subjectKeyId, authorityKeyId }: Certificate): string {
  return `SN=${serialNumber}, SKID=${printKeyId(subjectKeyId)}, AKID=${printKeyId(authorityKeyId)}`;
}

function printKeyId(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':');
}
