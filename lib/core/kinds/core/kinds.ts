// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import { eventOfEventsGroup } from '../../scheme/conversions/event.js';
import type { KindParticulars } from '../../scheme/kind-definition.js';

/** What is particular to each kind of the group. */
export const coreKinds: Readonly<Record<string, KindParticulars>> = {
  'events.k8s.io/v1/Event': { conversion: eventOfEventsGroup },
};
