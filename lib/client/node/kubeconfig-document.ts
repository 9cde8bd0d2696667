// The kubeconfig format: one file read, several merged. Nothing is looked at before it is needed, so that a cluster
// that cannot be reached from here does no harm to the others in the file. As client-go/tools/clientcmd (api/v1,
// loader.go).
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { errorText, isJsonObject, parseYaml } from '../../core/index.js';
import type { JsonObject } from '../../core/index.js';

/** Why a kubeconfig cannot be used. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

/** One named thing of a file: a cluster, a user or a context. */
export interface KubeconfigEntry {
  readonly value: JsonObject;
  /** Paths in it begin here. */
  readonly folder: string;
}

/** One file, or several as one. */
export interface KubeconfigDocument {
  readonly clusters: ReadonlyMap<string, KubeconfigEntry>;
  readonly users: ReadonlyMap<string, KubeconfigEntry>;
  readonly contexts: ReadonlyMap<string, KubeconfigEntry>;
  readonly currentContext: string;
}

/** The text of a file. Rejects with KubeconfigError. */
export async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new KubeconfigError(`${path} cannot be read: ${errorText(cause)}`, { cause });
  }
}

/** Reads the text of a kubeconfig. `path` is where it is from, for messages and for the paths in it. */
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

/** Several files as one: what stands in an earlier one counts. */
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

/** A text in it; empty where there is none. */
export function textAt(value: JsonObject, key: string): string {
  const found = value[key];
  return typeof found === 'string' ? found : '';
}

/** A path in it, made whole; empty where there is none. */
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

/** `[{ name, cluster: { … } }]` by name; of two with one name the first counts. */
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
