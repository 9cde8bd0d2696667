// Counts what plugins judged in a search over columns: those that columns stand for as if they had been asked, those
// that look at other pods where they have something to check or to count, and those that were asked.
import type { Evaluations } from '../framework/evaluations.js';
import type { WeightedPlugin } from '../framework/profile-plugins.js';
import type { AskedPlugins } from './asked-plugins.js';
import type { ColumnProfile } from './column-profile.js';
import type { PodRules } from './pod-rules.js';

/** A search, as far as it matters to who judged. */
export interface JudgedSearch {
  readonly rules: PodRules;
  readonly asked: AskedPlugins;
  readonly profile: ColumnProfile;
}

/** The pod was judged, before any node. */
export function countPreFiltered(evaluations: Evaluations, { rules, asked, profile }: JudgedSearch): void {
  rules.nodeClass.standIns.preFiltered(evaluations);
  evaluations.add('PreFilter', asked.preFilters, 1);
  for (const name of checking(rules, profile)) evaluations.of('PreFilter', name).value += 1;
}

/** So many nodes were looked at. */
export function countFiltered(evaluations: Evaluations, { rules, asked, profile }: JudgedSearch, nodes: number): void {
  rules.nodeClass.standIns.filtered(evaluations, nodes);
  for (const { plugin } of asked.filters) evaluations.of('Filter', plugin.name).value += nodes;
  for (const name of checking(rules, profile)) evaluations.of('Filter', name).value += nodes;
}

/** So many nodes were scored, also by `scorers`, who are asked. At PreScore these are counted already. */
export function countScored(
  evaluations: Evaluations,
  { rules: { nodeClass, soft, likings }, asked, profile }: JudgedSearch,
  nodes: number,
  scorers: readonly WeightedPlugin[],
): void {
  nodeClass.standIns.scored(evaluations, nodes);
  for (const { plugin } of scorers) evaluations.of('Score', plugin.name).value += nodes;
  for (const name of profile.quietScores) if (asked.skipped.has(name)) evaluations.of('Score', name).value += nodes;
  if (soft.length > 0) countPeer(evaluations, spread, nodes);
  if (likings.length > 0) countPeer(evaluations, affinity, nodes);
}

const spread = 'PodTopologySpread';
const affinity = 'InterPodAffinity';
const nobody: readonly string[] = [];

function checking({ checks }: PodRules, { spreadPosition, affinityPosition }: ColumnProfile): readonly string[] {
  if (checks.length === 0) return nobody;
  const isChecked = (at: number | undefined): boolean => checks.some(({ position }) => position === at);
  return [...(isChecked(spreadPosition) ? [spread] : []), ...(isChecked(affinityPosition) ? [affinity] : [])];
}

function countPeer(evaluations: Evaluations, name: string, nodes: number): void {
  evaluations.of('PreScore', name).value += 1;
  evaluations.of('Score', name).value += nodes;
}
