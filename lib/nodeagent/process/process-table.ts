// The processes of the machine, from /proc: what a container uses, and which processes belong to it. Besides its group,
// a process belongs to a container by a variable in its environment, which also those have that left the group with
// setsid. Without /proc (not on Linux) the table is empty.
import { readFile, readdir } from 'node:fs/promises';
import { kill } from './child-process.js';

/** The environment variable that marks the processes of a container. */
export const containerVariable = 'VIVARIUM_CONTAINER_ID';

/** A process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly group: number;
  /** Processor time of the process and of its children that ended, in nanoseconds. */
  readonly cpuNanoseconds: number;
  readonly residentBytes: number;
  /** When it started, in ticks since the machine did; with the number it identifies a process. */
  readonly startTicks: string;
}

/** The units of /proc/<pid>/stat on all Linux systems that Node runs on. */
const tickNanoseconds = 10_000_000;
const pageBytes = 4096;

/** Reads all processes. */
export async function readProcessTable(): Promise<readonly ProcessEntry[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(names.map((name) => readProcess(Number(name))));
  return entries.filter((entry) => entry !== undefined);
}

/** Reads one process; undefined if it has ended. */
export async function readProcess(pid: number): Promise<ProcessEntry | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program stands in parentheses and may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 22 || fields[0] === 'Z') return undefined;
  const number = (index: number): number => Number(fields[index - 3] ?? 0);
  return {
    pid,
    group: number(5),
    cpuNanoseconds: (number(14) + number(15) + number(16) + number(17)) * tickNanoseconds,
    startTicks: fields[22 - 3] ?? '',
    residentBytes: number(24) * pageBytes,
  };
}

/** Kills all processes that carry the mark of one of these containers. Resolves with their number. */
export async function killMarked(containerIds: ReadonlySet<string>): Promise<number> {
  if (containerIds.size === 0) return 0;
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const marked = await Promise.all(
    names.map(async (name) => {
      const id = await markOf(Number(name));
      return id !== undefined && containerIds.has(id) ? Number(name) : undefined;
    }),
  );
  const found = marked.filter((pid) => pid !== undefined);
  for (const pid of found) kill(pid, 'SIGKILL');
  return found.length;
}

/** Returns the container that a process belongs to. */
export async function markOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const prefix = `${containerVariable}=`;
  return text
    .split('\0')
    .find((each) => each.startsWith(prefix))
    ?.slice(prefix.length);
}
