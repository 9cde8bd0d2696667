// Certificates, keys and ports of a cluster on Node.
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
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
import { decodeBase64, systemClock, systemRandom } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import { apiServerHosts, createAuthority, generatePrivateKey } from '../../pki/index.js';
import type { CertificateAuthority } from '../../pki/index.js';
import { kubeconfig, listen } from '../../server/node/index.js';
import type { ListenOptions, Listening } from '../../server/node/index.js';
import type { ClusterCredentials } from '../credentials.js';
import { withTime } from '../with-time.js';

/** Options of `createCredentials`: the clock, the certificate authority and the keys of tokens. */
export interface CredentialsOptions {
  /** The clock of the cluster, for the expiry of tokens. Certificates expire by the system's clock, which TLS uses. */
  readonly clock: Clock;
  /** The authority that signs server and client certificates. Default: a new one; null for none, and so no TLS. */
  readonly authority?: CertificateAuthority | null;
  /** The signing keys of service account tokens. Default: a new key. */
  readonly keys?: ServiceAccountKeys;
  /** The issuer and audience of service account tokens. Default: the same as kubeadm's. */
  readonly issuer?: string;
  /** Further trusted authorities of client certificates, in PEM. */
  readonly clientAuthorities?: string;
}

/** Creates certificates and keys of a cluster. */
export function createCredentials(options: CredentialsOptions): ClusterCredentials {
  const { clock, issuer = 'https://kubernetes.default.svc.cluster.local', clientAuthorities = '' } = options;
  const authority =
    options.authority === undefined ? createAuthority({ now: systemClock().now() }) : (options.authority ?? undefined);
  const keys = options.keys ?? serviceAccountKeys({ signing: generatePrivateKey() });
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
    ...(authority !== undefined && {
      signCertificate: ({ request, usages, validMs }) =>
        authority.signRequest(new TextDecoder().decode(decodeBase64(request)), {
          usages,
          validMs,
          now: systemClock().now(),
        }),
    }),
    listen: (server, { tls = true, ...address }) => {
      // Sockets run on real time: a virtual clock that stands still would never end a stalled connection.
      const time = { clock: systemClock(), random: systemRandom() };
      const open = (options: ListenOptions): Promise<Listening> => listen(server, options);
      if (!tls) return withTime(open, { ...address, ...time });
      if (authority === undefined) throw new Error('the cluster has no certificate authority to listen with TLS');
      const hosts = [...new Set([...apiServerHosts, ...hostsOf(address.host)])];
      const serving = { ...authority.issueServerCertificate(hosts), clientAuthorities: trusted };
      return withTime(open, { ...address, ...time, tls: serving });
    },
    kubeconfig: (server, { username = '', groups = [] }) => {
      if (authority === undefined) throw new Error('the cluster has no certificate authority to sign certificates');
      const certificate = authority.issueClientCertificate(username, groups);
      return kubeconfig({ server, ca: authority.certificate, user: { name: username, certificate } });
    },
  };
}

/** Returns the addresses of a server that listens on this host; all of the machine for a wildcard. */
function hostsOf(host: string | undefined): readonly string[] {
  if (host === undefined) return [];
  if (host !== '0.0.0.0' && host !== '::') return [host];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.map(({ address }) => address).filter((address) => host === '::' || isIPv4(address));
}
