// The checkers of stores are checked: the suite and the judges of histories pass what is right and fail what is broken.
import t from 'tap';
import { deepEqual, random, systemClock } from '../../lib/core/index.js';
import { StoreError, type Entry, type Store, type Transaction } from '../../lib/storage/index.js';
import { checkRegisters, checkRevisions, registersOf, type RegisterOperation } from '../../lib/testing/public.js';
import {
  recordHistory,
  type CommitOperation,
  type History,
  type RecordedOperation,
  type WatchRecord,
} from '../../lib/testing/store-history.js';
import { storeSuite } from '../../lib/testing/store-suite.js';
import { damaged, defects, referenceHarness, type Defect } from '../support/broken-stores.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

t.test('the reference store keeps every promise', async (t) => {
  const checks: Promise<unknown>[] = [];
  storeSuite(
    (name, run) => checks.push(t.test(name, run)),
    () => referenceHarness(),
  );
  await Promise.all(checks);
});

/** The errors of the checks whose name matches what the defect should break. */
async function breakages(defect: Defect): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const checks: (() => Promise<void>)[] = [];
  storeSuite(
    (name, run) => (defect.breaks.test(name) ? checks.push(run) : undefined),
    () => referenceHarness(defect),
  );
  for (const run of checks) await run().catch((error: unknown) => errors.push(error));
  return errors;
}

t.test('the suite catches broken stores and names the promise they break', async (t) => {
  for (const defect of defects) t.match(await breakages(defect), [/^Error: broke the promise: /], defect.name);
});

