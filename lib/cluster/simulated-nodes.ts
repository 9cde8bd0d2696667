// The nodes of `createCluster({ nodes: 3 })` and `vivarium serve --nodes 3`: Node objects that are ready and have
// capacity, so that pods are scheduled. Nothing runs the pods. Nodes that a store has from an earlier start are kept.
import type { Client } from '../client/index.js';
import { isApiError, printTime } from '../core/index.js';
import type { Node } from '../core/types/index.js';

/** Registers the nodes `node-1` to `node-N`. */
export async function registerNodes(client: Client, count: number, nowMs: number): Promise<void> {
  const nodes = client.kind('v1', 'Node');
  for (let number = 1; number <= count; number++) {
    try {
      await nodes.create(simulatedNode(`node-${number}`, nowMs));
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
  }
}

function simulatedNode(name: string, nowMs: number): Node {
  const now = printTime(nowMs);
  const capacity = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' };
  return {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    },
    status: {
      capacity,
      allocatable: capacity,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Simulated',
          message: 'nothing runs here',
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        },
      ],
      addresses: [{ type: 'Hostname', address: name }],
    },
  };
}
