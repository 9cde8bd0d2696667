// The operations of a group-version for OpenAPI: paths, verbs, parameters and bodies of each kind. As
// apiserver/pkg/endpoints/installer.go describes its routes.
import { mediaTypes, printGroupVersion } from '../../../core/index.js';
import type { GroupVersion, GroupVersionKind, Scheme, ServedKind } from '../../../core/index.js';
import type { DocumentPart, SchemaCollection } from './schema-document.js';

/** An operation, independent of the version of OpenAPI. */
export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly action: string;
  readonly gvk: GroupVersionKind;
  /** Names of query parameters. */
  readonly query: readonly string[];
  /** Names of path parameters. */
  readonly inPath: readonly string[];
  /** The schema of the body, and the media types it may come in. */
  readonly body?: { readonly schema: DocumentPart; readonly types: readonly string[] };
  readonly answer: DocumentPart;
  readonly tag: string;
  readonly id: string;
}

/** Returns all operations of a group-version. */
export function operationsOf(scheme: Scheme, version: GroupVersion, schemas: SchemaCollection): readonly Operation[] {
  return scheme.resourcesOf(version).flatMap((kind) => resourceOperations(scheme, kind, schemas));
}

/** The type of a query parameter. */
export function parameterType(name: string): 'string' | 'integer' | 'boolean' {
  if (name === 'limit' || name === 'timeoutSeconds' || name === 'gracePeriodSeconds') return 'integer';
  return booleans.has(name) ? 'boolean' : 'string';
}

const booleans: ReadonlySet<string> = new Set([
  'watch',
  'allowWatchBookmarks',
  'sendInitialEvents',
  'force',
  'orphanDependents',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
]);
const ofLists = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
];
const ofWrites = ['dryRun', 'fieldManager', 'fieldValidation'];
const ofDeletes = ['dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy'];
const anyType = ['*/*'];
const patchTypes: readonly string[] = [
  mediaTypes.applyPatch,
  mediaTypes.jsonPatch,
  mediaTypes.mergePatch,
  mediaTypes.strategicMergePatch,
];

/** Custom resources have no merge keys. kubectl chooses the patch of `apply` by this. */
const customPatchTypes = patchTypes.filter((type) => type !== mediaTypes.strategicMergePatch);

/** The HTTP method of each verb, whether it names an object, and its query parameters. */
const verbs: Readonly<
  Record<string, { method: Operation['method']; named: boolean; action: string; query: readonly string[] }>
> = {
  list: { method: 'get', named: false, action: 'list', query: ofLists },
  create: { method: 'post', named: false, action: 'post', query: ofWrites },
  deletecollection: {
    method: 'delete',
    named: false,
    action: 'deletecollection',
    query: [...ofLists.filter((name) => name !== 'watch' && name !== 'allowWatchBookmarks'), ...ofDeletes],
  },
  get: { method: 'get', named: true, action: 'get', query: [] },
  update: { method: 'put', named: true, action: 'put', query: ofWrites },
  patch: { method: 'patch', named: true, action: 'patch', query: [...ofWrites, 'force'] },
  delete: { method: 'delete', named: true, action: 'delete', query: ofDeletes },
};

function resourceOperations(scheme: Scheme, kind: ServedKind, schemas: SchemaCollection): readonly Operation[] {
  const { plural, namespaced, verbs: offered, subresources } = kind.resource;
  const base = kind.group === '' ? `/api/${kind.version}` : `/apis/${printGroupVersion(kind)}`;
  const scoped = namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
  const own = offered.flatMap((verb) =>
    operation(scheme, kind, schemas, { verb, gvk: kind, path: scoped, namespaced, subresource: '' }),
  );
  const everywhere =
    namespaced && offered.includes('list')
      ? operation(scheme, kind, schemas, {
          verb: 'list',
          gvk: kind,
          path: `${base}/${plural}`,
          namespaced: false,
          subresource: '',
        })
      : [];
  const below = subresources.flatMap(({ name, kind: gvk, verbs: each }) =>
    each.flatMap((verb) =>
      operation(scheme, kind, schemas, { verb, gvk, path: `${scoped}/{name}/${name}`, namespaced, subresource: name }),
    ),
  );
  return [...own, ...everywhere, ...below];
}

interface Placed {
  readonly verb: string;
  readonly gvk: GroupVersionKind;
  readonly path: string;
  readonly namespaced: boolean;
  readonly subresource: string;
}

function operation(
  scheme: Scheme,
  kind: ServedKind,
  schemas: SchemaCollection,
  { verb, gvk, path, namespaced, subresource }: Placed,
): readonly Operation[] {
  const known = verbs[verb];
  if (known === undefined || !scheme.recognizes(gvk)) return [];
  const named = known.named && subresource === '';
  const isNamed = named || subresource !== '';
  const object = schemas.ref(scheme.typeOf(gvk));
  const status = schemas.ref(scheme.typeOf({ group: '', version: 'v1', kind: 'Status' }));
  const list = verb === 'list' ? schemas.ref(scheme.typeOf({ ...gvk, kind: kind.resource.listKind })) : object;
  const parts = [kind.group.split('.')[0] ?? '', kind.version].map(capitalized).join('');
  const tag = kind.group === '' ? `core_${kind.version}` : `${camel(kind.group)}_${kind.version}`;
  const id = `${idVerbs[verb] ?? verb}${kind.group === '' ? `Core${capitalized(kind.version)}` : parts}${namespaced ? 'Namespaced' : ''}${kind.kind}${capitalized(subresource)}${!namespaced && kind.resource.namespaced ? 'ForAllNamespaces' : ''}`;
  return [
    {
      method: known.method,
      path: named ? `${path}/{name}` : path,
      action: known.action,
      gvk: { group: gvk.group, version: gvk.version, kind: gvk.kind },
      query: known.query,
      inPath: [...(isNamed ? ['name'] : []), ...(namespaced ? ['namespace'] : [])],
      ...bodyOf(verb, object, scheme, schemas, kind),
      answer: verb === 'list' ? list : verb === 'delete' || verb === 'deletecollection' ? status : object,
      tag,
      id,
    },
  ];
}

const idVerbs: Readonly<Record<string, string>> = {
  get: 'read',
  update: 'replace',
  deletecollection: 'deleteCollection',
};

function bodyOf(
  verb: string,
  object: DocumentPart,
  scheme: Scheme,
  schemas: SchemaCollection,
  { versionStorage }: ServedKind,
): Pick<Operation, 'body'> {
  if (verb === 'create' || verb === 'update') return { body: { schema: object, types: anyType } };
  if (verb === 'patch')
    return {
      body: {
        schema: schemas.fixed('io.k8s.apimachinery.pkg.apis.meta.v1.Patch', { type: 'object' }),
        types: versionStorage === undefined ? patchTypes : customPatchTypes,
      },
    };
  if (verb !== 'delete' && verb !== 'deletecollection') return {};
  return {
    body: { schema: schemas.ref(scheme.typeOf({ group: '', version: 'v1', kind: 'DeleteOptions' })), types: anyType },
  };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function camel(group: string): string {
  const [first = ''] = group.split('.');
  return first;
}
