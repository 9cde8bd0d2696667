// EndpointSlices, Endpoints and mirrored slices: what they show, how many writes a change costs, and that they converge
// whatever goes wrong.
import t from 'tap';
import type { Stored } from '../../lib/client/index.js';
import { endpointSliceMirroring, endpointSlices, serviceEndpoints } from '../../lib/controllers/index.js';
import { fnv128a, sortSlicePorts } from '../../lib/controllers/endpoints/go-hash-order.js';
import { repackSubsets, truncateSubsets } from '../../lib/controllers/endpoints/endpoint-subsets.js';
import { planSlices, podsInSlice } from '../../lib/controllers/endpoints/slice-plan.js';
import { allocateZones, zoneRatios } from '../../lib/controllers/endpoints/zone-allocation.js';
import { deepFreeze, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { EndpointSlice, Node, Pod, Service, ServiceSpec } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { FaultyControllers } from '../support/faulty-controllers.js';
import { fc, runs } from '../support/properties.js';

const controllers = ['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller'];

async function newCluster(
  nodes: Readonly<Record<string, string>> = { n1: 'a', n2: 'b' },
): Promise<Cluster<VirtualClock>> {
  const cluster = await createCluster({
    clock: virtualClock({ start: Date.UTC(2030, 0, 1) }),
    random: random(1),
    controllers,
    scheduler: false,
  });
  for (const [name, zone] of Object.entries(nodes)) await createNode(cluster, name, zone);
  await cluster.settled();
  return cluster;
}

async function createNode({ client }: Pick<Cluster, 'client'>, name: string, zone: string, cpu = '4'): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True' as const }];
  const labels = zone === '' ? {} : { 'topology.kubernetes.io/zone': zone };
  await client.kind('v1', 'Node').create({ metadata: { name, labels }, status: { allocatable: { cpu }, conditions } });
}

interface PodWish {
  readonly labels?: Record<string, string>;
  readonly node?: string;
  readonly ready?: boolean;
  readonly ips?: readonly string[];
  readonly port?: number;
  readonly hostname?: string;
  readonly subdomain?: string;
}

async function createPod({ client }: Pick<Cluster, 'client'>, name: string, wish: PodWish = {}): Promise<void> {
  const { labels = { app: 'web' }, node = 'n1', ready = true, ips = [], port = 8080, hostname, subdomain } = wish;
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create({
    metadata: { name, labels },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 30,
      ...(hostname !== undefined && { hostname }),
      ...(subdomain !== undefined && { subdomain }),
      containers: [{ name: 'c', image: 'i', ports: [{ containerPort: port, name: 'http' }] }],
    },
  });
  await setStatus({ client }, name, { ready, ips });
}

async function setStatus(
  { client }: Pick<Cluster, 'client'>,
  name: string,
  { ready, ips, phase = 'Running' }: { ready: boolean; ips: readonly string[]; phase?: string },
): Promise<void> {
  const podIPs = ips.map((ip) => ({ ip }));
  const lastTransitionTime = ready ? '2030-01-01T00:00:07Z' : '2030-01-01T00:00:03Z';
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }];
  await client
    .kind('v1', 'Pod')
    .in('default')
    .status.patch(name, { merge: { status: { phase, podIP: ips[0] ?? null, podIPs, conditions } } as never });
}

async function createService({ client }: Pick<Cluster, 'client'>, spec: ServiceSpec = {}, name = 's'): Promise<void> {
  const ports = [{ name: 'w', port: 80, targetPort: 'http' as const }];
  await client
    .kind('v1', 'Service')
    .in('default')
    .create({ metadata: { name }, spec: { ports, selector: { app: 'web' }, ...spec } });
}

async function slicesOf({ client }: Pick<Cluster, 'client'>, name = 's'): Promise<readonly Stored<EndpointSlice>[]> {
  const labelSelector = `kubernetes.io/service-name=${name}`;
  return (await client.kind('discovery.k8s.io/v1', 'EndpointSlice').in('default').list({ labelSelector })).items;
}

