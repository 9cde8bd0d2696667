// Which pods a term means. A term may choose namespaces by their labels; those of a namespace that is not known are
// none. Labels are looked up for either side alike, so that a selector of what labels are not means what it says,
// whichever pod has the term: in Kubernetes 1.36 the terms of the pod that is placed then mean pods of all namespaces.
import type { KnownObjects } from '../../cluster/known-objects.js';
import { asksNamespaces, matchesAffinityTerm } from '../../pod/pod-affinity.js';
import type { AffinityTerm } from '../../pod/pod-affinity.js';
import type { PodFacts } from '../../pod/pod-facts.js';

/** Whether a term means a pod. */
export function meansPod(term: AffinityTerm, { namespace, labels }: PodFacts, objects: KnownObjects): boolean {
  const namespaceLabels = asksNamespaces(term) ? objects.get('Namespace', namespace)?.metadata?.labels : undefined;
  return matchesAffinityTerm(term, namespace, labels, namespaceLabels);
}

/** Whether there are terms, and all mean the pod. */
export function allMeanPod(terms: readonly AffinityTerm[], pod: PodFacts, objects: KnownObjects): boolean {
  for (const term of terms) if (!meansPod(term, pod, objects)) return false;
  return terms.length > 0;
}

/** Whether any of the terms means the pod. */
export function anyMeansPod(terms: readonly AffinityTerm[], pod: PodFacts, objects: KnownObjects): boolean {
  for (const term of terms) if (meansPod(term, pod, objects)) return true;
  return false;
}
