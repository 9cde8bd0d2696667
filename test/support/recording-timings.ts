// Records which extension points a search ran and which plugins it evaluated. Both placers must record the same, apart
// from the two differences of `isComparable`.
import { Evaluations } from '../../lib/scheduling/framework/evaluations.js';
import type { EvaluatedPoint } from '../../lib/scheduling/framework/evaluations.js';
import type { ProfilePlugins } from '../../lib/scheduling/framework/profile-plugins.js';
import type { Timings } from '../../lib/scheduling/framework/timings.js';

/** Timings that record points and evaluations, but no times. */
export class RecordingTimings implements Timings {
  readonly evaluations: Evaluations = new Evaluations();
  readonly timesPlugins = false;
  readonly #points: string[] = [];

  now(): number {
    return 0;
  }

  recordPoint(point: string, status: string): number {
    this.#points.push(`${point} ${status}`);
    return 0;
  }

  recordSkippedPoint(point: string, status: string): void {
    this.#points.push(`${point} ${status}`);
  }

  recordPlugin(): void {
    throw new Error('single plugins are not timed');
  }

  /** Everything recorded. Evaluations before a failure may differ, and are left out then. */
  summary(plugins: ProfilePlugins, wentWrong: boolean): readonly string[] {
    const counted = wentWrong
      ? []
      : Array.from(this.evaluations.list()).filter(({ point, plugin }) => isComparable(plugin, point, plugins));
    return [...this.#points, ...counted.map(({ point, plugin, value }) => `${point} ${plugin} ${value}`).sort()];
  }
}

/**
 * The fast placer does not count plugins whose preparation is empty, and scores affinity if any pod matches, even on
 * an infeasible node.
 */
function isComparable(plugin: string, point: EvaluatedPoint, { filter, score }: ProfilePlugins): boolean {
  if (point === 'PreScore' || point === 'Score')
    return plugin !== 'InterPodAffinity' && score.some((each) => each.plugin.name === plugin);
  return filter.some(({ name }) => name === plugin);
}
