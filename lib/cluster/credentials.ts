// Certificates, keys and ports: what a cluster needs beyond its process. The implementation needs Node (node/), so it
// is loaded when first used; a cluster that is only used in process, or runs in a browser, never loads it.
import { defer, from, switchMap } from 'rxjs';
import type { ServerTools, Authenticator, TokenIssuer } from '../auth/index.js';
import { unionAuthenticator } from '../auth/index.js';
import type { Clock, Frozen } from '../core/index.js';
import type { Secret, ServiceAccount, UserInfo } from '../core/types/index.js';
import type { ApiServer } from '../server/index.js';
import type { ClusterListenOptions, ClusterListening } from './cluster.js';

/** The certificate authority and the service account keys of a cluster. `vivarium/cluster/node` creates them. */
export interface ClusterCredentials {
  /** The certificate of the authority in PEM; undefined where the cluster has none. */
  readonly rootCa: string | undefined;
  /** Who is asking: clients with certificates of the authority, service account tokens, anonymous requests. */
  authenticators(tools: ServerTools): readonly Authenticator[];
  /** Issues the tokens of ServiceAccounts. */
  tokenIssuer(tools: ServerTools): TokenIssuer;
  /** The token for a Secret of type `kubernetes.io/service-account-token`. */
  legacyToken(secret: Frozen<Secret>, account: Frozen<ServiceAccount>): string;
  /** Serves the API server on a port. Rejects where the port cannot be opened, or TLS lacks an authority. */
  listen(server: ApiServer, options: ClusterListenOptions): Promise<ClusterListening>;
  /** A kubeconfig with a certificate for the user. Throws where there is no authority. */
  kubeconfig(url: string, user: Frozen<UserInfo>): string;
}

/** Credentials that are loaded when first used. */
export interface LazyCredentials {
  load(): Promise<ClusterCredentials>;
  authenticator(tools: ServerTools): Authenticator;
  tokenIssuer(tools: ServerTools): TokenIssuer;
}

/** The issuer of service account tokens, and their audience, as kubeadm names it. */
const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** The given credentials, or new ones. */
export function lazyCredentials(given: ClusterCredentials | undefined, clock: Clock): LazyCredentials {
  let loading: Promise<ClusterCredentials> | undefined;
  const load = (): Promise<ClusterCredentials> => (loading ??= given ? Promise.resolve(given) : created(clock));
  return {
    load,
    authenticator: (tools) => {
      let known: Promise<Authenticator> | undefined;
      const loaded = (): Promise<Authenticator> =>
        (known ??= load().then((credentials) => unionAuthenticator(credentials.authenticators(tools))));
      return (credentials) =>
        defer(() => from(loaded())).pipe(switchMap((authenticator) => authenticator(credentials)));
    },
    tokenIssuer: (tools) => {
      let known: Promise<TokenIssuer> | undefined;
      const loaded = (): Promise<TokenIssuer> =>
        (known ??= load().then((credentials) => credentials.tokenIssuer(tools)));
      return {
        defaultAudiences: [defaultIssuer],
        issue: async (subject) => (await loaded()).issue(subject),
        discovery: { issuer: defaultIssuer, keys: async () => (await (await loaded()).discovery?.keys()) ?? [] },
      };
    },
  };
}

/** A browser build replaces `./node/index.js` by an empty module, see `browser` in package.json. */
async function created(clock: Clock): Promise<ClusterCredentials> {
  const adapter = await import('./node/index.js');
  if (!('createCredentials' in adapter))
    throw new Error('ports, certificates and tokens need Node; this is a build for browsers');
  return adapter.createCredentials({ clock, issuer: defaultIssuer });
}
