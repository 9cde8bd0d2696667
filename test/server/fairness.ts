// Priority and fairness: which requests belong where, how many seats there are, who gets them and who does not.
import t from 'tap';
import type { AdmissionPlugin } from '../../lib/admission/index.js';
import type { Authenticator } from '../../lib/auth/index.js';
import { random, virtualClock, InProcessRequest } from '../../lib/core/index.js';
import type { Clock, ApiRequest } from '../../lib/core/index.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../../lib/core/types/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ServerOptions } from '../../lib/server/index.js';
import { flowSchemas, priorityLevels } from '../../lib/server/bootstrap/flow-control.js';
import type { RejectReason, Seats } from '../../lib/server/fairness/fair-queues.js';
import { FairQueues, dealHand } from '../../lib/server/fairness/fair-queues.js';
import { FlowControl, RetryAfter } from '../../lib/server/fairness/flow-control.js';
import { SeatDemand } from '../../lib/server/fairness/seat-demand.js';
import { seatsOf } from '../../lib/server/fairness/fairness.js';
import { lendSeats } from '../../lib/server/fairness/seat-limits.js';
import { readRequestInfo } from '../../lib/server/http/request-info.js';
import { parseQuery } from '../../lib/core/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { fc, runs } from '../support/properties.js';

const infoOf = (method: string, target: string): ApiRequest['info'] => {
  const [path = '', query = ''] = target.split('?');
  const info = readRequestInfo(method, path, parseQuery(query));
  if (info === undefined) throw new Error(target);
  return info;
};
const patience = (): { waitMs: number } => ({ waitMs: 15_000 });
const controlOf = (clock: Clock, total = 600): FlowControl => {
  const control = new FlowControl(clock, total, patience);
  control.configure([], []);
  return control;
};

t.test('every request belongs to the first schema that matches it', async (t) => {
  const control = controlOf(virtualClock());
  t.equal(
    control.flowOf(infoOf('GET', '/version'), { username: 'a', groups: ['system:masters'] }).schema,
    'exempt',
    'the mandatory ones need no objects',
  );
  t.equal(control.flowOf(infoOf('GET', '/version'), {}).schema, 'catch-all');
  control.configure(priorityLevels(), flowSchemas(0));
  const authenticated = 'system:authenticated';
  const cases: readonly (readonly [
    username: string,
    groups: readonly string[],
    method: string,
    path: string,
    schema: string,
  ])[] = [
    ['a', ['system:masters'], 'GET', '/api/v1/pods', 'exempt'],
    ['a', [authenticated], 'GET', '/healthz', 'probes'],
    ['a', [authenticated], 'GET', '/readyz/etcd', 'probes'],
    ['a', [authenticated], 'POST', '/healthz', 'global-default'],
    [
      'system:kube-scheduler',
      [authenticated],
      'PUT',
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x',
      'system-leader-election',
    ],
    ['system:kube-scheduler', [authenticated], 'GET', '/api/v1/pods', 'kube-scheduler'],
    ['system:node:a', ['system:nodes', authenticated], 'PATCH', '/api/v1/nodes/a/status', 'system-node-high'],
    ['system:node:a', ['system:nodes', authenticated], 'GET', '/api/v1/pods', 'system-nodes'],
    [
      'system:serviceaccount:kube-system:x',
      ['system:serviceaccounts', authenticated],
      'GET',
      '/api/v1/pods',
      'kube-system-service-accounts',
    ],
    [
      'system:serviceaccount:kube-system-x:x',
      ['system:serviceaccounts', authenticated],
      'GET',
      '/api/v1/pods',
      'service-accounts',
    ],
    ['a', [authenticated], 'GET', '/api/v1/pods', 'global-default'],
    ['a', ['x'], 'GET', '/api/v1/pods', 'catch-all'],
  ];
  for (const [username, groups, method, path, schema] of cases)
    t.equal(control.flowOf(infoOf(method, path), { username, groups }).schema, schema, `${username} ${method} ${path}`);
  const level = (name: string, spec: PriorityLevelConfiguration['spec']): PriorityLevelConfiguration => ({
    metadata: { name },
    ...(spec && { spec }),
  });
  const schema = (name: string, matchingPrecedence: number, levelName: string): FlowSchema => ({
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: levelName },
      matchingPrecedence,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: '*' } }],
          resourceRules: [
            { verbs: ['*'], apiGroups: [''], resources: ['pods/log'], namespaces: ['a'], clusterScope: false },
          ],
        },
      ],
    },
  });
  const whole = level('whole', {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } },
  });
  const broken = level('broken', {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Queue' } },
  });
  control.configure(
    [whole, broken],
    [schema('b', 20, 'whole'), schema('a', 20, 'whole'), schema('dangling', 1, 'gone'), schema('broken', 2, 'broken')],
  );
  const matched = (path: string): string =>
    control.flowOf(infoOf('GET', path), { username: 'x', groups: [authenticated] }).schema;
  t.equal(
    matched('/api/v1/namespaces/a/pods/x/log'),
    'a',
    'of equals the name decides; what has no level is passed over',
  );
  t.equal(matched('/api/v1/namespaces/a/pods/x'), 'catch-all');
  t.equal(matched('/api/v1/namespaces/b/pods/x/log'), 'catch-all');
});

