// Addresses and ports of Services: chosen, reserved, refused and given back.
import t from 'tap';
import { deepFreeze, isApiError, random } from '../../lib/core/index.js';
import type { Service, ServiceSpec } from '../../lib/core/types/index.js';
import { AddressPool } from '../../lib/server/allocation/address-pool.js';
import { NodePorts } from '../../lib/server/allocation/node-ports.js';
import { addressesOf, portsOf, ServiceAllocator } from '../../lib/server/allocation/service-allocator.js';
import type { ServiceAllocatorOptions } from '../../lib/server/allocation/service-allocator.js';
import { fc, runs } from '../support/properties.js';

function allocatorOf(options: Partial<ServiceAllocatorOptions> = {}): ServiceAllocator {
  return new ServiceAllocator({ serviceRanges: ['10.96.0.0/16'], random: random(7), ...options });
}

/** A Service as it looks decoded and defaulted. */
function service(spec: ServiceSpec): Service {
  return {
    metadata: { name: 'x', namespace: 'default' },
    spec: { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP' }], ...structuredClone(spec) },
  };
}

/** Writes a Service for good and answers its specification. */
async function write(allocator: ServiceAllocator, spec: ServiceSpec, old?: ServiceSpec): Promise<ServiceSpec> {
  const written = service(spec);
  const reservation = await allocator.reserve(written, old && deepFreeze(service(old)), { dryRun: false });
  reservation.commit();
  return written.spec ?? {};
}

/** The refusal of a write. */
async function refusal(
  allocator: ServiceAllocator,
  spec: ServiceSpec,
  options: { old?: ServiceSpec; dryRun?: boolean } = {},
): Promise<string> {
  try {
    await allocator.reserve(service(spec), options.old && deepFreeze(service(options.old)), {
      dryRun: options.dryRun ?? false,
    });
  } catch (error) {
    if (isApiError(error)) return error.message;
    throw error;
  }
  return '';
}

const invalid = 'Service "x" is invalid: ';

t.test('a new service gets an address of the upper part of the range, and its families', async (t) => {
  const allocator = allocatorOf();
  for (let i = 0; i < 20; i++) {
    const { clusterIP = '', clusterIPs, ipFamilies, ipFamilyPolicy } = await write(allocator, {});
    t.same(
      { clusterIPs, ipFamilies, ipFamilyPolicy },
      { clusterIPs: [clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
    );
    const [, , third = 0, fourth = 0] = clusterIP.split('.').map(Number);
    t.ok(third * 256 + fourth > 256, `${clusterIP} is above the reserved addresses`);
  }
});

t.test('addresses that are asked for are honoured or refused', async (t) => {
  const allocator = allocatorOf();
  t.match(await write(allocator, { clusterIP: '10.96.0.10' }), { clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10'] });
  const refused = (address: string, why: string): string =>
    `${invalid}spec.clusterIPs: Invalid value: ["${address}"]: failed to allocate IP ${address}: ${why}`;
  t.equal(
    await refusal(allocator, { clusterIP: '10.96.0.10' }),
    refused('10.96.0.10', 'provided IP is already allocated'),
  );
  t.equal(
    await refusal(allocator, { clusterIP: '10.97.0.1' }),
    refused('10.97.0.1', 'the provided network does not match the current range'),
  );
  t.equal(
    await refusal(allocator, { clusterIP: '10.96.0.0' }),
    refused('10.96.0.0', 'the provided network does not match the current range'),
    'the network has no service',
  );
  t.equal(
    await refusal(allocator, { clusterIP: '10.96.255.255' }),
    refused('10.96.255.255', 'the provided network does not match the current range'),
    'nor have broadcasts',
  );
  t.equal(
    await refusal(allocator, { clusterIP: '10.97.0.1' }, { dryRun: true }),
    refused(
      '10.97.0.1',
      'the provided IP (10.97.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/16',
    ),
  );
  t.equal(
    await refusal(allocator, { clusterIP: '10.96.0.10' }, { dryRun: true }),
    '',
    'a dry run does not look at what is taken',
  );
  t.match(
    await refusal(allocator, { clusterIP: 'x' }),
    /spec\.clusterIPs\[0\]: Invalid value: "x": must be a valid IP address/,
  );
});

t.test('ports on nodes are chosen, shared by protocols, honoured or refused', async (t) => {
  const allocator = allocatorOf();
  const two: ServiceSpec['ports'] = [
    { port: 53, protocol: 'TCP', name: 'a' },
    { port: 53, protocol: 'UDP', name: 'b' },
    { port: 80, protocol: 'TCP', name: 'c' },
  ];
  const { ports = [] } = await write(allocator, { type: 'NodePort', ports: two });
  const [first = 0, second, third = 0] = ports.map(({ nodePort }) => nodePort);
  t.equal(first, second);
  t.not(first, third);
  t.ok(first >= 30_086 && first <= 32_767, 'the lower part is left to people');
  const asked = (nodePort: number): ServiceSpec => ({
    type: 'NodePort',
    ports: [{ port: 80, protocol: 'TCP', nodePort }],
  });
  t.match(await write(allocator, asked(30_000)), { ports: [{ nodePort: 30_000 }] });
  t.equal(
    await refusal(allocator, asked(30_000)),
    `${invalid}spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated`,
  );
  t.equal(
    await refusal(allocator, asked(29_999)),
    `${invalid}spec.ports[0].nodePort: Invalid value: 29999: provided port is not in the valid range. The range of valid ports is 30000-32767`,
  );
  t.equal(
    await refusal(allocator, asked(30_000), { dryRun: true }),
    `${invalid}spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated`,
  );
  const otherwise: ServiceSpec['ports'] = [
    { port: 53, protocol: 'TCP', nodePort: 30_001 },
    { port: 53, protocol: 'UDP', nodePort: 30_000 },
  ];
  t.equal(
    await refusal(allocator, { type: 'NodePort', ports: otherwise }),
    `${invalid}spec.ports[1].nodePort: Invalid value: 30000: provided port is already allocated`,
  );
  t.match(await write(allocator, asked(30_001)), { ports: [{ nodePort: 30_001 }] }, 'a refused write keeps nothing');
  t.match(await write(allocator, { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }), {
    ports: [{ nodePort: undefined }],
  });
  t.match(await write(allocator, { type: 'LoadBalancer', allocateLoadBalancerNodePorts: true }), {
    ports: [{ nodePort: Number }],
  });
});

t.test('a local load balancer gets a port for its health check', async (t) => {
  const allocator = allocatorOf();
  const local: ServiceSpec = {
    type: 'LoadBalancer',
    allocateLoadBalancerNodePorts: false,
    externalTrafficPolicy: 'Local',
  };
  const { healthCheckNodePort = 0, ...first } = await write(allocator, local);
  t.ok(healthCheckNodePort > 30_000);
  const message = `Internal error occurred: failed to allocate requested HealthCheck NodePort ${healthCheckNodePort}: provided port is already allocated`;
  t.equal(await refusal(allocator, { ...local, healthCheckNodePort }), message);
  const kept = await write(allocator, { ...first, externalTrafficPolicy: 'Local' }, { ...first, healthCheckNodePort });
  t.equal(kept.healthCheckNodePort, healthCheckNodePort, 'an update need not mention it');
  await write(allocator, { ...first, externalTrafficPolicy: 'Cluster' }, { ...first, healthCheckNodePort });
  t.equal(
    await refusal(allocator, { ...local, healthCheckNodePort }),
    '',
    'and it is free when it is no longer needed',
  );
});

t.test('headless services and aliases need no address', async (t) => {
  const allocator = allocatorOf();
  t.match(await write(allocator, { clusterIP: 'None', selector: { a: 'b' } }), {
    clusterIPs: ['None'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
  });
  t.match(
    await write(allocator, { clusterIP: 'None' }),
    { clusterIPs: ['None'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
    'endpoints by hand may be of any family',
  );
  t.same(await write(allocator, { type: 'ExternalName', externalName: 'a.b' }), {
    type: 'ExternalName',
    externalName: 'a.b',
    ports: [{ port: 80, protocol: 'TCP' }],
  });
});

t.test('an update keeps what it does not mention', async (t) => {
  const allocator = allocatorOf();
  const old = await write(allocator, {
    type: 'NodePort',
    ports: [
      { port: 80, protocol: 'TCP', name: 'a' },
      { port: 81, protocol: 'TCP', name: 'b' },
    ],
  });
  const kept = await write(
    allocator,
    {
      type: 'NodePort',
      ports: [
        { port: 80, protocol: 'TCP', name: 'a' },
        { port: 81, protocol: 'TCP', name: 'b' },
      ],
    },
    old,
  );
  t.same(kept, old);
  const [a, b] = (old.ports ?? []).map(({ nodePort = 0 }) => nodePort);
  const swapped = await write(
    allocator,
    {
      ...old,
      ports: [
        { port: 80, protocol: 'TCP', name: 'a', nodePort: b ?? 0 },
        { port: 81, protocol: 'TCP', name: 'b' },
      ],
    },
    old,
  );
  t.match(swapped.ports?.[0], { nodePort: b }, 'a port may take that of another');
  t.notMatch(swapped.ports?.[1], { nodePort: b });
  t.equal(
    await refusal(allocator, { type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort: a ?? 0 }] }),
    '',
    'values that no Service names any more are free',
  );
  const twice: ServiceSpec['ports'] = [
    { port: 80, protocol: 'TCP', name: 'a', nodePort: 30_005 },
    { port: 81, protocol: 'TCP', name: 'b', nodePort: 30_005 },
  ];
  t.equal(await refusal(allocator, { ...old, ports: twice }, { old }), 'duplicate nodePort: {TCP 30005}');
  const changed = service({ ...old, clusterIP: '10.96.0.77' });
  await allocator.reserve(changed, deepFreeze(service(old)), { dryRun: true });
  t.same(
    changed.spec?.clusterIPs,
    ['10.96.0.77'],
    'the singular field is taken at its word; validation refuses the change',
  );
});

t.test('a change of type releases what is no longer needed, once it is committed', async (t) => {
  const allocator = allocatorOf();
  const old = await write(allocator, {
    type: 'NodePort',
    clusterIP: '10.96.0.20',
    ports: [{ port: 80, protocol: 'TCP', nodePort: 30_020 }],
  });
  const alias: ServiceSpec = { type: 'ExternalName', externalName: 'a.b' };
  const taken = async (): Promise<boolean> =>
    (await refusal(
      allocator,
      { type: 'NodePort', clusterIP: '10.96.0.20', ports: [{ port: 80, protocol: 'TCP', nodePort: 30_020 }] },
      {},
    )) !== '';
  const failed = await allocator.reserve(service(alias), deepFreeze(service(old)), { dryRun: false });
  failed.rollback();
  t.equal(await taken(), true, 'a failed write releases nothing');
  const rehearsed = await allocator.reserve(service(alias), deepFreeze(service(old)), { dryRun: true });
  rehearsed.commit();
  t.equal(await taken(), true, 'nor does a dry run');
  await write(allocator, alias, old);
  t.match(
    await write(allocator, { clusterIP: '10.96.0.20' }, alias),
    { clusterIPs: ['10.96.0.20'], ipFamilies: ['IPv4'] },
    'an alias that becomes a service gets an address',
  );
  t.match(await write(allocator, { type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort: 30_020 }] }), {
    ports: [{ nodePort: 30_020 }],
  });
});

t.test('what was reserved for a write that failed is free again', async (t) => {
  const allocator = allocatorOf();
  const spec: ServiceSpec = {
    type: 'NodePort',
    clusterIP: '10.96.0.30',
    ports: [{ port: 80, protocol: 'TCP', nodePort: 30_030 }],
  };
  const reservation = await allocator.reserve(service(spec), undefined, { dryRun: false });
  t.not(await refusal(allocator, spec), '', 'meanwhile no other Service gets it');
  reservation.rollback();
  reservation.rollback();
  await write(allocator, spec);
  allocator.release(deepFreeze(service({ ...spec, clusterIPs: ['10.96.0.30'] })));
  await write(allocator, spec);
  const full = {
    clusterIP: '10.96.0.31',
    type: 'NodePort',
    ports: [{ port: 80, protocol: 'TCP', nodePort: 1 }],
  } as const satisfies object;
  t.not(await refusal(allocator, { ...full, ports: [...full.ports] }), '');
  t.equal(await refusal(allocator, { clusterIP: '10.96.0.31' }), '', 'a port that is refused costs no address');
});

t.test('a dry run shows families and examples and leaves no trace', async (t) => {
  const allocator = allocatorOf();
  const rehearsed = service({
    type: 'LoadBalancer',
    allocateLoadBalancerNodePorts: true,
    externalTrafficPolicy: 'Local',
    ports: [
      { port: 80, protocol: 'TCP' },
      { port: 81, protocol: 'TCP' },
    ],
  });
  const reservation = await allocator.reserve(rehearsed, undefined, { dryRun: true });
  t.match(rehearsed.spec, {
    clusterIP: '10.96.0.0',
    ports: [{ nodePort: 32_769 }, { nodePort: 32_770 }],
    healthCheckNodePort: 32_771,
    ipFamilies: ['IPv4'],
  });
  reservation.rollback();
  t.equal(
    await refusal(
      allocator,
      {
        type: 'NodePort',
        ports: [
          { port: 80, protocol: 'TCP', nodePort: 30_000 },
          { port: 81, protocol: 'TCP', nodePort: 30_000 },
        ],
      },
      { dryRun: true },
    ),
    `${invalid}spec.ports[1].nodePort: Invalid value: 30000: provided port is already allocated`,
  );
});

t.test('services that exist are known', async (t) => {
  const allocator = allocatorOf();
  const stored = [
    service({ clusterIPs: ['10.96.0.1'] }),
    service({
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      clusterIPs: ['10.96.0.2', 'fd00::1'],
      healthCheckNodePort: 30_002,
      ports: [{ port: 80, nodePort: 30_001 }],
    }),
    service({ clusterIPs: ['None'] }),
    service({ type: 'ExternalName', ports: [{ port: 80, nodePort: 30_003 }] }),
  ];
  allocator.replace(stored.flatMap(addressesOf), stored.flatMap(portsOf));
  for (const clusterIP of ['10.96.0.1', '10.96.0.2'])
    t.match(await refusal(allocator, { clusterIP }), /already allocated/);
  for (const nodePort of [30_001, 30_002])
    t.match(await refusal(allocator, { type: 'NodePort', ports: [{ port: 80, nodePort }] }), /already allocated/);
  t.equal(
    await refusal(allocator, { type: 'NodePort', ports: [{ port: 80, nodePort: 30_003 }] }),
    '',
    'an alias owns no port',
  );
});

t.test('a cluster of one family has no other', async (t) => {
  const allocator = allocatorOf();
  t.equal(
    await refusal(allocator, { ipFamilyPolicy: 'RequireDualStack' }),
    `${invalid}spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services`,
  );
  t.equal(
    await refusal(allocator, { ipFamilies: ['IPv6'] }),
    `${invalid}spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster`,
  );
  t.equal(
    await refusal(allocator, { clusterIP: 'fd00::1' }),
    `${invalid}spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster`,
  );
  t.match(await write(allocator, { ipFamilyPolicy: 'PreferDualStack' }), {
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'PreferDualStack',
  });
  t.equal(
    await refusal(allocator, { ipFamilies: ['IPv4', 'IPv6'] }),
    `${invalid}spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
  );
});

t.test('a cluster of both families adds and releases the second', async (t) => {
  const allocator = allocatorOf({ serviceRanges: ['10.96.0.0/16', 'fd00::/108'] });
  const single = await write(allocator, {});
  t.match(single, { ipFamilies: ['IPv4'] });
  const dual = await write(allocator, { ...single, ipFamilyPolicy: 'RequireDualStack' }, single);
  t.match(dual, {
    clusterIP: single.clusterIP,
    clusterIPs: [single.clusterIP, /^fd00::/],
    ipFamilies: ['IPv4', 'IPv6'],
  });
  const second = dual.clusterIPs?.[1] ?? '';
  t.equal(
    await refusal(
      allocator,
      { ...dual, clusterIPs: dual.clusterIPs?.slice(0, 1) ?? [], ipFamilies: ['IPv4'] },
      { old: dual },
    ),
    `${invalid}[spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary cluster IP, spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary IP family]`,
  );
  const back = await write(allocator, { ...dual, ipFamilyPolicy: 'SingleStack' }, dual);
  t.match(back, { clusterIPs: [single.clusterIP], ipFamilies: ['IPv4'] });
  t.match(
    await write(allocator, { clusterIP: second }),
    { clusterIPs: [second], ipFamilies: ['IPv6'] },
    'the released address is free',
  );
  t.match(await write(allocator, { ipFamilies: ['IPv6'], ipFamilyPolicy: 'PreferDualStack' }), {
    ipFamilies: ['IPv6', 'IPv4'],
    clusterIPs: [/^fd00::/, /^10\.96\./],
  });
  const preferred = { ...single, ipFamilyPolicy: 'PreferDualStack' as const };
  t.same(await write(allocator, preferred, preferred), preferred, 'a preference that did not change changes nothing');
});

t.test('ranges come and go', async (t) => {
  const allocator = allocatorOf({ serviceRanges: ['10.96.0.0/30'] });
  await write(allocator, {});
  await write(allocator, {});
  t.equal(
    await refusal(allocator, {}),
    'Internal error occurred: failed to allocate a serviceIP for Service "x": range is full',
  );
  allocator.useRanges(['10.96.0.0/30', 'fd00::/64', '10.97.0.0/24']);
  t.match((await write(allocator, {})).clusterIP, /^10\.97\.0\./);
  t.throws(() => allocatorOf({ serviceRanges: ['x'] }), /not a range of addresses: x/);
  t.throws(() => allocatorOf({ serviceRanges: ['10.0.0.0/8', '10.96.0.0/16'] }), /one of each family/);
  t.throws(
    () => allocatorOf({ serviceRanges: ['fd00::/32'] }),
    /shortest allowed prefix length for service CIDR is 64, got 32/,
  );
  t.throws(() => allocatorOf({ nodePorts: [2, 1] }), /not a range of ports: 2-1/);
});

t.test('every address and port of a range is given out once, the upper part first', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 24, max: 30 }), fc.integer(), (bits, seed) => {
      const pool = new AddressPool('IPv4', [`192.168.0.0/${bits}`]);
      const chance = random(seed);
      const given: number[] = [];
      for (let next = pool.takeNext(chance); next !== undefined; next = pool.takeNext(chance))
        given.push(Number(next.split('.')[3]));
      const size = 2 ** (32 - bits);
      const reserved = size <= 16 ? 0 : 16;
      const upper = given.slice(0, size - 2 - reserved);
      return new Set(given).size === size - 2 && given.length === size - 2 && upper.every((last) => last > reserved);
    }),
    { numRuns: runs(50) },
  );
  const ports = new NodePorts(1000, 1063);
  const given = Array.from({ length: 65 }, () => ports.takeNext(random(1)));
  t.equal(new Set(given).size, 65);
  t.ok(given.slice(0, 48).every((port) => (port ?? 0) >= 1016));
  t.equal(given.at(-1), undefined);
  const allocator = allocatorOf({ nodePorts: [1000, 1000] });
  await write(allocator, { type: 'NodePort' });
  t.equal(
    await refusal(allocator, { type: 'NodePort' }),
    'Internal error occurred: failed to allocate a nodePort: range is full',
  );
  t.equal(
    await refusal(allocator, { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }),
    'Internal error occurred: failed to allocate a HealthCheck NodePort 0: range is full',
  );
});

t.test('a range of two to the power of sixty-four addresses costs nothing', async (t) => {
  const pool = new AddressPool('IPv6', ['fd00:1::/64']);
  const chance = random(3);
  const given = new Set(Array.from({ length: 1000 }, () => pool.takeNext(chance)));
  t.equal(given.size, 1000);
  t.ok([...given].every((address) => address?.startsWith('fd00:1:')));
});