t.test('the hash is that of Go, and gives ports their order', (t) => {
  const dump =
    '(v1.EndpointPort){Name:(*string)w"é Protocol:(*v1.Protocol)TCP Port:(*int32)8080 AppProtocol:(*string)<nil>}';
  t.equal(fnv128a(dump), '4219d471ad0a58333a8b59f8e0c59680');
  t.equal(fnv128a(''), '6c62272e07bb014262b821756295c58d');
  const port = { name: 'w', port: 8080, protocol: 'TCP' as const };
  const ports = [port, { ...port, name: 'x' }, { ...port, name: 'y' }];
  t.same(sortSlicePorts(ports), sortSlicePorts(ports.toReversed()));
  t.end();
});

t.test('a Service without pods has a placeholder and empty Endpoints', async (t) => {
  await using cluster = await newCluster();
  await createService(cluster);
  await cluster.settled();
  const [slice, ...others] = await slicesOf(cluster);
  t.same(others, []);
  t.match(slice, { addressType: 'IPv4', metadata: { generateName: 's-', generation: 1 } });
  t.same([slice?.endpoints ?? [], slice?.ports ?? []], [[], []]);
  const { subsets, metadata } = await cluster.client.kind('v1', 'Endpoints').in('default').get('s');
  t.equal(subsets, undefined);
  t.same(metadata.labels, { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' });
  t.same(metadata.annotations, { 'endpoints.kubernetes.io/last-change-trigger-time': '2030-01-01T00:00:00Z' });
});

t.test('slices show conditions, node, zone and target of pods, and the time of the change', async (t) => {
  await using cluster = await newCluster();
  await createService(cluster);
  await cluster.settled();
  const [placeholder] = await slicesOf(cluster);
  await createPod(cluster, 'a', { ips: ['10.0.0.1'], node: 'n2' });
  await createPod(cluster, 'b', { ips: ['10.0.0.2'], ready: false });
  await createPod(cluster, 'c');
  await cluster.client.kind('v1', 'Pod').in('default').delete('a');
  await cluster.settled();
  const [slice, ...others] = await slicesOf(cluster);
  t.same(others, []);
  t.equal(slice?.metadata.uid, placeholder?.metadata.uid, 'the placeholder is used for the endpoints');
  t.same(
    slice?.endpoints?.map(({ addresses, conditions, nodeName, zone, targetRef }) => [
      ...addresses,
      conditions,
      nodeName,
      zone,
      targetRef?.name,
    ]),
    [
      ['10.0.0.1', { ready: false, serving: true, terminating: true }, 'n2', 'b', 'a'],
      ['10.0.0.2', { ready: false, serving: false, terminating: false }, 'n1', 'a', 'b'],
    ],
  );
  const { subsets } = await cluster.client.kind('v1', 'Endpoints').in('default').get('s');
  t.match(subsets, [{ notReadyAddresses: [{ ip: '10.0.0.2' }], ports: [{ name: 'w', port: 8080 }] }]);
  t.notOk(subsets?.[0]?.addresses);
});

t.test('a service that publishes addresses that are not ready shows all as ready, also without a node', async (t) => {
  await using cluster = await newCluster();
  await createPod(cluster, 'a', { ips: ['10.0.0.1'], ready: false, node: 'missing' });
  await createService(cluster, { publishNotReadyAddresses: true });
  await createService(cluster, {}, 'strict');
  await cluster.settled();
  const [slice] = await slicesOf(cluster);
  t.same(
    slice?.endpoints?.map(({ conditions }) => conditions),
    [{ ready: true, serving: false, terminating: false }],
  );
  const [strict] = await slicesOf(cluster, 'strict');
  t.same(strict?.endpoints ?? [], []);
  await createNode(cluster, 'missing', 'a');
  await cluster.advance('1s');
  t.equal((await slicesOf(cluster, 'strict'))[0]?.endpoints?.length, 1, 'the next retry finds the node');
  const events = await cluster.client.kind('v1', 'Event').in('default').list();
  t.match(
    events.items.find(({ reason }) => reason === 'FailedToUpdateEndpointSlices'),
    {
      type: 'Warning',
      message:
        'Error updating Endpoint Slices for Service default/strict: skipping Pod a for Service default/strict: Node missing Not Found',
      source: { component: 'endpoint-slice-controller' },
    },
  );
});

t.test('each family of a Service has slices of its own', async (t) => {
  const cluster = await createCluster({
    clock: virtualClock(),
    random: random(1),
    controllers,
    scheduler: false,
    server: { serviceRanges: ['10.96.0.0/16', 'fd00::/108'] },
  });
  await createNode(cluster, 'n1', 'a');
  await createPod(cluster, 'a', { ips: ['10.0.0.1', 'fd01::1'] });
  await createPod(cluster, 'b', { ips: ['10.0.0.2'] });
  await createService(cluster, { ipFamilyPolicy: 'PreferDualStack' });
  await cluster.settled();
  const shown = (await slicesOf(cluster)).map(({ addressType, endpoints: each }) => [
    addressType,
    ...(each ?? []).flatMap(({ addresses }) => addresses),
  ]);
  t.same(shown.toSorted(), [
    ['IPv4', '10.0.0.1', '10.0.0.2'],
    ['IPv6', 'fd01::1'],
  ]);
  await cluster.client
    .kind('v1', 'Service')
    .in('default')
    .patch('s', {
      merge: { spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'], clusterIPs: null } } as never,
    });
  await cluster.settled();
  t.same(
    (await slicesOf(cluster)).map(({ addressType }) => addressType),
    ['IPv4'],
  );
  await cluster.close();
});

t.test('a change of one pod writes one slice; slices are filled, not rebalanced', async (t) => {
  await using world = await FaultyControllers.start([
    {
      account: 'endpointslice-controller',
      create: (environment) => endpointSlices({ ...environment, endpointsPerSliceMax: 3 }),
    },
  ]);
  await createNode(world, 'n1', 'a');
  for (let i = 1; i <= 8; i += 1) await createPod(world, `p${i}`, { ips: [`10.0.0.${i}`] });
  await createService(world);
  await world.cluster.settled();
  t.same((await slicesOf(world)).map(({ endpoints: each }) => each?.length).toSorted(), [2, 3, 3]);
  world.writes.length = 0;
  await setStatus(world, 'p5', { ready: false, ips: ['10.0.0.5'] });
  await world.cluster.settled();
  t.equal(world.writes.length, 1);
  await createPod(world, 'p9', { ips: ['10.0.0.9'] });
  await world.cluster.settled();
  t.equal(world.writes.length, 2, 'the slice with room is filled');
  await world.client.kind('v1', 'Pod').in('default').delete('p1', { gracePeriodSeconds: 0 });
  await createPod(world, 'p10', { ips: ['10.0.0.10'] });
  await createPod(world, 'p11', { ips: ['10.0.0.11'] });
  await world.cluster.settled();
  t.same((await slicesOf(world)).map(({ endpoints: each }) => each?.length).toSorted(), [1, 3, 3, 3]);
  t.same(world.failures, []);
});

t.test('slices that another client changes or deletes are restored a second later', async (t) => {
  await using cluster = await newCluster();
  const slices = cluster.client.kind('discovery.k8s.io/v1', 'EndpointSlice').in('default');
  await createPod(cluster, 'a', { ips: ['10.0.0.1'] });
  await createService(cluster);
  await cluster.settled();
  const [slice] = await slicesOf(cluster);
  await slices.patch(slice?.metadata.name ?? '', { merge: { endpoints: [] } });
  await cluster.advance(999);
  t.same((await slicesOf(cluster))[0]?.endpoints ?? [], []);
  await cluster.advance(1);
  t.equal((await slicesOf(cluster))[0]?.endpoints?.length, 1);
  await slices.delete(slice?.metadata.name ?? '');
  await cluster.advance('1s');
  t.equal((await slicesOf(cluster))[0]?.endpoints?.length, 1);
});

t.test('hints follow trafficDistribution, and go with it', async (t) => {
  await using cluster = await newCluster();
  const services = cluster.client.kind('v1', 'Service').in('default');
  const hints = async (): Promise<unknown> =>
    (await slicesOf(cluster)).flatMap(({ endpoints: each }) => (each ?? []).map((endpoint) => endpoint.hints));
  await createPod(cluster, 'a', { ips: ['10.0.0.1'] });
  await createPod(cluster, 'b', { ips: ['10.0.0.2'], ready: false });
  await createService(cluster, { trafficDistribution: 'PreferSameZone' });
  await cluster.settled();
  t.same(await hints(), [{ forZones: [{ name: 'a' }] }, undefined]);
  await services.patch('s', { merge: { spec: { trafficDistribution: 'PreferSameNode' } } });
  await cluster.settled();
  t.same(await hints(), [{ forZones: [{ name: 'a' }], forNodes: [{ name: 'n1' }] }, undefined]);
  await services.patch('s', { merge: { spec: { trafficDistribution: null } } });
  await cluster.settled();
  t.same(await hints(), [undefined, undefined]);
});

t.test('topology mode Auto shares endpoints out by the CPUs of zones, with Events', async (t) => {
  await using cluster = await newCluster({ n1: 'a', n2: 'b', n3: 'c' });
  const services = cluster.client.kind('v1', 'Service').in('default');
  for (let i = 0; i < 6; i += 1)
    await createPod(cluster, `p${i}`, { ips: [`10.0.0.${i + 1}`], node: i < 4 ? 'n1' : 'n2' });
  await createService(cluster);
  await services.patch('s', {
    merge: { metadata: { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } } },
  });
  await cluster.settled();
  const zones = async (): Promise<readonly (string | undefined)[]> =>
    (await slicesOf(cluster))
      .flatMap(({ endpoints: each }) => (each ?? []).map(({ hints }) => hints?.forZones?.[0]?.name))
      .toSorted();
  t.same(await zones(), ['a', 'a', 'b', 'b', 'c', 'c']);
  await cluster.client.kind('v1', 'Node').delete('n3');
  await cluster.settled();
  t.same(await zones(), ['a', 'a', 'a', 'b', 'b', 'b'], 'the zones that are left would be overloaded');
  await services.patch('s', { merge: { metadata: { annotations: null } } });
  await cluster.settled();
  t.same(
    (await zones()).filter((zone) => zone !== undefined),
    [],
  );
  const events = await cluster.client.kind('v1', 'Event').in('default').list();
  t.same(
    events.items
      .filter(({ reason }) => reason?.startsWith('Topology'))
      .map(({ reason, message }) => `${reason}: ${message}`),
    [
      'TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4',
      'TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4',
    ],
  );
});

t.test('zones get at least what their CPUs need, or no endpoint has hints', (t) => {
  const zoneNames = ['a', 'b', 'c'];
  const nodeOf = fc.record({ zone: fc.constantFrom(...zoneNames), cpu: fc.integer({ min: 1, max: 64 }) });
  fc.assert(
    fc.property(
      fc.array(nodeOf, { minLength: 1, maxLength: 12 }),
      fc.array(fc.constantFrom(...zoneNames), { minLength: 1, maxLength: 40 }),
      (given, endpointZones) => {
        const ratios = zoneRatios(
          given.map(({ zone, cpu }): Node => ({
            metadata: { labels: { 'topology.kubernetes.io/zone': zone } },
            status: { allocatable: { cpu: String(cpu) }, conditions: [{ type: 'Ready', status: 'True' }] },
          })),
        );
        const zones = given.map(({ zone }) => zone);
        const all = endpointZones.map((zone, i) => ({
          addresses: [`10.0.0.${i}`],
          zone: zones.includes(zone) ? zone : (zones[0] ?? ''),
          conditions: { ready: true },
        }));
        const create = { metadata: {}, addressType: 'IPv4' as const, endpoints: all };
        const plan = { creates: [create], updates: [], deletes: [], unchanged: [], problems: [] };
        const allocated = allocateZones(plan, ratios);
        const hinted = allocated.plan.creates.flatMap(({ endpoints: each }) => each.map(({ hints }) => hints));
        if (allocated.counts === undefined) return hinted.every((hints) => hints === undefined);
        return [...(ratios ?? [])].every(([zone, ratio]) => {
          const count = hinted.filter((hints) => hints?.forZones?.[0]?.name === zone).length;
          // Whole endpoints move only when that brings zones closer to their share.
          return count >= Math.floor((ratio * all.length) / 1.2) - 1 && count === (allocated.counts.get(zone) ?? 0);
        });
      },
    ),
    { numRuns: runs(2000) },
  );
  t.end();
});

t.test('subsets have one form, whatever the order in which pods are listed', (t) => {
  const address = fc.record({ ip: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3', '9.0.0.1') });
  const port = fc.record({
    name: fc.constantFrom('a', 'b'),
    port: fc.constantFrom(80, 81),
    protocol: fc.constant('TCP' as const),
  });
  const subset = fc.record({
    addresses: fc.array(address, { maxLength: 3 }),
    notReadyAddresses: fc.array(address, { maxLength: 2 }),
    ports: fc.array(port, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(subset, { maxLength: 5 }), (subsets) => {
      const packed = repackSubsets(subsets);
      t.same(repackSubsets(packed), packed);
      t.same(repackSubsets(subsets.toReversed()), packed);
    }),
    { numRuns: runs(2000) },
  );
  t.end();
});

t.test('Endpoints have at most a thousand addresses, ready ones first, and an annotation that says so', async (t) => {
  const many = (count: number, from: number): { ip: string }[] =>
    Array.from({ length: count }, (_, i) => ({ ip: `10.${from}.${i >> 8}.${i & 255}` }));
  const [first, second] =
    truncateSubsets([{ addresses: many(1500, 1), notReadyAddresses: many(10, 2) }, { addresses: many(500, 3) }]) ?? [];
  t.same([first?.addresses?.length, first?.notReadyAddresses, second?.addresses?.length], [750, undefined, 250]);
  const [only] = truncateSubsets([{ addresses: many(900, 1), notReadyAddresses: many(900, 2) }]) ?? [];
  t.same([only?.addresses?.length, only?.notReadyAddresses?.length], [900, 100]);
  t.equal(truncateSubsets([{ addresses: many(1000, 1) }]), undefined);
  await using cluster = await newCluster();
  for (let i = 0; i < 1001; i += 1) await createPod(cluster, `p${i}`, { ips: [`10.0.${i >> 8}.${i & 255}`] });
  await createService(cluster);
  await cluster.settled();
  const found = await cluster.client.kind('v1', 'Endpoints').in('default').get('s');
  t.equal(found.subsets?.[0]?.addresses?.length, 1000);
  t.equal(found.metadata.annotations?.['endpoints.kubernetes.io/over-capacity'], 'truncated');
  await cluster.client.kind('v1', 'Pod').in('default').delete('p7', { gracePeriodSeconds: 0 });
  await cluster.settled();
  const after = await cluster.client.kind('v1', 'Endpoints').in('default').get('s');
  t.equal(after.metadata.annotations?.['endpoints.kubernetes.io/over-capacity'], undefined);
});

t.test('Endpoints of Services that went while the controller did not run are deleted when it starts', async (t) => {
  await using world = await FaultyControllers.start([{ account: 'endpoint-controller', create: serviceEndpoints }]);
  const stored = world.client.kind('v1', 'Endpoints').in('default');
  await stored.create({ metadata: { name: 'later' } });
  await stored.create({
    metadata: { name: 'lock', annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } },
  });
  await world.cluster.settled();
  t.ok(await stored.find('later'), 'users may write Endpoints without a Service');
  world.restart();
  await world.cluster.settled();
  t.equal(await stored.find('later'), undefined);
  t.ok(await stored.find('lock'));
});

t.test('Endpoints that users write are mirrored, one slice for each family and set of ports', async (t) => {
  await using cluster = await newCluster();
  const stored = cluster.client.kind('v1', 'Endpoints').in('default');
  await cluster.client
    .kind('v1', 'Service')
    .in('default')
    .create({ metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  await stored.create({
    metadata: {
      name: 's',
      labels: { l: 'x' },
      annotations: { a: 'y', 'endpoints.kubernetes.io/last-change-trigger-time': 'z' },
    },
    subsets: [
      { addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [{ port: 80 }] },
      { notReadyAddresses: [{ ip: '10.0.0.2' }], ports: [{ port: 81 }] },
    ],
  });
  await cluster.settled();
  const shown = async (): Promise<unknown> =>
    (await slicesOf(cluster))
      .map(({ addressType, ports, endpoints: each, metadata }) => [
        addressType,
        ports?.[0]?.port,
        (each ?? []).map(({ addresses: [ip], conditions }) => `${ip} ${conditions?.ready}`).join(),
        metadata.annotations,
      ])
      .toSorted();
  t.same(await shown(), [
    ['IPv4', 80, '10.0.0.1 true', { a: 'y' }],
    ['IPv4', 81, '10.0.0.2 false', { a: 'y' }],
    ['IPv6', 80, 'fd00::1 true', { a: 'y' }],
  ]);
  await stored.patch('s', { merge: { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } } });
  await cluster.settled();
  t.same(await shown(), []);
});

t.test('a plan of changed pods writes as many slices as a plan of all pods', (t) => {
  const service: Service = {
    metadata: { name: 's', namespace: 'default', uid: 'u' },
    spec: {
      clusterIP: '10.96.0.9',
      ipFamilies: ['IPv4'],
      ports: [{ name: 'w', port: 80, targetPort: 'http', protocol: 'TCP' }],
    },
  };
  const podState = fc.record({
    ready: fc.boolean(),
    port: fc.constantFrom(80, 81),
    ip: fc.integer({ min: 0, max: 3 }),
  });
  const change = fc.record({ name: fc.integer({ min: 0, max: 11 }), state: fc.option(podState) });
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 12 }), (steps) => {
      const pods = new Map<string, Pod>();
      let slices: readonly Stored<EndpointSlice>[] = [];
      let names = 0;
      for (const [step, changes] of steps.entries()) {
        const changed = new Set<string>();
        for (const { name, state } of changes) {
          changed.add(`p${name}`);
          if (state === null) pods.delete(`p${name}`);
          else pods.set(`p${name}`, podOf(`p${name}`, state, name));
        }
        const common = {
          service,
          family: 'IPv4' as const,
          pods,
          slices,
          nodeOf: () => ({}),
          podsIn: podsInSlice,
          endpointsMax: 3,
        };
        const full = planSlices({ ...common, changed: 'all' });
        const partial = step === 0 ? full : planSlices({ ...common, changed });
        t.same(
          [partial.creates, partial.updates, partial.deletes].map(({ length }) => length),
          [full.creates, full.updates, full.deletes].map(({ length }) => length),
        );
        const written = [...partial.creates, ...partial.updates].map((draft) => {
          const name = draft.metadata.name ?? `s-${names++}`;
          return deepFreeze({ ...draft, metadata: { ...draft.metadata, name, resourceVersion: String(step) } });
        });
        slices = [...partial.unchanged, ...(written as unknown as Stored<EndpointSlice>[])];
        const shown = slices.flatMap(({ endpoints: each, ports }) =>
          (each ?? []).map(
            ({ targetRef, addresses, conditions }) =>
              `${targetRef?.name} ${addresses.join()} ${conditions?.ready} ${ports?.[0]?.port}`,
          ),
        );
        const desired = [...pods.values()].map(({ metadata, status, spec }) => {
          const isReady = status?.conditions?.[0]?.status === 'True';
          return `${metadata?.name} ${status?.podIP} ${isReady} ${spec?.containers[0]?.ports?.[0]?.containerPort}`;
        });
        t.same(shown.toSorted(), desired.toSorted());
        t.ok(slices.every(({ endpoints: each }) => (each ?? []).length <= 3));
        t.ok(slices.length > 0);
      }
    }),
    { numRuns: runs(1000) },
  );
  t.end();
});

function podOf(name: string, { ready, port, ip }: { ready: boolean; port: number; ip: number }, number: number): Pod {
  const address = `10.${number}.0.${ip}`;
  return {
    metadata: { name, namespace: 'default', uid: name },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }] }],
    },
    status: {
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

t.test('after any history slices and Endpoints show exactly the pods, and a second run is the same', async (t) => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant('pod' as const),
      pod: fc.integer({ min: 0, max: 7 }),
      ready: fc.boolean(),
      ip: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      do: fc.constant('end' as const),
      pod: fc.integer({ min: 0, max: 7 }),
      how: fc.constantFrom('now', 'slowly', 'failed', 'other'),
    }),
    fc.record({ do: fc.constant('service' as const), publish: fc.boolean(), label: fc.constantFrom('x', 'y') }),
    fc.record({ do: fc.constant('recreate' as const) }),
    fc.record({ do: fc.constant('node' as const), isThere: fc.boolean() }),
    fc.record({
      do: fc.constant('meddle' as const),
      slice: fc.integer({ min: 0, max: 3 }),
      how: fc.constantFrom('empty', 'delete', 'label'),
    }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 5000 }) }),
  );
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 18 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      async (steps, seed) => {
        const first = await endOf(steps, seed);
        histories += 1;
        if (histories % 5 === 0) t.same(await endOf(steps, seed), first, 'the same twice');
      },
    ),
    { numRuns: runs(200) },
  );
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
  async function endOf(steps: readonly Step[], seed: number): Promise<unknown> {
    await using world = await FaultyControllers.start(
      [
        {
          account: 'endpointslice-controller',
          create: (environment) => endpointSlices({ ...environment, endpointsPerSliceMax: 3 }),
        },
        { account: 'endpoint-controller', create: serviceEndpoints },
        { account: 'endpointslicemirroring-controller', create: endpointSliceMirroring },
      ],
      { seed },
    );
    await createNode(world, 'n1', 'a');
    await createService(world);
    await world.cluster.settled();
    world.isFaulty = true;
    for (const each of steps) {
      await perform(world, each).catch(() => undefined);
      await world.cluster.advance(50);
    }
    await createNode(world, 'n1', 'a').catch(() => undefined);
    await world.heal(60_000);
    const all = await slicesOf(world);
    const { items: pods } = await world.client.kind('v1', 'Pod').in('default').list();
    const service = await world.client.kind('v1', 'Service').in('default').get('s');
    const publish = service.spec?.publishNotReadyAddresses === true;
    const listed = pods.filter(
      ({ metadata, status }) =>
        metadata.labels?.app === 'web' && status?.podIP !== undefined && status.phase !== 'Failed',
    );
    const desired = listed.map(({ metadata, status }) => {
      const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
      const isTerminating = metadata.deletionTimestamp !== undefined;
      return `${metadata.name} ${status?.podIP} ${publish || (isReady && !isTerminating)} ${isReady} ${isTerminating} a`;
    });
    const shown = all.flatMap(({ endpoints: each }) =>
      (each ?? []).map(
        ({ targetRef, addresses, conditions, zone }) =>
          `${targetRef?.name} ${addresses.join()} ${conditions?.ready} ${conditions?.serving} ${conditions?.terminating} ${zone}`,
      ),
    );
    t.same(shown.toSorted(), desired.toSorted());
    t.ok(all.every(({ endpoints: each }) => (each ?? []).length <= 3));
    t.ok(all.every(({ metadata }) => metadata.labels?.team === service.metadata.labels?.team));
    const found = await world.client.kind('v1', 'Endpoints').in('default').get('s');
    t.same(
      (found.subsets ?? [])
        .flatMap(({ addresses = [] }) => addresses.map(({ targetRef }) => targetRef?.name))
        .toSorted(),
      listed
        .filter(
          ({ metadata, status }) =>
            publish ||
            (metadata.deletionTimestamp === undefined &&
              (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')),
        )
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    );
    t.same(
      world.failures.filter((failure) => failure.type === 'event-failed'),
      [],
    );
    return [shown.toSorted(), world.writes.length, world.crashes];
  }
});

