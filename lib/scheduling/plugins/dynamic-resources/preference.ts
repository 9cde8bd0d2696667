// How well the devices of a pod are what it asked for first. Each request with alternatives counts, and more the
// earlier the one it got stands in its list. As pkg/scheduler/framework/plugins/dynamicresources, computeScore.
import type { FoundDevices, PodClaim } from './claim-state.js';

/** As many alternatives as a request may have. */
const alternativesMax = 8;

/** Whether any claim leaves a choice: without one all nodes are as good. */
export function hasAlternatives(claims: readonly PodClaim[]): boolean {
  return claims.some(({ claim }) =>
    claim.spec.devices?.requests?.some(({ firstAvailable = [] }) => firstAvailable.length > 0),
  );
}

/** The sum over all claims: of those with devices, and of those that would get some on a node. */
export function preferenceOf(claims: readonly PodClaim[], found: FoundDevices | undefined): number {
  let score = 0;
  let open = 0;
  for (const { claim, demands } of claims) {
    const names =
      demands === undefined
        ? (claim.status?.allocation?.devices?.results ?? []).map(({ request }) => request)
        : (found?.choice[open++] ?? []).map(({ demand }) => demand.name);
    const given = new Set(names);
    for (const { name, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
      for (const [index, alternative] of firstAvailable.entries())
        if (given.has(`${name}/${alternative.name}`)) score += alternativesMax - index;
    }
  }
  return score;
}