t.test('a hand is of different queues, and flows get different ones', async (t) => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 512 }), fc.integer({ min: 1, max: 8 }), (flow, queues, size) => {
      const hand = dealHand(flow, queues, Math.min(size, queues));
      t.equal(new Set(hand).size, Math.min(size, queues));
      t.ok(hand.every((queue) => Number.isInteger(queue) && queue >= 0 && queue < queues));
    }),
    { numRuns: runs(50) },
  );
  const uses = new Array<number>(64).fill(0);
  const hands = Array.from({ length: 6400 }, (_, index) => dealHand(`users\0user-${index}`, 64, 6));
  for (const queue of hands.flat()) uses[queue] = (uses[queue] ?? 0) + 1;
  t.ok(
    Math.min(...uses) > 450 && Math.max(...uses) < 750,
    `600 each, but for chance: ${Math.min(...uses)} to ${Math.max(...uses)}`,
  );
  t.equal(new Set(hands.map((hand) => [...hand].sort().join())).size, hands.length);
});

t.test('levels lend what they do not need, as a real server does', async (t) => {
  const claim = (
    nominal: number,
    lower: number,
    upper: number,
    highest = 0,
    smoothed = 0,
  ): Parameters<typeof lendSeats>[0][number] => ({
    limits: { nominal, lower, upper, perRequest: 1 },
    demand: { highest, smoothed },
  });
  const idle = [
    claim(13, 13, 613),
    claim(49, 24, 649),
    claim(12, 11, 14),
    claim(12, 11, 14),
    claim(25, 25, 625),
    claim(98, 73, 698),
    claim(74, 50, 674),
    claim(98, 49, 698),
    claim(249, 24, 845),
  ];
  t.strictSame(lendSeats(idle), [30, 56, 14, 14, 58, 170, 117, 114, 56]);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(200), fc.nat(100), fc.nat(300), fc.nat(400), fc.nat(400)), {
        minLength: 1,
        maxLength: 9,
      }),
      (levels) => {
        const lenders = levels.map(([nominal, keep, borrow, highest, smoothed]) =>
          claim(nominal, Math.round((nominal * keep) / 100), nominal + borrow, highest, smoothed),
        );
        const seats = lendSeats(lenders);
        const total = lenders.reduce((sum, { limits }) => sum + limits.nominal, 0);
        t.ok(
          seats.reduce((sum, each) => sum + each, 0) <= total + levels.length,
          'no more than there are, but for rounding',
        );
        lenders.forEach(({ limits, demand }, index) => {
          t.ok(
            (seats[index] ?? 0) >= Math.max(limits.lower, Math.min(limits.nominal, demand.highest)),
            'what is needed comes back at once',
          );
          t.ok((seats[index] ?? 0) <= limits.upper);
        });
      },
    ),
    { numRuns: runs(100) },
  );
  const demand = new SeatDemand(0);
  demand.set(10, 0);
  demand.set(0, 5000);
  t.match(demand.endPeriod(10_000), { highest: 10, smoothed: 10 }, 'five on average, and five of deviation');
  t.match(demand.endPeriod(20_000), { highest: 0, smoothed: 9.77 });
});

