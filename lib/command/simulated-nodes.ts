// The nodes of `vivarium serve --nodes N`: objects that say they are ready and have room, so that pods are scheduled.
// Nobody runs the pods yet. Nodes that a store still has from an earlier start are left as they are.
import type { Client } from '../client/index.js';
import { isApiError, printTime } from '../core/index.js';
import type { Node } from '../core/types/index.js';

/** Registers nodes `node-1` to `node-N`. */
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
  const room = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' };
  return {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    },
    status: {
      capacity: room,
      allocatable: room,
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
