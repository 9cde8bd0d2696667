// The resource-quota controller, and the evaluators that it shares with admission.
import t from 'tap';
import { recalculatedStatus } from '../../lib/controllers/resource-quota-status.js';
import { amountsText, quotaEvaluatorOf, random, virtualClock } from '../../lib/core/index.js';
import type { ApiObject, Frozen } from '../../lib/core/index.js';
import type { Pod, ResourceQuota, ScopedResourceSelectorRequirement } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';

const container = { name: 'c', image: 'i' };

function usage(resource: string, object: ApiObject, nowMs = 0): string {
  const [plural = '', ...group] = resource.split('.');
  const evaluator = quotaEvaluatorOf({ group: group.join('.'), resource: plural });
  return evaluator === undefined ? 'ignored' : amountsText(evaluator.usageOf(object, nowMs));
}

const pod = (spec: Partial<NonNullable<Pod['spec']>>, rest: Partial<Pod> = {}): Pod => ({
  metadata: { name: 'p' },
  spec: { containers: [container], ...spec },
  ...rest,
});

/** An object of a resource, and what quotas count of it. */
const measured: readonly (readonly [what: string, resource: string, object: object, usage: string])[] = [
  ['a pod without resources', 'pods', pod({}), 'count/pods=1,pods=1'],
  [
    'requests and limits',
    'pods',
    pod({
      containers: [
        {
          ...container,
          resources: {
            requests: { cpu: '1', memory: '1Gi', 'hugepages-2Mi': '4Mi', 'example.com/gpu': '2' },
            limits: { cpu: '2', 'ephemeral-storage': '3Gi', 'hugepages-2Mi': '4Mi', 'example.com/gpu': '2' },
          },
        },
      ],
    }),
    'count/pods=1,cpu=1,hugepages-2Mi=4Mi,limits.cpu=2,limits.ephemeral-storage=3Gi,memory=1Gi,pods=1,requests.cpu=1,requests.example.com/gpu=2,requests.hugepages-2Mi=4Mi,requests.memory=1Gi',
  ],
  [
    'overhead, on limits only where there is one',
    'pods',
    pod({
      containers: [{ ...container, resources: { requests: { cpu: '1' } } }],
      overhead: { cpu: '250m', memory: '1Mi' },
    }),
    'count/pods=1,cpu=1250m,memory=1Mi,pods=1,requests.cpu=1250m,requests.memory=1Mi',
  ],
  [
    'resources of the pod as a whole',
    'pods',
    pod({
      containers: [{ ...container, resources: { requests: { cpu: '1' } } }],
      resources: { requests: { cpu: '3' }, limits: { memory: '1Gi' } },
    }),
    'count/pods=1,cpu=3,limits.memory=1Gi,pods=1,requests.cpu=3',
  ],
  [
    'the largest of what is desired, allocated and actual while a pod is resized',
    'pods',
    pod(
      { containers: [{ ...container, resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }] },
      {
        status: {
          containerStatuses: [
            {
              name: 'c',
              image: 'i',
              imageID: '',
              ready: true,
              restartCount: 0,
              allocatedResources: { cpu: '2' },
              resources: { requests: { cpu: '1500m' }, limits: { cpu: '3' } },
            },
          ],
        },
      },
    ),
    'count/pods=1,cpu=2,limits.cpu=3,pods=1,requests.cpu=2',
  ],
  ['a pod that has ended', 'pods', pod({}, { status: { phase: 'Succeeded' } }), 'count/pods=1'],
  [
    'a pod whose grace period is over',
    'pods',
    pod({}, { metadata: { deletionTimestamp: '1969-12-31T23:59:00Z', deletionGracePeriodSeconds: 30 } }),
    'count/pods=1',
  ],
  [
    'a pod within its grace period',
    'pods',
    pod({}, { metadata: { deletionTimestamp: '1969-12-31T23:59:40Z', deletionGracePeriodSeconds: 30 } }),
    'count/pods=1,pods=1',
  ],
  [
    'a claim of a class, rounded up to whole bytes',
    'persistentvolumeclaims',
    { spec: { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } } },
    'count/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/requests.storage=2,persistentvolumeclaims=1,requests.storage=2',
  ],
  [
    'a claim that has more than it requests',
    'persistentvolumeclaims',
    { spec: { resources: { requests: { storage: '1Gi' } } }, status: { allocatedResources: { storage: '2Gi' } } },
    'count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=2Gi',
  ],
  [
    'a load balancer with node ports of its own choice',
    'services',
    {
      spec: {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        ports: [{ port: 1, nodePort: 30000 }, { port: 2 }],
      },
    },
    'count/services=1,services=1,services.loadbalancers=1,services.nodeports=1',
  ],
  [
    'node ports',
    'services',
    { spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] } },
    'count/services=1,services=1,services.loadbalancers=0,services.nodeports=2',
  ],
  [
    'devices, of alternatives the most of each class, and all as the most there can be',
    'resourceclaims.resource.k8s.io',
    {
      spec: {
        devices: {
          requests: [
            { name: 'a', exactly: { deviceClassName: 'x', allocationMode: 'ExactCount', count: 2 } },
            { name: 'b', exactly: { deviceClassName: 'y', allocationMode: 'All' } },
            {
              name: 'c',
              firstAvailable: [
                { name: '1', deviceClassName: 'x', allocationMode: 'ExactCount', count: 1 },
                { name: '2', deviceClassName: 'x', allocationMode: 'ExactCount', count: 3 },
                { name: '3', deviceClassName: 'z', allocationMode: 'ExactCount', count: 1 },
              ],
            },
            { name: 'd', deviceClassName: 'z', allocationMode: 'ExactCount', count: 4 },
          ],
        },
      },
    },
    'count/resourceclaims.resource.k8s.io=1,x.deviceclass.resource.k8s.io/devices=5,y.deviceclass.resource.k8s.io/devices=32,z.deviceclass.resource.k8s.io/devices=5',
  ],
  ['an older name', 'configmaps', {}, 'configmaps=1,count/configmaps=1'],
  ['any other object', 'deployments.apps', {}, 'count/deployments.apps=1'],
  ['an Event', 'events.events.k8s.io', {}, 'ignored'],
];

