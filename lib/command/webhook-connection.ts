// Webhooks that a kubeconfig leads to, as `--authentication-token-webhook-config-file` and
// `--authorization-webhook-config-file` name them: the cluster of the file is the webhook, its user is this server.
// As apiserver/pkg/util/webhook/webhook.go, LoadKubeconfig.
import { statSync } from 'node:fs';
import { KubeconfigError, connect, loadKubeconfig } from '../client/node/index.js';
import type { KubeconfigSource } from '../client/node/index.js';
import { errorText } from '../core/index.js';
import type { Clock } from '../core/index.js';
import { webhookCall } from '../webhook/index.js';
import type { WebhookCall } from '../webhook/index.js';
import { nodeWebhookTransport } from '../webhook/node/index.js';

/** How long to wait, and on which clock. */
export interface WebhookConnectionOptions {
  readonly clock: Clock;
  /** Default 30 s. */
  readonly timeoutMs?: number;
}

/** A webhook that can be called. */
export interface WebhookConnection {
  /** Calls it once; it is called at the very address that the file has. */
  readonly call: WebhookCall;
  /** Closes all connections. */
  close(): void;
}

/** Reads the kubeconfig. Rejects with KubeconfigError. No connection is made before the first call. */
export async function connectWebhook(
  source: KubeconfigSource,
  { clock, timeoutMs = 30_000 }: WebhookConnectionOptions,
): Promise<WebhookConnection> {
  const access = await loadKubeconfig(source);
  const { server, tls } = access;
  const { authorization } = connect(access, { clock });
  const node = nodeWebhookTransport({ ...tls, ...(authorization !== undefined && { authorization }) });
  try {
    return {
      call: webhookCall({ target: { url: server }, transport: node.transport, clock, timeoutMs }),
      close: () => node.close(),
    };
  } catch (cause) {
    throw new KubeconfigError(`the kubeconfig leads to no webhook: ${errorText(cause)}`, { cause });
  }
}

/** What is wrong with a file that a configuration names, if anything is: as AuthorizationConfiguration is validated. */
export function fileProblem(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? undefined : 'must be a regular file';
  } catch (error) {
    return `error loading file: ${isMissing(error) ? `stat ${path}: no such file or directory` : errorText(error)}`;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
