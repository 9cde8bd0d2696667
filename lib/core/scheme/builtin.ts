// The kinds of Kubernetes v1.36: the generated table of resources, with their schemas, conversions and defaults.
// A group-version of the table is read on first use, a schema on its own first use. A
// scheme never changes, so all clusters that add nothing share one.
import type { GroupVersionKind } from '../objects/gvk.js';
import { groupVersionKindKey, parseGroupVersion, printGroupVersion, sameGroupVersion } from '../objects/gvk.js';
import { builtinParticulars } from '../kinds/registry.js';
import { builtinSchema } from '../schema/builtin.js';
import type { StructType } from '../schema/type.js';
import type { ApiSwitches } from './api-switches.js';
import type { KindOptions, KindParticulars, ResourceOptions } from './kind-definition.js';
import { sameShape } from './kind-definition.js';
import { once } from '../schema/type.js';
import type { Section } from './resource-table.js';
import { resourceTable } from './resource-table.js';
import type { CommonKind, Scheme, SchemeSection } from './scheme.js';
import { createScheme } from './scheme.js';

/** Options of `builtinScheme`: what a host adds to the built-in kinds. */
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
const builtinSections = /* @__PURE__ */ once(readSections);

function composeScheme(kinds: readonly KindOptions[], switches: ApiSwitches): Scheme {
  return createScheme({
    // The name that clients of a real server see in refusals.
    name: 'pkg/api/legacyscheme/scheme.go:30',
    sections: builtinSections(),
    kinds,
    everywhere: [
      'WatchEvent',
      'ListOptions',
      'GetOptions',
      'DeleteOptions',
      'CreateOptions',
      'UpdateOptions',
      'PatchOptions',
    ].map(metaKind),
    unversioned: ['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList'].map(metaKind),
    switches,
  });
}

/**
 * Kinds that appear in bodies and have no place of their own, by group-version with the package of their types. Those
 * that the table names for a subresource of the same group-version are found there.
 */
const bodyKinds: Readonly<Record<string, readonly [types: string, ...kinds: string[]]>> = {
  v1: ['core/v1', 'PodLogOptions'],
  'authentication.k8s.io/v1': ['authentication/v1', 'TokenRequest'],
  'autoscaling/v1': ['autoscaling/v1', 'Scale'],
  'policy/v1': ['policy/v1', 'Eviction'],
  'meta.k8s.io/v1': ['meta/v1', 'PartialObjectMetadata', 'PartialObjectMetadataList', 'TableOptions'],
  'admission.k8s.io/v1': ['admission/v1', 'AdmissionReview'],
  'apidiscovery.k8s.io/v2': ['apidiscovery/v2', 'APIGroupDiscovery', 'APIGroupDiscoveryList'],
};

/** The sections of the table, then those that serve nothing. */
function readSections(): readonly SchemeSection[] {
  const sections = new Map<string, SchemeSection>();
  for (const section of resourceTable()) {
    const apiVersion = printGroupVersion(section.version);
    const [, ...bodies] = bodyKinds[apiVersion] ?? [''];
    sections.set(apiVersion, { ...section.version, hasResources: true, kinds: once(() => kindsOf(section, bodies)) });
  }
  for (const [apiVersion, [types, ...bodies]] of Object.entries(bodyKinds)) {
    const version = parseGroupVersion(apiVersion);
    if (!sections.has(apiVersion))
      sections.set(apiVersion, {
        ...version,
        hasResources: false,
        kinds: () => bodies.map((kind) => bodyKind({ ...version, kind }, types)),
      });
  }
  return [...sections.values()];
}

function kindsOf({ version, types, resources }: Section, bodies: readonly string[]): readonly KindOptions[] {
  const kinds = new Map<string, KindOptions>();
  for (const { kind, ...resource } of resources()) {
    const gvk = { ...version, kind };
    kinds.set(kind, { ...bodyKind(gvk, types), ...servedKind(gvk, types, resource), ...versionOf(gvk) });
  }
  const below = resources().flatMap(({ subresources = [] }) =>
    subresources.filter(({ kind }) => sameGroupVersion(kind, version)).map(({ kind }) => kind.kind),
  );
  for (const kind of [...below, ...bodies])
    if (!kinds.has(kind)) kinds.set(kind, bodyKind({ ...version, kind }, types));
  return [...kinds.values()];
}

function bodyKind(gvk: GroupVersionKind, types: string): KindOptions {
  return { ...gvk, type: () => builtinType(`${types}.${gvk.kind}`) };
}

function servedKind({ kind }: GroupVersionKind, types: string, resource: ResourceOptions): Partial<KindOptions> {
  if (resource.verbs?.includes('list') !== true) return { resource };
  return { resource, listType: () => builtinType(`${types}.${kind}List`) };
}

/**
 * The table lists the best version of a group first: it is the hub of the others, which share its shape or say how they
 * differ.
 */
function versionOf(gvk: GroupVersionKind): KindParticulars | undefined {
  const best = resourceTable().find(
    ({ version, resources }) => version.group === gvk.group && resources().some(({ kind }) => kind === gvk.kind),
  );
  const own = builtinParticulars[groupVersionKindKey(gvk)];
  if (best === undefined || best.version.version === gvk.version || own?.conversion !== undefined) return own;
  return { ...own, conversion: sameShape({ ...best.version, kind: gvk.kind }) };
}

function metaKind(kind: string): CommonKind {
  return { kind, type: () => builtinType(`meta/v1.${kind}`) };
}

function builtinType(name: string): StructType {
  const type = builtinSchema.struct(name);
  if (type === undefined) throw new Error(`the built-in schema lacks ${name}`);
  return type;
}
