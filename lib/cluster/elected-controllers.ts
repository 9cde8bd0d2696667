// The controllers of kube-controller-manager as one part, for a process of their own: several processes elect one whose
// controllers run. Each leadership starts them anew, with informers of its own, so that nothing is remembered from an
// earlier one.
import { map, merge } from 'rxjs';
import type { Observable } from 'rxjs';
import { informers } from '../client/index.js';
import type { Client, Leadership } from '../client/index.js';
import type { Activity, Part } from '../core/index.js';
import type { ClusterActivity } from './cluster.js';
import { createController } from './controllers.js';
import type { ControllerName, ControllerTools } from './controllers.js';
import { electedComponent } from './elected-component.js';
import type { ComponentElection } from './elected-component.js';
import { runPart } from './run-parts.js';
import type { DrainingPart } from './run-parts.js';

/** The election of the process whose controllers run. Default: the Lease `kube-system/kube-controller-manager`. */
export type ControllerElection = Partial<ComponentElection>;

/** Options of the controllers of a process. */
export interface ControllersOptions extends Omit<ControllerTools, 'informers' | 'resourceChanges$'> {
  readonly controllers: ReadonlySet<ControllerName>;
  /** Reads for all controllers, and takes part in the election. */
  readonly client: Client;
  /** Undefined: the controllers run without an election. */
  readonly leaderElection: ControllerElection | undefined;
  /** The prefix of the identity in the election, such as the host name. Default `vivarium`. */
  readonly instance?: string;
  /** Stops the controllers and releases the lease, so that others need not wait for it to expire. */
  readonly stopping$: Observable<void>;
}

/** What a controller did, or a change of leadership. */
export type ControllersActivity = (Activity & { readonly type: 'controller' } & ClusterActivity) | Leadership;

/** Creates the part. Throws Error if the durations of the election contradict each other. */
export function electedControllers(options: ControllersOptions): Part<ControllersActivity> | DrainingPart {
  const { controllers, client, clock, random, leaderElection } = options;
  const part: Part<ControllersActivity> = {
    name: 'kube-controller-manager',
    run: () => {
      const shared = informers(client, { clock, random: random.stream('informers') });
      const parts = Array.from(controllers, (name) => createController(name, { ...options, informers: shared }));
      return merge(...parts.map(runPart)).pipe(map((activity) => ({ type: 'controller', ...activity })));
    },
  };
  if (leaderElection === undefined) return part;
  const lock = { resourceNamespace: 'kube-system', resourceName: 'kube-controller-manager' };
  return electedComponent(part, { ...options, leaderElection: { ...lock, ...leaderElection } });
}
