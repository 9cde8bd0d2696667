// `vivarium scheduler`: runs a scheduler for the cluster of a kubeconfig and prints its activity, until it is stopped.
import { hostname } from 'node:os';
import { tap } from 'rxjs';
import { httpClient, userAgentOf } from '../client/index.js';
import type { Client } from '../client/index.js';
import { connect, loadKubeconfig } from '../client/node/index.js';
import { electedComponent, runParts } from '../cluster/index.js';
import type { ClusterSchedulerOptions } from '../cluster/index.js';
import { Outlet, errorText, systemClock, systemRandom } from '../core/index.js';
import { createScheduler, parseSchedulerConfiguration, schedulerConfiguration } from '../scheduling/index.js';
import type { SchedulerConfiguration } from '../scheduling/index.js';
import type { CommandEnvironment } from './environment.js';
import { extenderTransports } from './extender-transports.js';
import { activityEntries } from './format-activity.js';
import { serveMetrics } from './metrics-page.js';
import { printLog } from './print-log.js';
import type { SchedulerFlags } from './scheduler-flags.js';
import { Teardown } from './teardown.js';

/** A running scheduler. */
export interface RunningScheduler {
  close(): Promise<void>;
}

/** Options of a scheduler from flags and files. */
export interface SchedulerSetup {
  readonly options: ClusterSchedulerOptions;
  /** Closes the connections to extenders. */
  readonly close: () => void;
}

/**
 * Reads the configuration file, if there is one, and creates extender clients. `elects` decides about leader election,
 * given the value of the configuration. Rejects if the file cannot be read or is invalid.
 */
export async function schedulerSetup(
  file: string | undefined,
  elects: (configured: boolean | undefined) => boolean,
  environment: CommandEnvironment,
): Promise<SchedulerSetup> {
  const configuration = await readConfiguration(file, environment);
  const { leaderElection } = configuration;
  const { transportOf, close } = await extenderTransports(configuration.extenders, environment);
  return {
    options: {
      configuration,
      extenderTransport: transportOf,
      instance: hostname(),
      ...(elects(leaderElection.leaderElect) && { leaderElection }),
    },
    close,
  };
}

/**
 * Runs the scheduler of the flags. Rejects if a file cannot be read, a port cannot be opened or the cluster is
 * unreachable; everything opened is closed then.
 */
export async function schedule(
  { kubeconfig, config, leaderElect, metricsAddress }: SchedulerFlags,
  environment: CommandEnvironment,
): Promise<RunningScheduler> {
  const teardown = new Teardown();
  try {
    const connection = connect(await loadKubeconfig(kubeconfig === undefined ? {} : { path: kubeconfig }));
    teardown.add(() => connection.close());
    const client = httpClient({ ...connection, userAgent: userAgentOf('kube-scheduler') });
    await checkReachable(client, connection.server);
    const { options, close } = await schedulerSetup(
      config,
      (configured = true) => leaderElect ?? configured,
      environment,
    );
    teardown.add(close);
    const { leaderElection, ...schedulerOptions } = options;
    const [clock, random, stopping] = [systemClock(), systemRandom(), new Outlet<void>()];
    const scheduler = createScheduler({ ...schedulerOptions, client, clock, random });
    const part =
      leaderElection === undefined
        ? scheduler
        : electedComponent(scheduler, {
            client,
            clock,
            random,
            ...options,
            leaderElection,
            stopping$: stopping.values$,
          });
    let isReady = false;
    let metricsUrl: string | undefined;
    if (metricsAddress !== undefined) {
      const page = await serveMetrics({ metrics: () => scheduler.metrics(), isReady: () => isReady }, metricsAddress);
      teardown.add(() => page.close());
      metricsUrl = page.url;
    }
    environment.print(`vivarium schedules the pods of ${connection.server}`);
    if (metricsUrl !== undefined) environment.print(`metrics: ${metricsUrl}/metrics`);
    const running = runParts([part], stopping);
    teardown.add(() => running.stop());
    // Ready to schedule, or to wait while another instance is the leader.
    const activity$ = running.activity$.pipe(
      tap(({ activity: { type } }) => (isReady ||= type === 'started' || type === 'leader')),
    );
    const printing = printLog(activityEntries(activity$, 'verbose'), environment);
    teardown.add(() => printing.unsubscribe());
    return { close: () => teardown.close() };
  } catch (error) {
    await teardown.close();
    throw error;
  }
}

async function readConfiguration(
  file: string | undefined,
  { readFile }: CommandEnvironment,
): Promise<SchedulerConfiguration> {
  if (file === undefined) return schedulerConfiguration();
  try {
    return await parseSchedulerConfiguration(await readFile(file));
  } catch (cause) {
    throw new Error(`the scheduler configuration ${file}: ${errorText(cause)}`, { cause });
  }
}

/** Rejects if no server responds; watches would retry forever. */
export async function checkReachable(client: Client, server: string): Promise<void> {
  try {
    await client.read('/version');
  } catch (cause) {
    throw new Error(`${server} does not answer: ${errorText(cause)}`, { cause });
  }
}