void t.test('usage is measured as Kubernetes measures it', (test) => {
  for (const [what, resource, object, expected] of measured)
    test.equal(usage(resource, object as ApiObject), expected, what);
  test.end();
});

/** A scope and a pod, and whether the pod is of the scope. */
const scopes: readonly (readonly [ScopedResourceSelectorRequirement, Pod, boolean])[] = [
  [{ scopeName: 'Terminating', operator: 'Exists' }, pod({ activeDeadlineSeconds: 0 }), true],
  [{ scopeName: 'Terminating', operator: 'Exists' }, pod({}), false],
  [{ scopeName: 'NotTerminating', operator: 'Exists' }, pod({}), true],
  [{ scopeName: 'BestEffort', operator: 'Exists' }, pod({}), true],
  [
    { scopeName: 'NotBestEffort', operator: 'Exists' },
    pod({ containers: [{ ...container, resources: { limits: { cpu: '1' } } }] }),
    true,
  ],
  [{ scopeName: 'PriorityClass', operator: 'In', values: ['a', 'b'] }, pod({ priorityClassName: 'b' }), true],
  [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }, pod({}), false],
  [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['a'] }, pod({}), true],
  [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['a'] }, pod({ priorityClassName: 'a' }), false],
  [{ scopeName: 'PriorityClass', operator: 'Exists' }, pod({}), false],
  [{ scopeName: 'PriorityClass', operator: 'DoesNotExist' }, pod({}), true],
  [
    { scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' },
    pod({
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: 'k', namespaceSelector: {} } },
          ],
        },
      },
    }),
    true,
  ],
  [
    { scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' },
    pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k' }] } } }),
    false,
  ],
  [{ scopeName: 'VolumeAttributesClass', operator: 'Exists' }, pod({}), false],
];