t.test('lists take as many seats as they have objects to read', async (t) => {
  const seats = (target: string, count: number | undefined, most = Infinity): number =>
    seatsOf(
      {
        info: infoOf('GET', target),
        options: () =>
          Object.fromEntries(
            [...new URLSearchParams(target.split('?')[1])].map(([name, value]) => [
              name,
              name === 'limit' ? Number(value) : value,
            ]),
          ),
      } as unknown as ApiRequest,
      most,
      () => count,
    );
  t.strictSame(
    [
      seats('/api/v1/pods', 0),
      seats('/api/v1/pods', 101),
      seats('/api/v1/pods', 10_000),
      seats('/api/v1/pods', 10_000, 3),
      seats('/api/v1/pods', undefined),
    ],
    [1, 2, 10, 3, 1],
  );
  t.strictSame(
    [seats('/api/v1/pods?limit=500', 10_000), seats('/api/v1/namespaces/a/pods/x', 10_000), seats('/version', 10_000)],
    [5, 1, 1],
  );
  t.strictSame(
    [
      seats('/api/v1/pods?watch=1', 500),
      seats('/api/v1/pods?watch=1&resourceVersion=7', 500),
      seats('/api/v1/pods?watch=1&resourceVersion=0', 500),
    ],
    [5, 1, 5],
  );
});

/** Queues with a script: who holds seats, who waits, who was turned away. */
function queuesOf(
  limit: number,
  terms = { queues: 8, queueLengthMax: 10 },
): {
  enter(flow: string, seats?: number, signal?: AbortSignal): void;
  leave(flow: string): void;
  settled(): Promise<void>;
  seatsTaken(): number;
  readonly seated: string[];
  readonly turnedAway: string[];
  readonly queues: FairQueues<AbortSignal | undefined>;
  readonly clock: ReturnType<typeof virtualClock>;
} {
  const clock = virtualClock();
  const queues = new FairQueues<AbortSignal | undefined>(clock, (signal) => ({ waitMs: 15_000, signal }));
  queues.configure(terms, limit);
  const held = new Map<string, Seats[]>();
  const seated: string[] = [];
  const turnedAway: string[] = [];
  const take = (flow: string, outcome: Seats | RejectReason): void => {
    if (typeof outcome === 'string') {
      turnedAway.push(`${flow} ${outcome}`);
      return;
    }
    seated.push(flow);
    held.set(flow, [...(held.get(flow) ?? []), outcome]);
  };
  return {
    clock,
    queues,
    seated,
    turnedAway,
    enter(flow, seats = 1, signal) {
      const outcome = queues.enter(
        { hand: terms.queues === 0 ? [] : dealHand(flow, terms.queues, 1), seats, request: signal },
        clock.now(),
      );
      if (outcome instanceof Promise) void outcome.then((result) => take(flow, result));
      else take(flow, outcome);
    },
    leave(flow) {
      const [first, ...rest] = held.get(flow) ?? [];
      held.set(flow, rest);
      if (first !== undefined) queues.leave(first, clock.now());
    },
    settled: () => clock.settled(),
    seatsTaken: () => [...held.values()].flat().reduce((sum, { count }) => sum + count, 0),
  };
}

// Flows whose hands of one queue differ, so that each has its own.
const [big, small, wide] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].filter(
  (flow, index, all) => all.findIndex((each) => dealHand(each, 8, 1)[0] === dealHand(flow, 8, 1)[0]) === index,
) as [string, string, string];

