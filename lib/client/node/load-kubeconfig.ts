// Loads the access to one cluster from kubeconfig files: selects files, context and credentials. As
// client-go/tools/clientcmd (loader.go, client_config.go). Users with exec or auth-provider plugins are refused,
// because no other program is run.
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';
import { decodeBase64, errorText, isJsonObject, quote } from '../../core/index.js';
import type { Frozen, JsonObject } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { ClientTls, ClusterAccess, ClientCredentials } from './cluster-access.js';
import type { KubeconfigDocument, KubeconfigEntry } from './kubeconfig-document.js';
import { KubeconfigError, contentOf, mergeKubeconfigs, pathAt, readKubeconfig, textAt } from './kubeconfig-document.js';

/** Selects a kubeconfig and a context. */
export interface KubeconfigSource {
  /** The content; relative paths are resolved against the working directory. */
  readonly text?: string;
  /** A file. Default without `text`: the files in `KUBECONFIG`, or `~/.kube/config`. */
  readonly path?: string;
  /** Default: the current context. */
  readonly context?: string;
  /** Default: the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Loads the access to a cluster. Rejects with KubeconfigError. */
export async function loadKubeconfig(source: KubeconfigSource = {}): Promise<ClusterAccess> {
  const document = await documentOf(source);
  const name = source.context ?? document.currentContext;
  if (name === '') throw new KubeconfigError('no context was chosen, and the kubeconfig has no current one');
  const context = entryOf(document.contexts, 'context', name);
  const cluster = entryOf(document.clusters, 'cluster', textAt(context.value, 'cluster'));
  const userName = textAt(context.value, 'user');
  const user = userName === '' ? { value: {}, folder: '' } : entryOf(document.users, 'user', userName);
  refusePlugins(user.value, userName);
  const server = textAt(cluster.value, 'server');
  if (server === '') throw new KubeconfigError(`the cluster ${quote(textAt(context.value, 'cluster'))} has no server`);
  const credentials = credentialsOf(user);
  const impersonate = impersonatedBy(user.value);
  return {
    server,
    namespace: textAt(context.value, 'namespace') || 'default',
    tls: await tlsOf(cluster, user),
    ...(credentials !== undefined && { credentials }),
    ...(impersonate !== undefined && { impersonate }),
  };
}

async function documentOf({ text, path, environment = env }: KubeconfigSource): Promise<KubeconfigDocument> {
  if (text !== undefined) return readKubeconfig(text, 'kubeconfig');
  if (path !== undefined) return readKubeconfig(await contentOf(path), path);
  const named = (environment.KUBECONFIG ?? '').split(delimiter).filter((each) => each !== '');
  const paths = named.length > 0 ? [...new Set(named)] : [join(environment.HOME ?? homedir(), '.kube', 'config')];
  const documents: KubeconfigDocument[] = [];
  for (const each of paths) {
    const content = await contentIfAny(each);
    if (content !== undefined) documents.push(await readKubeconfig(content, each));
  }
  if (documents.length === 0) throw new KubeconfigError(`there is no kubeconfig at ${paths.join(', ')}`);
  return mergeKubeconfigs(documents);
}

function entryOf(entries: ReadonlyMap<string, KubeconfigEntry>, what: string, name: string): KubeconfigEntry {
  const found = entries.get(name);
  if (found === undefined) throw new KubeconfigError(`the kubeconfig has no ${what} ${quote(name)}`);
  return found;
}

function refusePlugins(user: JsonObject, name: string): void {
  const { exec, 'auth-provider': provider } = user;
  const plugin = isJsonObject(exec)
    ? `the program ${quote(textAt(exec, 'command'))}`
    : isJsonObject(provider)
      ? `the auth provider ${quote(textAt(provider, 'name'))}`
      : undefined;
  if (plugin !== undefined)
    throw new KubeconfigError(
      `the user ${quote(name)} gets credentials from ${plugin}, which is not run from here: use a token or a certificate`,
    );
}

function credentialsOf(user: KubeconfigEntry): ClientCredentials | undefined {
  const tokenFile = pathAt(user, 'tokenFile');
  if (tokenFile !== '') return { tokenFile };
  const token = textAt(user.value, 'token');
  if (token !== '') return { token };
  const username = textAt(user.value, 'username');
  return username === '' ? undefined : { username, password: textAt(user.value, 'password') };
}

function impersonatedBy(user: JsonObject): Frozen<UserInfo> | undefined {
  const username = textAt(user, 'as');
  if (username === '') return undefined;
  const { 'as-groups': groups, 'as-user-extra': extra } = user;
  const uid = textAt(user, 'as-uid');
  return {
    username,
    ...(uid !== '' && { uid }),
    groups: textsOf(groups),
    ...(isJsonObject(extra) && {
      extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, textsOf(values)])),
    }),
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

async function tlsOf(cluster: KubeconfigEntry, user: KubeconfigEntry): Promise<ClientTls> {
  const authorities = await pemOf(cluster, 'certificate-authority');
  const insecure = cluster.value['insecure-skip-tls-verify'] === true;
  if (insecure && authorities !== undefined)
    throw new KubeconfigError('specifying a root certificates file with the insecure flag is not allowed');
  const serverName = textAt(cluster.value, 'tls-server-name');
  const [certificate, key] = [await pemOf(user, 'client-certificate'), await pemOf(user, 'client-key')];
  if ((certificate === undefined) !== (key === undefined))
    throw new KubeconfigError('a client certificate and its key are only of use together');
  return {
    ...(authorities !== undefined && { authorities }),
    ...(insecure && { insecure }),
    ...(serverName !== '' && { serverName }),
    ...(certificate !== undefined && key !== undefined && { certificate: { certificate, key } }),
  };
}

/** Reads `⟨key⟩-data`, or the file that `⟨key⟩` names. */
async function pemOf(entry: KubeconfigEntry, key: string): Promise<string | undefined> {
  const data = textAt(entry.value, `${key}-data`);
  if (data !== '') return decoded(data, `${key}-data`);
  const path = pathAt(entry, key);
  return path === '' ? undefined : contentOf(path);
}

function decoded(data: string, key: string): string {
  try {
    return new TextDecoder().decode(decodeBase64(data));
  } catch (cause) {
    throw new KubeconfigError(`${key} is no base64: ${errorText(cause)}`, { cause });
  }
}

async function contentIfAny(path: string): Promise<string | undefined> {
  try {
    return await contentOf(path);
  } catch (error) {
    if (error instanceof KubeconfigError && isMissing(error.cause)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