void t.test('pods and claims are of the scopes that Kubernetes says', (test) => {
  const pods = quotaEvaluatorOf({ group: '', resource: 'pods' });
  for (const [scope, object, expected] of scopes)
    test.equal(pods?.isInScope?.(object, scope), expected, JSON.stringify(scope));
  const claims = quotaEvaluatorOf({ group: '', resource: 'persistentvolumeclaims' });
  const claim = { spec: { volumeAttributesClassName: 'gold' }, status: { currentVolumeAttributesClassName: 'silver' } };
  const inScope = (operator: ScopedResourceSelectorRequirement['operator'], ...values: string[]): boolean | undefined =>
    claims?.isInScope?.(claim as Frozen<ApiObject>, { scopeName: 'VolumeAttributesClass', operator, values });
  test.equal(inScope('In', 'silver'), true, 'the class that a claim leaves counts too');
  test.equal(inScope('In', 'bronze'), false);
  test.equal(inScope('Exists'), true);
  test.end();
});

void t.test('a status is recalculated from all objects of the scopes, and left alone where it is true', (test) => {
  const quota: ResourceQuota = {
    spec: { hard: { pods: '4', 'requests.cpu': '2', 'count/widgets.example.com': '1' }, scopes: ['NotBestEffort'] },
    status: { hard: { pods: '9', secrets: '1' }, used: { pods: '9', secrets: '1', 'count/widgets.example.com': '1' } },
  };
  const cpuPod = pod({ containers: [{ ...container, resources: { requests: { cpu: '500m' } } }] });
  const objectsIn = ({ resource }: { readonly resource: string }): readonly ApiObject[] | undefined =>
    resource === 'pods' ? [cpuPod, pod({}), cpuPod] : undefined;
  const status = recalculatedStatus(quota, objectsIn, 0);
  test.strictSame(status, {
    hard: { 'count/widgets.example.com': '1', pods: '4', 'requests.cpu': '2' },
    used: { 'count/widgets.example.com': '1', pods: '2', 'requests.cpu': '1' },
  });
  test.equal(recalculatedStatus({ ...quota, ...(status && { status }) }, objectsIn, 0), undefined);
  test.end();
});

async function clusterOf(): Promise<Cluster> {
  return createCluster({
    clock: virtualClock(),
    random: random(1),
    scheduler: false,
    controllers: ['resourcequota-controller'],
  });
}

void t.test(
  'the controller follows quotas, deletions and pods that end, with the rights of its account',
  async (test) => {
    const cluster = await clusterOf();
    const { client } = cluster;
    const pods = client.kind('v1', 'Pod').in('default');
    const quotas = client.kind('v1', 'ResourceQuota').in('default');
    const used = async (): Promise<unknown> => {
      await cluster.settled();
      return (await quotas.get('q')).status?.used;
    };
    await pods.create(pod({}));
    await quotas.create({ metadata: { name: 'q' }, spec: { hard: { pods: '2', 'count/deployments.apps': '1' } } });
    test.strictSame(await used(), { 'count/deployments.apps': '0', pods: '1' }, 'a new quota counts what is there');
    await pods.create({ ...pod({}), metadata: { name: 'other' } });
    test.strictSame(await used(), { 'count/deployments.apps': '0', pods: '2' }, 'admission charges');
    await pods.status.patch('p', { merge: { status: { phase: 'Succeeded' } } });
    test.strictSame(
      await used(),
      { 'count/deployments.apps': '0', pods: '1' },
      'a pod that has ended gives its place back',
    );
    await pods.delete('other', { gracePeriodSeconds: 0 });
    test.strictSame(await used(), { 'count/deployments.apps': '0', pods: '0' }, 'so does one that is deleted');
    await quotas.patch('q', { merge: { spec: { hard: { secrets: '3', pods: null } } } });
    test.strictSame(await used(), { 'count/deployments.apps': '0', secrets: '0' }, 'a changed quota is recalculated');

    const stored = await quotas.get('q');
    await quotas.status.update({ ...stored, status: { ...stored.status, used: { secrets: '3' } } });
    await cluster.advance('6m');
    test.strictSame(
      await used(),
      { 'count/deployments.apps': '0', secrets: '0' },
      'a wrong status lasts at most 5 minutes',
    );
    await cluster.close();
  },
);
