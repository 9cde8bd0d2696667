// Extenders have a say in who leaves which node: each is shown the candidates that those before it left, and answers
// with the ones it agrees to. As pkg/scheduler/framework/preemption, callExtenders.
import { quote } from '../../core/index.js';
import type { LeavingPods, PreemptionExtender } from '../framework/plugin-tools.js';
import type { NodeView } from '../cluster/node-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { candidateOf } from './candidates.js';
import type { Candidate } from './candidates.js';

/** The candidates that all extenders agree to. Rejects where one fails that must not be ignored. */
export async function agreedCandidates(
  { object }: PodFacts,
  candidates: readonly Candidate[],
  extenders: readonly PreemptionExtender[],
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  let agreed: ReadonlyMap<NodeView, LeavingPods> = new Map(candidates.map(({ node, victims }) => [node, victims]));
  for (const extender of extenders) {
    if (agreed.size === 0) break;
    if (!extender.isInterested(object)) continue;
    try {
      agreed = withVictims(await extender.preempt(object, agreed, signal), extender.ignorable);
    } catch (error) {
      signal.throwIfAborted();
      if (!extender.ignorable) throw error;
    }
  }
  return Array.from(agreed, ([node, victims]) => candidateOf(node, victims));
}

/** A node without victims is no answer. */
function withVictims(
  agreed: ReadonlyMap<NodeView, LeavingPods>,
  ignorable: boolean,
): ReadonlyMap<NodeView, LeavingPods> {
  const empty = Array.from(agreed).find(([, { pods }]) => pods.length === 0);
  if (empty === undefined) return agreed;
  if (!ignorable) throw new Error(`expected at least one victim pod on node ${quote(empty[0].name)}`);
  return new Map(Array.from(agreed).filter(([, { pods }]) => pods.length > 0));
}
