// The etcd store against a bare loop on the same etcd: the pod as JSON, the request as protobuf, node:http2, the answer
// read beyond its status; no checks, no deadlines, no errors distinguished. Both take turns with 64 transactions in
// flight, and the best round of each counts. etcd syncs every transaction to disk. Nothing is measured where etcd is
// not installed.
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { random, systemClock, type JsonObject } from '../../lib/core/index.js';
import { etcdStore } from '../../lib/storage/etcd/etcd-store.js';
import { frame } from '../../lib/storage/etcd/grpc-frames.js';
import { encodeTxn } from '../../lib/storage/etcd/messages.js';
import type { Store } from '../../lib/storage/index.js';
import { etcdBinary, startEtcd } from '../../test/support/etcd-server.js';
import type { Row } from '../measure.js';
import { samplePod } from '../sample-pod.js';

const inFlight = 64;
const rounds = 15;
const roundMs = 500;
const value = JSON.parse(JSON.stringify(samplePod)) as JsonObject;

/** Measures the etcd store. */
export async function measureEtcd(): Promise<Row[]> {
  if (etcdBinary === undefined) return [];
  const etcd = await startEtcd();
  const store = etcdStore({ endpoints: [etcd.endpoint], clock: systemClock(), random: random('benchmark') });
  const session = connect(etcd.endpoint);
  try {
    return [...(await measureCommits(store, session)), ...(await measureWatch(store)), ...(await measureList(store))];
  } finally {
    session.destroy();
    await store.close();
    await etcd.dispose();
  }
}

async function measureCommits(store: Store, session: ClientHttp2Session): Promise<Row[]> {
  let created = 0;
  const nextKey = (): string => `/registry/pods/default/web-${created++}`;
  const bare = (): Promise<void> => {
    const key = nextKey();
    return bareTxn(
      session,
      encodeTxn({
        compare: [{ key, modRevision: 0 }],
        put: [{ key, value: JSON.stringify(value), lease: undefined }],
        delete: [],
      }),
    );
  };
  const commit = async (): Promise<void> => {
    const key = nextKey();
    await store.commit({ compare: [{ key, modRevision: 0 }], put: [{ key, value }] });
  };
  const best = { bare: noRound, store: noRound, one: noRound };
  for (let round = 0; round < rounds; round++) {
    best.bare = better(best.bare, await callFor(roundMs, inFlight, bare));
    best.store = better(best.store, await callFor(roundMs, inFlight, commit));
    best.one = better(best.one, await callFor(roundMs / 3, 1, commit));
  }
  return [
    { name: `etcd: bare loop, ${inFlight} transactions under way`, value: best.bare.perSecond, unit: '/s' },
    { name: `etcd: commits, ${inFlight} under way`, value: best.store.perSecond, unit: '/s' },
    {
      name: 'etcd: commits, of the bare loop',
      value: (100 * best.store.perSecond) / best.bare.perSecond,
      unit: '%',
      goal: '≥ 80',
    },
    { name: 'etcd: CPU of a commit here, bare loop', value: best.bare.cpuMicroseconds, unit: 'µs' },
    { name: 'etcd: CPU of a commit here, store', value: best.store.cpuMicroseconds, unit: 'µs' },
    { name: 'etcd: commits, one after the other', value: best.one.perSecond, unit: '/s' },
  ];
}

async function measureWatch(store: Store): Promise<Row[]> {
  const key = '/registry/watched/key';
  const tookMs: number[] = [];
  let calledAt = 0;
  let received: () => void = () => undefined;
  const watch = store.watch('/registry/watched/', { after: await store.revision() }).subscribe(() => {
    tookMs.push(performance.now() - calledAt);
    received();
  });
  for (let count = 0; count < 500; count++) {
    const heard = new Promise<void>((resolve) => (received = resolve));
    calledAt = performance.now();
    await Promise.all([heard, store.commit({ put: [{ key, value: { count, ...value } }] })]);
  }
  watch.unsubscribe();
  tookMs.sort((a, b) => a - b);
  return [
    { name: 'etcd: from commit to watcher, median', value: tookMs[250] ?? NaN, unit: 'ms' },
    { name: 'etcd: from commit to watcher, 99 of 100', value: tookMs[495] ?? NaN, unit: 'ms' },
  ];
}

async function measureList(store: Store): Promise<Row[]> {
  const { entries } = await store.list('/registry/pods/', { limit: 10_000 });
  let bestMs = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    await store.list('/registry/pods/', { limit: 10_000 });
    bestMs = Math.min(bestMs, performance.now() - start);
  }
  return [{ name: `etcd: list ${entries.length} pods`, value: bestMs, unit: 'ms' }];
}

interface Round {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

const noRound: Round = { perSecond: 0, cpuMicroseconds: 0 };

function better(a: Round, b: Round): Round {
  return a.perSecond > b.perSecond ? a : b;
}

/** Calls for that long, with so many calls under way. */
async function callFor(ms: number, callers: number, call: () => Promise<void>): Promise<Round> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  let calls = 0;
  const callOn = async (): Promise<void> => {
    while (performance.now() - start < ms) {
      await call();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, callOn));
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (calls * 1000) / took, cpuMicroseconds: (user + system) / calls };
}

function bareTxn(session: ClientHttp2Session, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/etcdserverpb.KV/Txn',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let status: unknown;
    stream.on('trailers', (headers: IncomingHttpHeaders) => {
      status = headers['grpc-status'];
    });
    stream.on('data', () => undefined);
    stream.on('error', reject);
    stream.on('close', () => (status === '0' ? resolve() : reject(new Error(`status ${String(status)}`))));
    stream.end(frame(request));
  });
}
