// A process with a durable store and a node whose pods are processes, for tests that kill it. Reads an order from its
// input, creates the pod `counter` unless the store has it, and prints its status as a line of JSON when it runs. Ends
// with its next line of input, in order.
import process from 'node:process';
import { createInterface } from 'node:readline';
import { lastValueFrom, toArray } from 'rxjs';
import { createCluster } from '../../lib/cluster/index.js';
import { processRuntime } from '../../lib/nodeagent/process/index.js';
import { sqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';

/** What the process works with. */
export interface ProcessNodeOrder {
  readonly folder: string;
  /** The program of the store's worker. */
  readonly worker: string;
  /** How often the container must have been restarted before the status is printed. */
  readonly restarts: number;
}

const program = 'echo started; trap "" TERM; while :; do sleep 1; done';

async function run({ folder, worker, restarts }: ProcessNodeOrder): Promise<() => Promise<void>> {
  const store = await sqliteStore({ path: `${folder}/store.db`, worker: new URL(worker) });
  const runtime = await processRuntime({ folder: `${folder}/node`, allowsAnyImage: true });
  const cluster = await createCluster({ store, nodes: { count: 1, runtime: () => runtime } });
  const pods = cluster.client.kind('v1', 'Pod').in('default');
  if ((await pods.find('counter')) === undefined)
    await pods.create({
      metadata: { name: 'counter' },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'host', command: ['sh', '-c', program] }],
      },
    });
  const pod = await pods.waitFor('counter', (each) => {
    const [main] = each?.status?.containerStatuses ?? [];
    return main?.state?.running !== undefined && main.restartCount >= restarts;
  });
  const read = (previous: boolean): Promise<readonly string[]> =>
    lastValueFrom(pods.log('counter', { previous }).pipe(toArray()), { defaultValue: [] });
  const log = restarts > 0 ? await read(true) : [];
  console.log(JSON.stringify({ status: pod?.status, log }));
  return async () => {
    await cluster.close();
    await runtime.close?.();
    await store.close();
  };
}

let close: Promise<() => Promise<void>> | undefined;
createInterface({ input: process.stdin }).on('line', (line) => {
  if (close === undefined) close = run(JSON.parse(line) as ProcessNodeOrder);
  else void close.then((end) => end()).then(() => process.exit(0));
});
