// `--merge-kubeconfig`: adds the cluster to the kubeconfig of the user, so that a plain `kubectl get pods` finds it,
// and removes it when the server stops. Only the entries of this server's name are changed.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isJsonObject, parseYaml, printYaml } from '../core/index.js';
import type { JsonObject, JsonValue } from '../core/index.js';
import type { CommandEnvironment } from './environment.js';

/** The kubeconfig of the user, and the entry of a server in it. */
export interface MergedKubeconfig {
  readonly path: string;
  /** The name of the cluster, the user and the context. */
  readonly name: string;
  /** Removes the entries. The context that was the current one before becomes so again. */
  readonly remove: () => Promise<void>;
}

/**
 * Adds the cluster, user and context of `own`, a kubeconfig in which all three have the same name, to the file at
 * `path`, and makes the context the current one. Rejects if the file is not a kubeconfig; it is unchanged then.
 */
export async function mergeKubeconfig(
  own: string,
  path: string,
  { changeFile }: CommandEnvironment,
): Promise<MergedKubeconfig> {
  const added = await parseKubeconfig(own, path);
  const name = added['current-context'];
  if (typeof name !== 'string') throw new Error('the kubeconfig of the server has no current context');
  let before: JsonValue | undefined;
  await changeFile(path, async (text) => {
    const present = text === undefined ? emptyKubeconfig : await parseKubeconfig(text, path);
    before = present['current-context'] === name ? undefined : present['current-context'];
    return printYaml({
      ...present,
      ...mapEntries((list) => [...without(present, list, name), ...entriesOf(added, list)]),
      'current-context': name,
    });
  });
  const remove = (): Promise<void> =>
    changeFile(path, async (text) => {
      if (text === undefined) return undefined;
      const present = await parseKubeconfig(text, path);
      const current = present['current-context'] === name ? (before ?? '') : (present['current-context'] ?? '');
      return printYaml({
        ...present,
        ...mapEntries((list) => without(present, list, name)),
        'current-context': current,
      });
    });
  return { path, name, remove };
}

/** Returns a kubeconfig with the entries of both; the current context is the one of the first. */
export async function joinKubeconfigs(first: string, second: string): Promise<string> {
  const [main, added] = await Promise.all([parseKubeconfig(first, 'the first'), parseKubeconfig(second, 'the second')]);
  return printYaml({ ...main, ...mapEntries((list) => [...entriesOf(main, list), ...entriesOf(added, list)]) });
}

/**
 * Returns the kubeconfig that kubectl would change: of the files of `KUBECONFIG` the first that exists, else the last
 * one; without the variable `~/.kube/config`. As client-go/tools/clientcmd, GetDefaultFilename.
 */
export function userKubeconfigPath(variable: string | undefined): string {
  const files = (variable ?? '').split(delimiter).filter((file) => file !== '');
  return files.find((file) => existsSync(file)) ?? files.at(-1) ?? join(homedir(), '.kube', 'config');
}

const lists = ['clusters', 'users', 'contexts'] as const;
type List = (typeof lists)[number];

const emptyKubeconfig: JsonObject = { apiVersion: 'v1', kind: 'Config', preferences: {} };

async function parseKubeconfig(text: string, path: string): Promise<JsonObject> {
  if (text.trim() === '') return emptyKubeconfig;
  const { value, problems } = await parseYaml(text);
  if (!isJsonObject(value) || problems.length > 0 || lists.some((list) => !isEntries(value[list] ?? [])))
    throw new Error(`${path} is not a kubeconfig; it was left unchanged`);
  return value;
}

function isEntries(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((entry) => isJsonObject(entry));
}

function entriesOf(config: JsonObject, list: List): readonly JsonObject[] {
  const entries = config[list];
  return Array.isArray(entries) ? entries.filter((entry) => isJsonObject(entry)) : [];
}

function without(config: JsonObject, list: List, name: string): readonly JsonObject[] {
  return entriesOf(config, list).filter((entry) => entry.name !== name);
}

function mapEntries(entries: (list: List) => readonly JsonObject[]): JsonObject {
  return Object.fromEntries(lists.map((list) => [list, entries(list)]));
}
