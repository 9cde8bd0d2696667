// What could be changed in a pod to make a plugin content with a node. Each change is as small as the plugin's question
// allows: a toleration for one taint, a label that is no longer asked for, so much less of a resource.
import type { Frozen } from '../../core/index.js';
import type { Pod, Taint } from '../../core/types/index.js';
import type { NodeView } from '../cluster/node-view.js';
import { portsCollide } from '../pod/host-ports.js';
import { matchesAnyTerm } from '../pod/node-affinity.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { toleratesOne, unschedulableTaint } from '../pod/tolerations.js';
import {
  amountText,
  askingLess,
  spreadAnyway,
  toleratingTaint,
  withoutHostPort,
  withoutNodeAffinity,
  withoutNodeLabel,
  withoutNodeName,
  withoutPodTerms,
} from './pod-edits.js';
import type { PodEdit } from './pod-edits.js';

/** A change of a pod. */
export interface PodChange {
  /** Who would be content with it. */
  readonly plugin: string;
  /** For people: `tolerate the taint dedicated=gpu:NoSchedule`. */
  readonly text: string;
  /** The pod as it would be. */
  apply(pod: Frozen<Pod>): Frozen<Pod>;
}

/** The changes that a plugin wants for a node; undefined if no change of the pod is known that would do. */
export function changesFor(plugin: string, pod: PodFacts, node: NodeView): readonly PodChange[] | undefined {
  const wanted = demands.get(plugin)?.(pod, node);
  if (wanted === undefined || wanted.length === 0) return undefined;
  return wanted.map(({ text, edit }) => ({
    plugin,
    text,
    apply: (object) => ({ ...object, spec: edit(object.spec ?? { containers: [] }) }),
  }));
}

interface Demand {
  readonly text: string;
  readonly edit: PodEdit;
}

const demands: ReadonlyMap<string, (pod: PodFacts, node: NodeView) => readonly Demand[]> = new Map([
  ['NodeUnschedulable', () => [tolerate(unschedulableTaint)]],
  ['NodeName', () => [{ text: 'name no node', edit: withoutNodeName }]],
  [
    'TaintToleration',
    ({ tolerations }, { taints }) =>
      taints.filter((taint) => taint.effect !== 'PreferNoSchedule' && !toleratesOne(tolerations, taint)).map(tolerate),
  ],
  ['NodeAffinity', wishesToDrop],
  ['NodePorts', collidingPorts],
  ['NodeResourcesFit', shortages],
  ['PodTopologySpread', () => [{ text: 'be spread only where that can be', edit: spreadAnyway }]],
  ['InterPodAffinity', () => [{ text: 'have no required terms about other pods', edit: withoutPodTerms }]],
]);

function tolerate(taint: Frozen<Taint>): Demand {
  const { key, value = '', effect } = taint;
  return {
    text: `tolerate the taint ${key}${value === '' ? '' : `=${value}`}:${effect}`,
    edit: toleratingTaint(taint),
  };
}

function wishesToDrop({ object, requiredNodes }: PodFacts, { labels, name }: NodeView): readonly Demand[] {
  const missing = Object.entries(object.spec?.nodeSelector ?? {}).filter(([key, value]) => labels[key] !== value);
  const isMet = requiredNodes?.terms === undefined || matchesAnyTerm(requiredNodes.terms, labels, name);
  return [
    ...missing.map(([key, value]) => ({ text: `not ask for the label ${key}=${value}`, edit: withoutNodeLabel(key) })),
    ...(isMet ? [] : [{ text: 'have no required node affinity', edit: withoutNodeAffinity }]),
  ];
}

function collidingPorts({ hostPorts }: PodFacts, { ports }: NodeView): readonly Demand[] {
  const used = [...ports];
  return hostPorts
    .filter((port) => used.some((each) => portsCollide(port, each)))
    .map(({ port, protocol }) => ({ text: `do without host port ${port}/${protocol}`, edit: withoutHostPort(port) }));
}

/** Of what the node has too little. A node with too many pods has no room for any pod. */
function shortages({ requests }: PodFacts, { allocatable, requested, podCount }: NodeView): readonly Demand[] {
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
      edit: askingLess(resource, amount),
    }));
}
