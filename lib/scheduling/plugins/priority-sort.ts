// PrioritySort: the queue hands out pods of higher priority first, and of equal ones who has waited longer. The order
// itself is the queue's default. As the plugin of the same name.
import type { SchedulingPlugin } from '../framework/plugin.js';
import { comparePriority as compare } from '../queue/queued-pod.js';

/** Makes the plugin. */
export function prioritySort(): SchedulingPlugin {
  return { name: 'PrioritySort', compare };
}
