// OpenAPI v3: an index of documents, one for each group-version, each with a hash of its content in its URL so that
// clients can cache it. As k8s.io/kube-openapi/pkg/handler3.
import { notAcceptable } from '../../../core/index.js';
import type { GroupVersion, Kinds, Scheme, ServedKind, ApiResponse, RawResponse } from '../../../core/index.js';
import type { RemoteOpenApi } from '../../aggregation/remote-openapi.js';
import type { Exchange, Serve } from '../../pipeline.js';
import type { DocumentRoute } from '../documents.js';
import type { HashedDocument } from '../tagged-document.js';
import { hashed } from '../tagged-document.js';
import { pageNotFound } from '../text-response.js';
import type { Descriptions } from './descriptions.js';
import { loadDescriptions } from './descriptions.js';
import type { Operation } from './paths-document.js';
import { operationsOf, parameterType } from './paths-document.js';
import type { DocumentPart, SchemaStyle } from './schema-document.js';
import { SchemaCollection, describingKeywords } from './schema-document.js';

/** The documents of group-versions that other servers serve. */
export interface RemoteDocuments {
  readonly schemas: Pick<RemoteOpenApi, 'v3Paths'>;
  /** Returns the handler of a group-version of another server. */
  readonly delegate: (version: GroupVersion) => Serve | undefined;
}

/**
 * Serves `/openapi/v3` and the documents below. The document of a group-version is created on request when its kinds
 * have changed; requests for those of other servers are passed on.
 */
export function openApiV3(kinds: Kinds, { schemas, delegate }: RemoteDocuments): readonly DocumentRoute[] {
  // Keyed by the array of a version's resources, which is replaced when anything in the version changes.
  const documents = new WeakMap<readonly ServedKind[], Promise<HashedDocument>>();
  const documentAt: DocumentAt = (scheme, version) => {
    const resources = scheme.resourcesOf(version);
    const known =
      documents.get(resources) ??
      loadDescriptions().then((descriptions) => hashed(JSON.stringify(documentOf(scheme, version, descriptions))));
    documents.set(resources, known);
    return known;
  };
  return [
    { path: '/openapi/v3', answer: (exchange) => index(exchange, kinds.current, { documentAt, schemas, delegate }) },
    {
      path: '/openapi/v3/',
      answer: async (exchange) => {
        const [root, group = '', version = '', ...more] = keyOfPath(exchange).split('/');
        const other = root === 'apis' && more.length === 0 ? delegate({ group, version }) : undefined;
        return other === undefined ? document(exchange, kinds.current, documentAt) : other(exchange);
      },
    },
  ];
}

type DocumentAt = (scheme: Scheme, version: GroupVersion) => Promise<HashedDocument>;

async function index(
  exchange: Exchange,
  scheme: Scheme,
  { documentAt, schemas, delegate }: RemoteDocuments & { readonly documentAt: DocumentAt },
): Promise<ApiResponse> {
  refuseProtobuf(exchange);
  const versions = scheme.groups.flatMap(({ name, versions: served }) =>
    served.map((version) => ({ group: name, version })).filter((version) => delegate(version) === undefined),
  );
  const paths = await Promise.all(
    versions.map(async (version): Promise<readonly [string, DocumentPart]> => {
      const { hash } = await documentAt(scheme, version);
      return [keyOf(version), { serverRelativeURL: `/openapi/v3/${keyOf(version)}?hash=${hash}` }];
    }),
  );
  return {
    type: 'raw',
    code: 200,
    contentType: 'application/json',
    content: JSON.stringify({ paths: Object.fromEntries([...paths, ...(await schemas.v3Paths())]) }),
  };
}

function keyOfPath({ request }: Exchange): string {
  return request.info.path.slice('/openapi/v3/'.length);
}

