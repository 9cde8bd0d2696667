// Deletes Secrets with tokens of ServiceAccounts that are not used: tokens that were created for an account, are not
// mounted by a pod and were not used for a year are marked invalid, and deleted a year later. Looks once a day, while
// there are such Secrets. As pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go.
import { defer, exhaustMap, filter, map, mergeMap, repeat, takeWhile } from 'rxjs';
import { awaitChange, controller, informers, watching } from '../client/index.js';
import type { ControllerActivity } from '../client/index.js';
import { namespacedName, parseTime, printNamespacedName, printTime } from '../core/index.js';
import type { Frozen, NamespacedName, Part } from '../core/index.js';
import type { Pod, Secret, ServiceAccount } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { ignoreError } from './ignore-error.js';

/** Options of the controller. */
export interface LegacyTokenCleanupOptions extends ControllerEnvironment {
  /** How long a token is unused before it goes, `--legacy-service-account-token-clean-up-period`. Default one year. */
  readonly cleanUpPeriodMs?: number;
}

/** A token was marked invalid or deleted. */
export interface LegacyTokenCleaned {
  readonly type: 'marked-invalid' | 'deleted';
  readonly secret: NamespacedName;
}

/** Creates the controller. */
export function legacyTokenCleanup({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
  cleanUpPeriodMs = 365 * dayMs,
}: LegacyTokenCleanupOptions): Part<ControllerActivity<NamespacedName, LegacyTokenCleaned>> {
  // All Secrets, because other controllers watch them all: a selection would be a second watch.
  const secrets = shared.kind('v1', 'Secret').indexedBy({ type: ({ type = '' }) => [type] });
  const accounts = shared.kind('v1', 'ServiceAccount');
  const pods = shared.kind('v1', 'Pod');
  const name = 'legacy-serviceaccount-token-cleaner-controller';
  const run = (startMs: number): Part<ControllerActivity<NamespacedName, LegacyTokenCleaned>> =>
    controller<NamespacedName, LegacyTokenCleaned>({
      name,
      clock,
      steps$,
      watches: [watching(secrets), watching(accounts), watching(pods)],
      triggers$: secrets.events$.pipe(
        filter((event) => 'object' in event && event.object.type === tokenType),
        exhaustMap(() =>
          defer(() => clock.timer(dayMs - ((clock.now() - startMs) % dayMs))).pipe(
            repeat(),
            map(() => secrets.by('type', tokenType)),
            takeWhile((all) => all.length > 0),
            mergeMap((all) => all.map(namespacedName)),
          ),
        ),
      ),
      reconcile: async (item, { emit, signal, cause }) => {
        const secret = secrets.get(printNamespacedName(item));
        const now = clock.now();
        if (secret?.type !== tokenType || !isOld(secret, now - cleanUpPeriodMs)) return awaitChange;
        const tracking = await client.kind('v1', 'ConfigMap').find(trackingMap, { signal });
        const since = dateMs(tracking?.data?.since);
        // The day on which tracking began is not complete.
        if (since === undefined || now < since + dayMs + cleanUpPeriodMs) return awaitChange;
        const account = accounts.get(`${item.namespace}/${accountNameOf(secret)}`);
        const mounted = (): boolean =>
          pods.list().some((pod) => pod.metadata.namespace === item.namespace && mountsSecret(pod, item.name));
        if (!isCreatedFor(secret, account) || mounted()) return awaitChange;
        const invalidSince = secret.metadata.labels?.[invalidLabel];
        const writable = client.kind('v1', 'Secret');
        if (dateMs(invalidSince) === undefined) {
          const { uid } = secret.metadata;
          const merge = { metadata: { uid, labels: { [invalidLabel]: dateOf(now) } } };
          await ignoreError('NotFound', ignoreError('Conflict', writable.patch(item, { merge }, { signal, cause })));
          emit({ type: 'marked-invalid', secret: item });
        } else if ((invalidSince ?? '') < dateOf(now - cleanUpPeriodMs)) {
          const { resourceVersion } = secret.metadata;
          const deletion = writable.delete(item, { preconditions: { resourceVersion }, signal, cause });
          await ignoreError('NotFound', ignoreError('Conflict', deletion));
          emit({ type: 'deleted', secret: item });
        }
        return awaitChange;
      },
    });
  return { name, run: () => defer(() => run(clock.now()).run()) };
}

const dayMs = 86_400_000;
const tokenType = 'kubernetes.io/service-account-token';
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
const invalidLabel = 'kubernetes.io/legacy-token-invalid-since';
const trackingMap: NamespacedName = {
  namespace: 'kube-system',
  name: 'kube-apiserver-legacy-service-account-token-tracking',
};

function dateOf(ms: number): string {
  return printTime(ms).slice(0, 10);
}

/** The beginning of a day such as 2026-11-18; undefined for other texts. */
function dateMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  try {
    return parseTime(`${text}T00:00:00Z`);
  } catch {
    return undefined;
  }
}

/** Returns whether a token was created and last used before that time. */
function isOld({ metadata }: Frozen<Secret>, beforeMs: number): boolean {
  const { creationTimestamp = '', deletionTimestamp, labels = {} } = metadata ?? {};
  if (parseTime(creationTimestamp) >= beforeMs || deletionTimestamp !== undefined) return false;
  const lastUsed = labels[lastUsedLabel];
  // A date that cannot be read says nothing: the token is kept.
  return lastUsed === undefined || (dateMs(lastUsed) !== undefined && lastUsed < dateOf(beforeMs));
}

function accountNameOf({ metadata }: Frozen<Secret>): string {
  return metadata?.annotations?.['kubernetes.io/service-account.name'] ?? '';
}

/** Returns whether the account lists the Secret: only such tokens were created without a user's request. */
function isCreatedFor({ metadata }: Frozen<Secret>, account: Frozen<ServiceAccount> | undefined): boolean {
  const uid = metadata?.annotations?.['kubernetes.io/service-account.uid'] ?? '';
  if (account === undefined || (uid !== '' && uid !== account.metadata?.uid)) return false;
  return (account.secrets ?? []).some(({ name }) => name === metadata?.name);
}

function mountsSecret({ spec }: Frozen<Pod>, name: string): boolean {
  const containers = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  return (
    (spec?.imagePullSecrets ?? []).some((reference) => reference.name === name) ||
    containers.some(
      ({ env = [], envFrom = [] }) =>
        env.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === name) ||
        envFrom.some(({ secretRef }) => secretRef?.name === name),
    ) ||
    (spec?.volumes ?? []).some(
      ({ secret, projected, csi }) =>
        secret?.secretName === name ||
        csi?.nodePublishSecretRef?.name === name ||
        (projected?.sources ?? []).some((source) => source.secret?.name === name),
    )
  );
}
