// Keeps ClusterRoles that gather the rules of others in step with those others. It acts with the rights of its client
// and no others: the server must allow it to `escalate` on ClusterRoles, since it hands on rules that it does not hold.
// Whenever a ClusterRole changes all that gather are looked at, since one may gather from another; what failed is tried
// again after a while. As pkg/controller/clusterroleaggregation.
import {
  EMPTY,
  catchError,
  concat,
  concatMap,
  defer,
  exhaustMap,
  filter,
  from,
  ignoreElements,
  map,
  merge,
  mergeMap,
  of,
  repeat,
  tap,
} from 'rxjs';
import type { Observable } from 'rxjs';
import type { Client, ResourceClient, Stored } from '../client/index.js';
import {
  Outlet,
  aggregatedRules,
  backoffLadders,
  backoffStep,
  deepEqual,
  reflect,
  snapshotWriter,
  watcher,
} from '../core/index.js';
import type { BackoffState, Clock, Random, WatchEvent } from '../core/index.js';
import type { ClusterRole } from '../core/types/index.js';

/** What the controller is made of. */
export interface ClusterRoleAggregationOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Spreads retries. A stream of the controller's own. */
  readonly random: Random;
}

/** Something that it did, or tried to. */
export type ClusterRoleAggregated =
  /** A role has the rules that it gathers. */
  | { readonly type: 'aggregated'; readonly role: string }
  /** It could not be given them; all roles are looked at again after `retryInMs`. */
  | { readonly type: 'failed'; readonly role: string; readonly error: unknown; readonly retryInMs: number };

/** Works for as long as someone subscribes. Cold; never errors. */
export function clusterRoleAggregation({
  client,
  clock,
  random,
}: ClusterRoleAggregationOptions): Observable<ClusterRoleAggregated> {
  return defer(() => {
    const roles = client.kind('rbac.authorization.k8s.io/v1', 'ClusterRole');
    const writer = snapshotWriter<Role>({});
    const retries = new Outlet<undefined>();
    const backoffs = new Map<string, BackoffState>();
    let isDue = false;

    const outcomeOf = (role: string, error: unknown): ClusterRoleAggregated => {
      const { delayMs, state } = backoffStep(backoffLadders.workQueueItem, backoffs.get(role), {
        nowMs: clock.now(),
        random,
      });
      backoffs.set(role, state);
      return { type: 'failed', role, error, retryInMs: delayMs };
    };
    const settle = (role: Role, all: readonly Role[]): Observable<ClusterRoleAggregated> =>
      defer(() => {
        const rules = aggregatedRules(role, all);
        if (deepEqual(rules, role.rules ?? [])) return EMPTY;
        return from(write(roles, role.metadata.name, rules)).pipe(
          map(() => ({ type: 'aggregated', role: role.metadata.name }) as const),
        );
      }).pipe(
        tap({ complete: () => backoffs.delete(role.metadata.name) }),
        catchError((error: unknown) => of(outcomeOf(role.metadata.name, error))),
      );
    const pass = (): Observable<ClusterRoleAggregated> => {
      isDue = false;
      const all = writer.snapshot.list();
      for (const name of backoffs.keys()) if (writer.snapshot.get(name) === undefined) backoffs.delete(name);
      return from(all.filter(({ aggregationRule }) => aggregationRule !== undefined)).pipe(
        concatMap((role) => settle(role, all)),
      );
    };

    const changes$ = watcher(roles, { clock, random }).pipe(reflect(writer), filter(isChange));
    return merge(changes$, retries.values$).pipe(
      tap(() => {
        isDue = true;
      }),
      // What changes during a pass is looked at in the next, however much it is.
      exhaustMap(() => defer(pass).pipe(repeat({ delay: () => (isDue ? of(undefined) : EMPTY) }))),
      mergeMap((outcome) =>
        outcome.type === 'failed' ? concat(of(outcome), again(clock, outcome.retryInMs, retries)) : of(outcome),
      ),
    );
  });
}

type Role = Stored<ClusterRole>;

/** Lists count when they are complete. */
function isChange({ type }: WatchEvent<Role>): boolean {
  return type === 'synced' || type === 'applied' || type === 'deleted';
}

/** Only the rules are the controller's to write. */
function write(
  roles: ResourceClient<ClusterRole>,
  name: string,
  rules: ReturnType<typeof aggregatedRules>,
): Promise<Role> {
  // Nothing gathered is no list, rather than an empty one.
  return roles.patch(
    name,
    { merge: { rules: rules.length === 0 ? null : [...rules] } },
    { fieldManager: 'clusterrole-aggregation-controller' },
  );
}

function again(clock: Clock, delayMs: number, retries: Outlet<undefined>): Observable<never> {
  return clock.timer(delayMs).pipe(
    tap(() => retries.emit(undefined)),
    ignoreElements(),
  );
}
