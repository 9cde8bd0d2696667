// The groups of discovery: those of this server and those that other servers serve. APIServices define their order: the
// group with the higher priority first, and of each group the version with the higher priority. As
// kube-aggregator/pkg/apiserver/handler_apis.go.
import { compareVersions } from '../../core/index.js';
import type { ApiGroup, Kinds, Scheme } from '../../core/index.js';
import { apiServiceName } from './remote-apis.js';
import type { ApiPriority, RemoteApi, RemoteApis, RemoteApisView } from './remote-apis.js';

/** The groups that are served, at one moment. */
export interface ServedGroups {
  readonly scheme: Scheme;
  /** In discovery order. */
  readonly groups: readonly ApiGroup[];
  /** Returns the group-version where another server serves it. */
  readonly remote: (group: string, version: string) => RemoteApi | undefined;
}

/** Returns a function that returns the groups now: the same value while nothing has changed. */
export function servedGroups(kinds: Kinds, remotes: Pick<RemoteApis, 'current'>): () => ServedGroups {
  let known: (ServedGroups & { readonly view: RemoteApisView }) | undefined;
  return () => {
    const scheme = kinds.current;
    const view = remotes.current;
    if (known?.scheme !== scheme || known.view !== view)
      known = {
        scheme,
        view,
        groups: mergeGroups(scheme.groups, view),
        remote: (group, version) => view.remotes.get(apiServiceName({ group, version })),
      };
    return known;
  };
}

function mergeGroups(own: readonly ApiGroup[], { remotes, priorities }: RemoteApisView): readonly ApiGroup[] {
  if (remotes.size === 0) return own;
  const versions = new Map(own.map(({ name, versions: served }) => [name, new Set(served)]));
  for (const { group, version } of remotes.values())
    versions.set(group, new Set([...(versions.get(group) ?? []), version]));
  const priorityOf = (group: string, version: string): ApiPriority =>
    priorities.get(apiServiceName({ group, version })) ?? unlisted;
  const changed = new Set(Array.from(remotes.values(), ({ group }) => group));
  const known = new Map(own.map((group) => [group.name, group]));
  const entries = Array.from(versions, ([name, served]) => {
    const ordered = [...served].sort(
      (a, b) => priorityOf(name, b).version - priorityOf(name, a).version || compareVersions(a, b),
    );
    const unchanged = changed.has(name) ? undefined : known.get(name);
    return {
      group: unchanged ?? { name, versions: ordered, preferredVersion: ordered[0] ?? '' },
      priority: Math.max(...ordered.map((version) => priorityOf(name, version).group)),
    };
  });
  return entries
    .sort((a, b) => b.priority - a.priority || (a.group.name < b.group.name ? -1 : 1))
    .map(({ group }) => group);
}

/** The priority of groups whose APIService is missing, as that of custom resources. */
const unlisted: ApiPriority = { group: 1000, version: 100 };
