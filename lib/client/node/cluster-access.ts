// How to reach a cluster and with which credentials: the content of a kubeconfig or of a mounted service account. Plain
// data; only token files are read again when they are renewed.
import type { Frozen } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { env } from 'node:process';
import { KubeconfigError, contentOf } from './kubeconfig-document.js';

/** The address of a cluster and the credentials of a user. */
export interface ClusterAccess {
  readonly server: string;
  /** The default namespace of the user. For callers: clients do not use it. */
  readonly namespace: string;
  readonly tls: ClientTls;
  readonly credentials?: ClientCredentials;
  readonly impersonate?: Frozen<UserInfo>;
}

/** TLS settings of a client. All in PEM. */
export interface ClientTls {
  /** The trusted certificate authorities. Default: those of Node. */
  readonly authorities?: string;
  /** The client certificate. */
  readonly certificate?: { readonly key: string; readonly certificate: string };
  /** The name that the server's certificate must have, if it differs from the address. */
  readonly serverName?: string;
  /** Skips TLS verification (insecure). Default false. */
  readonly insecure?: boolean;
}

/** The credentials of a client. */
export type ClientCredentials =
  | { readonly token: string }
  /** A file whose token another process renews. */
  | { readonly tokenFile: string }
  | { readonly username: string; readonly password: string };

/** Options of inClusterAccess. Default: where the kubelet mounts the files. */
export interface InClusterOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder with `token`, `ca.crt` and `namespace`. */
  readonly folder?: string;
}

/** Reads the access of a pod to its cluster. Rejects with KubeconfigError outside of a pod. */
export async function inClusterAccess({
  environment = env,
  folder = '/var/run/secrets/kubernetes.io/serviceaccount',
}: InClusterOptions = {}): Promise<ClusterAccess> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment;
  if (host === '' || port === '')
    throw new KubeconfigError(
      'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    );
  const [authorities, namespace] = [
    await contentOf(join(folder, 'ca.crt')),
    await contentOf(join(folder, 'namespace')),
  ];
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    tls: { authorities },
    credentials: { tokenFile: join(folder, 'token') },
  };
}
