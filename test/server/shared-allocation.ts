// Several servers on one store: the store decides what is allocated, also where the outcome of a write is unknown.
import t from 'tap';
import type { Test } from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import { isApiError, random, virtualClock } from '../../lib/core/index.js';
import type { ServiceSpec } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import type { ApiServer, ServerOptions } from '../../lib/server/index.js';
import { etcdStore } from '../../lib/storage/etcd/index.js';
import { memoryStore, StoreError } from '../../lib/storage/index.js';
import type { Outcome, Store, Transaction } from '../../lib/storage/index.js';
import { etcdBinary, etcdMissing, startEtcd } from '../support/etcd-server.js';
import { fc, runs } from '../support/properties.js';

const timedOut = /^Timeout: request did not complete within requested timeout/;

const rangeKey = '/registry/ranges/servicenodeports';

/** Small ranges: six addresses, of which the Service `kubernetes` has one, and four ports. */
const small: Partial<ServerOptions> = { serviceRanges: ['10.96.0.0/29'], nodePorts: [30_000, 30_003] };

/** A store whose commits can be made to fail: before they are done, or after. */
class FaultyStore {
  /** What the next commits of Services do; all others are made. */
  readonly faults: ('lost' | 'not-sent')[] = [];
  readonly store: Store;

  constructor(store: Store) {
    const commit = async (transaction: Transaction): Promise<Outcome> => {
      const isService = [...(transaction.put ?? []).map(({ key }) => key), ...(transaction.delete ?? [])].some((key) =>
        key.startsWith('/registry/services/specs/'),
      );
      const fault = isService ? this.faults.shift() : undefined;
      if (fault !== 'not-sent') {
        const outcome = await store.commit(transaction);
        if (fault === undefined) return outcome;
      }
      throw new StoreError('unknown-outcome', 'the answer was lost');
    };
    this.store = new Proxy(store, {
      get: (target, name) => {
        const own: unknown = name === 'commit' ? commit : Reflect.get(target, name);
        return typeof own === 'function' ? (own as (...given: unknown[]) => unknown).bind(target) : own;
      },
    });
  }
}

interface Servers {
  readonly services: readonly [Services, Services];
  readonly faults: FaultyStore['faults'];
  readonly store: Store;
}

async function twoServers(options: Partial<ServerOptions> = {}): Promise<Servers & { close(): Promise<void> }> {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const { store: faulty, faults } = new FaultyStore(store);
  const first = createServer({ store: faulty, clock, random: random(1), ...options });
  const second = createServer({ store, clock, random: random(2), ...options });
  await first.started();
  await second.started();
  return {
    services: [servicesOf(first), servicesOf(second)],
    faults,
    store,
    close: async () => {
      await first.close();
      await second.close();
      await store.close();
    },
  };
}

async function forTest(test: Test, options?: Partial<ServerOptions>): Promise<Servers> {
  const all = await twoServers(options);
  test.teardown(() => all.close());
  return all;
}

type Services = ReturnType<typeof servicesOf>;

function servicesOf(server: ApiServer) {
  return inProcessClient(server.handler).kind('v1', 'Service').in('default');
}

const port = (nodePort = 0): ServiceSpec => ({
  type: 'NodePort',
  ports: [{ port: 80, ...(nodePort > 0 && { nodePort }) }],
});

/** Names the port of a stored range. */
async function storedPorts(store: Store, first = 30_000): Promise<readonly number[]> {
  const data = (await store.get(rangeKey)).entry?.value.data;
  const bytes = Buffer.from(typeof data === 'string' ? data : '', 'base64').reverse();
  return [...bytes].flatMap((byte, index) =>
    Array.from({ length: 8 }, (_, bit) => bit)
      .filter((bit) => (byte & (1 << bit)) !== 0)
      .map((bit) => first + 8 * index + bit),
  );
}

/** Fails where two Services share a value, or where what is stored differs from what Services have. */
async function check(store: Store, { exact }: { readonly exact: boolean }): Promise<void> {
  const services = (await store.list('/registry/services/specs/')).entries.map(({ value }) => value);
  const specs = services.map(({ spec }) => spec as ServiceSpec);
  const addresses = specs.flatMap(({ clusterIPs = [] }) => clusterIPs);
  const ports = specs.flatMap(({ type, ports: all = [] }) =>
    type === 'NodePort' ? all.map(({ nodePort = 0 }) => nodePort) : [],
  );
  const report = JSON.stringify({ addresses, ports });
  if (new Set(addresses).size < addresses.length) throw new Error(`an address twice: ${report}`);
  if (new Set(ports).size < ports.length) throw new Error(`a port twice: ${report}`);
  if (!exact) return;
  const stored = (await store.list('/registry/ipaddresses/')).entries.map(({ key }) => key.split('/').at(-1));
  const range = await storedPorts(store);
  if (JSON.stringify([...stored].sort()) !== JSON.stringify([...addresses].sort()))
    throw new Error(`IPAddresses ${stored.join()}, Services ${addresses.join()}`);
  if (JSON.stringify(range) !== JSON.stringify([...ports].sort())) throw new Error(`range ${range.join()}, ${report}`);
}

