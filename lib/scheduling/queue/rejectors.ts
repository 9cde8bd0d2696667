// Index from events to the pods they may help. A rejector is a plugin of a profile, and holds the unschedulable pods
// that it rejected. So an event touches only pods whose rejectors registered for it.

import { actions, covers, labelOf, type ClusterEvent } from './cluster-event.js';
import type { QueueEntry } from './queued-pod.js';

/** By scheduler name, then by plugin: the events it registered for. */
export type EventRegistrations = ReadonlyMap<string, ReadonlyMap<string, readonly ClusterEvent[]>>;

/** One plugin of one profile. */
export interface Rejector {
  readonly profile: string;
  readonly plugin: string;
  readonly events: readonly ClusterEvent[];
  /** False if the profile is unknown: then every event counts, because there is no hint to call. */
  readonly hasHints: boolean;
  /** Its pods in the unschedulable pool. */
  readonly pool: Set<QueueEntry>;
  /** Number of waiting pods it rejected, in any part. */
  rejected: number;
}

/** The rejectors that registered for an event. */
export interface RegisteredRejectors {
  readonly rejectors: ReadonlySet<Rejector>;
  readonly label: string;
}

/** All rejectors, by profile and plugin, and by event. */
export class Rejectors {
  readonly #registrations: EventRegistrations;
  readonly #profiles = new Map<string, Map<string, Rejector>>();
  // Resources and actions are constants of the code, so the maps are small.
  readonly #registeredByEvent = new Map<string, Map<number, RegisteredRejectors>>();

  constructor(registrations: EventRegistrations) {
    this.#registrations = registrations;
    for (const [profile, plugins] of registrations) {
      for (const plugin of plugins.keys()) this.of(profile, plugin);
    }
  }

  /** Returns the rejector of a plugin. Without registrations, only time and wildcard events move its pods. */
  of(profile: string, plugin: string): Rejector {
    let plugins = this.#profiles.get(profile);
    if (plugins === undefined) this.#profiles.set(profile, (plugins = new Map<string, Rejector>()));
    let rejector = plugins.get(plugin);
    if (rejector === undefined) plugins.set(plugin, (rejector = this.#create(profile, plugin)));
    return rejector;
  }

  /** Returns the rejectors of any profile that registered for an event. */
  registeredFor(event: ClusterEvent): RegisteredRejectors {
    let byAction = this.#registeredByEvent.get(event.resource);
    if (byAction === undefined)
      this.#registeredByEvent.set(event.resource, (byAction = new Map<number, RegisteredRejectors>()));
    let result = byAction.get(event.action);
    if (result === undefined) byAction.set(event.action, (result = this.#find(event)));
    return result;
  }

  /** Iterates over all rejectors. */
  *all(): Generator<Rejector> {
    for (const plugins of this.#profiles.values()) yield* plugins.values();
  }

  #create(profile: string, plugin: string): Rejector {
    const registered = this.#registrations.get(profile);
    this.#registeredByEvent.clear();
    const events = registered === undefined ? [{ resource: '*', action: actions.all }] : (registered.get(plugin) ?? []);
    return { profile, plugin, events, hasHints: registered !== undefined, pool: new Set(), rejected: 0 };
  }

  #find(event: ClusterEvent): RegisteredRejectors {
    const rejectors = new Set<Rejector>();
    for (const rejector of this.all()) {
      if (rejector.events.some((registered) => covers(registered, event))) rejectors.add(rejector);
    }
    return { rejectors, label: labelOf(event) };
  }
}
