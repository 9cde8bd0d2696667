// Webhooks of `--authentication-token-webhook-config-file`, `--authorization-webhook-config-file` and of
// ImagePolicyWebhook, configured by a kubeconfig: its cluster is the webhook, its user is this server. As
// apiserver/pkg/util/webhook/webhook.go, LoadKubeconfig.
import { statSync } from 'node:fs';
import { KubeconfigError, connect, loadKubeconfig } from '../client/node/index.js';
import type { KubeconfigSource } from '../client/node/index.js';
import { errorText } from '../core/index.js';
import type { Clock } from '../core/index.js';
import { webhookCall } from '../webhook/index.js';
import type { WebhookCall } from '../webhook/index.js';
import { nodeWebhookTransport } from '../webhook/node/index.js';

/** Time limit and clock of calls. */
export interface WebhookConnectionOptions {
  readonly clock: Clock;
  /** Time limit of a call. Default 30 s. */
  readonly timeoutMs?: number;
}

/** A webhook connection. */
export interface WebhookConnection {
  /** Calls the webhook once, at the address of the file. */
  readonly call: WebhookCall;
  /** Closes all connections. */
  close(): void;
}

/** Reads the kubeconfig. Rejects with KubeconfigError. No connection is opened before the first call. */
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

/**
 * Returns why a file of a configuration is unusable; undefined if it is usable. As the validation of
 * AuthorizationConfiguration.
 */
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
