// The flags of authorization, with the names and meanings of kube-apiserver's.
import type { FlagTable } from './flag-table.js';
import { FlagError, duration, fileName, oneOf } from './flag-table.js';

/** Values of the authorization flags. */
export interface AuthorizationFlags {
  /** In the order in which they are called. */
  readonly modes: readonly AuthorizationMode[];
  /** True if `--authorization-mode` was given; false for its default. */
  readonly modesGiven: boolean;
  readonly configFile?: string;
  readonly policyFile?: string;
  readonly webhook: WebhookAccessFlags;
}

/** An authorization mode. */
export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'ABAC' | 'Webhook' | 'RBAC' | 'Node';

/** Flags of the authorization webhook. */
export interface WebhookAccessFlags {
  readonly configFile?: string;
  readonly version: 'v1' | 'v1beta1';
  readonly allowedMs: number;
  readonly refusedMs: number;
}

/** The defaults. */
export const authorizationDefaults: AuthorizationFlags = {
  modes: ['Node', 'RBAC'],
  modesGiven: false,
  webhook: { version: 'v1beta1', allowedMs: 300_000, refusedMs: 30_000 },
};

const knownModes: readonly AuthorizationMode[] = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'];

/** The table of flags. */
export const authorizationFlags: FlagTable<AuthorizationFlags> = {
  'authorization-mode': {
    value: 'MODES',
    help: `in order, of ${knownModes.join(', ')} (default Node,RBAC)`,
    read: (text, said) => ({ ...said, modes: modesOf(text), modesGiven: true }),
  },
  'authorization-config': {
    value: 'FILE',
    help: 'an AuthorizationConfiguration, read again when it changes',
    read: (text, said) => ({ ...said, configFile: fileName('authorization-config', text) }),
  },
  'authorization-policy-file': {
    value: 'FILE',
    help: 'the policies of ABAC, one in a line',
    read: (text, said) => ({ ...said, policyFile: fileName('authorization-policy-file', text) }),
  },
  'authorization-webhook-config-file': {
    value: 'FILE',
    help: 'a kubeconfig of the webhook that decides',
    read: (text, said) => ({
      ...said,
      webhook: { ...said.webhook, configFile: fileName('authorization-webhook-config-file', text) },
    }),
  },
  'authorization-webhook-version': {
    value: 'VERSION',
    help: 'of the SubjectAccessReviews it is sent: v1 or v1beta1 (default)',
    read: (text, said) => ({
      ...said,
      webhook: { ...said.webhook, version: oneOf('authorization-webhook-version', text, ['v1', 'v1beta1']) },
    }),
  },
  'authorization-webhook-cache-authorized-ttl': {
    value: 'DURATION',
    help: 'how long what it allows counts (default 5m)',
    read: (text, said) => ({
      ...said,
      webhook: { ...said.webhook, allowedMs: duration('authorization-webhook-cache-authorized-ttl', text) },
    }),
  },
  'authorization-webhook-cache-unauthorized-ttl': {
    value: 'DURATION',
    help: 'how long what it refuses counts (default 30s)',
    read: (text, said) => ({
      ...said,
      webhook: { ...said.webhook, refusedMs: duration('authorization-webhook-cache-unauthorized-ttl', text) },
    }),
  },
};

function modesOf(text: string): readonly AuthorizationMode[] {
  return text.split(',').map((name, index, all) => {
    const mode = knownModes.find((each) => each === name);
    if (mode === undefined)
      throw new FlagError(
        `--authorization-mode: ${JSON.stringify(name)} is not a valid mode; valid are ${knownModes.join(', ')}`,
      );
    if (all.indexOf(name) !== index)
      throw new FlagError(`--authorization-mode: ${JSON.stringify(name)} is given twice`);
    return mode;
  });
}
