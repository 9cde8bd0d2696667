// What the process runtime writes down about sandboxes and containers, so that it can end and report them after a
// crash: one JSON file each, replaced at once. Contents of volumes are not written down. A lock names the process that
// uses the folder.
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { HostedPod, HostedSpec, ProcessExit } from '../hosted/container-host.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import { readProcess } from './process-table.js';
import { segment } from './pod-folder.js';

/** A container as it is written down. */
export interface ContainerRecord extends Omit<HostedSpec, 'pod'> {
  readonly sandboxId: string;
  readonly startedAtMs?: number;
  /** The process and when it started. */
  readonly process?: { readonly pid: number; readonly startTicks: string };
  readonly finishedAtMs?: number;
  readonly exit?: ProcessExit;
}

/** The records of one folder. */
export class ProcessRecords {
  readonly #folder: string;
  #saves = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folders and takes the lock. Rejects with RuntimeError where a running process has it. */
  async open(): Promise<void> {
    for (const kind of ['sandboxes', 'containers'])
      await mkdir(join(this.#folder, kind), { recursive: true, mode: 0o700 });
    const lock = join(this.#folder, 'lock');
    const [pid = '', startTicks = ''] = (await readFile(lock, 'utf8').catch(() => '')).split(' ');
    const holder = pid === '' ? undefined : await readProcess(Number(pid));
    const isOwn = Number(pid) === process.pid;
    if (holder?.startTicks === startTicks && !isOwn)
      throw new RuntimeError('FailedPrecondition', `process ${pid} uses the folder ${this.#folder}`);
    await writeFile(lock, `${process.pid} ${(await readProcess(process.pid))?.startTicks ?? ''}`, { mode: 0o600 });
  }

  /** Releases the lock. */
  async close(): Promise<void> {
    await rm(join(this.#folder, 'lock'), { force: true });
  }

  async saveSandbox(pod: HostedPod): Promise<void> {
    await this.#save('sandboxes', pod.id, { ...pod, config: { ...pod.config, volumes: [] } });
  }

  async saveContainer(record: ContainerRecord): Promise<void> {
    await this.#save('containers', record.id, record);
  }

  async removeSandbox(id: string): Promise<void> {
    await rm(this.#path('sandboxes', id), { force: true });
  }

  async removeContainer(id: string): Promise<void> {
    await rm(this.#path('containers', id), { force: true });
  }

  /** Reads all sandboxes, oldest first. Files that cannot be read are removed. */
  async sandboxes(): Promise<readonly HostedPod[]> {
    return (await this.#read<HostedPod>('sandboxes')).sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  /** Reads all containers, oldest first. */
  async containers(): Promise<readonly ContainerRecord[]> {
    return (await this.#read<ContainerRecord>('containers')).sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  #path(kind: string, id: string): string {
    return join(this.#folder, kind, `${segment(id)}.json`);
  }

  async #save(kind: string, id: string, value: object): Promise<void> {
    const path = this.#path(kind, id);
    // Each save has a file of its own: two of one record may overlap.
    const draft = `${path}.${process.pid}-${++this.#saves}.new`;
    await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
    await rename(draft, path);
  }

  async #read<T>(kind: string): Promise<T[]> {
    const folder = join(this.#folder, kind);
    const found: T[] = [];
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      try {
        if (!name.endsWith('.json')) throw new Error('not a record');
        found.push(JSON.parse(await readFile(path, 'utf8')) as T);
      } catch {
        // Cut short by the crash.
        await rm(path, { force: true });
      }
    }
    return found;
  }
}