void t.test('two servers never give out the same address or port', async (test) => {
  const all = await forTest(test, small);
  const [a, b] = all.services;
  // Both have read what is allocated before the other allocates.
  await a.create({ metadata: { name: 'a' }, spec: port(30_000) });
  await b.create({ metadata: { name: 'b' }, spec: port(30_001) });
  await test.rejects(a.create({ metadata: { name: 'x' }, spec: port(30_001) }), /provided port is already allocated/);
  const { spec } = await b.get('b');
  await test.rejects(
    a.create({ metadata: { name: 'x' }, spec: { clusterIP: spec?.clusterIP ?? '', ports: [{ port: 80 }] } }),
    /failed to allocate IP 10\.96\.0\.\d: provided IP is already allocated/,
  );
  await Promise.all([
    a.create({ metadata: { name: 'c' }, spec: port() }),
    b.create({ metadata: { name: 'd' }, spec: port() }),
  ]);
  await check(all.store, { exact: true });
  await test.rejects(
    a.create({ metadata: { name: 'x' }, spec: port() }),
    /failed to allocate a nodePort: range is full/,
  );
  await a.create({ metadata: { name: 'e' }, spec: { ports: [{ port: 80 }] } });
  await test.rejects(b.create({ metadata: { name: 'x' }, spec: { ports: [{ port: 80 }] } }), /range is full/);
  await check(all.store, { exact: true });
});

void t.test('what one server frees the other can use', async (test) => {
  const all = await forTest(test, small);
  const [a, b] = all.services;
  const { spec } = await a.create({ metadata: { name: 'a' }, spec: port(30_000) });
  await test.rejects(b.create({ metadata: { name: 'b' }, spec: port(30_000) }), /already allocated/);
  await a.delete('a');
  const again = await b.create({
    metadata: { name: 'b' },
    spec: { ...port(30_000), clusterIP: spec?.clusterIP ?? '' },
  });
  test.equal(again.spec?.clusterIP, spec?.clusterIP);
  await b.patch('b', { merge: { spec: { type: 'ClusterIP' } } });
  await a.create({ metadata: { name: 'c' }, spec: port(30_000) });
  test.same(await storedPorts(all.store), [30_000]);
  await check(all.store, { exact: true });
});

void t.test('the range of node ports is stored as Kubernetes keeps it', async (test) => {
  const all = await forTest(test);
  const [a] = all.services;
  await a.create({ metadata: { name: 'a' }, spec: port(30_001) });
  await a.create({ metadata: { name: 'b' }, spec: port(30_010) });
  const { entry } = await all.store.get(rangeKey);
  test.match(entry?.value, {
    kind: 'RangeAllocation',
    apiVersion: 'v1',
    range: '30000-32767',
    data: Buffer.from([0x04, 0x02]).toString('base64'),
  });
});

void t.test('a write with an unknown outcome keeps what it reserved until the store has been read', async (test) => {
  const all = await forTest(test, small);
  const [a, b] = all.services;
  all.faults.push('lost');
  await test.rejects(a.create({ metadata: { name: 'a' }, spec: port(30_000) }), timedOut);
  const { spec } = await a.get('a');
  for (const services of [a, b]) {
    await test.rejects(services.create({ metadata: { name: 'x' }, spec: port(30_000) }), /already allocated/);
    await test.rejects(
      services.create({ metadata: { name: 'x' }, spec: { ports: [{ port: 80 }], clusterIP: spec?.clusterIP ?? '' } }),
      /already allocated/,
    );
  }
  all.faults.push('not-sent');
  await test.rejects(a.create({ metadata: { name: 'b' }, spec: port(30_001) }), timedOut);
  await a.create({ metadata: { name: 'b' }, spec: port(30_001) });
  all.faults.push('lost');
  await test.rejects(a.delete('b'), timedOut);
  await a.create({ metadata: { name: 'b' }, spec: port(30_001) });
  await check(all.store, { exact: true });
});