t.test('a flow that asks little does not wait for all that one asked that asks much', async (t) => {
  const { enter, leave, seated, settled, clock, queues } = queuesOf(2);
  for (let i = 0; i < 10; i++) enter(big);
  t.strictSame(seated, [big, big], 'as many as there are seats');
  await clock.advance(10);
  enter(small);
  enter(small);
  leave(big);
  leave(big);
  await settled();
  // Of ten milliseconds the first is known to have paid when it leaves, the second only after that.
  t.strictSame(seated.splice(2), [big, small]);
  await clock.advance(10);
  leave(big);
  leave(small);
  await settled();
  t.strictSame(seated.splice(2).sort(), [big, small].sort());
  queues.configure({ queues: 8, queueLengthMax: 10 }, 20);
  await settled();
  t.equal(seated.length, 2 + 6, 'more seats are given at once to who waits');
  t.equal(clock.pending, 0);
});

t.test('flows that always want more get the same', async (t) => {
  const { enter, leave, seated, clock } = queuesOf(4);
  for (let i = 0; i < 10; i++) enter(big);
  for (let i = 0; i < 3; i++) enter(small);
  for (let round = 0; round < 200; round++) {
    await clock.advance(5);
    for (const flow of seated.splice(0)) leave(flow);
    await clock.settled();
    for (let i = 0; i < 4; i++) enter(big);
    for (let i = 0; i < 4; i++) enter(small);
  }
  const served = await (async () => {
    const counts = { [big]: 0, [small]: 0 };
    for (let round = 0; round < 100; round++) {
      await clock.advance(5);
      for (const flow of seated.splice(0)) {
        leave(flow);
        counts[flow] = (counts[flow] ?? 0) + 1;
      }
      await clock.settled();
      for (let i = 0; i < 4; i++) enter(big);
      for (let i = 0; i < 4; i++) enter(small);
    }
    return counts;
  })();
  t.ok(Math.abs((served[big] ?? 0) - (served[small] ?? 0)) <= 8, JSON.stringify(served));
});

t.test('who finds no place is turned away: queues are full, seats are gone, or it took too long', async (t) => {
  const { enter, leave, seated, turnedAway, settled, clock } = queuesOf(1, { queues: 8, queueLengthMax: 2 });
  const gone = new AbortController();
  enter(big);
  enter(big, 1, gone.signal);
  enter(big);
  enter(big);
  await settled();
  t.strictSame(turnedAway.splice(0), [`${big} queue-full`]);
  gone.abort();
  await settled();
  t.strictSame(turnedAway.splice(0), [`${big} time-out`], 'whose client went away');
  await clock.advance(15_000);
  t.strictSame(turnedAway.splice(0), [`${big} time-out`]);
  t.equal(clock.pending, 0);
  leave(big);
  enter(small);
  t.strictSame(seated, [big, small]);
  const without = queuesOf(1, { queues: 0, queueLengthMax: 0 });
  without.enter(big);
  without.enter(small);
  t.strictSame(without.turnedAway, [`${small} concurrency-limit`]);
  const closing = queuesOf(1);
  for (let i = 0; i < 3; i++) closing.enter(big);
  closing.queues.close();
  await closing.settled();
  t.strictSame(closing.turnedAway, [`${big} time-out`, `${big} time-out`]);
  t.equal(closing.clock.pending, 0);
});

t.test('a wide request waits for all its seats, and no other request overtakes it', async (t) => {
  const { enter, leave, seated, settled, clock } = queuesOf(4);
  for (let i = 0; i < 3; i++) enter(big);
  enter(wide, 3);
  await clock.advance(3);
  enter(small);
  leave(big);
  await settled();
  t.strictSame(seated, [big, big, big]);
  leave(big);
  await settled();
  t.strictSame(seated.slice(3), [wide]);
  leave(big);
  await settled();
  t.strictSame(seated.slice(4), [small]);
  const narrow = queuesOf(2);
  narrow.enter(wide, 5);
  t.strictSame(narrow.seated, [wide], 'one that is wider than the level has it for itself');
  narrow.enter(small);
  t.strictSame(narrow.seated, [wide]);
  narrow.leave(wide);
  await narrow.settled();
  t.strictSame(narrow.seated, [wide, small]);
});

