// The figures of the scheduler, in one run: the workloads of scheduler_perf at 5,000 nodes, every node considered,
// through the API in process. Names of workloads as arguments run only those. Kept in RESULTS.md.
//
// Each workload is run three times, on a cluster of its own each: once to see what it does to a process that is new to
// it, while V8 still compiles, and then for the figure, the better of two, since others use the machine.
import { report } from './measure.js';
import type { Row } from './measure.js';

import { runWorkload } from './scheduling/run-workload.js';
import type { WorkloadResult } from './scheduling/run-workload.js';
import { basic, besideWaiting, furtherWorkloads, workloads } from './scheduling/workloads.js';
import type { Workload } from './scheduling/workloads.js';

const wanted = process.argv.slice(2);
const large = 5000;
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);

function rowsOf(
  { name, published, goal }: Workload,
  { perSecond, perSecondTold, microsecondsToPlace, microsecondsOfProcess }: WorkloadResult,
  first: WorkloadResult,
): Row[] {
  const beside = published === undefined ? '' : ` (Kubernetes publishes ${published})`;
  return [
    { name: `${name}${beside}`, value: perSecond, unit: 'pods/s', ...(goal !== undefined && { goal: `≥ ${goal}` }) },
    { name: `${name}: the first time`, value: first.perSecond, unit: 'pods/s' },
    { name: `${name}: until all Events are kept`, value: perSecondTold, unit: 'pods/s' },
    { name: `${name}: to place one pod`, value: microsecondsToPlace, unit: 'µs' },
    { name: `${name}: one pod, time of the process`, value: microsecondsOfProcess, unit: 'µs' },
  ];
}

async function measure(workload: Workload): Promise<Row[]> {
  const first = await runWorkload(workload);
  const [one, other] = [await runWorkload(workload), await runWorkload(workload)];
  return rowsOf(workload, one.perSecond > other.perSecond ? one : other, first);
}

/**
 * The cost of a pod at ten times the nodes, and beside many pods that wait. Best of a few, as others use the machine.
 */
async function measureGrowth(): Promise<Row[]> {
  const best = async (workload: Workload): Promise<number> => {
    let most = 0;
    for (let round = 0; round < 3; round += 1) most = Math.max(most, (await runWorkload(workload)).perSecond);
    return most;
  };
  const rows: Row[] = [];
  const [tenth, whole] = [workloads(large / 10), workloads(large)];
  for (const [index, workload] of whole.entries()) {
    const small = tenth[index];
    if (small === undefined || workload.goal === undefined) continue;
    const [few, many] = [await best(small), await best(workload)];
    rows.push({ name: `${workload.name}: 5,000 nodes over 500`, value: few / many, unit: '×', goal: '≤ 2' });
  }
  const [alone, crowded] = [await best(basic(large)), await best(besideWaiting(large, 50_000))];
  return [
    ...rows,
    { name: 'SchedulingBasic beside 50,000 waiting pods', value: crowded, unit: 'pods/s' },
    { name: 'cost of a pod beside them, over alone', value: alone / crowded, unit: '×', goal: '≤ 1.1' },
  ];
}

/** What the fast path saves: the time to place one pod by the plain search, over that of the columns. */
async function measureFastPath(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const workload of workloads(500).slice(0, 3)) {
    const toPlace = async (placing: 'fast' | 'plain'): Promise<number> => {
      await runWorkload(workload, placing); // V8 compiles
      return (await runWorkload(workload, placing)).microsecondsToPlace;
    };
    const [fast, plain] = [await toPlace('fast'), await toPlace('plain')];
    rows.push({ name: `${workload.name}: plain placer over fast path, 500 nodes`, value: plain / fast, unit: '×' });
  }
  return rows;
}

const measured = async (of: readonly Workload[]): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const workload of of) if (isWanted(workload.name)) rows.push(...(await measure(workload)));
  return rows;
};
const tables: readonly (readonly [title: string, measure: () => Promise<Row[]>])[] = [
  ['Scheduling at 5,000 nodes through the API', () => measured(workloads(large))],
  ['Further workloads', () => measured(furtherWorkloads)],
  ['Fast path over plain placer', () => (isWanted('fast-path') ? measureFastPath() : Promise.resolve([]))],
  ['How the cost of a pod grows', () => (isWanted('growth') ? measureGrowth() : Promise.resolve([]))],
];
let met = true;
for (const [title, rowsOfTable] of tables) {
  const rows = await rowsOfTable();
  if (rows.length > 0) met = report(title, rows) && met;
}
console.log(met ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');
