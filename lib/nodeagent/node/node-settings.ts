// What a node is: its name, size, addresses and system. Options are plain and optional; `completeNode` fills in what a
// kubelet would find out from its machine.
import { integerValue, milliValue } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { NodeSystemInfo, Taint } from '../../core/types/index.js';

/** Options of a node. */
export interface NodeOptions {
  readonly name: string;
  /** Beyond those that every node has. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Set when the node is created, not later. */
  readonly taints?: readonly Frozen<Taint>[];
  /** Default: 8 cpu, 32Gi memory, 100Gi ephemeral-storage, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** What is left for pods. Default: the capacity without 100Mi of memory and a tenth of the ephemeral storage. */
  readonly allocatable?: Readonly<Record<string, string>>;
  /** Addresses of the node, the main one first. Default: none. */
  readonly hostIps?: readonly string[];
  readonly nodeInfo?: Partial<Frozen<NodeSystemInfo>>;
}

/** A node with all settings. */
export interface NodeSettings {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Frozen<Taint>[];
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly hostIps: readonly string[];
  readonly nodeInfo: Frozen<NodeSystemInfo>;
}

const defaultCapacity = { cpu: '8', 'ephemeral-storage': '100Gi', memory: '32Gi', pods: '110' } as const;

/** Fills in defaults. */
export function completeNode(options: NodeOptions): NodeSettings {
  const { name, capacity = defaultCapacity, nodeInfo = {}, annotations = {}, taints = [], hostIps = [] } = options;
  const { operatingSystem = 'linux', architecture = 'amd64' } = nodeInfo;
  return {
    name,
    labels: {
      'beta.kubernetes.io/arch': architecture,
      'beta.kubernetes.io/os': operatingSystem,
      'kubernetes.io/arch': architecture,
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': operatingSystem,
      ...options.labels,
    },
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', ...annotations },
    taints,
    capacity,
    allocatable: options.allocatable ?? allocatableOf(capacity),
    hostIps,
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: 'simulated',
      osImage: 'vivarium',
      containerRuntimeVersion: 'simulated://1.0.0',
      kubeletVersion: 'v1.36.0',
      kubeProxyVersion: '',
      ...nodeInfo,
      operatingSystem,
      architecture,
    },
  };
}

const mebibyte = 2 ** 20;

/** The capacity without the default hard eviction thresholds. */
function allocatableOf(capacity: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { memory, 'ephemeral-storage': storage } = capacity;
  return {
    ...capacity,
    ...(memory !== undefined && { memory: `${Math.max(0, integerValue(memory) / 1024 - (100 * mebibyte) / 1024)}Ki` }),
    ...(storage !== undefined && { 'ephemeral-storage': `${Math.floor(integerValue(storage) * 0.9)}` }),
  };
}

/** Returns an amount in the unit that admission compares: thousandths for cpu, whole units otherwise. */
export function admissionAmount(resource: string, text: string): number {
  return resource === 'cpu' ? milliValue(text) : integerValue(text);
}
