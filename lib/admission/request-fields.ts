// The AdmissionRequest of a write without its uid and objects, as webhooks are sent it and as expressions read it.
import type { JsonObject, ReviewedWrite } from '../core/index.js';

/** Returns the fields of the request. Empty ones are absent, as in Go's JSON. */
export function requestFields(review: ReviewedWrite): JsonObject {
  const { kind, resource, requestKind, requestResource, subresource, name, namespace } = review;
  const { operation, user, dryRun, options } = review;
  // Values of the API are JSON.
  return {
    kind: named(kind, 'kind', kind.kind),
    resource: named(resource, 'resource', resource.resource),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: named(requestKind, 'kind', requestKind.kind),
    requestResource: named(requestResource, 'resource', requestResource.resource),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: user,
    dryRun,
    options: options ?? null,
  };
}

function named(
  { group, version }: { readonly group: string; readonly version: string },
  key: 'kind' | 'resource',
  name: string,
): JsonObject {
  return { group, version, [key]: name };
}
