// OpenAPI version 3: an index of documents, one for each group-version, each named by a hash of its content so that
// clients may keep it for good. As k8s.io/kube-openapi/pkg/handler3.
import { notAcceptable } from '../../../core/index.js';
import type { GroupVersion, Kinds, Scheme, ServedKind } from '../../../core/index.js';
import type { ApiResponse, RawResponse } from '../../../client/index.js';
import type { Exchange } from '../../requests/exchange.js';
import type { DocumentRoute } from '../documents.js';
import type { HashedDocument } from '../tagged-document.js';
import { hashed } from '../tagged-document.js';
import { pageNotFound } from '../text-response.js';
import type { Operation } from './paths-document.js';
import { operationsOf, parameterType } from './paths-document.js';
import type { DocumentPart, SchemaStyle } from './schema-document.js';
import { SchemaCollection, describingKeywords } from './schema-document.js';

/** The documents below `/openapi/v3`. A group-version's is made when it is requested and its kinds changed. */
export function openApiV3(kinds: Kinds): readonly DocumentRoute[] {
  // By the array of a version's resources, which is another one as soon as something in the version changes.
  const made = new WeakMap<readonly ServedKind[], Promise<HashedDocument>>();
  const documentAt: DocumentAt = (scheme, version) => {
    const resources = scheme.resourcesOf(version);
    const known = made.get(resources) ?? hashed(JSON.stringify(documentOf(scheme, version)));
    made.set(resources, known);
    return known;
  };
  return [
    { path: '/openapi/v3', answer: (exchange) => index(exchange, kinds.current, documentAt) },
    { path: '/openapi/v3/', answer: (exchange) => document(exchange, kinds.current, documentAt) },
  ];
}

type DocumentAt = (scheme: Scheme, version: GroupVersion) => Promise<HashedDocument>;

async function index(exchange: Exchange, scheme: Scheme, documentAt: DocumentAt): Promise<ApiResponse> {
  refuseProtobuf(exchange);
  const versions = scheme.groups.flatMap(({ name, versions: served }) =>
    served.map((version) => ({ group: name, version })),
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
    content: JSON.stringify({ paths: Object.fromEntries(paths) }),
  };
}

function keyOf({ group, version }: GroupVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** The version that a key names, where it is served. */
function versionAt(key: string, scheme: Scheme): GroupVersion | undefined {
  const [root, ...rest] = key.split('/');
  const [group = '', version = '', ...more] = root === 'api' ? ['', ...rest] : root === 'apis' ? rest : [];
  const isServed = scheme.group(group)?.versions.includes(version) === true;
  return isServed && more.length === 0 && keyOf({ group, version }) === key ? { group, version } : undefined;
}

async function document(exchange: Exchange, scheme: Scheme, documentAt: DocumentAt): Promise<RawResponse> {
  refuseProtobuf(exchange);
  const { request } = exchange;
  const key = request.info.path.slice('/openapi/v3/'.length);
  const version = versionAt(key, scheme);
  if (version === undefined) return pageNotFound();
  const { content, hash } = await documentAt(scheme, version);
  const asked = request.options().parameters?.hash?.[0];
  if (asked !== undefined && asked !== hash)
    return {
      type: 'raw',
      code: 301,
      contentType: 'text/plain',
      content: '',
      headers: { Location: `/openapi/v3/${key}?hash=${hash}` },
    };
  const caching: Readonly<Record<string, string>> =
    asked === undefined ? { 'Cache-Control': 'no-cache, private' } : { 'Cache-Control': 'public, immutable' };
  const headers = { ...caching, ETag: `"${hash}"`, Vary: 'Accept' };
  const isKnown = (request.header('If-None-Match') ?? '').split(',').some((tag) => tag.trim() === headers.ETag);
  return isKnown
    ? { type: 'raw', code: 304, contentType: '', content: '', headers }
    : { type: 'raw', code: 200, contentType: 'application/json', content, headers };
}

/** These documents come as JSON; whoever takes nothing but protobuf is told so, and asks differently. */
function refuseProtobuf({ request }: Exchange): void {
  const accept = request.header('Accept') ?? '';
  if (accept.includes('proto-openapi') && !/json|\*\/\*/.test(accept)) throw notAcceptable(['application/json']);
}

const style: SchemaStyle = {
  refPrefix: '#/components/schemas/',
  wrapsRefs: true,
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  intOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  keywords: new Set([
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
  ]),
};

function documentOf(scheme: Scheme, version: GroupVersion): DocumentPart {
  const schemas = new SchemaCollection(scheme, style);
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