t.test('histories by hand', async (t) => {
  const [a, b] = ['/a', '/b'];
  const entry = (key: string, value: string, revisions: readonly [number, number]): Entry => ({
    key,
    value: { is: value },
    createRevision: revisions[0],
    modRevision: revisions[1],
  });
  const at = (
    client: number,
    called: number,
    returned: number,
  ): { client: number; called: number; returned: number } => ({ client, called, returned });
  const put = (
    when: ReturnType<typeof at>,
    transaction: Transaction,
    revision: number | undefined,
  ): CommitOperation => ({
    ...when,
    type: 'commit',
    transaction,
    answer: revision === undefined ? undefined : { committed: true, revision },
  });
  const get = (
    when: ReturnType<typeof at>,
    key: string,
    found: Entry | undefined,
    revision: number,
  ): RecordedOperation => ({
    ...when,
    type: 'get',
    key,
    revision: undefined,
    answer: { entry: found, revision },
  });
  const write = (key: string, value: string): Transaction => ({ put: [{ key, value: { is: value } }] });
  const swap = (key: string, modRevision: number, value: string): Transaction => ({
    compare: [{ key, modRevision }],
    ...write(key, value),
  });
  const history = (operations: readonly RecordedOperation[], watches: readonly WatchRecord[] = []): History => ({
    initial: { entries: [], revision: 1, remaining: 0 },
    operations,
    watches,
  });
  const revisionsSay = (judged: History): string => checkRevisions(judged)?.sentence ?? 'right';
  const registersSay = (judged: History): string => checkRegisters(registersOf(judged))?.sentence ?? 'right';

  t.test('a read that overlaps a write may see it or not', async (t) => {
    for (const [found, revision] of [
      [undefined, 1],
      [entry(a, 'x', [2, 2]), 2],
    ] as const) {
      const judged = history([put(at(0, 0, 3), write(a, 'x'), 2), get(at(1, 1, 2), a, found, revision)]);
      t.equal(revisionsSay(judged), 'right');
      t.equal(registersSay(judged), 'right');
    }
  });

  t.test('a stale read', async (t) => {
    const stale = history([
      put(at(0, 0, 1), write(a, 'x'), 2),
      put(at(0, 2, 3), write(a, 'y'), 3),
      get(at(1, 4, 5), a, entry(a, 'x', [2, 2]), 2),
    ]);
    t.match(revisionsSay(stale), /real time is not respected: client 1 \(4–5\): get \/a .* returned: client 0 \(2–3\)/);
    t.match(registersSay(stale), /no order .* explains \/a: at best 2 of 3 .* client 1 \(4–5\) read \{"is":"x"\}/);
    const lying = history([
      put(at(0, 0, 1), write(a, 'x'), 2),
      put(at(0, 2, 3), write(a, 'y'), 3),
      get(at(1, 4, 5), a, entry(a, 'x', [2, 2]), 3),
    ]);
    t.match(revisionsSay(lying), /client 1 \(4–5\): get \/a .* but at revision 3 the answer is .*"is":"y"/);
  });

  t.test('reads that go back and forth', async (t) => {
    const backwards = history([
      put(at(0, 0, 9), write(a, 'x'), 2),
      get(at(1, 1, 2), a, entry(a, 'x', [2, 2]), 2),
      get(at(2, 3, 4), a, undefined, 1),
    ]);
    t.match(revisionsSay(backwards), /real time/);
    t.match(registersSay(backwards), /no order/);
  });

  t.test('a lost update', async (t) => {
    const lost = history([
      put(at(0, 0, 1), write(a, 'x'), 2),
      put(at(1, 2, 5), swap(a, 2, 'y'), 3),
      put(at(2, 3, 4), swap(a, 2, 'z'), 4),
    ]);
    t.match(
      revisionsSay(lost),
      /client 2 \(3–4\): if \/a is at 2: put \/a .* its conditions did not hold at revision 3: \/a was at 3/,
    );
    t.match(registersSay(lost), /no order .* swapped \{"is":"x"\}/);
  });

  t.test('a write that was answered but never happened', async (t) => {
    const lost = history([put(at(0, 0, 1), write(a, 'x'), 2), put(at(0, 2, 3), write(b, 'y'), 2)]);
    t.match(revisionsSay(lost), /real time/);
    const concurrent = history([put(at(0, 0, 3), write(a, 'x'), 2), put(at(1, 1, 2), write(b, 'y'), 2)]);
    t.match(revisionsSay(concurrent), /two commits claim revision 2/);
    const vanished = history([put(at(0, 0, 1), write(a, 'x'), 2), get(at(0, 2, 3), a, undefined, 2)]);
    t.match(revisionsSay(vanished), /get \/a → absent at revision 2; but at revision 2/);
    t.match(registersSay(vanished), /read nothing/);
  });

  t.test('a torn write of two keys', async (t) => {
    const both: Transaction = {
      put: [
        { key: a, value: { is: 'x' } },
        { key: b, value: { is: 'x' } },
      ],
    };
    const listed: RecordedOperation = {
      ...at(1, 1, 2),
      type: 'list',
      prefix: '/',
      options: {},
      answer: { entries: [entry(a, 'x', [2, 2])], revision: 2, remaining: 0 },
    };
    const torn = history([put(at(0, 0, 3), both, 2), listed]);
    t.match(revisionsSay(torn), /list \/ .* but at revision 2 the answer is .*\/b.* after client 0/);
    t.equal(registersSay(torn), 'right', 'key by key there is nothing wrong with it');
  });

  t.test('a revision left out', async (t) => {
    const gap = [put(at(0, 0, 1), write(a, 'x'), 2), put(at(0, 2, 3), write(a, 'y'), 4)];
    t.match(revisionsSay(history(gap)), /gapless, but no commit claims or can have made revision 3/);
    const lost = put(at(1, 0, 5), write(b, 'z'), undefined);
    t.equal(revisionsSay(history([...gap, lost])), 'right', 'an answer that was lost explains it');
    const late = put(at(1, 4, 5), write(b, 'z'), undefined);
    t.match(revisionsSay(history([...gap, late])), /gapless/, 'but not when it was asked too late');
    const conditional = put(at(1, 0, 5), swap(b, 7, 'z'), undefined);
    t.match(revisionsSay(history([...gap, conditional])), /gapless/, 'nor when its conditions did not hold');
  });

  t.test('which of several lost answers came true is found out', async (t) => {
    const lost = ['p', 'q', 'r'].map((value, client) => put(at(client, client, 9), write(a, value), undefined));
    const seen = get(at(4, 10, 11), a, entry(a, 'r', [2, 3]), 3);
    t.equal(revisionsSay(history([...lost, seen])), 'right');
    t.equal(registersSay(history([...lost, seen])), 'right');
    const twice = history([...lost, seen, get(at(4, 12, 13), a, entry(a, 'r', [2, 4]), 4)]);
    t.match(revisionsSay(twice), /get \/a/, 'no write comes true twice');
    t.match(
      registersSay(history([...lost, get(at(4, 10, 11), a, entry(a, 's', [2, 3]), 3)])),
      /no order/,
      'nor one that no client made',
    );
  });

  t.test('commits that change nothing, and deletes at one revision', async (t) => {
    const remove: Transaction = { delete: [a] };
    const right = [
      put(at(0, 0, 1), write(a, 'x'), 2),
      put(at(1, 2, 5), remove, 3),
      put(at(2, 3, 4), remove, 3),
      put(at(2, 6, 7), { compare: [{ key: a, modRevision: 0 }] }, 3),
    ];
    t.equal(revisionsSay(history(right)), 'right', 'one of two concurrent deletes finds nothing to delete');
    t.match(
      revisionsSay(history([...right, put(at(3, 8, 9), remove, 4)])),
      /gapless/,
      'a delete of an absent key takes no revision',
    );
    t.match(
      revisionsSay(history([right[0]!, put(at(1, 2, 5), { delete: [a], compare: [{ key: a, modRevision: 9 }] }, 3)])),
      /revision 3/,
      'a failed condition deletes nothing',
    );
    t.match(
      revisionsSay(history([right[0]!, put(at(1, 2, 5), remove, 2)])),
      /delete \/a → committed at revision 2; but/,
      'a delete that deletes takes a revision',
    );
  });

  t.test('failed commits', async (t) => {
    const failed = (found: readonly (Entry | undefined)[], revision: number): RecordedOperation => ({
      ...at(1, 2, 3),
      type: 'commit',
      transaction: swap(a, 0, 'z'),
      answer: { committed: false, revision, found },
    });
    const first = put(at(0, 0, 1), write(a, 'x'), 2);
    t.equal(revisionsSay(history([first, failed([entry(a, 'x', [2, 2])], 2)])), 'right');
    t.match(
      revisionsSay(history([first, failed([undefined], 2)])),
      /if \/a is at 0/,
      'what was found must be what was there',
    );
    t.match(registersSay(history([first, failed([undefined], 2)])), /no order/);
    const spurious: RecordedOperation = {
      ...at(1, 2, 3),
      type: 'commit',
      transaction: swap(a, 2, 'z'),
      answer: { committed: false, revision: 2, found: [entry(a, 'x', [2, 2])] },
    };
    t.match(
      revisionsSay(history([first, spurious])),
      /if \/a is at 2/,
      'a commit must not fail when its conditions hold',
    );
  });

  t.test('watches', async (t) => {
    const commits = [
      put(at(0, 0, 1), write(a, 'x'), 2),
      put(at(0, 2, 3), write(a, 'y'), 3),
      put(at(0, 4, 5), write(b, 'z'), 4),
    ];
    const [x, y] = [entry(a, 'x', [2, 2]), entry(a, 'y', [2, 3])];
    const second = { revision: 2, changes: [{ type: 'put', key: a, entry: x, previous: undefined }] } as const;
    const third = { revision: 3, changes: [{ type: 'put', key: a, entry: y, previous: x }] } as const;
    const mark = (revision: number): { revision: number; changes: [] } => ({ revision, changes: [] });
    const say = (...batches: WatchRecord['batches']): string =>
      revisionsSay(history(commits, [{ prefix: '/a', after: 1, batches, until: 4 }]));
    t.equal(say(second, third, mark(4)), 'right');
    t.equal(say(second, mark(2), third, mark(3), mark(4), mark(4)), 'right');
    t.match(
      say(third, second, mark(4)),
      /changes of revision 2 after it had seen everything up to 3; watches are ordered/,
    );
    t.match(say(second, second, third, mark(4)), /unique/);
    t.match(say(second, mark(3), third, mark(4)), /a bookmark says that everything up to it was seen/);
    t.match(say(second, third, mark(2), mark(4)), /bookmark at revision 2 after/);
    t.match(say(second, mark(4)), /leaves out revision 3/);
    t.match(say(second, third), /given the time to reach revision 4, but stands at 3/);
    t.match(
      say(second, { ...third, changes: [{ ...third.changes[0], previous: undefined }] }, mark(4)),
      /shows .* for revision 3, which changed/,
    );
    t.match(
      say(second, third, {
        revision: 4,
        changes: [{ type: 'put', key: b, entry: entry(b, 'z', [4, 4]), previous: undefined }],
      }),
      /not below its prefix/,
    );
    t.match(say(second, third, mark(4), mark(5)), /gapless/, 'a bookmark of a revision that never was');
  });
});

