// Terms of pod affinity and anti-affinity, compiled once: which pods are meant, by labels and namespace, and which
// label of their nodes is compared. The API server has merged matchLabelKeys into the selectors. A term whose selector
// cannot be read, which validation prevents, matches no pod. As the plugin InterPodAffinity and
// kube-scheduler/framework/types.go.
import { everything, matchesLabels, readableSelector } from '../../core/index.js';
import type { Frozen, Labels, Selector } from '../../core/index.js';
import type { Pod, PodAffinity, PodAffinityTerm } from '../../core/types/index.js';

/** A term that can be asked of pods. */
export interface AffinityTerm {
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  /** More namespaces, by their labels; `everything` is all of them. */
  readonly namespaceSelector: Selector;
  readonly topologyKey: string;
}

/** A term that counts for something. */
export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

/** What a pod says of pods it wants, or does not want, close to it. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly preferred: readonly WeightedAffinityTerm[];
}

/** The terms of spec.affinity.podAffinity. */
export function podAffinity(pod: Frozen<Pod>): AffinityTerms {
  return compile(pod.spec?.affinity?.podAffinity, namespaceOf(pod));
}

/** The terms of spec.affinity.podAntiAffinity. */
export function podAntiAffinity(pod: Frozen<Pod>): AffinityTerms {
  return compile(pod.spec?.affinity?.podAntiAffinity, namespaceOf(pod));
}

/**
 * Whether a pod is meant. `namespaceLabels` are those of its namespace; they are asked only if its name does not do.
 */
export function matchesAffinityTerm(
  term: AffinityTerm,
  namespace: string,
  labels: Labels | undefined,
  namespaceLabels: Labels | undefined,
): boolean {
  if (!term.namespaces.has(namespace) && !matchesLabels(term.namespaceSelector, namespaceLabels)) return false;
  return matchesLabels(term.selector, labels);
}

/** Whether the answer may depend on labels of namespaces. */
export function asksNamespaces({ namespaceSelector }: AffinityTerm): boolean {
  return !namespaceSelector.nothing && namespaceSelector !== everything;
}

function namespaceOf({ metadata }: Frozen<Pod>): string {
  return metadata?.namespace ?? '';
}

function compile(affinity: Frozen<PodAffinity> | undefined, namespace: string): AffinityTerms {
  if (affinity === undefined) return noTerms;
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required = [],
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity;
  if (required.length === 0 && preferred.length === 0) return noTerms;
  return {
    required: required.map((term) => compileTerm(term, namespace)),
    preferred: preferred.map(({ weight, podAffinityTerm }) => ({ ...compileTerm(podAffinityTerm, namespace), weight })),
  };
}

function compileTerm(
  { labelSelector, namespaces = [], namespaceSelector, topologyKey }: Frozen<PodAffinityTerm>,
  own: string,
): AffinityTerm {
  return {
    selector: readableSelector(labelSelector),
    namespaces: new Set(namespaces.length === 0 && namespaceSelector === undefined ? [own] : namespaces),
    namespaceSelector: readableSelector(namespaceSelector),
    topologyKey,
  };
}

const noTerms: AffinityTerms = { required: [], preferred: [] };
