// Reads and merges kubeconfig files. Entries are validated when they are used, so that an invalid cluster does not
// affect the others in the file. As client-go/tools/clientcmd (api/v1, loader.go).
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { errorText, isJsonObject, parseYaml } from '../../core/index.js';
import type { JsonObject } from '../../core/index.js';

/** The error of a kubeconfig that cannot be used. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

/** A named cluster, user or context. */
export interface KubeconfigEntry {
  readonly value: JsonObject;
  /** The folder that relative paths are resolved against. */
  readonly folder: string;
}

/** A kubeconfig file, or several merged ones. */
export interface KubeconfigDocument {
  readonly clusters: ReadonlyMap<string, KubeconfigEntry>;
  readonly users: ReadonlyMap<string, KubeconfigEntry>;
  readonly contexts: ReadonlyMap<string, KubeconfigEntry>;
  readonly currentContext: string;
}

/** Reads a file. Rejects with KubeconfigError. */
export async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new KubeconfigError(`${path} cannot be read: ${errorText(cause)}`, { cause });
  }
}

/** Parses a kubeconfig. `path` is its origin, for messages and relative paths. */
export async function readKubeconfig(text: string, path: string): Promise<KubeconfigDocument> {
  const value = await parsed(text, path);
  if (!isJsonObject(value) || (value.kind ?? 'Config') !== 'Config')
    throw new KubeconfigError(`${path} is no kubeconfig`);
  const folder = dirname(path);
  return {
    clusters: entries(value.clusters, 'cluster', folder),
    users: entries(value.users, 'user', folder),
    contexts: entries(value.contexts, 'context', folder),
    currentContext: textAt(value, 'current-context'),
  };
}

/** Merges files; entries of earlier ones take precedence. */
export function mergeKubeconfigs(documents: readonly KubeconfigDocument[]): KubeconfigDocument {
  const merged = (part: 'clusters' | 'users' | 'contexts'): ReadonlyMap<string, KubeconfigEntry> =>
    new Map([...documents].reverse().flatMap((document) => [...document[part]]));
  return {
    clusters: merged('clusters'),
    users: merged('users'),
    contexts: merged('contexts'),
    currentContext: documents.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
  };
}

/** Returns a string member; empty if absent. */
export function textAt(value: JsonObject, key: string): string {
  const found = value[key];
  return typeof found === 'string' ? found : '';
}

/** Returns a path member, made absolute; empty if absent. */
export function pathAt({ value, folder }: KubeconfigEntry, key: string): string {
  const path = textAt(value, key);
  return path === '' || isAbsolute(path) ? path : resolve(folder, path);
}

async function parsed(text: string, path: string): Promise<unknown> {
  try {
    return (await parseYaml(text)).value;
  } catch (cause) {
    throw new KubeconfigError(`${path} cannot be read: ${errorText(cause)}`, { cause });
  }
}

/** Returns the entries of a list `[{ name, cluster: { … } }]` by name; of duplicates the first. */
function entries(list: unknown, key: string, folder: string): ReadonlyMap<string, KubeconfigEntry> {
  const found = new Map<string, KubeconfigEntry>();
  for (const item of Array.isArray(list) ? (list as readonly unknown[]) : []) {
    if (!isJsonObject(item)) continue;
    const name = textAt(item, 'name');
    const value = item[key];
    if (!found.has(name)) found.set(name, { value: isJsonObject(value) ? value : {}, folder });
  }
  return found;
}
