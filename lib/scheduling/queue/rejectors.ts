// Which plugin wants to hear of which event, turned round: from an event straight to the pods that wait for it. Each
// plugin of a profile that ever rejected a pod is a Rejector and holds its pods of the unschedulable pool, so an event
// touches no pod whose rejectors did not register for it.

import { actions, covers, labelOf, type ClusterEvent } from './cluster-event.js';
import type { QueueEntry } from './queued-pod.js';

/** By scheduler name, then by plugin: the events it registered for. */
export type EventRegistrations = ReadonlyMap<string, ReadonlyMap<string, readonly ClusterEvent[]>>;

/** One plugin of one profile. */
export interface Rejector {
  readonly profile: string;
  readonly plugin: string;
  readonly events: readonly ClusterEvent[];
  /** False where the profile is unknown: then every event counts and nobody can be asked. */
  readonly hasHints: boolean;
  /** Its pods in the unschedulable pool. */
  readonly pool: Set<QueueEntry>;
  /** How many waiting pods it rejected, in whatever part. */
  rejected: number;
}

/** Who wants to hear of an event. */
export interface Interest {
  readonly rejectors: ReadonlySet<Rejector>;
  readonly label: string;
}

/** All rejectors, by profile and plugin and by event. */
export class Rejectors {
  readonly #registrations: EventRegistrations;
  readonly #profiles = new Map<string, Map<string, Rejector>>();
  // Resources and actions are named by code, so their number is small and fixed.
  readonly #interests = new Map<string, Map<number, Interest>>();

  constructor(registrations: EventRegistrations) {
    this.#registrations = registrations;
    for (const [profile, plugins] of registrations) {
      for (const plugin of plugins.keys()) this.of(profile, plugin);
    }
  }

  /** The rejector of that name. One that registered for nothing is only moved by time and wildcards. */
  of(profile: string, plugin: string): Rejector {
    let plugins = this.#profiles.get(profile);
    if (plugins === undefined) this.#profiles.set(profile, (plugins = new Map<string, Rejector>()));
    let rejector = plugins.get(plugin);
    if (rejector === undefined) plugins.set(plugin, (rejector = this.#create(profile, plugin)));
    return rejector;
  }

  /** Who registered for an event, in any profile. */
  interestIn(event: ClusterEvent): Interest {
    let byAction = this.#interests.get(event.resource);
    if (byAction === undefined) this.#interests.set(event.resource, (byAction = new Map<number, Interest>()));
    let interest = byAction.get(event.action);
    if (interest === undefined) byAction.set(event.action, (interest = this.#find(event)));
    return interest;
  }

  /** Every rejector there is. */
  *all(): Generator<Rejector> {
    for (const plugins of this.#profiles.values()) yield* plugins.values();
  }

  #create(profile: string, plugin: string): Rejector {
    const registered = this.#registrations.get(profile);
    this.#interests.clear();
    const events = registered === undefined ? [{ resource: '*', action: actions.all }] : (registered.get(plugin) ?? []);
    return { profile, plugin, events, hasHints: registered !== undefined, pool: new Set(), rejected: 0 };
  }

  #find(event: ClusterEvent): Interest {
    const rejectors = new Set<Rejector>();
    for (const rejector of this.all()) {
      if (rejector.events.some((registered) => covers(registered, event))) rejectors.add(rejector);
    }
    return { rejectors, label: labelOf(event) };
  }
}
