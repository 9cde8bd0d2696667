// The figures of the scheduler, in one run: the workloads of scheduler_perf at 5,000 nodes, every node considered, through
// the API in process. Names of workloads as arguments run only those. Kept in RESULTS.md.
//
// Each workload is run three times, on a cluster of its own each: once to see what it does to a process that is new to it,
// while V8 still compiles, and then for the figure, the better of two, since others use the machine.
import { report } from './measure.js';
import type { Row } from './measure.js';

import { runWorkload } from './scheduling/run-workload.js';
import type { WorkloadResult } from './scheduling/run-workload.js';
import { basic, besideWaiting, workloads } from './scheduling/workloads.js';
import type { Workload } from './scheduling/workloads.js';

const wanted = process.argv.slice(2);

function rowsOf({ name, published, goal }: Workload, { perSecond, perSecondTold, microsecondsToPlace, microsecondsOfProcess }: WorkloadResult, first: WorkloadResult): Row[] {
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

/** The cost of a pod at ten times the nodes, and beside many pods that wait. Best of a few, as others use the machine. */
async function measureGrowth(): Promise<Row[]> {
  const best = async (workload: Workload): Promise<number> => {
    let most = 0;
    for (let round = 0; round < 3; round += 1) most = Math.max(most, (await runWorkload(workload)).perSecond);
    return most;
  };
  const [small, large, crowded] = [await best(basic(500)), await best(basic()), await best(besideWaiting(50_000))];
  return [
    { name: 'SchedulingBasic at 500 nodes', value: small, unit: 'pods/s' },
    { name: 'cost of a pod, 5,000 nodes over 500', value: small / large, unit: '×', goal: '≤ 2' },
    { name: 'beside 50,000 waiting pods', value: crowded, unit: 'pods/s' },
    { name: 'cost of a pod beside them, over alone', value: large / crowded, unit: '×', goal: '≤ 1.1' },
  ];
}

const chosen = [basic(), ...workloads].filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const rows: Row[] = [];
for (const workload of chosen) rows.push(...(await measure(workload)));
let met = report('Scheduling at 5,000 nodes through the API', rows);
if (wanted.length === 0 || wanted.includes('growth')) met = report('How the cost of a pod grows', await measureGrowth()) && met;
console.log(met ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');
