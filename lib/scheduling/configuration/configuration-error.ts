// The error of configurations: a file of its own, because both parts that refuse one need it.
import { aggregateText } from '../../core/index.js';

/** A configuration that cannot be obeyed. The message holds all that is wrong, as Kubernetes words it. */
export class SchedulerConfigurationError extends Error {
  override readonly name = 'SchedulerConfigurationError';

  constructor(problems: readonly string[]) {
    super(aggregateText(problems));
  }
}
