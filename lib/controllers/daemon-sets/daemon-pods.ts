// The pods of a DaemonSet: which nodes they belong on, what is added to the template, and which revision they have.
// The scheduler binds them: a pod is tied to its node by a node affinity on the node's name. Pure. As
// pkg/controller/daemon/util/daemonset_util.go and NodeShouldRunDaemonPod.
import type { Stored } from '../../client/index.js';
import { matchesRequired, parseTime, requiredNodes, toleratesTaintWithAny } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { DaemonSet, Node, Pod, PodSpec, PodTemplateSpec, Toleration } from '../../core/types/index.js';
import type { OwnerKind } from '../workloads/pod-control.js';

/** The kind of the owners. */
export const daemonSetKind: OwnerKind = Object.freeze({ apiVersion: 'apps/v1', kind: 'DaemonSet' });

/** The label of the hash of the revision, on revisions and pods. */
export const hashLabel = 'controller-revision-hash';

/** Which nodes run a pod of a set, compiled once. */
export interface DaemonPlacement {
  /** Returns whether the node should have a pod. */
  shouldRun(node: Stored<Node>): boolean;
  /** Returns whether a pod that the node has may stay: also where a taint only keeps new pods away. */
  mayContinue(node: Stored<Node>): boolean;
}

/** Compiles the node selection of a set. */
export function daemonPlacement({ spec }: Frozen<DaemonSet>): DaemonPlacement {
  const podSpec = spec?.template.spec;
  const nodeName = podSpec?.nodeName ?? '';
  const tolerations = daemonTolerations(podSpec);
  const required = requiredNodes({ spec: podSpec ?? { containers: [] } });
  const isSelected = ({ metadata: { name, labels } }: Stored<Node>): boolean =>
    (nodeName === '' || nodeName === name) && (required === undefined || matchesRequired(required, labels, name));
  const isTolerated = (node: Stored<Node>, effects: readonly string[]): boolean =>
    (node.spec?.taints ?? []).every(
      (taint) => !effects.includes(taint.effect) || toleratesTaintWithAny(tolerations, taint),
    );
  return {
    shouldRun: (node) => isSelected(node) && isTolerated(node, ['NoSchedule', 'NoExecute']),
    mayContinue: (node) => isSelected(node) && isTolerated(node, ['NoExecute']),
  };
}

/** Returns the template of the pod of a node. */
export function daemonTemplate(set: Frozen<DaemonSet>, hash: string, nodeName: string): Frozen<PodTemplateSpec> {
  const template = set.spec?.template ?? {};
  const generation = templateGeneration(set);
  const spec: Frozen<PodSpec> = template.spec ?? { containers: [] };
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [nodeName] }] };
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  };
  return {
    ...template,
    metadata: {
      ...template.metadata,
      labels: {
        ...template.metadata?.labels,
        ...(generation !== undefined && { [generationLabel]: generation }),
        [hashLabel]: hash,
      },
    },
    spec: { ...spec, tolerations: daemonTolerations(spec), affinity: { ...spec.affinity, nodeAffinity } },
  };
}

/** Returns the node that a pod runs on or waits for; undefined if it states none. */
export function targetNode({ spec }: Frozen<Pod>): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? [])
    for (const { key, operator, values = [] } of matchFields)
      if (key === 'metadata.name' && operator === 'In') return values.length === 1 ? values[0] : undefined;
  return undefined;
}

/** Returns whether a pod has the template of the set: by the hash, or by the generation of old versions. */
export function isUpdatedPod(set: Frozen<DaemonSet>, { metadata }: Frozen<Pod>, hash: string): boolean {
  const generation = templateGeneration(set);
  const labels = metadata?.labels ?? {};
  return (
    (hash !== '' && labels[hashLabel] === hash) || (generation !== undefined && labels[generationLabel] === generation)
  );
}

/** Orders pods of one node: those that are bound first, then the oldest. */
export function byBindingAndAge(one: Stored<Pod>, other: Stored<Pod>): number {
  const isBound = ({ spec }: Stored<Pod>): number => (spec?.nodeName === undefined ? 0 : 1);
  return (
    isBound(other) - isBound(one) ||
    parseTime(one.metadata.creationTimestamp) - parseTime(other.metadata.creationTimestamp) ||
    (one.metadata.name < other.metadata.name ? -1 : 1)
  );
}

/** The tolerations of the template, and those that let daemons run on nodes with problems. */
function daemonTolerations(spec: Frozen<PodSpec> | undefined): readonly Frozen<Toleration>[] {
  const added = addedTolerations.filter(({ key }) => key !== networkTaint || spec?.hostNetwork === true);
  return added.reduce<readonly Frozen<Toleration>[]>((tolerations, toleration) => {
    const isSame = ({ key, operator, effect, value = '' }: Frozen<Toleration>): boolean =>
      key === toleration.key && operator === toleration.operator && effect === toleration.effect && value === '';
    // One with a time limit loses it.
    return tolerations.some(isSame)
      ? tolerations.map((each) => (isSame(each) ? toleration : each))
      : [...tolerations, toleration];
  }, spec?.tolerations ?? []);
}

const networkTaint = 'node.kubernetes.io/network-unavailable';
const addedTolerations: readonly Frozen<Toleration>[] = [
  ['node.kubernetes.io/not-ready', 'NoExecute'] as const,
  ['node.kubernetes.io/unreachable', 'NoExecute'] as const,
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'] as const,
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'] as const,
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'] as const,
  ['node.kubernetes.io/unschedulable', 'NoSchedule'] as const,
  [networkTaint, 'NoSchedule'] as const,
].map(([key, effect]) => Object.freeze({ key, operator: 'Exists', effect }));

const generationLabel = 'pod-template-generation';

/** The generation of the template in the form that labels have; undefined if the annotation is not a number. */
function templateGeneration({ metadata }: Frozen<DaemonSet>): string | undefined {
  const text = metadata?.annotations?.['deprecated.daemonset.template.generation'];
  return text !== undefined && /^[-+]?[0-9]+$/.test(text) ? `${BigInt(text)}` : undefined;
}
