// A controller that records Events: the recorder starts and stops with it.
import { defer, merge } from 'rxjs';
import { eventRecorder } from '../client/index.js';
import type { EventFailed, EventRecorder } from '../client/index.js';
import type { Activity, Part } from '../core/index.js';
import type { ControllerEnvironment } from './controller-environment.js';

/** Options of `withEvents`. */
export interface WithEventsOptions<A extends Activity> extends ControllerEnvironment {
  /** The name of the part. */
  readonly name: string;
  /** The source of the Events, such as `replicaset-controller`. */
  readonly component: string;
  /** Creates the controller, once for each run: its state is that of one run. */
  readonly create: (recorder: EventRecorder) => Part<A>;
}

/** Returns a part that runs the controller and its recorder. */
export function withEvents<A extends Activity>(options: WithEventsOptions<A>): Part<A | EventFailed> {
  const { name, component, client, clock, random, create } = options;
  return {
    name,
    run: () =>
      defer(() => {
        const recorder = eventRecorder({ client, clock, random: random.stream('events'), component });
        return merge(recorder.run(), create(recorder).run());
      }),
  };
}
