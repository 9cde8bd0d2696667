// What a host chooses about its cluster. Everything is optional and plain; `completeOptions` fills in the defaults and
// checks what was given, so that the rest of the folder works with complete options only.
import { nodeAuthorizer, rbacAuthorizer } from '../auth/index.js';
import { priorityAdmission } from '../admission/index.js';
import { systemClock, systemRandom } from '../core/index.js';
import type { Clock, Part, Random } from '../core/index.js';
import type { Client, Informers } from '../client/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { LeaderElectionSettings, SchedulerOptions } from '../scheduling/index.js';
import type { ServerOptions } from '../server/index.js';
import { memoryStore } from '../storage/index.js';
import type { Store } from '../storage/index.js';
import type { ControllerName } from './controllers.js';
import { controllerNames } from './controllers.js';
import type { ClusterCredentials } from './credentials.js';

/** What a cluster is made of. Everything has a default. */
export interface ClusterOptions<C extends Clock = Clock> {
  /** The only source of time. Default: the system's clock. With `virtualClock()` a test moves time by `advance`. */
  readonly clock?: C;
  /** The only source of chance. Default: the system's. With `random(seed)` a cluster repeats itself. */
  readonly random?: Random;
  /** Where objects are kept. Default: a new memory store. A store that is given is not closed by the cluster. */
  readonly store?: Store;
  /** The API server: access control, admission, audit, limits. Default: Node and RBAC authorization. */
  readonly server?: Omit<ServerOptions, 'store' | 'clock' | 'random'>;
  /** False: pods are not scheduled. */
  readonly scheduler?: ClusterSchedulerOptions | false;
  /**
   * Which controllers run, as `--controllers` of kube-controller-manager: names, `*` for all, `-name` for all but that
   * one. Default `['*']`; `[]` runs none.
   */
  readonly controllers?: readonly string[];
  /** How many simulated nodes `node-1`, `node-2`, … are registered. Default 0. */
  readonly nodes?: number;
  /** Further parts, which run beside the cluster's own. */
  readonly parts?: readonly ((tools: PartTools) => Part)[];
  /** Certificates and keys. Default: made when first needed; see `listen`. */
  readonly credentials?: ClusterCredentials;
}

/** The scheduler of a cluster. */
export interface ClusterSchedulerOptions extends Omit<SchedulerOptions, 'client' | 'informers' | 'clock' | 'random'> {
  /** Given where several schedulers share the cluster: one of them is elected. Default: none is. */
  readonly leaderElection?: LeaderElectionSettings;
}

/** What parts are made with. */
export interface PartTools {
  /** The administrator's client. */
  readonly client: Client;
  /** A client of another user: a name, or a user with groups. */
  as(user: string | UserInfo): Client;
  /** Watches that all parts of the cluster share. */
  readonly informers: Informers;
  readonly clock: Clock;
  /** A stream of the part's own. */
  readonly random: Random;
}

/** Options with everything that was left out. */
export interface CompletedClusterOptions<C extends Clock> {
  readonly clock: C;
  readonly random: Random;
  readonly store: Store;
  /** Whether the cluster closes the store. */
  readonly ownsStore: boolean;
  readonly server: Omit<ServerOptions, 'store' | 'clock' | 'random'>;
  /** Whether the cluster authenticates requests from the wire with its own credentials. */
  readonly usesOwnCredentials: boolean;
  readonly scheduler: ClusterSchedulerOptions | undefined;
  readonly controllers: ReadonlySet<ControllerName>;
  readonly nodes: number;
  readonly parts: readonly ((tools: PartTools) => Part)[];
  readonly credentials: ClusterCredentials | undefined;
}

/** The number of nodes above which a count is taken for a mistake. */
const nodesMax = 100_000;

/** Fills in the defaults. Throws RangeError where an option makes no sense. */
export function completeOptions<C extends Clock>(options: ClusterOptions<C>): CompletedClusterOptions<C> {
  // The type parameter is only ever narrower than Clock where a clock is given.
  const { clock = systemClock() as C, random = systemRandom(), server = {}, nodes = 0 } = options;
  if (!Number.isSafeInteger(nodes) || nodes < 0 || nodes > nodesMax)
    throw new RangeError(`nodes is a whole number from 0 to ${nodesMax}, not ${nodes}`);
  return {
    clock,
    random,
    store: options.store ?? memoryStore({ clock }),
    ownsStore: options.store === undefined,
    server: {
      ...server,
      authorizers: server.authorizers ?? ((tools) => [nodeAuthorizer(tools), rbacAuthorizer(tools.rbac())]),
      admission: server.admission ?? ((tools) => [priorityAdmission(tools)]),
    },
    usesOwnCredentials: server.authenticators === undefined,
    scheduler: options.scheduler === false ? undefined : (options.scheduler ?? {}),
    controllers: enabledControllers(options.controllers ?? ['*']),
    nodes,
    parts: options.parts ?? [],
    credentials: options.credentials,
  };
}

/** As k8s.io/controller-manager/app, IsControllerEnabled. */
function enabledControllers(given: readonly string[]): ReadonlySet<ControllerName> {
  const known: readonly string[] = controllerNames;
  for (const each of given) {
    const name = each.replace(/^-/, '');
    if (each !== '*' && !known.includes(name))
      throw new RangeError(`${JSON.stringify(name)} is not in the list of known controllers: ${known.join(', ')}`);
  }
  return new Set(
    controllerNames.filter((name) => given.includes(name) || (given.includes('*') && !given.includes(`-${name}`))),
  );
}
