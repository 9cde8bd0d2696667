// The devices of scheduler_perf: ten on each node, and each pod has a claim of its own for one. There the claims are
// made from a template by a controller; here they are there before.
import type { Client } from '../../lib/client/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import type { Template } from './templates.js';

const driver = 'test-driver.example.com';
const className = 'test-class';

/** The same pods, each with a claim that is called like it. */
export function withDevices(template: Template<Pod>): Template<Pod> {
  return (index) => {
    const pod = template(index);
    const resourceClaims = [{ name: 'device', resourceClaimName: pod.metadata?.name ?? '' }];
    return { ...pod, spec: { containers: [], ...pod.spec, resourceClaims } };
  };
}

/** Makes the class that all claims name. */
export async function nameDevices(client: Client): Promise<void> {
  await client.kind('resource.k8s.io/v1', 'DeviceClass').create({
    metadata: { name: className },
    spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
  });
}

/** Says which devices a node has. */
export async function offerDevices(client: Client, nodeName: string): Promise<void> {
  const devices = Array.from({ length: 10 }, (_, index) => ({
    name: `instance-${index}`,
    capacity: { counters: { value: '2' } },
  }));
  await client.kind('resource.k8s.io/v1', 'ResourceSlice').create({
    metadata: { name: nodeName },
    spec: { driver, nodeName, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 }, devices },
  });
}

/** Makes the claim of a pod. */
export async function claimDevice(
  client: Client,
  { metadata: { name = '', namespace = '' } = {} }: Pod,
): Promise<void> {
  const requests = [{ name: 'req-0', exactly: { deviceClassName: className } }];
  await client
    .kind('resource.k8s.io/v1', 'ResourceClaim')
    .in(namespace)
    .create({ metadata: { name }, spec: { devices: { requests } } });
}
