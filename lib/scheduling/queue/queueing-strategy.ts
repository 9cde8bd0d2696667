// Decides whether an event makes a rejected pod worth another attempt, by the queueing hints of its rejectors. As
// pkg/scheduler/backend/queue/scheduling_queue.go, isPodWorthRequeuing, but plugins that returned Pending are called
// first, because their hint also skips the back-off.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { isWildcard } from './cluster-event.js';
import type { ObservedEvent, InFlight } from './in-flight.js';
import type { QueueEntry } from './queued-pod.js';
import type { Rejectors } from './rejectors.js';

/** How to requeue a pod: not at all, after its back-off, or at once. */
export type QueueingStrategy = 'skip' | 'after-backoff' | 'now';

/** Calls the hint of a plugin that rejected the pod. */
export type HintCall = (plugin: string, observed: ObservedEvent, pod: Frozen<Pod>) => 'queue' | 'skip';

/** Returns the strategy for a pod after one event. */
export function queueingStrategy(
  entry: QueueEntry,
  observed: ObservedEvent,
  rejectors: Rejectors,
  hint: HintCall,
): QueueingStrategy {
  if (observed.target !== undefined && observed.target !== entry) return 'skip';
  if (entry.rejectors.length === 0 || isWildcard(observed.event)) return 'after-backoff';
  const registered = rejectors.registeredFor(observed.event).rejectors;
  for (const rejector of entry.rejectors) {
    if (!registered.has(rejector)) continue;
    if (rejector.hasHints && !mayHelp(rejector.plugin, observed, entry.pod, hint)) continue;
    return entry.pending.includes(rejector) ? 'now' : 'after-backoff';
  }
  return 'skip';
}

/** Returns the strategy for a pod after all events while it was in flight. */
export function queueingStrategySincePopped(
  entry: QueueEntry,
  inFlight: InFlight,
  rejectors: Rejectors,
  hint: HintCall,
): QueueingStrategy {
  if (entry.rejectors.length === 0) return 'after-backoff';
  const events = inFlight.since(entry);
  if (events === undefined) return 'after-backoff';
  let most: QueueingStrategy = 'skip';
  for (const observed of events) {
    const strategy = queueingStrategy(entry, observed, rejectors, hint);
    if (strategy === 'skip') continue;
    if (strategy === 'now' || entry.pending.length === 0) return strategy;
    most = strategy;
  }
  return most;
}

/** A hint that throws counts as `queue`: an extra attempt is better than a pod that waits forever. */
function mayHelp(plugin: string, observed: ObservedEvent, pod: Frozen<Pod>, hint: HintCall): boolean {
  try {
    return hint(plugin, observed, pod) === 'queue';
  } catch {
    return true;
  }
}
