// What may help a pod that required terms kept waiting. Broader than the plugin InterPodAffinity, plugin.go, where pods
// with several terms can miss what helps them: here any term counts, namespaces are looked up, and a pod without terms
// of its own, which those of others kept away, is told of every node.
import type { Frozen } from '../../../core/index.js';
import type { Node, Pod } from '../../../core/types/index.js';
import type { ClusterView } from '../../cluster/cluster-view.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import { domainOf } from '../../cluster/topology-domain.js';
import { on } from '../../framework/event-interest.js';
import type { EventInterest, HintAnswer } from '../../framework/event-interest.js';
import { podFacts } from '../../pod/pod-facts.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { isItself, tookRoom } from '../pod-events.js';
import { allMeanPod, anyMeansPod, meansPod } from './term-matching.js';

/** The events of the plugin. The cluster is looked at when something happens. */
export function affinityEvents(cluster: ClusterView): readonly EventInterest[] {
  return [
    on('Pod', actions.add | actions.delete | actions.updatePodLabel, (pod, old, current) =>
      afterPodChange(pod, old, current, cluster.objects),
    ),
    on('Node', actions.add | actions.updateNodeLabel, afterNodeChange),
  ];
}

function afterPodChange(
  pod: PodFacts,
  old: Frozen<Pod> | undefined,
  current: Frozen<Pod> | undefined,
  objects: KnownObjects,
): HintAnswer {
  if (isItself(pod, current ?? old)) return 'queue'; // its labels changed: others may mean it no longer
  if (isNowhere(old) || isNowhere(current)) return 'skip';
  const before = old && podFacts(old);
  const after = current && podFacts(current);
  return movesWanted(pod, before, after, objects) ||
    removesUnwanted(pod, before, after, objects) ||
    removesHostile(pod, before, after, objects)
    ? 'queue'
    : 'skip';
}

/** A pod that is wanted came; or it went, and if it was the last the pod may begin anew elsewhere. */
function movesWanted(
  { affinity }: PodFacts,
  before: PodFacts | undefined,
  after: PodFacts | undefined,
  objects: KnownObjects,
): boolean {
  const isWanted = (pod: PodFacts | undefined): boolean =>
    pod !== undefined && allMeanPod(affinity.required, pod, objects);
  return isWanted(before) !== isWanted(after);
}

/** A pod that is not wanted went, or is such no longer by one of the terms. */
function removesUnwanted(
  { antiAffinity }: PodFacts,
  before: PodFacts | undefined,
  after: PodFacts | undefined,
  objects: KnownObjects,
): boolean {
  if (before === undefined) return false;
  return antiAffinity.required.some(
    (term) => meansPod(term, before, objects) && (after === undefined || !meansPod(term, after, objects)),
  );
}

/** A pod that does not want this one went. */
function removesHostile(
  pod: PodFacts,
  before: PodFacts | undefined,
  after: PodFacts | undefined,
  objects: KnownObjects,
): boolean {
  return before !== undefined && after === undefined && anyMeansPod(before.antiAffinity.required, pod, objects);
}

function afterNodeChange(
  { affinity: { required: wanted }, antiAffinity: { required: unwanted } }: PodFacts,
  old: Frozen<Node> | undefined,
  current: Frozen<Node> | undefined,
): HintAnswer {
  if (wanted.length === 0 && unwanted.length === 0) return 'queue'; // the terms of others may be about any label
  if (old === undefined && unwanted.length > 0) return 'queue'; // whether it lies in a domain or in none
  const before = (topologyKey: string): string | undefined => domainOf(old?.metadata?.labels, topologyKey);
  const after = (topologyKey: string): string | undefined => domainOf(current?.metadata?.labels, topologyKey);
  const joins = wanted.some(
    ({ topologyKey }) => after(topologyKey) !== undefined && before(topologyKey) !== after(topologyKey),
  );
  const leaves = unwanted.some(
    ({ topologyKey }) => before(topologyKey) !== undefined && before(topologyKey) !== after(topologyKey),
  );
  return joins || leaves ? 'queue' : 'skip';
}

/** A pod without node, as it was or is. One that is not there yet, or any more, is elsewhere. */
function isNowhere(pod: Frozen<Pod> | undefined): boolean {
  return pod !== undefined && !tookRoom(pod);
}
