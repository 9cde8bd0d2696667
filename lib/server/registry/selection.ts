// The objects that a list or watch selects: namespace, label selector and field selector as the scope of a cacher read.
// What an index can find (name, trigger field) is separate from what must be tested for each object. As
// apiserver/pkg/storage/selection_predicate.go and the field label conversions of each API group.
import {
  badRequest,
  isParseError,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  requiresExact,
  transformFieldSelector,
} from '../../core/index.js';
import type { FieldSelector, RequestInfo, RequestOptions } from '../../core/index.js';
import type { Scope } from '../../cacher/index.js';
import type { ResourceEndpoint } from './endpoint.js';
import type { StoredObject } from './stored-kind.js';

/** Returns the scope of a request. Throws ApiError 400 for invalid selectors. */
export function selectionOf(
  endpoint: ResourceEndpoint,
  info: RequestInfo,
  options: RequestOptions,
): Scope<StoredObject> {
  const { stored } = endpoint;
  const { labelSelector = '', fieldSelector = '' } = options;
  const scope: { -readonly [K in keyof Scope<StoredObject>]: Scope<StoredObject>[K] } = {};
  if (stored.namespaced && info.namespace !== '') scope.namespace = info.namespace;
  if (labelSelector === '' && fieldSelector === '' && info.name === '') return scope;

  const labels = parseSelector(() => parseLabelSelector(labelSelector));
  const fields = withName(
    parseSelector(() => hubFields(endpoint, parseFieldSelector(fieldSelector))),
    info.name,
  );
  const name = requiresExact(fields, 'metadata.name');
  if (name !== undefined) scope.name = name;
  for (const field of stored.strategy.triggerFields ?? []) {
    const value = requiresExact(fields, field);
    if (value !== undefined) scope.trigger = { field, value };
  }
  const namespace = requiresExact(fields, 'metadata.namespace');
  if (namespace !== undefined && scope.namespace === undefined && stored.namespaced) scope.namespace = namespace;
  const hasLabelSelector = labels.nothing || labels.requirements.length > 0;
  const hasFieldSelector = fields.requirements.length > (name === undefined ? 0 : 1);
  if (hasLabelSelector || hasFieldSelector) {
    scope.matches = (object) =>
      (!hasLabelSelector || matchesLabels(labels, object.metadata?.labels)) &&
      (!hasFieldSelector || matchesFields(fields, (field) => stored.fieldOf(object, field)));
  }
  return scope;
}

/** Adds the name of the request as a selector; a field selector must agree with it. */
function withName(fields: FieldSelector, name: string): FieldSelector {
  if (name === '') return fields;
  if (fields.requirements.length === 0)
    return { requirements: [{ field: 'metadata.name', operator: '=', value: name }] };
  if (requiresExact(fields, 'metadata.name') !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return fields;
}

function hubFields({ served, stored }: ResourceEndpoint, fields: FieldSelector): FieldSelector {
  return transformFieldSelector(fields, (field, value) => {
    const hub = served.conversion?.hubField === undefined ? field : served.conversion.hubField(field);
    const own = stored.strategy.selectableFields;
    if (hub === 'metadata.name' || (hub === 'metadata.namespace' && (stored.namespaced || own === undefined)))
      return { field: hub, value };
    if (hub !== undefined && own !== undefined && Object.hasOwn(own, hub)) return { field: hub, value };
    const isPlain = own === undefined && served.versionStorage === undefined;
    throw badRequest(isPlain ? unknownField(field) : `field label not supported: ${field}`);
  });
}

function unknownField(field: string): string {
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function parseSelector<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw isParseError(error) ? badRequest(error.message) : error;
  }
}
