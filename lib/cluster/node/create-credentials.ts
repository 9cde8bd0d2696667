// Certificates, keys and ports of a cluster on Node.
import { generateKeyPairSync } from 'node:crypto';
import { bearerTokens, orAnonymous, unionAuthenticator, withAuthenticatedGroup } from '../../auth/index.js';
import {
  cachedTokens,
  clientCertificates,
  legacyToken,
  serviceAccountKeys,
  serviceAccountTokens,
  tokenIssuer,
} from '../../auth/node/index.js';
import type { ServiceAccountKeys } from '../../auth/node/index.js';
import { unionTokenAuthenticator } from '../../auth/index.js';
import { systemClock } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import { apiServerHosts, createAuthority, kubeconfig, listen } from '../../server/node/index.js';
import type { CertificateAuthority } from '../../server/node/index.js';
import type { ClusterCredentials } from '../credentials.js';

/** What credentials are made of. */
export interface CredentialsOptions {
  /** The clock of the cluster: decides when tokens expire. Certificates expire by the system's clock, as TLS has it. */
  readonly clock: Clock;
  /** Signs the certificates of server and clients. Default: a new one; null for none, so without TLS. */
  readonly authority?: CertificateAuthority | null;
  /** The keys of service account tokens. Default: a new key. */
  readonly keys?: ServiceAccountKeys;
  /** The issuer of service account tokens, and their audience. Default as kubeadm has it. */
  readonly issuer?: string;
  /** Further authorities whose certificates clients may present, in PEM. */
  readonly clientAuthorities?: string;
}

/** Creates credentials. */
export function createCredentials(options: CredentialsOptions): ClusterCredentials {
  const { clock, issuer = 'https://kubernetes.default.svc.cluster.local', clientAuthorities = '' } = options;
  const authority =
    options.authority === undefined ? createAuthority({ now: systemClock().now() }) : (options.authority ?? undefined);
  const keys = options.keys ?? serviceAccountKeys({ signing: newKey() });
  const trusted = [authority?.certificate ?? '', clientAuthorities].join('\n');
  return {
    rootCa: authority?.certificate,
    authenticators: ({ reader }) => {
      const tokens = serviceAccountTokens({
        reader,
        clock,
        keys,
        issuers: [issuer],
        apiAudiences: [issuer],
        lookup: true,
      });
      const known = unionAuthenticator([
        ...(authority === undefined ? [] : [clientCertificates({ authorities: trusted, clock: systemClock() })]),
        bearerTokens([cachedTokens(unionTokenAuthenticator(tokens), { clock })]),
      ]);
      return [orAnonymous([withAuthenticatedGroup(known)], {})];
    },
    tokenIssuer: ({ random }) => tokenIssuer({ keys, issuer, apiAudiences: [issuer], clock, random }),
    legacyToken: (secret, account) => legacyToken(keys, secret, account),
    listen: (server, { tls = true, ...place }) => {
      if (!tls) return listen(server, place);
      if (authority === undefined) throw new Error('the cluster has no certificate authority to listen with TLS');
      return listen(server, {
        ...place,
        tls: { ...authority.serving(apiServerHosts), clientAuthorities: trusted },
      });
    },
    kubeconfig: (server, { username = '', groups = [] }) => {
      if (authority === undefined) throw new Error('the cluster has no certificate authority to sign certificates');
      const certificate = authority.client(username, groups);
      return kubeconfig({ server, ca: authority.certificate, user: { name: username, certificate } });
    },
  };
}

/** A private key in PEM. */
function newKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