t.test('registers are judged as trying every order judges them', async (t) => {
  const value = fc.constantFrom(undefined, 'x', 'y');
  const action = fc.oneof(
    fc.record({ type: fc.constant('read' as const), saw: value }),
    fc.record({ type: fc.constant('write' as const), value }),
    fc.record({ type: fc.constant('swap' as const), expected: value, value, swapped: fc.boolean() }),
  );
  const operations = fc
    .array(fc.record({ action, moments: fc.tuple(fc.nat(30), fc.nat(30)), lost: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    })
    .map((drawn) =>
      drawn.map(({ action, moments: [x, y], lost }, client): RegisterOperation => ({
        client,
        key: '/k',
        // No two events at one moment: which of them came first would be undefined.
        called: Math.min(x, y) * 20 + client,
        returned: Math.max(x, y) * 20 + client + 10,
        action,
        lost: lost && client % 2 === 0,
      })),
    );
  let right = 0;
  let wrong = 0;
  fc.assert(
    fc.property(operations, value, (drawn, initial) => {
      const expected = someOrderExplains(drawn, initial);
      const verdict = checkRegisters({
        initial: new Map(initial === undefined ? [] : [['/k', initial]]),
        operations: drawn,
      });
      if (expected) right += 1;
      else wrong += 1;
      return (verdict === undefined) === expected;
    }),
    { numRuns: runs(2000) },
  );
  t.ok(
    right >= seenAtLeast(200) && wrong >= seenAtLeast(200),
    `both verdicts were called for: ${right} right, ${wrong} wrong`,
  );
});

/** Tries every order, the slow way. */
function someOrderExplains(open: readonly RegisterOperation[], value: string | undefined): boolean {
  if (open.every(({ lost = false }) => lost)) return true;
  return open.some((next) => {
    const rest = open.filter((each) => each !== next);
    if (rest.some(({ returned, lost = false }) => !lost && returned < next.called)) return false;
    const { action, lost = false } = next;
    if (action.type === 'write') return someOrderExplains(rest, action.value);
    if (action.type === 'read') return (lost || action.saw === value) && someOrderExplains(rest, value);
    const holds = action.expected === value;
    return (lost || holds === action.swapped) && someOrderExplains(rest, holds ? action.value : value);
  });
}

/**
 * Carries out one operation after another on a plain Map, and has their calls and returns overlap around those points.
 */
function serialHistory(
  seed: number,
  count: number,
  { clients, lost }: { readonly clients: number; readonly lost: number },
): History {
  const chance = random(seed);
  const entries = new Map<string, Entry>();
  const keys = ['/a', '/b', '/c', '/d'];
  const busyUntil = Array.from({ length: clients }, () => 0);
  const operations: RecordedOperation[] = [];
  let revision = 1;
  for (let point = 1; operations.length < count; point += 10) {
    const client = busyUntil.findIndex((until) => until < point);
    if (client < 0) continue;
    const called = Math.max(busyUntil[client]! + 1, point - chance.integer(40)) + client / 100;
    const returned = point + chance.integer(40) + client / 100;
    busyUntil[client] = Math.ceil(returned) + 1;
    const key = chance.pick(keys);
    const when = { client, called, returned };
    if (chance.next() < 0.4) {
      operations.push({
        ...when,
        type: 'get',
        key,
        revision: undefined,
        answer: { entry: entries.get(key), revision },
      });
      continue;
    }
    const expected = (entries.get(key)?.modRevision ?? 0) + (chance.next() < 0.3 ? 1 : 0);
    const compare = chance.next() < 0.6 ? [{ key, modRevision: expected }] : [];
    const other = chance.pick(keys.filter((each) => each !== key));
    const transaction: Transaction =
      chance.next() < 0.2
        ? { compare, delete: [key] }
        : { compare, put: [key, other].map((each) => ({ key: each, value: { at: `${point} ${each}` } })) };
    const holds = compare.every((each) => (entries.get(each.key)?.modRevision ?? 0) === each.modRevision);
    const answerLost = chance.next() < lost;
    const operation = { ...when, type: 'commit', transaction } as const;
    if (!holds) {
      operations.push({
        ...operation,
        answer: answerLost
          ? undefined
          : { committed: false, revision, found: compare.map((each) => entries.get(each.key)) },
      });
    } else if (answerLost && chance.next() < 0.5) {
      operations.push({ ...operation, answer: undefined }); // never happened
    } else {
      if (transaction.put !== undefined || entries.has(key)) revision += 1;
      for (const { key: each, value } of transaction.put ?? [])
        entries.set(each, {
          key: each,
          value,
          createRevision: entries.get(each)?.createRevision ?? revision,
          modRevision: revision,
        });
      for (const each of transaction.delete ?? []) entries.delete(each);
      operations.push({ ...operation, answer: answerLost ? undefined : { committed: true, revision } });
    }
  }
  return { initial: { entries: [], revision: 1, remaining: 0 }, operations, watches: [] };
}

t.test('histories of a serial model are always right', async (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const history = serialHistory(seed, 150, { clients: 1 + (seed % 8), lost: seed % 3 === 0 ? 0.08 : 0 });
    t.equal(checkRevisions(history)?.sentence, undefined, `seed ${seed}`);
    t.equal(checkRegisters(registersOf(history))?.sentence, undefined, `seed ${seed}`);
  }
});

