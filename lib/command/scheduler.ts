// `vivarium scheduler`: a scheduler for any cluster that a kubeconfig leads to, until it is told to stop. What it does is
// printed as it happens. The scheduler of `vivarium serve` is made here too; of that one only trouble is printed.
import { hostname } from 'node:os';
import { filter, map } from 'rxjs';
import type { Observable } from 'rxjs';
import { httpClient } from '../client/index.js';
import type { Client } from '../client/index.js';
import { connect, loadKubeconfig } from '../client/node/index.js';
import { errorText, objectKey, systemClock, systemRandom } from '../core/index.js';
import { createScheduler, parseSchedulerConfiguration, schedulerConfiguration } from '../scheduling/index.js';
import type { Attempt, Scheduler, SchedulerConfiguration } from '../scheduling/index.js';
import { extenderTransports } from './extender-transports.js';
import type { SchedulerFlags } from './scheduler-flags.js';
import type { Surroundings } from './surroundings.js';

/** A scheduler that a command made. */
export interface CommandedScheduler {
  readonly scheduler: Scheduler;
  /** Closes its connections to extenders. */
  readonly close: () => void;
}

/** A scheduler under way. */
export interface Scheduling {
  close(): Promise<void>;
}

/** Makes a scheduler with the configuration of a file. Rejects where the file cannot be read or makes no sense. */
export async function commandedScheduler(client: Client, config: string | undefined, surroundings: Surroundings): Promise<CommandedScheduler> {
  const configuration = await configurationOf(config, surroundings);
  const { transportOf, close } = await extenderTransports(configuration.extenders, surroundings);
  const scheduler = createScheduler({ client, clock: systemClock(), random: systemRandom(), configuration, extenderTransport: transportOf, instance: hostname() });
  return { scheduler, close };
}

/** Schedules as the flags say. Rejects where a file cannot be had or the cluster does not answer; nothing is left then. */
export async function schedule({ kubeconfig, config }: SchedulerFlags, surroundings: Surroundings): Promise<Scheduling> {
  const connection = connect(await loadKubeconfig(kubeconfig === undefined ? {} : { path: kubeconfig }));
  try {
    const client = httpClient(connection);
    await reached(client, connection.server);
    const { scheduler, close } = await commandedScheduler(client, config, surroundings);
    surroundings.print(`vivarium schedules the pods of ${connection.server}`);
    const running = told(scheduler.run(), everything).subscribe({ next: (line) => surroundings.print(line), error: (error: unknown) => surroundings.print(`vivarium: ${errorText(error)}`) });
    return {
      close: () => {
        running.unsubscribe();
        close();
        connection.close();
        return Promise.resolve();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** What a scheduler does, in lines for people. */
export function told(attempts$: Observable<Attempt>, lineOf: (attempt: Attempt) => string | undefined): Observable<string> {
  return attempts$.pipe(
    map(lineOf),
    filter((line) => line !== undefined),
  );
}

/** All that matters to a pod, and all trouble. */
export function everything(attempt: Attempt): string | undefined {
  switch (attempt.type) {
    case 'bound':
      return `${objectKey(attempt.pod)} goes to ${attempt.nodeName}`;
    case 'unschedulable':
      return `${objectKey(attempt.pod)}: ${attempt.message}`;
    case 'preempted':
      return `${objectKey(attempt.pod)} has to leave${attempt.by === undefined ? '' : ` for ${objectKey(attempt.by)}`}`;
    default:
      return trouble(attempt);
  }
}

/** What went wrong. */
export function trouble(attempt: Attempt): string | undefined {
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
