// The process runtime: containers are child processes of this machine. For orchestrators that manage programs, and for
// machines without a container runtime.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemClock, systemRandom } from '../../core/index.js';
import type { Clock, Random } from '../../core/index.js';
import { HostedRuntime } from '../hosted/hosted-runtime.js';
import type { ContainerRuntime } from '../runtime/container-runtime.js';
import { ProcessHost } from './process-host.js';
import type { ProcessImage } from './process-host.js';

/** Options of the process runtime. */
export interface ProcessRuntimeOptions {
  /** The folder for volumes, logs and records. Created where it does not exist. One runtime uses it at a time. */
  readonly folder: string;
  /** Programs by image name. `host` is always there: its containers name a command. */
  readonly images?: Readonly<Record<string, ProcessImage>>;
  /** Whether any other image stands for `host`. Default false: it cannot be pulled. */
  readonly allowsAnyImage?: boolean;
  /** Default: the system's. */
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * The range of pod addresses in the API. Processes listen on the address with 127 as its first number, which they
   * find in VIVARIUM_POD_IP: 127.77.0.1 for the pod 10.77.0.1. Default `10.77.0.0/16`.
   */
  readonly podCidr?: string;
  /** The address of pods that use the node's network. Default `127.0.0.1`. */
  readonly nodeIp?: string;
  /** The size at which a log file is rotated, in bytes. Default 10 MiB. */
  readonly logFileBytesMax?: number;
  /** The number of log files of a container. Default 5. */
  readonly logFilesMax?: number;
}

/**
 * Opens a runtime whose containers are child processes. Processes that an earlier run left behind are killed; its
 * containers are reported as exited. Rejects where another process uses the folder.
 */
export async function processRuntime(options: ProcessRuntimeOptions): Promise<ContainerRuntime> {
  const { clock = systemClock(), random = systemRandom(), nodeIp = '127.0.0.1' } = options;
  const folder = resolve(options.folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const host = new ProcessHost({
    folder,
    clock,
    nodeIp,
    images: options.images ?? {},
    allowsAnyImage: options.allowsAnyImage ?? false,
    podCidr: options.podCidr ?? '10.77.0.0/16',
    fileBytesMax: options.logFileBytesMax ?? 10 * 1024 * 1024,
    filesMax: options.logFilesMax ?? 5,
  });
  try {
    return new HostedRuntime(host, { clock, random, restored: await host.open() });
  } catch (error) {
    await host.close();
    throw error;
  }
}