void t.test('creates of one server at the same time do not disturb each other', async (test) => {
  const all = await forTest(test);
  const [a] = all.services;
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, n) => a.create({ metadata: { name: `s${n}` }, spec: port() })),
  );
  test.equal(new Set(made.map((service) => service.spec?.ports?.[0]?.nodePort)).size, 40);
  test.equal((await storedPorts(all.store)).length, 40);
});

void t.test('two servers on one etcd share addresses and ports', async (test) => {
  if (etcdBinary === undefined) {
    test.comment(etcdMissing);
    return;
  }
  const etcd = await startEtcd();
  const stores = [etcdStore({ endpoints: [etcd.endpoint] }), etcdStore({ endpoints: [etcd.endpoint] })] as const;
  const servers = stores.map((store, index) => createServer({ store, random: random(index), ...small }));
  test.teardown(async () => {
    for (const server of servers) await server.close();
    for (const store of stores) await store.close();
    await etcd.dispose();
  });
  const created = await Promise.allSettled(
    servers.flatMap((server, index) =>
      Array.from({ length: 4 }, (_, n) =>
        servicesOf(server).create({ metadata: { name: `s${index}-${n}` }, spec: port() }),
      ),
    ),
  );
  const ports = created.flatMap((each) =>
    each.status === 'fulfilled' ? [each.value.spec?.ports?.[0]?.nodePort ?? 0] : [],
  );
  test.same([...ports].sort(), [30_000, 30_001, 30_002, 30_003], 'four ports, four Services');
  await check(stores[0], { exact: true });
});

/** A step of a client. */
const step = fc.record({
  server: fc.integer({ min: 0, max: 1 }),
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  action: fc.constantFrom('create', 'create', 'create', 'delete', 'node-port', 'cluster-ip', 'external-name'),
  nodePort: fc.constantFrom(0, 0, 30_000, 30_001, 30_002),
  address: fc.constantFrom('', '', '10.96.0.2', '10.96.0.3'),
  fault: fc.constantFrom(undefined, undefined, undefined, 'lost' as const, 'not-sent' as const),
  together: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function perform(services: Services, { name, action, nodePort, address }: Step): Promise<unknown> {
  switch (action) {
    case 'create':
      return services.create({
        metadata: { name },
        spec:
          nodePort === 0 ? { ports: [{ port: 80 }], clusterIP: address } : { ...port(nodePort), clusterIP: address },
      });
    case 'delete':
      return services.delete(name);
    case 'node-port':
      return services.patch(name, { merge: { spec: { type: 'NodePort', externalName: null } } });
    case 'cluster-ip':
      return services.patch(name, { merge: { spec: { type: 'ClusterIP', externalName: null } } });
    default:
      return services.patch(name, {
        merge: { spec: { type: 'ExternalName', externalName: 'x.example', clusterIP: null, clusterIPs: null } },
      });
  }
}

void t.test(
  'whatever two servers do and whatever fails, no value is given out twice and none is lost',
  async (test) => {
    const seen = { stored: 0, refused: 0, unknown: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const all = await twoServers(small);
        try {
          const { services } = all;
          let underWay: Promise<void>[] = [];
          for (const each of steps) {
            if (each.fault !== undefined && each.server === 0) all.faults.push(each.fault);
            const ended = perform(services[each.server === 0 ? 0 : 1], each).then(
              () => {
                seen.stored++;
              },
              (error: unknown) => {
                if (!isApiError(error)) throw error;
                if (isApiError(error, 'Timeout')) seen.unknown++;
                else seen.refused++;
              },
            );
            underWay.push(ended);
            if (each.together) continue;
            await Promise.all(underWay);
            underWay = [];
            await check(all.store, { exact: false });
          }
          await Promise.all(underWay);
          await check(all.store, { exact: true });
          all.faults.length = 0;
          // Everything that no Service has can be allocated: nothing is lost to reservations.
          const names = (await services[0].list()).items.map(({ metadata }) => metadata.name);
          for (const name of names) if (name !== 'kubernetes') await services[1].delete(name);
          for (const nodePort of [30_000, 30_001, 30_002, 30_003])
            await services[0].create({ metadata: { name: `n${nodePort}` }, spec: port(nodePort) });
          await services[0].create({ metadata: { name: 'last' }, spec: { ports: [{ port: 80 }] } });
          await check(all.store, { exact: true });
        } finally {
          await all.close();
        }
      }),
      { numRuns: runs(200) },
    );
    test.ok(seen.stored > 20 && seen.refused > 5 && seen.unknown > 5, JSON.stringify(seen));
  },
);
