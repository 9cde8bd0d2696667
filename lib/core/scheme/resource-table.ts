// The generated table of resources, read. The scheme makes kinds of it; a client that talks to a distant server learns
// from it where the kinds of Kubernetes are served, without loading any schema. Sections are read on first use.
import type { GroupVersion, GroupVersionKind } from '../objects/gvk.js';
import { parseGroupVersion } from '../objects/gvk.js';
import type { ResourceOptions, Subresource } from './kind-definition.js';
import { standardVerbs } from './kind-definition.js';
import { once } from '../schema/type.js';
import { resourceText } from './resources.generated.js';
import type { ResourceEntry } from './rest-mapper.js';

/** A group-version of the table with the package of its types. */
export interface Section {
  readonly version: GroupVersion;
  readonly types: string;
  readonly resources: () => readonly TableResource[];
}

/** A line of the table with its subresources. */
export type TableResource = ResourceOptions & { readonly kind: string };

/** The table: a section per group-version, in discovery order. */
export const resourceTable: () => readonly Section[] = /* @__PURE__ */ once(readTable);

/** Where Kubernetes v1.36 serves a kind; undefined for kinds that are not its own, or have no endpoint. */
export function builtinEndpoint({ group, version, kind }: GroupVersionKind): ResourceEntry | undefined {
  return endpoints().get(`${group}/${version}`)?.().get(kind);
}

/** By group and version, then by kind. */
const endpoints = /* @__PURE__ */ once(
  (): ReadonlyMap<string, () => ReadonlyMap<string, ResourceEntry>> =>
    new Map(
      resourceTable().map((section) => {
        const { group, version } = section.version;
        return [`${group}/${version}`, once(() => entriesOf(section))];
      }),
    ),
);

function entriesOf({ version, resources }: Section): ReadonlyMap<string, ResourceEntry> {
  const entries = new Map<string, ResourceEntry>();
  for (const { kind, plural, namespaced, shortNames = [], categories = [] } of resources())
    entries.set(kind, Object.freeze({ ...version, kind, resource: plural, namespaced, shortNames, categories }));
  return entries;
}

/**
 * Reads `resources.generated.ts`: a line `@apiVersion types`, then lines `name kind scope verbs shortNames categories`
 * in which `pods/log` is a subresource, `-` nothing, `std` the usual verbs and `policy/v1.Eviction` a kind elsewhere.
 */
function readTable(): readonly Section[] {
  return resourceText
    .trim()
    .slice(1)
    .split('\n@')
    .map((text) => {
      const [head = '', ...lines] = text.split('\n');
      const [apiVersion = '', types = ''] = head.split(' ');
      const version = parseGroupVersion(apiVersion);
      return { version, types, resources: once(() => readResources(lines, version)) };
    });
}

function readResources(lines: readonly string[], version: GroupVersion): readonly TableResource[] {
  const resources: TableResource[] = [];
  let subresources: Subresource[] = [];
  for (const line of lines) {
    const [name = '', kind = '', scope, verbs = '', shortNames = '-', categories = '-'] = line.split(' ');
    if (name.includes('/')) {
      subresources.push({
        name: name.slice(name.indexOf('/') + 1),
        kind: readKind(kind, version),
        verbs: listed(verbs),
      });
    } else {
      subresources = [];
      resources.push({
        kind,
        plural: name,
        namespaced: scope === 'N',
        verbs: verbs === 'std' ? standardVerbs : listed(verbs),
        shortNames: listed(shortNames),
        categories: listed(categories),
        subresources,
      });
    }
  }
  return resources;
}

function readKind(text: string, { group, version }: GroupVersion): GroupVersionKind {
  const slash = text.indexOf('/');
  if (slash < 0) return { group, version, kind: text };
  const dot = text.lastIndexOf('.');
  return { ...parseGroupVersion(text.slice(0, dot)), kind: text.slice(dot + 1) };
}

function listed(text: string): readonly string[] {
  return text === '-' ? [] : text.split(',');
}
