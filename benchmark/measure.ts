// How this project measures: candidates of one comparison take turns in the same run, so that a noisy machine hurts all
// of them alike, and the best round of each counts. What is kept are ratios and orders of magnitude.

/** Something to time: `run` is called over and over. */
export interface Candidate {
  readonly name: string;
  readonly run: () => unknown;
}

/** The best round of a candidate. */
export interface Timing {
  readonly name: string;
  readonly microseconds: number;
  readonly perSecond: number;
}

/** One line of a report. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the project wants: `≤ 2.5` or `≥ 100000`. */
  readonly goal?: string;
}

/** Times candidates in turns. */
export function compare(candidates: readonly Candidate[], { rounds = 15, roundMs = 40 } = {}): Timing[] {
  const best = candidates.map(() => Number.POSITIVE_INFINITY);
  const calls = candidates.map(({ run }) => callsWithin(run, roundMs));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { run }] of candidates.entries()) {
      const count = calls[index] ?? 1;
      const start = performance.now();
      for (let call = 0; call < count; call += 1) kept = run();
      best[index] = Math.min(best[index] ?? 0, (performance.now() - start) / count);
    }
  }
  return candidates.map(({ name }, index) => {
    const ms = best[index] ?? Number.NaN;
    return { name, microseconds: ms * 1000, perSecond: 1000 / ms };
  });
}

/** Calls per second of the process's own time, in the best of many slices: others use the machine too. */
export function perSecond(run: (at: number) => unknown): number {
  let best = 0;
  for (let round = 0; round < 20; round += 1) {
    const start = process.cpuUsage();
    let [count, took] = [0, 0];
    while (took < 20_000) {
      for (let call = 0; call < 100; call += 1) kept = run(count + call);
      count += 100;
      took = process.cpuUsage(start).user;
    }
    best = Math.max(best, (count / took) * 1e6);
  }
  return best;
}

/** The same for candidates whose answers are awaited, in turns. */
export async function perSecondAwaited(
  candidates: readonly ((at: number) => unknown)[],
  { rounds = 20, calls = 2000 } = {},
): Promise<number[]> {
  const best = candidates.map(() => 0);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, run] of candidates.entries()) {
      const start = process.cpuUsage();
      for (let call = 0; call < calls; call += 1) await run(call);
      const { user, system } = process.cpuUsage(start);
      best[index] = Math.max(best[index] ?? 0, (calls / (user + system)) * 1e6);
    }
  }
  return best;
}

/** Keeps the last result alive, so that the compiler does not remove what makes it. */
export let kept: unknown;

/** Prints a report and answers whether every goal is met. */
export function report(title: string, rows: readonly Row[]): boolean {
  console.log(`\n## ${title}\n`);
  console.log('| measurement | value | goal |\n|---|---|---|');
  let met = true;
  for (const { name, value, unit, goal } of rows) {
    const ok = goal === undefined || meets(value, goal);
    met &&= ok;
    console.log(
      `| ${name} | ${printNumber(value)} ${unit} | ${goal === undefined ? '' : `${goal}${ok ? '' : ' **missed**'}`} |`,
    );
  }
  return met;
}

function meets(value: number, goal: string): boolean {
  const limit = Number(goal.replace(/[^0-9.]/g, ''));
  return goal.startsWith('≤') ? value <= limit : value >= limit;
}

function printNumber(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function callsWithin(run: () => unknown, ms: number): number {
  for (let count = 1; ; count *= 4) {
    const start = performance.now();
    for (let call = 0; call < count; call += 1) kept = run();
    const took = performance.now() - start;
    if (took > ms / 4) return Math.max(1, Math.round((count * ms) / took));
  }
}

/** Measures the bytes that the result of `make` retains; empty where the collector cannot be called. */
export async function heapOf(make: () => Promise<unknown>): Promise<number[]> {
  const { gc } = globalThis;
  if (gc === undefined) return [];
  const settle = async (): Promise<number> => {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      gc();
    }
    return process.memoryUsage().heapUsed;
  };
  const before = await settle();
  const made = await make();
  const after = await settle();
  return made === undefined ? [] : [after - before];
}
