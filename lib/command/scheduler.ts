// `vivarium scheduler`: a scheduler for any cluster that a kubeconfig leads to, until it is told to stop. What it does
// is printed as it happens. The scheduler of `vivarium serve` is made here too; of that one only trouble is printed.
import { hostname } from 'node:os';
import { filter, map, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { httpClient } from '../client/index.js';
import type { Client } from '../client/index.js';
import { connect, loadKubeconfig } from '../client/node/index.js';
import { errorText, objectKey, systemClock, systemRandom } from '../core/index.js';
import { createScheduler, parseSchedulerConfiguration, schedulerConfiguration } from '../scheduling/index.js';
import type { Scheduler, SchedulerConfiguration } from '../scheduling/index.js';
import { electedScheduler, electionLine, electionTrouble, loneScheduler } from './elected-scheduler.js';
import type { ElectedScheduler, SchedulerActivity } from './elected-scheduler.js';
import { extenderTransports } from './extender-transports.js';
import { serveMetrics } from './metrics-page.js';
import type { SchedulerFlags } from './scheduler-flags.js';
import type { Surroundings } from './surroundings.js';

/** A scheduler that a command made. */
export interface CommandedScheduler extends ElectedScheduler {
  readonly scheduler: Scheduler;
  /** Closes its connections to extenders. */
  readonly close: () => void;
}

/** How a command wants its scheduler. */
export interface CommandedSchedulerOptions {
  /** A KubeSchedulerConfiguration. */
  readonly config: string | undefined;
  /** Whether it has to be elected, given what the configuration says. */
  readonly elects: (said: boolean | undefined) => boolean;
}

/** A scheduler under way. */
export interface Scheduling {
  close(): Promise<void>;
}

/** Makes a scheduler with the configuration of a file. Rejects where the file cannot be read or makes no sense. */
export async function commandedScheduler(
  client: Client,
  { config, elects }: CommandedSchedulerOptions,
  surroundings: Surroundings,
): Promise<CommandedScheduler> {
  const configuration = await configurationOf(config, surroundings);
  const { transportOf, close } = await extenderTransports(configuration.extenders, surroundings);
  const scheduler = createScheduler({
    client,
    clock: systemClock(),
    random: systemRandom(),
    configuration,
    extenderTransport: transportOf,
    instance: hostname(),
  });
  const { leaderElection } = configuration;
  try {
    return {
      scheduler,
      close,
      ...(elects(leaderElection.leaderElect)
        ? electedScheduler(scheduler, client, leaderElection)
        : loneScheduler(scheduler)),
    };
  } catch (cause) {
    close();
    throw new Error(`couldn't create leader elector: ${errorText(cause)}`, { cause });
  }
}

/** Schedules as the flags say. Rejects where a file, a port or the cluster cannot be had; nothing is left then. */
export async function schedule(
  { kubeconfig, config, leaderElect, metricsAddress }: SchedulerFlags,
  surroundings: Surroundings,
): Promise<Scheduling> {
  const ending: (() => Promise<void> | void)[] = [];
  // The last thing begun is the first to end.
  const close = async (): Promise<void> => {
    for (let step = ending.pop(); step !== undefined; step = ending.pop()) await step();
  };
  try {
    const connection = connect(await loadKubeconfig(kubeconfig === undefined ? {} : { path: kubeconfig }));
    ending.push(() => connection.close());
    const client = httpClient(connection);
    await reached(client, connection.server);
    const {
      scheduler,
      activity$,
      stop,
      close: closeExtenders,
    } = await commandedScheduler(client, { config, elects: (said = true) => leaderElect ?? said }, surroundings);
    ending.push(closeExtenders);
    let isReady = false;
    let served: string | undefined;
    if (metricsAddress !== undefined) {
      const page = await serveMetrics({ metrics: () => scheduler.metrics(), isReady: () => isReady }, metricsAddress);
      ending.push(() => page.close());
      served = page.url;
    }
    surroundings.print(`vivarium schedules the pods of ${connection.server}`);
    if (served !== undefined) surroundings.print(`metrics: ${served}/metrics`);
    // Ready to schedule, or to wait for another who does.
    const watched$ = activity$.pipe(tap(({ type }) => (isReady ||= type === 'started' || type === 'leader')));
    const running = told(watched$, everything).subscribe({
      next: (line) => surroundings.print(line),
      error: (error: unknown) => surroundings.print(`vivarium: ${errorText(error)}`),
    });
    ending.push(() => running.unsubscribe(), stop);
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What a scheduler does, in lines for people. */
export function told(
  activity$: Observable<SchedulerActivity>,
  lineOf: (activity: SchedulerActivity) => string | undefined,
): Observable<string> {
  return activity$.pipe(
    map(lineOf),
    filter((line) => line !== undefined),
  );
}

/** All that matters to a pod, who schedules, and all trouble. */
export function everything(attempt: SchedulerActivity): string | undefined {
  switch (attempt.type) {
    case 'bound':
      return `${objectKey(attempt.pod)} goes to ${attempt.nodeName}`;
    case 'unschedulable':
      return `${objectKey(attempt.pod)}: ${attempt.message}`;
    case 'preempted':
      return `${objectKey(attempt.pod)} has to leave${attempt.by === undefined ? '' : ` for ${objectKey(attempt.by)}`}`;
    case 'leader':
    case 'leading':
      return electionLine(attempt);
    default:
      return trouble(attempt);
  }
}

/** What went wrong. */
export function trouble(attempt: SchedulerActivity): string | undefined {
  switch (attempt.type) {
    case 'failed':
    case 'binding-failed':
      return `scheduler: ${objectKey(attempt.pod)}: ${errorText(attempt.error)}`;
    case 'write-failed':
      return `scheduler: ${objectKey(attempt.pod)}: cannot write its ${attempt.what}: ${errorText(attempt.error)}`;
    case 'watch-failed':
      return `scheduler: cannot follow ${attempt.kind}: ${errorText(attempt.error)}; again in ${Math.ceil(attempt.retryInMs / 1000)} s`;
    case 'not-served':
      return `scheduler: the server does not know ${attempt.kind}`;
    case 'extender-failed':
      return `scheduler: extender ${attempt.extender}: ${errorText(attempt.error)}`;
    case 'background-failed':
      return `scheduler: ${errorText(attempt.error)}`;
    case 'lost':
    case 'election-failed':
      return electionTrouble(attempt);
    default:
      return undefined;
  }
}

async function configurationOf(file: string | undefined, { readFile }: Surroundings): Promise<SchedulerConfiguration> {
  if (file === undefined) return schedulerConfiguration();
  try {
    return await parseSchedulerConfiguration(await readFile(file));
  } catch (cause) {
    throw new Error(`the scheduler configuration ${file}: ${errorText(cause)}`, { cause });
  }
}

/** A cluster that is not there is told at once, rather than by watches that try for ever. */
async function reached(client: Client, server: string): Promise<void> {
  try {
    await client.read('/version');
  } catch (cause) {
    throw new Error(`${server} does not answer: ${errorText(cause)}`, { cause });
  }
}
