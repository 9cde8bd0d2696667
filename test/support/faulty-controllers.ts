// A cluster whose controllers reach the server through an unreliable connection, on a virtual clock and from a seed.
// While `isFaulty`, writes may be refused with a conflict, the process of the controllers may die before a write is
// sent or after it was committed and before the response arrives, and watches end or expire. A controller that died
// is started anew after a while. Each controller writes with the rights of its service account; the informers, which
// they share, are the administrator's.
import { merge, mergeMap, takeUntil, throwError } from 'rxjs';
import type { Observable, Subscription } from 'rxjs';
import { administrator, serviceAccountGroups } from '../../lib/auth/index.js';
import { inProcessClient, informers } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import type { ControllerEnvironment } from '../../lib/controllers/index.js';
import { conflict, isApiError, random, virtualClock, watchExpired } from '../../lib/core/index.js';
import type { Activity, ApiRequest, ApiResponse, Part, Random, VirtualClock } from '../../lib/core/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster, ClusterOptions } from '../../lib/index.js';
import { observe } from './observe.js';

/** A controller, and the service account of kube-system that it runs as. */
export interface AccountController {
  readonly account: string;
  readonly create: (environment: ControllerEnvironment) => Part;
}

/** How often something goes wrong, each out of a hundred. */
export interface FaultRates {
  readonly conflict: number;
  readonly crash: number;
  readonly watch: number;
}

export class FaultyControllers {
  readonly cluster: Cluster<VirtualClock>;
  /** The administrator's client, which is reliable. */
  readonly client: Client;
  /** What the controllers wrote, Events aside: `update nodes/a/status`. */
  readonly writes: string[] = [];
  /** What controllers emitted that is a failure, but for injected ones. */
  readonly failures: Activity[] = [];
  isFaulty = false;
  crashes = 0;
  readonly #random: Random;
  readonly #rates: FaultRates;
  readonly #controllers: readonly AccountController[];
  #life = 0;
  #running: Subscription | undefined;
  #restarting: Subscription | undefined;

  private constructor(
    cluster: Cluster<VirtualClock>,
    controllers: readonly AccountController[],
    seed: number,
    rates: FaultRates,
  ) {
    this.cluster = cluster;
    this.client = cluster.client;
    this.#controllers = controllers;
    this.#random = random(seed).stream('faults');
    this.#rates = rates;
  }

  /** Creates the cluster and starts the controllers. */
  static async start(
    controllers: readonly AccountController[],
    {
      seed = 1,
      rates = { conflict: 10, crash: 5, watch: 30 },
      ...options
    }: { readonly seed?: number; readonly rates?: FaultRates } & ClusterOptions<VirtualClock> = {},
  ): Promise<FaultyControllers> {
    const cluster = await createCluster({
      clock: virtualClock({ start: startMs }),
      random: random(seed),
      controllers: [],
      scheduler: false,
      ...options,
    });
    const faulty = new FaultyControllers(cluster, controllers, seed, rates);
    faulty.restart();
    await cluster.settled();
    return faulty;
  }

  /** Starts the controllers anew, as another process. */
  restart(): void {
    this.#life += 1;
    this.#running?.unsubscribe();
    this.#restarting?.unsubscribe();
    const life = this.#life;
    const { clock, server } = this.cluster;
    const handler = (request: ApiRequest): Promise<ApiResponse> =>
      this.#forward(request, life, () => {
        const response = Promise.resolve(server.handler(request));
        // Discovery documents are hashed outside of microtasks: virtual time waits for them.
        return request.info.isResource ? response : clock.holdWhile(response);
      });
    const all = { user: administrator, manager: 'kube-controller-manager' };
    const shared = informers(inProcessClient(handler, all), { clock, random: random(life).stream('informers') });
    const runs = this.#controllers.map(({ account, create }) => {
      const username = `system:serviceaccount:kube-system:${account}`;
      const user = { username, groups: [...serviceAccountGroups('kube-system'), 'system:authenticated'] };
      const client = inProcessClient(handler, { ...all, user });
      return create({ client, informers: shared, clock, random: random(life).stream(account) }).run();
    });
    this.#running = observe(merge(...runs), (activity) => {
      if (isFailure(activity)) this.failures.push(activity);
    });
  }

  /** Lets time pass with a reliable connection, so that everything converges. */
  async heal(ms = 120_000): Promise<void> {
    this.isFaulty = false;
    this.restart();
    await this.cluster.advance(ms);
  }

  /** The Events about an object: `Normal Reason: message`, in the order in which they were recorded first. */
  async events(name: string): Promise<readonly string[]> {
    const { items } = await this.client.kind('v1', 'Event').list();
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ type, reason, message }) => `${type ?? ''} ${reason ?? ''}: ${message ?? ''}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life += 1;
    this.#running?.unsubscribe();
    this.#restarting?.unsubscribe();
    await this.cluster.close();
  }

  async #forward(request: ApiRequest, life: number, send: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const { verb, resource, name, subresource } = request.info;
    if (life !== this.#life) return never();
    if (!writingVerbs.has(verb)) {
      const response = await send();
      return response.type === 'watch' ? { ...response, events: this.#cut(response.events) } : response;
    }
    if (resource !== 'events') {
      if (this.#happens(this.#rates.crash)) return this.#crash();
      if (this.#happens(this.#rates.conflict)) throw conflict({ group: '', resource, name });
      this.writes.push(`${verb} ${resource}/${name}${subresource === '' ? '' : `/${subresource}`}`);
    }
    const response = await send();
    return this.#happens(this.#rates.crash) ? this.#crash() : response;
  }

  /** The process dies: it receives nothing more, and another takes its place. */
  #crash(): Promise<never> {
    this.#life += 1;
    this.crashes += 1;
    this.#running?.unsubscribe();
    const after$ = this.cluster.clock.timer(this.#random.integer(20_000));
    this.#restarting = observe(after$, () => this.restart());
    return never();
  }

  /** A watch that may end too early, in good order or because it is too old. */
  #cut<T>(events$: Observable<T>): Observable<T> {
    if (!this.#happens(this.#rates.watch)) return events$;
    const end$ = this.cluster.clock.timer(this.#random.integer(30_000));
    if (this.#random.integer(2) === 0) return events$.pipe(takeUntil(end$));
    return merge(events$, end$.pipe(mergeMap(() => throwError(() => watchExpired()))));
  }

  #happens(percent: number): boolean {
    return this.isFaulty && this.#random.integer(100) < percent;
  }
}

/** 2030: objects have times that are not zero. */
const startMs = 1_893_456_000_000;

const writingVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function isFailure(activity: Activity): boolean {
  const { type } = activity;
  if (type !== 'failed' && type !== 'event-failed') return false;
  const { error } = activity as Activity & { readonly error?: unknown };
  return !isApiError(error, 'Conflict');
}
