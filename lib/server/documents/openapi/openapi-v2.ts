// OpenAPI v2: one document for all kinds, as JSON or protobuf, for clients that do not use v3. Created on request when
// the kinds have changed. As k8s.io/kube-openapi/pkg/handler.
import type { Kinds, Scheme } from '../../../core/index.js';
import { mergeOpenApi } from '../../aggregation/merge-openapi.js';
import type { RemoteOpenApi, RemoteV2 } from '../../aggregation/remote-openapi.js';
import type { DocumentRoute } from '../documents.js';
import { taggedDocument } from '../tagged-document.js';
import type { Descriptions } from './descriptions.js';
import { loadDescriptions } from './descriptions.js';
import { encodeOpenApiV2, openApiV2Protobuf } from './openapi-v2-protobuf.js';
import type { Operation } from './paths-document.js';
import { operationsOf, parameterType } from './paths-document.js';
import type { DocumentPart, SchemaStyle } from './schema-document.js';
import { SchemaCollection, describingKeywords } from './schema-document.js';

/** Serves `/openapi/v2`. */
export function openApiV2(kinds: Kinds, remote: Pick<RemoteOpenApi, 'v2Documents'>): DocumentRoute {
  let known: V2Source | undefined;
  const current = (others: readonly RemoteV2[]): V2Source => {
    const scheme = kinds.current;
    if (known?.scheme !== scheme || known.others !== others) known = { scheme, others };
    return known;
  };
  const source = (): V2Source => known ?? current([]);
  const json = taggedDocument(
    source,
    async (from) => JSON.stringify(documentOf(from, await loadDescriptions())),
    'application/json',
  );
  const protobuf = taggedDocument(
    source,
    async (from) => encodeOpenApiV2(documentOf(from, await loadDescriptions())),
    openApiV2Protobuf,
  );
  return {
    path: '/openapi/v2',
    async answer(exchange) {
      current(await remote.v2Documents());
      const accept = exchange.request.header('Accept') ?? '';
      return accept.includes('proto-openapi') && !/json|\*\/\*/.test(accept) ? protobuf(exchange) : json(exchange);
    },
  };
}

/** What a document is created from. */
interface V2Source {
  readonly scheme: Scheme;
  readonly others: readonly RemoteV2[];
}

const style: SchemaStyle = {
  refPrefix: '#/definitions/',
  wrapsRefs: false,
  quantity: { type: 'string' },
  intOrString: { type: 'string', format: 'int-or-string' },
  keywords: new Set(describingKeywords),
  customKeywords: new Set(describingKeywords),
};

function documentOf({ scheme, others }: V2Source, descriptions: Descriptions): DocumentPart {
  const schemas = new SchemaCollection(scheme, style, descriptions);
  const paths = new Map<string, Record<string, unknown>>();
  for (const { name, versions } of scheme.groups) {
    for (const version of versions) {
      for (const operation of operationsOf(scheme, { group: name, version }, schemas)) {
        const at = paths.get(operation.path) ?? {
          parameters: [...operation.inPath.map(pathParameter), queryParameter('pretty')],
        };
        at[operation.method] = printed(operation);
        paths.set(operation.path, at);
      }
    }
  }
  const merged = mergeOpenApi({ paths: Object.fromEntries(paths), definitions: schemas.schemas }, others);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.36.4' },
    paths: Object.fromEntries(Object.entries(merged.paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    definitions: merged.definitions,
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
  };
}

const produced = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

function printed({ tag, id, query, body, answer, action, gvk }: Operation): DocumentPart {
  return {
    tags: [tag],
    operationId: id,
    consumes: body?.types ?? ['*/*'],
    produces: produced,
    schemes: ['https'],
    parameters: [
      ...(body ? [{ name: 'body', in: 'body', required: true, schema: body.schema }] : []),
      ...query.map(queryParameter),
    ],
    responses: { 200: { description: 'OK', schema: answer }, 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
  };
}

function queryParameter(name: string): DocumentPart {
  return { name, in: 'query', type: parameterType(name), uniqueItems: true };
}

function pathParameter(name: string): DocumentPart {
  return { name, in: 'path', required: true, type: 'string', uniqueItems: true };
}
