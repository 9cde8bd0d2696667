// Whether something that happened makes a rejected pod worth another try: the question that queueing hints answer. As
// pkg/scheduler/backend/queue/scheduling_queue.go, isPodWorthRequeuing, but plugins that said Pending are asked first,
// since their word also spares the pod its backoff.

import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { isWildcard } from './cluster-event.js';
import type { Happening, InFlight } from './in-flight.js';
import type { QueueEntry } from './queued-pod.js';
import type { Rejectors } from './rejectors.js';

/** What may be done for a pod: nothing, another try after its backoff, another try at once. */
export type Worth = 'skip' | 'after-backoff' | 'now';

/** Asks a plugin whether something may help a pod that it rejected. */
export type Hint = (plugin: string, happening: Happening, pod: Frozen<Pod>) => 'queue' | 'skip';

/** What something that happened is worth to a pod. */
export function worthRequeueing(entry: QueueEntry, happening: Happening, rejectors: Rejectors, hint: Hint): Worth {
  if (happening.target !== undefined && happening.target !== entry) return 'skip';
  if (entry.rejectors.length === 0 || isWildcard(happening.event)) return 'after-backoff';
  const interested = rejectors.interestIn(happening.event).rejectors;
  for (const rejector of entry.rejectors) {
    if (!interested.has(rejector)) continue;
    if (rejector.hasHints && !mayHelp(rejector.plugin, happening, entry.pod, hint)) continue;
    return entry.pending.includes(rejector) ? 'now' : 'after-backoff';
  }
  return 'skip';
}

/** What all that happened while a pod was in flight is worth to it. */
export function worthSincePopped(entry: QueueEntry, inFlight: InFlight, rejectors: Rejectors, hint: Hint): Worth {
  if (entry.rejectors.length === 0) return 'after-backoff';
  const happenings = inFlight.since(entry);
  if (happenings === undefined) return 'after-backoff';
  let most: Worth = 'skip';
  for (const happening of happenings) {
    const worth = worthRequeueing(entry, happening, rejectors, hint);
    if (worth === 'skip') continue;
    if (worth === 'now' || entry.pending.length === 0) return worth;
    most = worth;
  }
  return most;
}

/** A hint that fails counts as help: better one try too many than a pod that waits for ever. */
function mayHelp(plugin: string, happening: Happening, pod: Frozen<Pod>, hint: Hint): boolean {
  try {
    return hint(plugin, happening, pod) === 'queue';
  } catch {
    return true;
  }
}
