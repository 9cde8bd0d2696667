// Creates the authorizers that the flags configure. As pkg/kubeapiserver/authorizer/config.go, New, and the flag
// validation of pkg/kubeapiserver/options/authorization.go.
import {
  abac,
  alwaysAllow,
  alwaysDeny,
  authorizationFrom,
  compileAuthorizationConfiguration,
  nodeAuthorizer,
  parseAuthorizationConfiguration,
  rbacAuthorizer,
  reloadingAuthorizer,
  webhookAuthorizer,
} from '../auth/index.js';
import type { ServerTools, Authorizer } from '../auth/index.js';
import type { Clock } from '../core/index.js';
import { retryingCall } from '../webhook/index.js';
import type { AuthorizationFlags, AuthorizationMode } from './authorization-flags.js';
import { FlagError } from './flag-table.js';
import { watchFile } from './watch-file.js';
import type { CommandEnvironment } from './environment.js';
import { connectWebhook, fileProblem } from './webhook-connection.js';
import type { WebhookConnection } from './webhook-connection.js';

/** The authorization that the flags configure. */
export interface Authorization {
  readonly authorizers: (tools: ServerTools) => readonly Authorizer[];
  /** True if RBAC decides, so that the bootstrap roles and bindings are needed. */
  readonly usesRbac: boolean;
  readonly close: () => void;
}

/** Reads the files that the flags name. Rejects if one cannot be read or is invalid. */
export async function createAuthorization(
  flags: AuthorizationFlags,
  environment: CommandEnvironment,
  clock: Clock,
): Promise<Authorization> {
  checkModes(flags);
  const policies = flags.policyFile === undefined ? undefined : abac(await environment.readFile(flags.policyFile));
  const webhooks: WebhookConnection[] = [];
  const close = (): void => webhooks.forEach((webhook) => webhook.close());
  const connect = async (path: string, timeoutMs?: number): Promise<WebhookConnection> => {
    const webhook = await connectWebhook({ path }, { clock, ...(timeoutMs !== undefined && { timeoutMs }) });
    webhooks.push(webhook);
    return webhook;
  };
  const standing = (tools: ServerTools): Readonly<Partial<Record<AuthorizationMode, Authorizer>>> => ({
    AlwaysAllow: alwaysAllow,
    AlwaysDeny: alwaysDeny,
    RBAC: rbacAuthorizer(tools.rbac()),
    Node: nodeAuthorizer(tools),
    ...(policies && { ABAC: policies }),
  });
  if (flags.configFile !== undefined) {
    const { configFile } = flags;
    const text = await environment.readFile(configFile);
    // Validated at start rather than with the first request.
    const configured = compileAuthorizationConfiguration(await parseAuthorizationConfiguration(text), { fileProblem });
    const authorizers = (tools: ServerTools): readonly Authorizer[] => {
      const authorizer$ = authorizationFrom(watchFile(configFile, text, environment, clock), {
        clock,
        random: tools.random,
        standing: standing(tools),
        fileProblem,
        connect: async ({ name, connection, timeoutMs }) => {
          if (connection.kubeConfigFile === undefined)
            throw new FlagError(
              `--authorization-config: webhook ${JSON.stringify(name)} needs a kubeConfigFile; this server is in no cluster`,
            );
          return (await connect(connection.kubeConfigFile, timeoutMs)).call;
        },
        report: environment.print,
      });
      return [reloadingAuthorizer(authorizer$, tools.closed$)];
    };
    return { authorizers, usesRbac: configured.some(({ type }) => type === 'RBAC'), close };
  }
  const { webhook } = flags;
  const connection = webhook.configFile === undefined ? undefined : await connect(webhook.configFile);
  const authorizers = (tools: ServerTools): readonly Authorizer[] => {
    const known = standing(tools);
    const asked =
      connection &&
      webhookAuthorizer(retryingCall(connection.call, { clock, random: tools.random }), {
        clock,
        version: webhook.version,
        authorizedTtlMs: webhook.allowedMs,
        unauthorizedTtlMs: webhook.refusedMs,
      });
    return flags.modes.flatMap((mode) => (mode === 'Webhook' ? asked : known[mode]) ?? []);
  };
  return { authorizers, usesRbac: flags.modes.includes('RBAC'), close };
}

/** Throws FlagError for a mode without its file, or a file without its mode. */
function checkModes({ modes, modesGiven, configFile, policyFile, webhook }: AuthorizationFlags): void {
  if (configFile !== undefined && (modesGiven || webhook.configFile !== undefined))
    throw new FlagError('--authorization-config excludes --authorization-mode and the flags --authorization-webhook-…');
  const needs = (mode: AuthorizationMode, flag: string, file: string | undefined): void => {
    if (configFile === undefined && modes.includes(mode) && file === undefined)
      throw new FlagError(`--authorization-mode ${mode} needs --${flag}`);
    if (!modes.includes(mode) && file !== undefined && configFile === undefined)
      throw new FlagError(`--${flag} needs --authorization-mode ${mode}`);
  };
  needs('ABAC', 'authorization-policy-file', policyFile);
  needs('Webhook', 'authorization-webhook-config-file', webhook.configFile);
}
