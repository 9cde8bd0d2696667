// The activity of a controller whose Event could not be written.
import type { EventFailed } from '../client/index.js';
import type { Activity } from '../core/index.js';

/** An Event could not be written. The work that it is about is not affected. */
export interface EventFailedActivity extends Activity {
  readonly type: 'event-failed';
  readonly error: unknown;
}

/** The activity for a failure of a recorder. */
export function eventFailed({ error }: EventFailed): EventFailedActivity {
  return { type: 'event-failed', error };
}
