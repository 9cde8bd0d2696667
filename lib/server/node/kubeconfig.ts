// The file that tells kubectl and every other client where a server is, whom to trust and who they are. As
// client-go/tools/clientcmd/api/v1, with everything embedded so that the file can be moved.
import { encodeBase64, printYaml } from '../../core/index.js';
import type { JsonObject } from '../../core/index.js';
import type { KeyPair } from './certificate-authority.js';

/** What goes into the file. */
export interface KubeconfigOptions {
  /** The server's address: `https://127.0.0.1:6443`. */
  readonly server: string;
  /** The authority that signed the server's certificate, in PEM. */
  readonly ca?: string;
  readonly user?: KubeconfigUser;
  /** What cluster and context are called. Default `vivarium`. */
  readonly name?: string;
  readonly namespace?: string;
}

/** Who the client is; without token and certificate an anonymous one. */
export interface KubeconfigUser {
  readonly name: string;
  readonly token?: string;
  readonly certificate?: KeyPair;
}

/** The text of the file, in YAML. */
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
