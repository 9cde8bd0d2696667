// Changes of a pod that make a plugin accept a node. Each change is minimal: a toleration for one taint, one label
// fewer in the nodeSelector, a smaller request.
import { matchesAnyTerm, toleratesTaintWithAny, unschedulableTaint } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod, Taint } from '../../core/types/index.js';
import type { NodeView } from '../cluster/node-view.js';
import { portsCollide } from '../pod/host-ports.js';
import type { PodFacts } from '../pod/pod-facts.js';
import {
  amountText,
  requestingLess,
  softenSpread,
  tolerateTaint,
  withoutHostPort,
  withoutNodeAffinity,
  withoutNodeLabel,
  withoutNodeName,
  withoutPodTerms,
} from './pod-edits.js';
import type { PodEdit } from './pod-edits.js';

/** One change of a pod's spec. */
export interface PodChange {
  /** The plugin that would accept the node after the change. */
  readonly plugin: string;
  /** A description, such as `tolerate the taint dedicated=gpu:NoSchedule`. */
  readonly text: string;
  /** Returns the changed pod. */
  apply(pod: Frozen<Pod>): Frozen<Pod>;
}

/** Returns the changes with which a plugin would accept a node; undefined if there are none known. */
export function changesFor(plugin: string, pod: PodFacts, node: NodeView): readonly PodChange[] | undefined {
  const wanted = editsByPlugin.get(plugin)?.(pod, node);
  if (wanted === undefined || wanted.length === 0) return undefined;
  return wanted.map(({ text, edit }) => ({
    plugin,
    text,
    apply: (object) => ({ ...object, spec: edit(object.spec ?? { containers: [] }) }),
  }));
}

interface ProposedEdit {
  readonly text: string;
  readonly edit: PodEdit;
}

const editsByPlugin: ReadonlyMap<string, (pod: PodFacts, node: NodeView) => readonly ProposedEdit[]> = new Map([
  ['NodeUnschedulable', () => [tolerate(unschedulableTaint)]],
  ['NodeName', () => [{ text: 'name no node', edit: withoutNodeName }]],
  [
    'TaintToleration',
    ({ tolerations }, { taints }) =>
      taints
        .filter((taint) => taint.effect !== 'PreferNoSchedule' && !toleratesTaintWithAny(tolerations, taint))
        .map(tolerate),
  ],
  ['NodeAffinity', nodeSelectionChanges],
  ['NodePorts', collidingPorts],
  ['NodeResourcesFit', shortages],
  ['PodTopologySpread', () => [{ text: 'be spread only where that can be', edit: softenSpread }]],
  ['InterPodAffinity', () => [{ text: 'have no required terms about other pods', edit: withoutPodTerms }]],
]);

function tolerate(taint: Frozen<Taint>): ProposedEdit {
  const { key, value = '', effect } = taint;
  return {
    text: `tolerate the taint ${key}${value === '' ? '' : `=${value}`}:${effect}`,
    edit: tolerateTaint(taint),
  };
}

function nodeSelectionChanges(
  { object, requiredNodes }: PodFacts,
  { labels, name }: NodeView,
): readonly ProposedEdit[] {
  const missing = Object.entries(object.spec?.nodeSelector ?? {}).filter(([key, value]) => labels[key] !== value);
  const isMet = requiredNodes?.terms === undefined || matchesAnyTerm(requiredNodes.terms, labels, name);
  return [
    ...missing.map(([key, value]) => ({ text: `not ask for the label ${key}=${value}`, edit: withoutNodeLabel(key) })),
    ...(isMet ? [] : [{ text: 'have no required node affinity', edit: withoutNodeAffinity }]),
  ];
}

function collidingPorts({ hostPorts }: PodFacts, { ports }: NodeView): readonly ProposedEdit[] {
  const used = [...ports];
  return hostPorts
    .filter((port) => used.some((each) => portsCollide(port, each)))
    .map(({ port, protocol }) => ({ text: `do without host port ${port}/${protocol}`, edit: withoutHostPort(port) }));
}

/** The requests that exceed what is free. No change helps on a node that has its maximum of pods. */
function shortages({ requests }: PodFacts, { allocatable, requested, podCount }: NodeView): readonly ProposedEdit[] {
  if (podCount >= allocatable.pods) return [];
  const over: (readonly [resource: string, amount: number])[] = [
    ['cpu', requests.milliCpu - (allocatable.milliCpu - requested.milliCpu)],
    ['memory', requests.memory - (allocatable.memory - requested.memory)],
    ['ephemeral-storage', requests.ephemeralStorage - (allocatable.ephemeralStorage - requested.ephemeralStorage)],
    ...Array.from(
      requests.scalars,
      ([name, amount]) =>
        [name, amount - ((allocatable.scalars.get(name) ?? 0) - (requested.scalars.get(name) ?? 0))] as const,
    ),
  ];
  return over
    .filter(([, amount]) => amount > 0)
    .map(([resource, amount]) => ({
      text: `ask for ${amountText(resource, amount)} less ${resource}`,
      edit: requestingLess(resource, amount),
    }));
}
