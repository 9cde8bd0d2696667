// The one shape of everything that runs: the API server, the scheduler, each controller, leader election, each node
// agent. A host starts a part by subscribing to `run()` and composes parts with ordinary RxJS operators.
import type { Observable } from 'rxjs';

/** Something that a running part did. Each part extends it with details and discriminates them by `type`. */
export interface Activity {
  /** The name of the part that did it. */
  readonly part: string;
  readonly type: string;
}

/** A running part of a cluster. Creating a part has no effect. */
export interface Part<A extends Activity = Activity> {
  readonly name: string;
  /**
   * Starts the part when subscribed; unsubscribing stops it and everything it started. Cold: each subscription is a
   * run of its own. Emits what the part did. Errors only where the part cannot go on.
   */
  run(): Observable<A>;
}
