// Keeps the Secrets that hold tokens of ServiceAccounts: fills in the token, the cluster's certificate authority and
// the namespace, deletes Secrets whose account is gone, and removes deleted Secrets from the list of their account.
// Such Secrets are created by users, never here. As pkg/controller/serviceaccount/tokens_controller.go.
import { awaitChange, controller, informers, watching } from '../client/index.js';
import type { ControllerActivity, Stored } from '../client/index.js';
import { encodeBase64, namespacedName, objectKey, printNamespacedName } from '../core/index.js';
import type { Frozen, NamespacedName, Part, Snapshot, RequestCause } from '../core/index.js';
import type { Secret, ServiceAccount } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { ignoreError } from './ignore-error.js';

/** Options of the controller. */
export interface ServiceAccountSecretsOptions extends ControllerEnvironment {
  /** Returns the token that a Secret is to hold. */
  sign(secret: Frozen<Secret>, account: Frozen<ServiceAccount>): string | Promise<string>;
  /** Returns the certificates with which pods verify the API server, in PEM. Without them, Secrets hold none. */
  rootCa?(): string | undefined | Promise<string | undefined>;
}

/** A change of a Secret, or of the account that listed it. */
export type ServiceAccountSecretsChange =
  | { readonly type: 'filled' | 'deleted'; readonly secret: NamespacedName }
  /** A deleted Secret was removed from the list of its account. */
  | { readonly type: 'unlisted'; readonly secret: NamespacedName; readonly account: NamespacedName };

/** The activities of the controller. */
export type ServiceAccountSecretsActivity = ControllerActivity<Stored<Secret>, ServiceAccountSecretsChange>;

/** Creates the token Secret controller. */
export function serviceAccountSecrets(options: ServiceAccountSecretsOptions): Part<ServiceAccountSecretsActivity> {
  const { client, clock, random, informers: shared = informers(client, { clock, random }), concurrency = 5 } = options;
  const accounts = shared.kind('v1', 'ServiceAccount');
  // All Secrets, since other controllers watch all of them: one watch is shared.
  const secrets = shared
    .kind('v1', 'Secret')
    .indexedBy({ account: (secret) => (isToken(secret) ? [printNamespacedName(accountOf(secret))] : []) });
  return controller<Stored<Secret>, ServiceAccountSecretsChange>({
    name: 'serviceaccount-token-controller',
    clock,
    steps$: options.steps$,
    concurrency,
    keyOf: objectKey,
    watches: [
      watching(accounts, ({ type, object }) => (type === 'deleted' ? secrets.by('account', objectKey(object)) : [])),
      watching(secrets, ({ object }) => (isToken(object) ? [object] : [])),
    ],
    reconcile: async (secret, { emit, cause }) => {
      const change = await syncSecret(secret, { ...options, accounts, secrets, cause });
      if (change !== undefined) emit(change);
      return awaitChange;
    },
  });
}

const tokenType = 'kubernetes.io/service-account-token';
function isToken({ type }: Frozen<Secret>): boolean {
  return type === tokenType;
}

const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

interface Known extends ServiceAccountSecretsOptions {
  readonly accounts: Snapshot<Stored<ServiceAccount>>;
  readonly secrets: Snapshot<Stored<Secret>, 'account'>;
  /** Which Secret is reconciled: the cause of every write. */
  readonly cause: RequestCause;
}

/** Returns the account that a Secret names, in the Secret's namespace. */
function accountOf({ metadata }: Stored<Secret>): NamespacedName & { readonly uid: string } {
  const { [nameAnnotation]: name = '', [uidAnnotation]: uid = '' } = metadata.annotations ?? {};
  return { namespace: metadata.namespace ?? '', name, uid };
}

