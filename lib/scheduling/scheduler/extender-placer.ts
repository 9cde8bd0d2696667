// Finds a node with the help of extenders: each filters the nodes that plugins left, and those that prioritize add to
// the plugins' scores. A failing extender fails the attempt unless it is ignorable; one that fails to prioritize is
// left out. As pkg/scheduler/schedule_one.go, findNodesThatPassExtenders and prioritizeNodes.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle-state.js';
import type { NodeDiagnosis } from '../framework/node-diagnosis.js';
import type { NoPlacement, Placement } from '../framework/placement.js';
import { startSearch, chooseBest, feasibleNominatedNode, searchNodes } from '../framework/plain-placer.js';
import type { NodeSearch } from '../framework/plain-placer.js';
import { extenderName } from '../framework/queue-hooks.js';
import type { RejectionCode } from '../framework/rejection.js';
import { scoresByPlugin, totalScores } from '../framework/scores.js';
import type { ExtenderFailed } from './scheduler-activity.js';
import type { ExtenderClient } from './extender-client.js';
import type { ExtenderPlacer } from './scheduler-parts.js';

/** A search with extenders. */
export interface ExtenderSearch extends NodeSearch {
  readonly extenders: readonly ExtenderClient[];
  /** Called for a failure of an extender that is ignored. */
  onIgnored(failed: ExtenderFailed): void;
}

/** Creates the placer: plugins run first, then extenders. */
export function extenderPlacer(search: ExtenderSearch): ExtenderPlacer {
  return {
    place: async (cycle, signal) => {
      const begun = startSearch(cycle, search);
      const { diagnosis } = begun;
      if (begun.outcome.rejection !== undefined) return { diagnosis };

      const nominated = feasibleNominatedNode(cycle);
      if (nominated !== undefined && (await passesExtenders(cycle, nominated, diagnosis, search, signal)))
        return toPlacement(nominated, [nominated], diagnosis);

      const hasExtenders = search.extenders.some(({ filters, prioritizes }) => filters || prioritizes);
      const found = searchNodes(cycle, { ...search, hasExtenders }, begun);
      const nodes = await filterWithExtenders(cycle, found, diagnosis, search, signal);
      if (nodes.length !== found.length) diagnosis.rejectors.add(extenderName);
      if (nodes.length <= 1) return toPlacement(nodes[0], nodes, diagnosis);
      const totals = totalScores(scoresByPlugin(cycle, search.plugins, nodes), nodes.length);
      await addScores(totals, cycle, nodes, search, signal);
      return toPlacement(nodes[chooseBest(totals, search.random)], nodes, diagnosis);
    },
  };
}

/** An error on the nominated node is ignored: the other nodes are evaluated next. */
async function passesExtenders(
  cycle: Cycle,
  nominated: NodeView,
  diagnosis: NodeDiagnosis,
  search: ExtenderSearch,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await filterWithExtenders(cycle, [nominated], diagnosis, search, signal)).length > 0;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function filterWithExtenders(
  cycle: Cycle,
  found: readonly NodeView[],
  diagnosis: NodeDiagnosis,
  search: ExtenderSearch,
  signal: AbortSignal,
): Promise<readonly NodeView[]> {
  const pod = cycle.pod.object;
  let nodes = found;
  for (const extender of search.extenders) {
    if (nodes.length === 0) break;
    if (!extender.filters || !extender.isInterested(pod)) continue;
    try {
      const verdict = await extender.filter(pod, nodes, signal);
      // A node in both lists is unresolvable.
      reject(cycle, diagnosis, verdict.failed, 'Unschedulable');
      reject(cycle, diagnosis, verdict.unresolvable, 'UnschedulableAndUnresolvable');
      nodes = verdict.nodes;
    } catch (error) {
      signal.throwIfAborted();
      if (!extender.ignorable) throw error;
      search.onIgnored({ type: 'extender-failed', extender: extender.url, error });
    }
  }
  return nodes;
}

function reject(
  { cluster }: Cycle,
  diagnosis: NodeDiagnosis,
  reasons: ReadonlyMap<string, string>,
  code: RejectionCode,
): void {
  for (const [name, reason] of reasons) {
    const node = cluster.node(name);
    // Extenders are not plugins: `place` adds their rejector name once.
    if (node !== undefined) diagnosis.reject(node, { plugin: '', code, reasons: [reason] });
  }
}

async function addScores(
  totals: number[],
  cycle: Cycle,
  nodes: readonly NodeView[],
  search: ExtenderSearch,
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

function toPlacement(
  node: NodeView | undefined,
  nodes: readonly NodeView[],
  diagnosis: NodeDiagnosis,
): Placement | NoPlacement {
  return node === undefined
    ? { diagnosis }
    : { node, evaluated: nodes.length + diagnosis.size, feasible: nodes.length };
}
