// OpenAPI version 2: one document for everything, which clients older than the third version ask for, as JSON or as
// protobuf. Made when it is requested and the kinds changed since it was made last. As k8s.io/kube-openapi/pkg/handler.
import type { Kinds, Scheme } from '../../../core/index.js';
import type { DocumentRoute } from '../documents.js';
import { taggedDocument } from '../tagged-document.js';
import { encodeOpenApiV2, openApiV2Protobuf } from './openapi-v2-protobuf.js';
import type { Operation } from './paths-document.js';
import { operationsOf, parameterType } from './paths-document.js';
import type { DocumentPart, SchemaStyle } from './schema-document.js';
import { SchemaCollection, describingKeywords } from './schema-document.js';

/** `/openapi/v2`. */
export function openApiV2(kinds: Kinds): DocumentRoute {
  const current = (): Scheme => kinds.current;
  const json = taggedDocument(current, (scheme) => JSON.stringify(documentOf(scheme)), 'application/json');
  const protobuf = taggedDocument(current, (scheme) => encodeOpenApiV2(documentOf(scheme)), openApiV2Protobuf);
  return {
    path: '/openapi/v2',
    answer(exchange) {
      const accept = exchange.request.header('Accept') ?? '';
      return accept.includes('proto-openapi') && !/json|\*\/\*/.test(accept) ? protobuf(exchange) : json(exchange);
    },
  };
}

const style: SchemaStyle = {
  refPrefix: '#/definitions/',
  wrapsRefs: false,
  quantity: { type: 'string' },
  intOrString: { type: 'string', format: 'int-or-string' },
  keywords: new Set(describingKeywords),
};

function documentOf(scheme: Scheme): DocumentPart {
  const schemas = new SchemaCollection(scheme, style);
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
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.36.4' },
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    definitions: schemas.schemas,
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