async function perform(
  world: FaultyControllers,
  step: { readonly do: string } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const { client, cluster } = world;
  const pods = client.kind('v1', 'Pod').in('default');
  const services = client.kind('v1', 'Service').in('default');
  const slices = client.kind('discovery.k8s.io/v1', 'EndpointSlice').in('default');
  const name = `p${String(step.pod)}`;
  if (step.do === 'pod') {
    const status = { ready: step.ready === true, ips: [`10.${String(step.pod)}.0.${String(step.ip)}`] };
    if ((await pods.find(name)) === undefined) await createPod(world, name, status);
    else await setStatus(world, name, status);
  } else if (step.do === 'end') {
    if (step.how === 'failed') await pods.status.patch(name, { merge: { status: { phase: 'Failed' } } });
    else if (step.how === 'other') await pods.patch(name, { merge: { metadata: { labels: { app: 'other' } } } });
    else await pods.delete(name, step.how === 'now' ? { gracePeriodSeconds: 0 } : {});
  } else if (step.do === 'service') {
    const spec = { publishNotReadyAddresses: step.publish === true };
    await services.patch('s', { merge: { metadata: { labels: { team: String(step.label) } }, spec } });
  } else if (step.do === 'recreate') {
    await services.delete('s');
    // As the garbage collector does.
    for (const slice of await slicesOf(world)) await slices.delete(slice.metadata.name);
    await createService(world);
  } else if (step.do === 'node') {
    if (step.isThere === true) await createNode(world, 'n1', 'a');
    else await client.kind('v1', 'Node').delete('n1');
  } else if (step.do === 'meddle') {
    const all = await slicesOf(world);
    const slice = all[Number(step.slice) % Math.max(1, all.length)]?.metadata.name ?? '';
    if (step.how === 'delete') await slices.delete(slice);
    else if (step.how === 'empty') await slices.patch(slice, { merge: { endpoints: [] } });
    else await slices.patch(slice, { merge: { metadata: { labels: { team: 'z' } } } });
  } else await cluster.advance(Number(step.ms));
}