/** Brings one Secret to its desired state. `seen` may be outdated: it only identifies the Secret of an event. */
async function syncSecret(seen: Stored<Secret>, known: Known): Promise<ServiceAccountSecretsChange | undefined> {
  const current = known.secrets.get(objectKey(seen));
  if (current?.metadata.uid !== seen.metadata.uid) return unlist(seen, known);
  if (accountOf(current).name === '') return undefined;
  const account = await findAccount(current, known);
  return account === undefined ? remove(current, known) : fill(current, account, known);
}

/**
 * Returns the account of a Secret. The cache may be stale: a missing account is confirmed with a live GET before the
 * Secret is deleted.
 */
async function findAccount(
  secret: Stored<Secret>,
  { client, accounts }: Known,
): Promise<Stored<ServiceAccount> | undefined> {
  const { uid, ...name } = accountOf(secret);
  const isMeant = (account: Stored<ServiceAccount>): boolean => uid === '' || account.metadata.uid === uid;
  const cached = accounts.get(printNamespacedName(name));
  if (cached !== undefined && isMeant(cached)) return cached;
  const live = await ignoreError('NotFound', client.kind('v1', 'ServiceAccount').get(name));
  return live !== undefined && isMeant(live) ? live : undefined;
}

async function remove(
  secret: Stored<Secret>,
  { client, cause }: Known,
): Promise<ServiceAccountSecretsChange | undefined> {
  const name = namespacedName(secret);
  const { uid } = secret.metadata;
  const deletion = client.kind('v1', 'Secret').delete(name, { preconditions: { uid }, cause });
  // The Secret was deleted or replaced meanwhile.
  const answer = await ignoreError('NotFound', ignoreError('Conflict', deletion));
  return answer && { type: 'deleted', secret: name };
}

async function fill(
  secret: Stored<Secret>,
  account: Stored<ServiceAccount>,
  known: Known,
): Promise<ServiceAccountSecretsChange | undefined> {
  const { client, cause } = known;
  const rootCa = (await known.rootCa?.()) ?? '';
  const { data = {}, metadata } = secret;
  const [authority, namespace] = [base64(rootCa), base64(metadata.namespace ?? '')];
  const missing = {
    ...(authority !== '' && data['ca.crt'] !== authority && { 'ca.crt': authority }),
    ...((data.namespace ?? '') === '' && { namespace }),
    ...((data.token ?? '') === '' && { token: base64(await known.sign(secret, account)) }),
  };
  if (Object.keys(missing).length === 0) return undefined;
  const annotations = {
    ...metadata.annotations,
    [nameAnnotation]: account.metadata.name,
    [uidAnnotation]: account.metadata.uid,
  };
  const update = client
    .kind('v1', 'Secret')
    .update({ ...secret, metadata: { ...metadata, annotations }, data: { ...data, ...missing } }, { cause });
  // Changed or deleted meanwhile: its event adds the Secret again.
  const updated = await ignoreError('NotFound', ignoreError('Conflict', update));
  return updated && { type: 'filled', secret: namespacedName(secret) };
}

/** Removes a deleted Secret from the list of its account, if that is still the same account. */
async function unlist(
  secret: Stored<Secret>,
  { client, accounts, cause }: Known,
): Promise<ServiceAccountSecretsChange | undefined> {
  const { uid, ...name } = accountOf(secret);
  if (accounts.get(printNamespacedName(name)) === undefined) return undefined;
  const account = await ignoreError('NotFound', client.kind('v1', 'ServiceAccount').get(name));
  const removed = namespacedName(secret);
  const isListed = account?.secrets?.some((each) => each.name === removed.name) ?? false;
  if (account === undefined || !isListed || (uid !== '' && account.metadata.uid !== uid)) return undefined;
  const update = client
    .kind('v1', 'ServiceAccount')
    .update({ ...account, secrets: (account.secrets ?? []).filter((each) => each.name !== removed.name) }, { cause });
  const updated = await ignoreError('NotFound', update);
  return updated && { type: 'unlisted', secret: removed, account: name };
}

function base64(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}
