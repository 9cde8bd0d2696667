// The way to the cluster in which this process is a pod: the environment names the server, the files of the service
// account say whom to trust and who we are. As client-go/rest/config.go, InClusterConfig.
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { env } from 'node:process';
import type { ClusterAccess } from './cluster-access.js';
import { KubeconfigError, contentOf } from './kubeconfig-document.js';

/** Where to look, if not where kubelets put it. */
export interface InClusterOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder with `token`, `ca.crt` and `namespace`. */
  readonly folder?: string;
}

/** Reads how a pod reaches its cluster. Rejects with KubeconfigError where this process is in none. */
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
