// The activity of a controller whose Event could not be written.
import type { EventFailed } from '../client/index.js';
import type { Activity } from '../core/index.js';

/** An Event could not be written. The work that it is about is not affected. */
export interface EventFailedActivity extends Activity {
  readonly type: 'event-failed';
  readonly error: unknown;
}

/** Returns a function that turns failures of a recorder into activities of a part. */
export function eventFailed(part: string): (failure: EventFailed) => EventFailedActivity {
  return ({ error }) => ({ part, type: 'event-failed', error });
}