t.test('no seat is granted twice, none is lost, and every request gets an answer', async (t) => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant('enter' as const),
      flow: fc.constantFrom('a', 'b', 'c', 'd'),
      seats: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({ do: fc.constant('leave' as const), flow: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 6000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const terms = { queues: 3, queueLengthMax: 3 };
      const { enter, leave, seated, turnedAway, settled, clock, queues, seatsTaken } = queuesOf(4, terms);
      let entered = 0;
      for (const each of steps) {
        if (each.do === 'enter') {
          enter(each.flow, each.seats);
          entered += 1;
        } else if (each.do === 'leave') leave(each.flow);
        else await clock.advance(each.ms);
        await settled();
        t.ok(seatsTaken() <= 4, 'four seats and no more');
      }
      await clock.advance(15_000);
      t.equal(seated.length + turnedAway.length, entered);
      t.equal(clock.pending, 0);
      for (const flow of ['a', 'b', 'c', 'd']) for (let i = 0; i < 60; i++) leave(flow);
      queues.configure(terms, 1);
      t.match(
        queues.enter({ hand: [0], seats: 1, request: undefined }, clock.now()),
        { count: 1 },
        'all seats are free again',
      );
    }),
    { numRuns: runs(40) },
  );
});

t.test('Retry-After grows while many requests are rejected', async (t) => {
  const advice = new RetryAfter();
  const after = (perSecond: number, from: number, seconds: number): number => {
    for (let second = from; second < from + seconds; second++)
      for (let i = 0; i < perSecond; i++) advice.note(second * 1000);
    return advice.seconds;
  };
  t.strictSame(
    [advice.seconds, after(1, 100, 1), after(5, 101, 2), after(10, 103, 4), after(100, 107, 200)],
    [1, 1, 2, 4, 32],
  );
  t.equal(after(1, 10_000, 1), 31);
  t.ok(after(1, 20_000, 100) < 31);
});

const byHeader: Authenticator = (request) => {
  const username = request.header('X-User') ?? '';
  return [{ user: { username, groups: [username === 'admin' ? 'system:masters' : 'dev', 'system:authenticated'] } }];
};

/** A server whose creates of ConfigMaps in `slow` wait until they are let go. */
function slowServer(options: Partial<ServerOptions> = {}): {
  ask(who: string, method: string, path: string, body?: string): Promise<Response>;
  letGo(): void;
  close(): Promise<void>;
  readonly clock: ReturnType<typeof virtualClock>;
  readonly waiting: () => number;
  readonly handler: ReturnType<typeof createServer>['handler'];
} {
  const clock = virtualClock();
  let held: (() => void)[] = [];
  const slow: AdmissionPlugin = {
    name: 'slow',
    handles: { operations: '*', resources: '*' },
    validate: ({ namespace }) =>
      namespace === 'slow' ? new Promise<void>((resolve) => held.push(resolve)) : undefined,
  };
  const server = createServer({
    store: memoryStore({ clock }),
    clock,
    random: random(3),
    admission: [slow],
    authenticators: [byHeader],
    ...options,
  });
  const handle = fetchHandler(server, { clock });
  return {
    clock,
    handler: server.handler,
    waiting: () => held.length,
    ask: (who, method, path, body) =>
      handle(
        new Request(`http://x${path}`, {
          method,
          headers: { 'X-User': who, 'Content-Type': 'application/json' },
          ...(body !== undefined && { body }),
        }),
      ),
    letGo() {
      for (const each of held) each();
      held = [];
    },
    close: () => server.close(),
  };
}

async function uidOf(response: Promise<Response>): Promise<string> {
  const object = (await (await response).json()) as { readonly metadata: { readonly uid: string } };
  return object.metadata.uid;
}

const slowMaps = '/api/v1/namespaces/slow/configmaps';

