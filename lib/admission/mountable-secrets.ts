// Which Secrets the pods of a service account may use, where the account restricts it with the annotation
// `kubernetes.io/enforce-mountable-secrets`. Part of the plugin ServiceAccount. As limitSecretReferences of
// plugin/pkg/admission/serviceaccount/admission.go.
import type { Frozen } from '../core/index.js';
import type { Container, EphemeralContainer, Pod, ServiceAccount } from '../core/types/index.js';

type Account = Frozen<ServiceAccount>;

/** Whether the account restricts its pods. The values are those that Go reads as true. */
export function enforcesMountableSecrets({ metadata }: Account): boolean {
  return truths.includes(metadata?.annotations?.['kubernetes.io/enforce-mountable-secrets'] ?? '');
}

const truths: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];

/** What is wrong with the first Secret that the account does not list. */
export function forbiddenReference({ spec }: Frozen<Pod>, account: Account): string | undefined {
  const mountable = secretsOf(account);
  const name = account.metadata?.name ?? '';
  for (const { secret } of spec?.volumes ?? []) {
    if (secret !== undefined && !mountable.has(secret.secretName ?? ''))
      return `volume with secret.secretName="${secret.secretName ?? ''}" ${notReferenced(name)}`;
  }
  const inContainers =
    forbiddenInContainers('init container', spec?.initContainers ?? [], mountable, name) ??
    forbiddenInContainers('container', spec?.containers ?? [], mountable, name);
  if (inContainers !== undefined) return inContainers;
  const pullable = new Set((account.imagePullSecrets ?? []).map((secret) => secret.name));
  for (const [index, secret] of (spec?.imagePullSecrets ?? []).entries()) {
    if (!pullable.has(secret.name))
      return `imagePullSecrets[${index}].name="${secret.name ?? ''}" is not allowed because service account ${name} does not reference that imagePullSecret`;
  }
  return undefined;
}

/** The same for ephemeral containers, which are added later. */
export function forbiddenEphemeralReference({ spec }: Frozen<Pod>, account: Account): string | undefined {
  const containers = spec?.ephemeralContainers ?? [];
  return forbiddenInContainers('ephemeral container', containers, secretsOf(account), account.metadata?.name ?? '');
}

function secretsOf({ secrets = [] }: Account): ReadonlySet<string> {
  return new Set(secrets.map(({ name = '' }) => name));
}

function forbiddenInContainers(
  what: string,
  containers: readonly (Frozen<Container> | Frozen<EphemeralContainer>)[],
  mountable: ReadonlySet<string>,
  account: string,
): string | undefined {
  for (const { name, env = [], envFrom = [] } of containers) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef?.name;
      if (secret !== undefined && !mountable.has(secret))
        return `${what} ${name} with envVar ${variable} referencing secret.secretName="${secret}" ${notReferenced(account)}`;
    }
    for (const { secretRef } of envFrom) {
      if (secretRef !== undefined && !mountable.has(secretRef.name ?? ''))
        return `${what} ${name} with envFrom referencing secret.secretName="${secretRef.name ?? ''}" ${notReferenced(account)}`;
    }
  }
  return undefined;
}

function notReferenced(account: string): string {
  return `is not allowed because service account ${account} does not reference that secret`;
}
