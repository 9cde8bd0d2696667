// The kinds of Kubernetes v1.36: the generated table of resources, with their schemas, conversions and defaults.
// Reading the table takes a millisecond or two, once; schemas are parsed when first asked for. A scheme never changes,
// so all clusters that add nothing share one.
import type { GroupVersionKind } from '../objects/gvk.js';
import { groupVersionKindKey, printGroupVersion } from '../objects/gvk.js';
import { builtinParticulars } from '../kinds/registry.js';
import { builtinSchema } from '../schema/builtin.js';
import type { StructType } from '../schema/type.js';
import type { ApiSwitches } from './api-switches.js';
import type { KindOptions, KindParticulars, ResourceOptions } from './kind-definition.js';
import { sameShape } from './kind-definition.js';
import { once } from './once.js';
import { resourceTable } from './resource-table.js';
import type { CommonKind, Scheme } from './scheme.js';
import { createScheme } from './scheme.js';

/** What a host adds to the built-in kinds. */
export interface BuiltinSchemeOptions {
  /** Own kinds; their groups come after the built-in ones in discovery. */
  readonly kinds?: readonly KindOptions[];
  readonly switches?: ApiSwitches;
}

/** A scheme with all built-in kinds. */
export function builtinScheme({ kinds = [], switches = {} }: BuiltinSchemeOptions = {}): Scheme {
  return kinds.length === 0 && Object.keys(switches).length === 0 ? plainScheme() : composeScheme(kinds, switches);
}

const plainScheme = /* @__PURE__ */ once(() => composeScheme([], {}));
const builtinKinds = /* @__PURE__ */ once(readKinds);

function composeScheme(kinds: readonly KindOptions[], switches: ApiSwitches): Scheme {
  return createScheme({
    // The name that clients of a real server see in refusals.
    name: 'pkg/api/legacyscheme/scheme.go:30',
    kinds: [...builtinKinds(), ...kinds],
    everywhere: ['WatchEvent', 'ListOptions', 'GetOptions', 'DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'].map(metaKind),
    unversioned: ['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList'].map(metaKind),
    switches,
  });
}

/** Kinds that only appear in bodies, with the package of their types. Kinds of subresources are found in the table. */
const bodyKinds: readonly (readonly [GroupVersionKind, string])[] = [
  [{ group: '', version: 'v1', kind: 'PodLogOptions' }, 'core/v1'],
  [{ group: 'meta.k8s.io', version: 'v1', kind: 'PartialObjectMetadata' }, 'meta/v1'],
  [{ group: 'meta.k8s.io', version: 'v1', kind: 'PartialObjectMetadataList' }, 'meta/v1'],
  [{ group: 'meta.k8s.io', version: 'v1', kind: 'TableOptions' }, 'meta/v1'],
  [{ group: 'admission.k8s.io', version: 'v1', kind: 'AdmissionReview' }, 'admission/v1'],
  [{ group: 'apidiscovery.k8s.io', version: 'v2', kind: 'APIGroupDiscovery' }, 'apidiscovery/v2'],
  [{ group: 'apidiscovery.k8s.io', version: 'v2', kind: 'APIGroupDiscoveryList' }, 'apidiscovery/v2'],
];

function readKinds(): readonly KindOptions[] {
  const sections = resourceTable();
  const packages = new Map(sections.map(({ version, types }) => [printGroupVersion(version), types]));
  const hubs = new Map<string, GroupVersionKind>();
  const kinds = new Map<string, KindOptions>();
  for (const { version, types, resources } of sections) {
    for (const { kind, ...resource } of resources) {
      const gvk = { ...version, kind };
      kinds.set(groupVersionKindKey(gvk), { ...bodyKind(gvk, types), ...servedKind(gvk, types, resource), ...versionOf(gvk, hubs) });
    }
  }
  const others = sections.flatMap(({ resources }) => resources.flatMap(({ subresources = [] }) => subresources.map(({ kind }) => kind)));
  for (const gvk of others) {
    const key = groupVersionKindKey(gvk);
    if (!kinds.has(key)) kinds.set(key, bodyKind(gvk, packages.get(printGroupVersion(gvk)) ?? ''));
  }
  return [...kinds.values(), ...bodyKinds.map(([gvk, types]) => bodyKind(gvk, types))];
}

function bodyKind(gvk: GroupVersionKind, types: string): KindOptions {
  return { ...gvk, type: () => builtinType(`${types}.${gvk.kind}`) };
}

function servedKind({ kind }: GroupVersionKind, types: string, resource: ResourceOptions): Partial<KindOptions> {
  if (resource.verbs?.includes('list') !== true) return { resource };
  return { resource, listType: () => builtinType(`${types}.${kind}List`) };
}

/** The table lists the best version of a group first: it is the hub of the others, which share its shape or say how they differ. */
function versionOf(gvk: GroupVersionKind, hubs: Map<string, GroupVersionKind>): KindParticulars | undefined {
  const key = groupVersionKindKey(gvk);
  const family = `${gvk.group}/${gvk.kind}`;
  const hub = hubs.get(family);
  if (hub === undefined) hubs.set(family, gvk);
  const own = builtinParticulars[key];
  return hub === undefined || own?.conversion !== undefined ? own : { ...own, conversion: sameShape(hub) };
}

function metaKind(kind: string): CommonKind {
  return { kind, type: () => builtinType(`meta/v1.${kind}`) };
}

function builtinType(name: string): StructType {
  const type = builtinSchema.struct(name);
  if (type === undefined) throw new Error(`the built-in schema lacks ${name}`);
  return type;
}
