// Matches pods against affinity terms. A term may select namespaces by label; an unknown namespace has no labels.
// Labels are read for terms of either pod. In Kubernetes 1.36 a namespaceSelector of negative operators in the terms of
// the pod being placed matches all namespaces; here it matches as written.
import type { ObjectLister } from '../../cluster/object-lister.js';
import { dependsOnNamespaceLabels, matchesAffinityTerm } from '../../pod/pod-affinity.js';
import type { AffinityTerm } from '../../pod/pod-affinity.js';
import type { PodFacts } from '../../pod/pod-facts.js';

/** Returns whether a term matches a pod. */
export function termMatchesPod(term: AffinityTerm, { namespace, labels }: PodFacts, objects: ObjectLister): boolean {
  const namespaceLabels = dependsOnNamespaceLabels(term)
    ? objects.get('Namespace', namespace)?.metadata?.labels
    : undefined;
  return matchesAffinityTerm(term, namespace, labels, namespaceLabels);
}

/** Returns whether there are terms and all match the pod. */
export function allTermsMatchPod(terms: readonly AffinityTerm[], pod: PodFacts, objects: ObjectLister): boolean {
  for (const term of terms) if (!termMatchesPod(term, pod, objects)) return false;
  return terms.length > 0;
}

/** Returns whether any of the terms matches the pod. */
export function anyTermMatchesPod(terms: readonly AffinityTerm[], pod: PodFacts, objects: ObjectLister): boolean {
  for (const term of terms) if (termMatchesPod(term, pod, objects)) return true;
  return false;
}