t.test('histories of a serial model with one answer changed are wrong', async (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const history = serialHistory(seed, 150, { clients: 1 + (seed % 8), lost: 0 });
    const gets = history.operations.filter(
      (operation) => operation.type === 'get' && operation.answer.entry !== undefined,
    );
    const changed = random(seed).pick(gets);
    const operations = history.operations.map((operation) =>
      operation !== changed || operation.type !== 'get'
        ? operation
        : { ...operation, answer: { ...operation.answer, entry: undefined } },
    );
    const violation = checkRevisions({ ...history, operations });
    t.match(violation?.sentence, /get .* → absent/, `seed ${seed}`);
  }
});

t.test('recorded histories', async (t) => {
  const options = { clients: 8, keys: 6, clock: systemClock(), patienceMs: 100 };
  const record = async (store: Store, seed: number, operations: number): Promise<History> =>
    recordHistory(store, { ...options, seed, operations });

  t.test('the reference store stands 20,000 operations', async (t) => {
    const harness = await referenceHarness();
    const history = await recordHistory(harness.store, {
      seed: 'long',
      clients: 16,
      keys: 8,
      operations: 20_000,
      clock: systemClock(),
    });
    t.ok(history.operations.length >= 20_000);
    t.ok(
      history.operations.some((operation) => operation.type === 'commit' && operation.answer?.committed === false),
      'some conditions failed',
    );
    t.equal(checkRevisions(history)?.sentence, undefined);
    t.equal(checkRegisters(registersOf(history))?.sentence, undefined);
    await harness.dispose();
  });

  t.test('the same seed gives the same history', async (t) => {
    const harnesses = [await referenceHarness(), await referenceHarness()];
    const [first, second] = await Promise.all(harnesses.map(({ store }) => record(store, 7, 500)));
    t.ok(deepEqual(first?.operations, second?.operations));
    const other = await referenceHarness();
    t.notOk(deepEqual((await record(other.store, 8, 500)).operations, first?.operations));
  });

  t.test('a store that loses answers is still judged right, and its lost writes are used', async (t) => {
    const { store } = await referenceHarness();
    const chance = random('lossy');
    const lossy = damaged(store, {
      commit: async (transaction) => {
        if (chance.next() < 0.03) throw new StoreError('unavailable', 'not now');
        if (chance.next() < 0.02) throw new StoreError('unknown-outcome', 'lost on the way there');
        const outcome = await store.commit(transaction);
        if (chance.next() < 0.03) throw new StoreError('unknown-outcome', 'lost on the way back');
        return outcome;
      },
    });
    const history = await record(lossy, 1, 3000);
    t.ok(history.operations.filter(({ answer }) => answer === undefined).length > 50);
    t.equal(checkRevisions(history)?.sentence, undefined);
    t.equal(checkRegisters(registersOf(history))?.sentence, undefined);
  });

  for (const name of [
    'a get now and then answers from the revision before, and claims the newest',
    'now and then a write is answered but lost',
    'conditions are looked at before the write, not with it',
    'the puts of a transaction are written one by one',
    'a watch drops every 100th batch',
    'a watch shows now and then a batch twice',
    'a watch splits batches',
  ]) {
    t.test(`are wrong when ${name}`, async (t) => {
      const { store } = await referenceHarness(defects.find((defect) => defect.name === name));
      const violation = checkRevisions(await record(store, 1, 1500));
      t.match(violation?.sentence, /revision|real time/);
    });
  }

  t.test('are wrong key by key too, where a key by itself is', async (t) => {
    for (const name of [
      'a get now and then answers from the revision before, and claims the newest',
      'conditions are looked at before the write, not with it',
    ]) {
      const { store } = await referenceHarness(defects.find((defect) => defect.name === name));
      const violation = checkRegisters(registersOf(await record(store, 1, 1500)));
      t.match(violation?.sentence, /no order of the operations explains/, name);
    }
  });
});
