// Certificates, keys and ports of a cluster. The implementation needs Node (node/) and is loaded on first use; a
// cluster in a browser, or one that is used only in process, never loads it.
import { defer, from, switchMap } from 'rxjs';
import type { ServerTools, Authenticator, TokenIssuer } from '../auth/index.js';
import { unionAuthenticator } from '../auth/index.js';
import type { CertificateToSign } from '../controllers/index.js';
import type { Clock, Frozen } from '../core/index.js';
import type { Secret, ServiceAccount, UserInfo } from '../core/types/index.js';
import type { ApiServer } from '../server/index.js';
import type { ClusterListenOptions, ClusterListening } from './cluster.js';

/** The certificate authority and the service account keys of a cluster. `vivarium/cluster/node` creates them. */
export interface ClusterCredentials {
  /** The certificate of the authority in PEM; undefined without one. */
  readonly rootCa: string | undefined;
  /** Returns the authenticators: client certificates of the authority, service account tokens, anonymous requests. */
  authenticators(tools: ServerTools): readonly Authenticator[];
  /** Returns the issuer of ServiceAccount tokens. */
  tokenIssuer(tools: ServerTools): TokenIssuer;
  /** Returns the token for a Secret of type `kubernetes.io/service-account-token`. */
  legacyToken(secret: Frozen<Secret>, account: Frozen<ServiceAccount>): string;
  /**
   * Signs a request for a certificate and returns it in PEM. Absent without an authority. Throws Error if the request
   * is malformed or not signed with its key.
   */
  readonly signCertificate?: (certificate: CertificateToSign) => string;
  /** Serves the API server on a port. Rejects if the port cannot be opened, or if TLS lacks an authority. */
  listen(server: ApiServer, options: ClusterListenOptions): Promise<ClusterListening>;
  /** Returns a kubeconfig with a client certificate for the user. Throws without an authority. */
  kubeconfig(url: string, user: Frozen<UserInfo>): string;
}

/** What controllers need of credentials: the certificate that pods trust, and signatures. */
export type ControllerCredentials = Pick<ClusterCredentials, 'rootCa' | 'legacyToken' | 'signCertificate'>;

/** Credentials that are loaded on first use. */
export interface LazyCredentials {
  load(): Promise<ClusterCredentials>;
  /** Resolves when they are loaded, without loading them. At once where they are given. */
  readonly loaded: Promise<ClusterCredentials>;
  authenticator(tools: ServerTools): Authenticator;
  tokenIssuer(tools: ServerTools): TokenIssuer;
}

/** The issuer and audience of service account tokens; the same as kubeadm's. */
const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** Returns the given credentials, or new ones on first use. */
export function lazyCredentials(given: ClusterCredentials | undefined, clock: Clock): LazyCredentials {
  let loading: Promise<ClusterCredentials> | undefined;
  let notify: (credentials: ClusterCredentials) => void = () => undefined;
  const loaded = new Promise<ClusterCredentials>((resolve) => (notify = resolve));
  if (given !== undefined) notify(given);
  const create = async (): Promise<ClusterCredentials> => {
    const credentials = await created(clock);
    notify(credentials);
    return credentials;
  };
  const load = (): Promise<ClusterCredentials> => (loading ??= given ? Promise.resolve(given) : create());
  return {
    load,
    loaded,
    authenticator: (tools) => {
      let known: Promise<Authenticator> | undefined;
      const loadedAuthenticator = (): Promise<Authenticator> =>
        (known ??= load().then((credentials) => unionAuthenticator(credentials.authenticators(tools))));
      return (credentials) =>
        defer(() => from(loadedAuthenticator())).pipe(switchMap((authenticator) => authenticator(credentials)));
    },
    tokenIssuer: (tools) => {
      let known: Promise<TokenIssuer> | undefined;
      const loadedIssuer = (): Promise<TokenIssuer> =>
        (known ??= load().then((credentials) => credentials.tokenIssuer(tools)));
      return {
        defaultAudiences: [defaultIssuer],
        issue: async (subject) => (await loadedIssuer()).issue(subject),
        discovery: { issuer: defaultIssuer, keys: async () => (await (await loadedIssuer()).discovery?.keys()) ?? [] },
      };
    },
  };
}

/** A browser build replaces `./node/public.js` by an empty module, see `browser` in package.json. */
async function created(clock: Clock): Promise<ClusterCredentials> {
  const adapter = await import('./node/public.js');
  if (!('createCredentials' in adapter))
    throw new Error('ports, certificates and tokens need Node; this is a build for browsers');
  return adapter.createCredentials({ clock, issuer: defaultIssuer });
}
