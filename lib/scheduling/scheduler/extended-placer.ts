// Finding a node with the help of extenders: what the plugins leave of the nodes is shown to each extender in turn, and
// those that score add to what the plugins said. An extender that fails fails the attempt, unless it may be ignored;
// one that fails to score is left out. As pkg/scheduler/schedule_one.go, findNodesThatPassExtenders and
// prioritizeNodes.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import type { NodeDiagnosis } from '../framework/node-diagnosis.js';
import type { NoPlacement, Placement } from '../framework/placement.js';
import { beginSearch, chooseBest, fittingNominated, searchNodes } from '../framework/plain-placer.js';
import type { NodeSearch } from '../framework/plain-placer.js';
import { extenderName } from '../framework/queue-hooks.js';
import type { RejectionCode } from '../framework/rejection.js';
import { scoresByPlugin, totalScores } from '../framework/scores.js';
import type { ExtenderFailed } from './attempt.js';
import type { ExtenderCalls } from './extender-calls.js';
import type { ExtendedPlacer } from './scheduler-parts.js';

/** Who is asked besides the plugins. */
export interface ExtendedSearch extends NodeSearch {
  readonly extenders: readonly ExtenderCalls[];
  /** Hears of extenders that failed and were ignored. */
  onIgnored(failed: ExtenderFailed): void;
}

/** Asks plugins, then extenders. */
export function extendedPlacer(search: ExtendedSearch): ExtendedPlacer {
  return {
    place: async (cycle, signal) => {
      const begun = beginSearch(cycle, search);
      const { diagnosis } = begun;
      if (begun.outcome.rejection !== undefined) return { diagnosis };

      const nominated = fittingNominated(cycle);
      if (nominated !== undefined && (await isLeft(cycle, nominated, diagnosis, search, signal)))
        return placement(nominated, [nominated], diagnosis);

      const extended = search.extenders.some(({ filters, prioritizes }) => filters || prioritizes);
      const found = searchNodes(cycle, { ...search, extended }, begun);
      const nodes = await leftByExtenders(cycle, found, diagnosis, search, signal);
      if (nodes.length !== found.length) diagnosis.rejectors.add(extenderName);
      if (nodes.length <= 1) return placement(nodes[0], nodes, diagnosis);
      const totals = totalScores(scoresByPlugin(cycle, search.plugins, nodes), nodes.length);
      await addScores(totals, cycle, nodes, search, signal);
      return placement(nodes[chooseBest(totals, search.random)], nodes, diagnosis);
    },
  };
}

/** What goes wrong on the nominated node is no reason to give up the others. */
async function isLeft(
  cycle: Cycle,
  nominated: NodeView,
  diagnosis: NodeDiagnosis,
  search: ExtendedSearch,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await leftByExtenders(cycle, [nominated], diagnosis, search, signal)).length > 0;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function leftByExtenders(
  cycle: Cycle,
  found: readonly NodeView[],
  diagnosis: NodeDiagnosis,
  search: ExtendedSearch,
  signal: AbortSignal,
): Promise<readonly NodeView[]> {
  const pod = cycle.pod.object;
  let nodes = found;
  for (const extender of search.extenders) {
    if (nodes.length === 0) break;
    if (!extender.filters || !extender.isInterested(pod)) continue;
    try {
      const verdict = await extender.filter(pod, nodes, signal);
      // Who appears in both lists is beyond help.
      refuse(cycle, diagnosis, verdict.failed, 'Unschedulable');
      refuse(cycle, diagnosis, verdict.unresolvable, 'UnschedulableAndUnresolvable');
      nodes = verdict.nodes;
    } catch (error) {
      signal.throwIfAborted();
      if (!extender.ignorable) throw error;
      search.onIgnored({ type: 'extender-failed', extender: extender.url, error });
    }
  }
  return nodes;
}

function refuse(
  { cluster }: Cycle,
  diagnosis: NodeDiagnosis,
  reasons: ReadonlyMap<string, string>,
  code: RejectionCode,
): void {
  for (const [name, reason] of reasons) {
    const node = cluster.node(name);
    // Extenders are no plugins: that they refused is noted once, where nodes are missing.
    if (node !== undefined) diagnosis.refuse(node, { plugin: '', code, reasons: [reason] });
  }
}

async function addScores(
  totals: number[],
  cycle: Cycle,
  nodes: readonly NodeView[],
  search: ExtendedSearch,
  signal: AbortSignal,
): Promise<void> {
  const pod = cycle.pod.object;
  const scoring = search.extenders.filter((extender) => extender.prioritizes && extender.isInterested(pod));
  const answers = await Promise.allSettled(scoring.map((extender) => extender.prioritize(pod, nodes, signal)));
  signal.throwIfAborted();
  for (const [index, answer] of answers.entries()) {
    if (answer.status === 'rejected')
      search.onIgnored({ type: 'extender-failed', extender: scoring[index]?.url ?? '', error: answer.reason });
    else for (const [at, node] of nodes.entries()) totals[at] = (totals[at] ?? 0) + (answer.value.get(node.name) ?? 0);
  }
}

function placement(
  node: NodeView | undefined,
  nodes: readonly NodeView[],
  diagnosis: NodeDiagnosis,
): Placement | NoPlacement {
  return node === undefined
    ? { diagnosis }
    : { node, evaluated: nodes.length + diagnosis.size, feasible: nodes.length };
}
