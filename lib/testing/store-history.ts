/**
 * Drives a store with concurrent clients and records each call with its times and result. The checkers of
 * linearizability.ts then say whether one order of all operations explains it. Chance decides what clients do and how
 * they interleave; with a deterministic store the same seed gives the same history.
 */
import { pause, random, type Clock, type Random } from '../core/index.js';
import { isStoreError, type Store } from '../storage/index.js';
import type { History, RecordedOperation } from './store-history/history.js';
import { followWatch } from './store-history/watch-followers.js';
import { HistoryClient, historyKeys, historyPrefix, type WorkloadRequest } from './store-history/workload.js';

export type {
  CommitOperation,
  GetOperation,
  History,
  ListOperation,
  RecordedOperation,
  Violation,
  WatchRecord,
} from './store-history/history.js';
export { describeOperation } from './store-history/history.js';

/** The workload. */
export interface RecordOptions {
  readonly seed: number | string;
  /** How many work at once. */
  readonly clients: number;
  /** How many operations they do together. */
  readonly operations: number;
  /** How many keys they share: few for much contention. */
  readonly keys: number;
  /** One that moves by itself: for waiting while the store is unavailable, and for giving up on a watch. */
  readonly clock: Clock;
  /** How long watches may see nothing new at the end, while they catch up. Default 5000. */
  readonly patienceMs?: number;
}

/**
 * Runs the workload to its end and returns its history. What was refused as `unavailable` did not happen and is left
 * out; commits with an `unknown-outcome` are kept as such. Any other error is thrown.
 */
export async function recordHistory(store: Store, options: RecordOptions): Promise<History> {
  const { clock, patienceMs = 5000 } = options;
  const chance = random(options.seed);
  const initial = await store.list(historyPrefix);
  const followers = [
    followWatch(store, { prefix: historyPrefix, after: initial.revision, clock }),
    followWatch(store, { prefix: `${historyPrefix}a/`, after: initial.revision, clock }),
    followWatch(store, { prefix: historyPrefix, after: initial.revision, clock, restless: chance.stream('restless') }),
  ];
  const operations: RecordedOperation[] = [];
  let moment = 0;
  let left = options.operations;

  const attempt = async (client: number, request: WorkloadRequest): Promise<RecordedOperation | undefined> => {
    const called = moment++;
    try {
      const answered = await perform(store, request);
      const operation = { ...answered, client, called, returned: moment++ };
      operations.push(operation);
      return operation;
    } catch (error) {
      if (!isStoreError(error, 'unavailable') && !isStoreError(error, 'unknown-outcome')) throw error;
      if (request.type === 'commit' && error.code === 'unknown-outcome') {
        operations.push({ ...request, client, called, returned: moment++, answer: undefined });
      }
      return undefined;
    }
  };

  const work = async (name: number): Promise<void> => {
    const own = chance.stream(`client ${name}`);
    const client = new HistoryClient(name, own, { keys: historyKeys(options.keys), start: initial.revision });
    while (left > 0) {
      left -= 1;
      await idle(own);
      const operation = await attempt(name, client.draw());
      if (operation !== undefined) client.learn(operation);
      else await pause(clock, 1 + own.integer(20));
    }
  };

  try {
    await Promise.all(Array.from({ length: options.clients }, (_, name) => work(name)));
    // A last look at everything, so that nothing written last goes unseen.
    let last = await attempt(options.clients, { type: 'list', prefix: historyPrefix, options: {} });
    while (last === undefined) {
      await pause(clock, 20);
      last = await attempt(options.clients, { type: 'list', prefix: historyPrefix, options: {} });
    }
    const until = last.answer?.revision ?? initial.revision;
    return {
      initial,
      operations,
      watches: await Promise.all(followers.map((follower) => follower.finish(until, patienceMs))),
    };
  } finally {
    for (const follower of followers) follower.stop();
  }
}

async function perform(store: Store, request: WorkloadRequest) {
  switch (request.type) {
    case 'get': {
      const { key, revision } = request;
      return { ...request, answer: await store.get(key, revision === undefined ? {} : { revision }) };
    }
    case 'list':
      return { ...request, answer: await store.list(request.prefix, request.options) };
    case 'commit':
      return { ...request, answer: await store.commit(request.transaction) };
  }
}

/** Some microtasks of doing nothing: enough to shuffle the clients of a store that answers in a few. */
async function idle(chance: Random): Promise<void> {
  for (let turn = chance.integer(6); turn > 0; turn--) await Promise.resolve();
}
