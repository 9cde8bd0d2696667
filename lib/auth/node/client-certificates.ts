// Users by certificate, as `--client-ca-file`: the common name is the user, organizations are its groups. Nothing was
// verified before: TLS asks for a certificate and takes any. As apiserver/pkg/authentication/request/x509/x509.go.
import { createHash } from 'node:crypto';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticated, Authenticator } from '../authenticator.js';
import type { Certificate } from './certificate.js';
import type { TrustOptions } from './certificate-chain.js';
import { certificateJudge } from './certificate-chain.js';

/** Knows users by certificates that lead to one of the authorities. Throws ParseError where those cannot be read. */
export function clientCertificates(options: TrustOptions): Authenticator {
  const judge = certificateJudge(options);
  const users = new WeakMap<Certificate, Authenticated>();
  return ({ certificate: presented }) => {
    if (presented === undefined) return nobody;
    const { certificate, problem } = judge(presented);
    if (problem !== undefined)
      throw new AuthenticationError(
        certificate === undefined ? problem : `verifying certificate ${identifierOf(certificate)} failed: ${problem}`,
      );
    if (certificate.commonName === '') return nobody;
    const known = users.get(certificate) ?? userOf(certificate);
    users.set(certificate, known);
    return [known];
  };
}

const nobody = [undefined] as const;

function userOf(certificate: Certificate): Authenticated {
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

function identifierOf({ serialNumber, subjectKeyId, authorityKeyId }: Certificate): string {
  return `SN=${serialNumber}, SKID=${printedKey(subjectKeyId)}, AKID=${printedKey(authorityKeyId)}`;
}

function printedKey(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':');
}