function keyOf({ group, version }: GroupVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** The group-version that a key names; undefined where it is not served. */
function versionAt(key: string, scheme: Scheme): GroupVersion | undefined {
  const [root, ...rest] = key.split('/');
  const [group = '', version = '', ...more] = root === 'api' ? ['', ...rest] : root === 'apis' ? rest : [];
  const isServed = scheme.group(group)?.versions.includes(version) === true;
  return isServed && more.length === 0 && keyOf({ group, version }) === key ? { group, version } : undefined;
}

async function document(exchange: Exchange, scheme: Scheme, documentAt: DocumentAt): Promise<RawResponse> {
  refuseProtobuf(exchange);
  const { request } = exchange;
  const key = keyOfPath(exchange);
  const version = versionAt(key, scheme);
  if (version === undefined) return pageNotFound();
  const { content, hash } = await documentAt(scheme, version);
  const requestedHash = request.options().parameters?.hash?.[0];
  if (requestedHash !== undefined && requestedHash !== hash)
    return {
      type: 'raw',
      code: 301,
      contentType: 'text/plain',
      content: '',
      headers: { Location: `/openapi/v3/${key}?hash=${hash}` },
    };
  const caching: Readonly<Record<string, string>> =
    requestedHash === undefined ? { 'Cache-Control': 'no-cache, private' } : { 'Cache-Control': 'public, immutable' };
  const headers = { ...caching, ETag: `"${hash}"`, Vary: 'Accept' };
  const isKnown = (request.header('If-None-Match') ?? '').split(',').some((tag) => tag.trim() === headers.ETag);
  return isKnown
    ? { type: 'raw', code: 304, contentType: '', content: '', headers }
    : { type: 'raw', code: 200, contentType: 'application/json', content, headers };
}

/** Throws ApiError 406 where the client accepts only protobuf: these documents are JSON. */
function refuseProtobuf({ request }: Exchange): void {
  const accept = request.header('Accept') ?? '';
  if (accept.includes('proto-openapi') && !/json|\*\/\*/.test(accept)) throw notAcceptable(['application/json']);
}

const hostKeywords: readonly string[] = [
  ...describingKeywords,
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
];

const style: SchemaStyle = {
  refPrefix: '#/components/schemas/',
  wrapsRefs: true,
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  intOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  keywords: new Set(hostKeywords),
  // Structural schemas are of OpenAPI 3.0 and have no references: they are published as they are.
  customKeywords: new Set([
    ...hostKeywords,
    'title',
    'nullable',
    'example',
    'externalDocs',
    'oneOf',
    'anyOf',
    'allOf',
    'not',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'minProperties',
    'maxProperties',
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-embedded-resource',
    'x-kubernetes-int-or-string',
    'x-kubernetes-list-type',
    'x-kubernetes-list-map-keys',
    'x-kubernetes-map-type',
    'x-kubernetes-validations',
  ]),
};

function documentOf(scheme: Scheme, version: GroupVersion, descriptions: Descriptions): DocumentPart {
  const schemas = new SchemaCollection(scheme, style, descriptions);
  const paths = new Map<string, Record<string, unknown>>();
  for (const operation of operationsOf(scheme, version, schemas)) {
    const at = paths.get(operation.path) ?? {
      parameters: [...operation.inPath.map(pathParameter), queryParameter('pretty')],
    };
    at[operation.method] = printed(operation);
    paths.set(operation.path, at);
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.4' },
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: schemas.schemas,
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}

function printed({ tag, id, query, body, answer, action, gvk, method }: Operation): DocumentPart {
  const answers = {
    description: 'OK',
    content: Object.fromEntries(answerTypes.map((type) => [type, { schema: answer }])),
  };
  return {
    tags: [tag],
    operationId: id,
    ...(query.length > 0 && { parameters: query.map(queryParameter) }),
    ...(body && {
      requestBody: { content: Object.fromEntries(body.types.map((type) => [type, { schema: body.schema }])) },
    }),
    responses: {
      200: answers,
      ...(method === 'post' || method === 'put' || method === 'patch'
        ? { 201: { ...answers, description: 'Created' } }
        : {}),
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
  };
}

const answerTypes = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'];

function queryParameter(name: string): DocumentPart {
  return { name, in: 'query', schema: { type: parameterType(name), uniqueItems: true } };
}

function pathParameter(name: string): DocumentPart {
  return { name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } };
}
