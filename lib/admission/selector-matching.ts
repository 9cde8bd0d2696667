// Whether the selectors of a webhook, a policy or a binding match a write.
// As apiserver/pkg/admission/plugin/webhook/predicates/{namespace,object}/matcher.go.
import { everything, matchesLabels, notFound } from '../core/index.js';
import type { ReviewedWrite, Selector } from '../core/index.js';
import type { Namespace } from '../core/types/index.js';
import type { FollowedResource } from './followed-resource.js';

/**
 * Returns whether the namespace of a write matches. Objects of the cluster always do, but a Namespace belongs to
 * itself. Throws or rejects with ApiError 404 for a missing namespace.
 */
export function matchesNamespace(
  selector: Selector,
  review: ReviewedWrite,
  namespaces: FollowedResource<Namespace>,
): boolean | Promise<boolean> {
  if (selector === everything) return true;
  const { resource, subresource, operation, object, name } = review;
  const isNamespace = resource.resource === 'namespaces' && resource.group === '';
  const namespace = isNamespace ? name : review.namespace;
  if (namespace === '' && !isNamespace) return true;
  if (isNamespace && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'))
    return matchesLabels(selector, object?.metadata?.labels ?? {});
  const matches = (found: Awaited<ReturnType<typeof namespaces.find>>): boolean => {
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces', name: namespace });
    return matchesLabels(selector, found.metadata?.labels ?? {});
  };
  const found = namespaces.find(namespace);
  return found instanceof Promise ? found.then(matches) : matches(found);
}

/**
 * Returns whether the new object or the stored one has the labels. Options of connections have no metadata, and match
 * only the selector of everything.
 */
export function matchesObject(selector: Selector, { object, oldObject }: ReviewedWrite): boolean {
  if (selector === everything) return true;
  return [object, oldObject].some(
    (each) => each?.metadata !== undefined && matchesLabels(selector, each.metadata.labels ?? {}),
  );
}