t.test('a server that is full says so, but not to administrators, nor to its host', async (t) => {
  const { ask, letGo, close, clock, waiting, handler } = slowServer({ concurrency: 5 });
  const named = (index: number): string => JSON.stringify({ metadata: { name: `x-${index}`, namespace: 'slow' } });
  await ask('admin', 'GET', '/healthz');
  const level = await uidOf(
    ask('admin', 'GET', '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/global-default'),
  );
  const schema = await uidOf(ask('admin', 'GET', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/global-default'));
  const asking = Array.from({ length: 500 }, (_, index) => ask('bob', 'POST', slowMaps, named(index)));
  await clock.settled();
  const served = waiting();
  t.ok(served >= 1 && served <= 5, `${served} at once`);
  const metrics = await (await ask('admin', 'GET', '/metrics')).text();
  t.match(
    metrics,
    `apiserver_flowcontrol_current_executing_requests{flow_schema="global-default",priority_level="global-default"} ${served}\n`,
  );
  t.match(
    metrics,
    /apiserver_flowcontrol_current_inqueue_requests\{flow_schema="global-default",priority_level="global-default"\} 300\n/,
    'a hand of six queues of fifty',
  );
  t.match(
    metrics,
    new RegExp(
      `apiserver_flowcontrol_rejected_requests_total\\{flow_schema="global-default",priority_level="global-default",reason="queue-full"\\} ${200 - served}\\n`,
    ),
  );
  t.match(
    metrics,
    new RegExp(
      `apiserver_request_total\\{code="429",component="apiserver",dry_run="",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"\\} ${200 - served}\\n`,
    ),
  );
  const inProcess = new InProcessRequest({ info: infoOf('GET', slowMaps), user: { username: 'bob', groups: ['dev'] } });
  t.match(await handler(inProcess), { type: 'object', code: 200 });
  t.equal((await ask('admin', 'GET', slowMaps)).status, 200);
  await clock.advance(15_000);
  letGo();
  const answers = await Promise.all(asking);
  t.equal(
    answers.filter(({ status }) => status === 201 || status === 404).length,
    served,
    'the others waited for a quarter of a minute',
  );
  const refused = answers.at(-1);
  t.equal(refused?.status, 429);
  t.equal(await refused?.text(), 'Too many requests, please try again later.\n');
  t.match(Object.fromEntries(refused?.headers ?? []), {
    'retry-after': '1',
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'x-kubernetes-pf-flowschema-uid': schema,
    'x-kubernetes-pf-prioritylevel-uid': level,
  });
  t.equal(
    (await ask('bob', 'GET', '/api/v1/namespaces/default/configmaps/x')).headers.get('x-kubernetes-pf-flowschema-uid'),
    schema,
    'refusals say it too',
  );
  await close();
  t.equal(clock.pending, 0);
});

t.test('watches take no seat once they have begun, and schemas count as soon as they are written', async (t) => {
  const { ask, close, clock } = slowServer({ concurrency: 1 });
  const watches = await Promise.all(Array.from({ length: 5 }, () => ask('bob', 'GET', `${slowMaps}?watch=true`)));
  t.strictSame(
    watches.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  for (const { body } of watches) await body?.cancel();
  const spec = {
    priorityLevelConfiguration: { name: 'workload-low' },
    matchingPrecedence: 500,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'bob' } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  };
  const written = await uidOf(
    ask(
      'admin',
      'POST',
      '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
      JSON.stringify({ metadata: { name: 'bobs' }, spec }),
    ),
  );
  const schemaOf = async (who: string): Promise<string | null> =>
    (await ask(who, 'GET', '/version')).headers.get('x-kubernetes-pf-flowschema-uid');
  t.equal(await schemaOf('bob'), written);
  t.not(await schemaOf('eve'), written);
  await ask('admin', 'DELETE', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/bobs');
  t.not(await schemaOf('bob'), written);
  await close();
  t.equal(clock.pending, 0);
  const off = slowServer({ fairness: false });
  t.equal((await off.ask('bob', 'GET', '/version')).headers.get('x-kubernetes-pf-flowschema-uid'), null);
  await off.close();
});
