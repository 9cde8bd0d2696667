// What is told of a search to those who take times: which points were run, and what plugins judged. Both ways to place
// pods must tell the same, but for two things.
import { Evaluations } from '../../lib/scheduling/framework/evaluations.js';
import type { EvaluatedPoint } from '../../lib/scheduling/framework/evaluations.js';
import type { ProfilePlugins } from '../../lib/scheduling/framework/profile-plugins.js';
import type { Timings } from '../../lib/scheduling/framework/timings.js';

/** Takes no times, but takes down what else there is. */
export class TakenTimes implements Timings {
  readonly evaluations: Evaluations = new Evaluations();
  readonly samples = false;
  readonly #points: string[] = [];

  now(): number {
    return 0;
  }

  point(point: string, status: string): number {
    this.#points.push(`${point} ${status}`);
    return 0;
  }

  idle(point: string, status: string): void {
    this.#points.push(`${point} ${status}`);
  }

  plugin(): void {
    throw new Error('nobody wants to know');
  }

  /** All of it. What was judged before something went wrong may differ, and is left out then. */
  told(plugins: ProfilePlugins, wentWrong: boolean): readonly string[] {
    const counted = wentWrong
      ? []
      : Array.from(this.evaluations.list()).filter(({ point, plugin }) => isComparable(plugin, point, plugins));
    return [...this.#points, ...counted.map(({ point, plugin, value }) => `${point} ${plugin} ${value}`).sort()];
  }
}

/**
 * Over columns who prepares for nothing is not counted, and affinity scores where any pod counts, be it on a node that
 * does not fit.
 */
function isComparable(plugin: string, point: EvaluatedPoint, { filter, score }: ProfilePlugins): boolean {
  if (point === 'PreScore' || point === 'Score')
    return plugin !== 'InterPodAffinity' && score.some((each) => each.plugin.name === plugin);
  return filter.some(({ name }) => name === plugin);
}
