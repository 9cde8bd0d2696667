// Mixed load on a whole cluster for a long time: `node scripts/run.mjs benchmark/soak.ts STORE [MINUTES] [REQUESTS PER
// SECOND]`, where STORE is memory, sqlite or etcd. Prints a line per minute: heap after a collection, resident memory,
// bytes on disk, file descriptors. After the first ten minutes (a sixth of a shorter run) all of them have to stay
// flat: the history that compaction keeps, the caches and the working set of the load are full by then. Kept in
// RESULTS.md. The load reaches the cluster over HTTPS, from the same process.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { firstValueFrom } from 'rxjs';
import { httpClient } from '../lib/client/index.js';
import { connect, loadKubeconfig } from '../lib/client/node/index.js';
import { random, systemClock } from '../lib/core/index.js';
import { createCluster } from '../lib/index.js';
import { etcdStore } from '../lib/storage/etcd/index.js';
import { memoryStore } from '../lib/storage/index.js';
import type { Store } from '../lib/storage/index.js';
import { sqliteStore } from '../lib/storage/sqlite/index.js';
import { startEtcd } from '../test/support/etcd-server.js';
import { report } from './measure.js';
import type { Row } from './measure.js';
import { mixedLoad } from './soak/mixed-load.js';

/** What is measured once a minute. */
interface Sample {
  readonly heapMiB: number;
  readonly residentMiB: number;
  readonly diskMiB: number;
  readonly descriptors: number;
}

interface OpenedStore {
  readonly store: Store;
  diskBytes(): number;
  dispose(): Promise<void>;
}

const clock = systemClock();
const [kind = 'memory', minutesText = '60', perSecondText = '10'] = process.argv.slice(2);
const minutes = Number(minutesText);
const perSecond = Number(perSecondText);
process.exitCode = (await soak()) ? 0 : 1;

async function soak(): Promise<boolean> {
  const opened = await openStore();
  const cluster = await createCluster({ store: opened.store, nodes: 3 });
  await cluster.listen();
  const connection = connect(await loadKubeconfig({ text: await cluster.kubeconfig() }));
  const load = await mixedLoad(httpClient(connection), random(36));
  const samples: Sample[] = [];
  let sent = 0;
  const start = clock.now();
  for (let minute = 1; minute <= minutes; minute += 1) {
    for (const end = start + minute * 60_000; clock.now() < end;) {
      await load.step();
      sent += 1;
      // A machine that cannot keep the rate up is not asked to catch up.
      await pause(1000 / perSecond);
    }
    const sample = take(opened);
    samples.push(sample);
    console.log(
      `${minute} min: heap ${sample.heapMiB.toFixed(1)} MiB, resident ${sample.residentMiB.toFixed(0)} MiB, disk ${sample.diskMiB.toFixed(1)} MiB, ${sample.descriptors} descriptors, ${sent} steps, ${load.refused()} refused`,
    );
  }
  await load.stop();
  connection.close();
  await cluster.close();
  await opened.dispose();
  return report(`Soak on ${kind}: ${minutes} minutes, ${sent} steps`, growthRows(samples));
}

function take(opened: OpenedStore): Sample {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return {
    heapMiB: heapUsed / 1024 ** 2,
    residentMiB: rss / 1024 ** 2,
    diskMiB: opened.diskBytes() / 1024 ** 2,
    descriptors: readdirSync('/proc/self/fd').length,
  };
}

/** The median of the last quarter over the median of the first quarter after the start, for each measurement. */
function growthRows(samples: readonly Sample[]): Row[] {
  const settled = samples.slice(Math.min(10, Math.ceil(samples.length / 6)));
  const quarter = Math.max(1, Math.floor(settled.length / 4));
  return (['heapMiB', 'residentMiB', 'diskMiB', 'descriptors'] as const).flatMap((name): Row[] => {
    const first = median(settled.slice(0, quarter).map((sample) => sample[name]));
    const last = median(settled.slice(-quarter).map((sample) => sample[name]));
    const growth = first === 0 ? 1 : last / first;
    const goal = name === 'residentMiB' ? {} : { goal: '≤ 1.1' };
    return [
      { name: `${name}: after the start`, value: first, unit: '' },
      { name: `${name}: at the end`, value: last, unit: '' },
      { name: `${name}: growth`, value: growth, unit: '×', ...goal },
    ];
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function openStore(): Promise<OpenedStore> {
  if (kind === 'memory') return { store: memoryStore(), diskBytes: () => 0, dispose: () => Promise.resolve() };
  if (kind === 'etcd') {
    const etcd = await startEtcd();
    const store = etcdStore({ endpoints: [etcd.endpoint] });
    const dispose = async (): Promise<void> => {
      await store.close();
      await etcd.dispose();
    };
    // Without etcd's write-ahead log, whose files are allocated ahead in pieces of 64 MB.
    return { store, diskBytes: () => bytesBelow(join(etcd.directory, 'member', 'snap')), dispose };
  }
  if (kind !== 'sqlite') throw new Error(`${kind} is not memory, sqlite or etcd`);
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-soak-'));
  // The benchmark runs as one bundle in .build; the worker is that of the built package.
  const worker = new URL('../dist/storage/sqlite/database-worker.js', import.meta.url);
  const store = await sqliteStore({ path: join(folder, 'store.db'), worker });
  const dispose = async (): Promise<void> => {
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { store, diskBytes: () => bytesBelow(folder), dispose };
}

/** The bytes of all files below a folder. A file that goes away meanwhile counts nothing. */
function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

async function pause(ms: number): Promise<void> {
  await firstValueFrom(clock.timer(ms), { defaultValue: 0 });
}
