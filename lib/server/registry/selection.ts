// Which objects a list or a watch is about: namespace, label selector and field selector, turned into the scope that
// the cacher understands. What can be found by index (name, trigger field) is said apart from what must be asked of
// each object. As apiserver/pkg/storage/selection_predicate.go and the field label conversions of each API group.
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
import type { FieldSelector } from '../../core/index.js';
import type { RequestInfo, RequestOptions } from '../../client/index.js';
import type { Scope } from '../../cacher/index.js';
import type { ResourceEndpoint } from './endpoint.js';
import type { StoredObject } from './stored-kind.js';

/** The scope of a request. Throws ApiError 400 for selectors that make no sense. */
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

  const labels = parsed(() => parseLabelSelector(labelSelector));
  const fields = withName(
    parsed(() => hubFields(endpoint, parseFieldSelector(fieldSelector))),
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
  const asksLabels = labels.nothing || labels.requirements.length > 0;
  const asksFields = fields.requirements.length > (name === undefined ? 0 : 1);
  if (asksLabels || asksFields) {
    scope.matches = (object) =>
      (!asksLabels || matchesLabels(labels, object.metadata?.labels)) &&
      (!asksFields || matchesFields(fields, (field) => stored.fieldOf(object, field)));
  }
  return scope;
}

/** A request for one name selects that name; a field selector may only agree with it. */
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
    throw badRequest(own === undefined ? unknownField(field) : `field label not supported: ${field}`);
  });
}

function unknownField(field: string): string {
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw isParseError(error) ? badRequest(error.message) : error;
  }
}
