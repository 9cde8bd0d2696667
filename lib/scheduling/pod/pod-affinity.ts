// Terms of pod affinity and anti-affinity, compiled once: a selector for pods and namespaces, and the topology key. The
// API server has merged matchLabelKeys into the selectors. A selector that cannot be parsed, which validation prevents,
// matches no pod. As the plugin InterPodAffinity and kube-scheduler/framework/types.go.
import { everything, matchesLabels, readableSelector } from '../../core/index.js';
import type { Frozen, Labels, Selector } from '../../core/index.js';
import type { Pod, PodAffinity, PodAffinityTerm } from '../../core/types/index.js';

/** A compiled affinity term. */
export interface AffinityTerm {
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  /** Selects further namespaces by label; `everything` matches all. */
  readonly namespaceSelector: Selector;
  readonly topologyKey: string;
}

/** A preferred term and its weight. */
export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

/** The affinity or anti-affinity of a pod. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly preferred: readonly WeightedAffinityTerm[];
}

/** Compiles spec.affinity.podAffinity. */
export function podAffinity(pod: Frozen<Pod>): AffinityTerms {
  return compile(pod.spec?.affinity?.podAffinity, namespaceOf(pod));
}

/** Compiles spec.affinity.podAntiAffinity. */
export function podAntiAffinity(pod: Frozen<Pod>): AffinityTerms {
  return compile(pod.spec?.affinity?.podAntiAffinity, namespaceOf(pod));
}

/** Returns whether a term matches a pod. `namespaceLabels` are read only if the namespace is not listed by name. */
export function matchesAffinityTerm(
  term: AffinityTerm,
  namespace: string,
  labels: Labels | undefined,
  namespaceLabels: Labels | undefined,
): boolean {
  if (!term.namespaces.has(namespace) && !matchesLabels(term.namespaceSelector, namespaceLabels)) return false;
  return matchesLabels(term.selector, labels);
}

/** Returns whether matching depends on labels of namespaces. */
export function dependsOnNamespaceLabels({ namespaceSelector }: AffinityTerm): boolean {
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
