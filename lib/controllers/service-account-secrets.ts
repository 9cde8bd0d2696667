// Keeps the Secrets that hold tokens of ServiceAccounts: fills in the token, the cluster's certificate authority and
// the namespace, deletes Secrets whose account has gone, and strikes deleted Secrets from the list of their account.
// Such Secrets are made by people; nothing here makes any. As pkg/controller/serviceaccount/tokens_controller.go.
import { defer, from, merge, mergeMap, switchMap } from 'rxjs';
import type { Observable } from 'rxjs';
import {
  encodeBase64,
  namespacedName,
  objectKey,
  printNamespacedName,
  reflect,
  snapshotWriter,
  watcher,
} from '../core/index.js';
import type { Clock, Frozen, NamespacedName, Random, Snapshot } from '../core/index.js';
import type { Secret, ServiceAccount } from '../core/types/index.js';
import type { Client, Stored } from '../client/index.js';
import { keyedWork } from './keyed-work.js';
import { failureOf, workOnNews } from './news.js';
import { unless } from './unless.js';

/** What the controller works with. */
export interface ServiceAccountSecretsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Makes the token that a Secret shall hold. */
  sign(secret: Frozen<Secret>, account: Frozen<ServiceAccount>): string | Promise<string>;
  /** The certificates by which pods know the API server, in PEM. Without them, Secrets hold none. */
  readonly rootCa?: string;
}

/** What the controller did. */
export type ServiceAccountSecretsOutcome =
  | { readonly type: 'filled' | 'deleted'; readonly secret: NamespacedName }
  /** A deleted Secret is no longer on the list of its account. */
  | { readonly type: 'struck'; readonly secret: NamespacedName; readonly account: NamespacedName }
  /** Without a Secret it was a watch that failed. Without a time it is not tried again until there is news. */
  | { readonly type: 'failed'; readonly secret?: NamespacedName; readonly error: unknown; readonly retryInMs?: number };

/** Runs for as long as somebody subscribes. */
export function serviceAccountSecrets(options: ServiceAccountSecretsOptions): Observable<ServiceAccountSecretsOutcome> {
  const { client, clock, random } = options;
  return defer(() => {
    const accounts = snapshotWriter<Stored<ServiceAccount>>({});
    const secrets = snapshotWriter<Stored<Secret>, 'account'>({
      account: (secret) => [printNamespacedName(accountOf(secret))],
    });
    const accounts$ = watcher(client.kind('v1', 'ServiceAccount'), { clock, random: random.stream('accounts') }).pipe(
      reflect(accounts),
    );
    const secrets$ = watcher(client.kind('v1', 'Secret'), {
      clock,
      random: random.stream('secrets'),
      fieldSelector: `type=${tokenType}`,
    }).pipe(reflect(secrets));
    const news$ = merge(
      accounts$.pipe(
        mergeMap((event) =>
          event.type === 'deleted' ? secrets.snapshot.by('account', objectKey(event.object)) : failureOf(event),
        ),
      ),
      // Accounts first: who knows them need not ask for each.
      defer(() => from(accounts.snapshot.ready)).pipe(
        switchMap(() => secrets$),
        mergeMap((event) => ('object' in event ? [event.object] : failureOf(event))),
      ),
    );
    const worked = keyedWork<Stored<Secret>, ServiceAccountSecretsOutcome>({
      clock,
      keyOf: objectKey,
      work: (secret) => reconcile(secret, { ...options, accounts: accounts.snapshot, secrets: secrets.snapshot }),
      failed: (secret, error, retryInMs) => ({
        type: 'failed',
        secret: namespacedName(secret),
        error,
        ...(retryInMs !== undefined && { retryInMs }),
      }),
    });
    return news$.pipe(workOnNews(worked));
  });
}

const tokenType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/** What is known besides. */
interface Known extends ServiceAccountSecretsOptions {
  readonly accounts: Snapshot<Stored<ServiceAccount>>;
  readonly secrets: Snapshot<Stored<Secret>, 'account'>;
}

/** The account that a Secret names, in whose namespace it is. */
function accountOf({ metadata }: Stored<Secret>): NamespacedName & { readonly uid: string } {
  const { [nameAnnotation]: name = '', [uidAnnotation]: uid = '' } = metadata.annotations ?? {};
  return { namespace: metadata.namespace ?? '', name, uid };
}

/** Brings one Secret in order. `told` may be old; what counts is what is known by now. */
async function reconcile(told: Stored<Secret>, known: Known): Promise<ServiceAccountSecretsOutcome | undefined> {
  const current = known.secrets.get(objectKey(told));
  if (current?.metadata.uid !== told.metadata.uid) return strike(told, known);
  if (accountOf(current).name === '') return undefined;
  const account = await findAccount(current, known);
  return account === undefined ? remove(current, known) : fill(current, account, known);
}

/** Nobody deletes a Secret because of what a snapshot does not know: the server is asked. */
async function findAccount(
  secret: Stored<Secret>,
  { client, accounts }: Known,
): Promise<Stored<ServiceAccount> | undefined> {
  const { uid, ...name } = accountOf(secret);
  const isMeant = (account: Stored<ServiceAccount>): boolean => uid === '' || account.metadata.uid === uid;
  const cached = accounts.get(printNamespacedName(name));
  if (cached !== undefined && isMeant(cached)) return cached;
  const live = await unless('NotFound', client.kind('v1', 'ServiceAccount').get(name));
  return live !== undefined && isMeant(live) ? live : undefined;
}

async function remove(secret: Stored<Secret>, { client }: Known): Promise<ServiceAccountSecretsOutcome | undefined> {
  const name = namespacedName(secret);
  const { uid } = secret.metadata;
  const deletion = client.kind('v1', 'Secret').delete(name, { preconditions: { uid } });
  // Gone already, or another of that name by now.
  const answer = await unless('NotFound', unless('Conflict', deletion));
  return answer && { type: 'deleted', secret: name };
}

async function fill(
  secret: Stored<Secret>,
  account: Stored<ServiceAccount>,
  known: Known,
): Promise<ServiceAccountSecretsOutcome | undefined> {
  const { client, rootCa = '' } = known;
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
    .update({ ...secret, metadata: { ...metadata, annotations }, data: { ...data, ...missing } });
  // Changed or deleted meanwhile: the news of that is on its way.
  const updated = await unless('NotFound', unless('Conflict', update));
  return updated && { type: 'filled', secret: namespacedName(secret) };
}

/** Takes a Secret that has gone off the list of its account, if that is still the one. */
async function strike(
  secret: Stored<Secret>,
  { client, accounts }: Known,
): Promise<ServiceAccountSecretsOutcome | undefined> {
  const { uid, ...name } = accountOf(secret);
  if (accounts.get(printNamespacedName(name)) === undefined) return undefined;
  const account = await unless('NotFound', client.kind('v1', 'ServiceAccount').get(name));
  const struck = namespacedName(secret);
  const isListed = account?.secrets?.some((each) => each.name === struck.name) ?? false;
  if (account === undefined || !isListed || (uid !== '' && account.metadata.uid !== uid)) return undefined;
  const update = client
    .kind('v1', 'ServiceAccount')
    .update({ ...account, secrets: (account.secrets ?? []).filter((each) => each.name !== struck.name) });
  const updated = await unless('NotFound', update);
  return updated && { type: 'struck', secret: struck, account: name };
}

function base64(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}
