// How many volumes of a pod count against the limits of a node, at most. To know exactly takes the claims and the
// volumes behind them; where a node is far from full nobody has to.
import type { Frozen } from '../../core/index.js';
import type { Pod, Volume } from '../../core/types/index.js';

/** How many volumes of a pod a driver may have to attach to a node: no fewer than it will. */
export function attachableVolumes({ spec }: Frozen<Pod>): number {
  let count = 0;
  for (const volume of spec?.volumes ?? []) if (!isAtHand(volume)) count += 1;
  return count;
}

/** Volumes that a node makes of what it has, or of what the API tells. Nearly every pod has some. */
function isAtHand({ emptyDir, configMap, secret, projected, downwardAPI, hostPath }: Frozen<Volume>): boolean {
  return (emptyDir ?? configMap ?? secret ?? projected ?? downwardAPI ?? hostPath) !== undefined;
}
