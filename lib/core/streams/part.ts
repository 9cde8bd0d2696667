// The one shape of everything that runs: the API server, the scheduler, each controller, leader election, each node
// agent. A host starts a part by subscribing to `run()` and composes parts with ordinary RxJS operators.
import type { Observable } from 'rxjs';

/** Something that a running part did. Each part has a union of its own, discriminated by `type`. */
export interface Activity {
  readonly type: string;
}

/** A part of a cluster that runs. Creating a part has no effect. */
export interface Part<A extends Activity = Activity> {
  readonly name: string;
  /**
   * Starts the part when subscribed; unsubscribing stops it and everything it started. Cold: each subscription is a
   * run of its own. Emits what the part did. Errors only where the part cannot go on.
   */
  run(): Observable<A>;
}
