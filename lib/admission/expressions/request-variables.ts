// The values of the variables that expressions about a request may use: `object`, `oldObject`, `request`, `params`,
// `namespaceObject`, `authorizer` and `authorizer.requestResource`. What is not read is not made.
import { authorizerValue, requestResourceValue } from '../../cel/index.js';
import type { AccessDecisions, CelValue, Variables } from '../../cel/index.js';
import { once } from '../../core/index.js';
import type { ApiObject, Frozen, ReviewedWrite } from '../../core/index.js';
import type { Namespace } from '../../core/types/index.js';
import { requestFields } from '../request-fields.js';

/** What a request's variables are made of besides the write itself. */
export interface RequestContext {
  readonly decisions: AccessDecisions;
  /** Absent where expressions do not have the variable. */
  readonly namespaceObject?: Frozen<Namespace> | null;
  /** Likewise. */
  readonly params?: Frozen<ApiObject> | null;
}

/** Returns the variables of a write, whose objects are in the version that a rule matched. */
export function requestVariables(review: ReviewedWrite, context: RequestContext): Variables {
  const { decisions, namespaceObject, params } = context;
  const { group, resource } = review.resource;
  const { subresource, namespace, name } = review;
  return {
    ...objectVariables(review),
    request: once(() => requestFields(review) as CelValue),
    ...(namespaceObject !== undefined && { namespaceObject: once(() => namespaceFields(namespaceObject)) }),
    ...(params !== undefined && { params: params }),
    authorizer: authorizerValue(decisions.decide),
    'authorizer.requestResource': requestResourceValue(
      { group, resource, subresource, namespace, name },
      decisions.decide,
    ),
  };
}

/** Returns the variables that change with each mutation. Objects of the API are JSON. */
export function objectVariables({ object, oldObject }: Pick<ReviewedWrite, 'object' | 'oldObject'>): Variables {
  return { object: object ?? null, oldObject: oldObject ?? null };
}

function namespaceFields(namespace: Frozen<Namespace> | null): CelValue {
  if (namespace === null) return null;
  const { managedFields: _fields, ownerReferences: _owners, ...metadata } = namespace.metadata ?? {};
  const { spec, status } = namespace;
  return { metadata, ...(spec !== undefined && { spec }), ...(status !== undefined && { status }) };
}
