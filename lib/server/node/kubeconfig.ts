// Kubeconfig files for kubectl and other clients: server, certificate authority and credentials. As
// client-go/tools/clientcmd/api/v1, with everything embedded so that the file can be moved.
import { encodeBase64, printYaml } from '../../core/index.js';
import type { JsonObject } from '../../core/index.js';
import type { KeyPair } from '../../pki/index.js';

/** Content of a kubeconfig file. */
export interface KubeconfigOptions {
  /** The server's address: `https://127.0.0.1:6443`. */
  readonly server: string;
  /** The authority that signed the server's certificate, in PEM. */
  readonly ca?: string;
  readonly user?: KubeconfigUser;
  /** The name of cluster and context. Default `vivarium`. */
  readonly name?: string;
  readonly namespace?: string;
}

/** The credentials of the client; anonymous without token and certificate. */
export interface KubeconfigUser {
  readonly name: string;
  readonly token?: string;
  readonly certificate?: KeyPair;
}

/** Returns a kubeconfig file as YAML. */
export function kubeconfig({
  server,
  ca,
  user = { name: 'anonymous' },
  name = 'vivarium',
  namespace,
}: KubeconfigOptions): string {
  const { token, certificate } = user;
  const config: JsonObject = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...(ca !== undefined && { 'certificate-authority-data': base64(ca) }) } }],
    users: [
      {
        name: user.name,
        user: {
          ...(token !== undefined && { token }),
          ...(certificate !== undefined && {
            'client-certificate-data': base64(certificate.certificate),
            'client-key-data': base64(certificate.key),
          }),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: user.name, ...(namespace !== undefined && { namespace }) } }],
    'current-context': name,
  };
  return printYaml(config);
}

function base64(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}
