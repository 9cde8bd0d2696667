/**
 * Checks of watchers among each other: one that leaves, comes back, or writes while it listens must not change what the
 * others receive, nor in which order.
 */
import { random } from '../../core/index.js';
import type { Batch, Revision } from '../../storage/index.js';
import { expectSame, expectSoon, expectThat } from './expect.js';
import type { StoreCheck, StoreHarness } from './harness.js';
import { recordWatch, watchReaches, type WatchRecording } from './watch-recording.js';
import { expectOrdered } from './watching.js';

const prefix = '/registry/suite/';
const key = `${prefix}key`;

/** How watchers get along. */
export const watchIndependenceChecks: readonly StoreCheck[] = [
  ...[41, 42].map((seed): StoreCheck => ({
    promise: `watches are resumable: interrupted again and again while others write, none misses anything or sees it twice (seed ${seed})`,
    run: async (harness) => resumeAgainAndAgain(harness, seed),
  })),
  {
    promise: 'a watcher that writes while it listens disturbs no other: all see every revision in order',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const writes: Promise<unknown>[] = [];
      const write = (commit: Promise<unknown>): void => {
        commit.catch(() => undefined); // awaited below, unless the check fails before
        writes.push(commit);
      };
      const echo = ({ changes }: Batch): void => {
        for (const change of changes) {
          const depth = Number(change.type === 'put' ? change.entry.value.depth : 0);
          if (depth > 0) write(store.commit({ put: [{ key: change.key, value: { depth: depth - 1 } }] }));
        }
      };
      const watches = [
        recordWatch(store, prefix, { after: start }),
        recordWatch(store, prefix, { after: start, onBatch: echo }),
        recordWatch(store, prefix, { after: start }),
        recordWatch(store, '', { after: start }),
      ];
      await store.commit({
        put: [
          { key: `${key}-a`, value: { depth: 10 } },
          { key: `${key}-b`, value: { depth: 5 } },
        ],
      });
      const claim = (): string =>
        `a watcher that commits must go on receiving: 15 commits expected, ${writes.length} made`;
      await expectSoon(harness, () => writes.length === 15, claim);
      await Promise.all(writes);
      for (const watch of watches) {
        await watchReaches(harness, watch, start + 16);
        expectSame(revisionsOf(watch), revisions(start + 1, start + 16), 'every watcher sees every revision, in order');
        watch.stop();
      }
    },
  },
  {
    promise: 'unsubscribing stops delivery at once, from within a batch too, and leaves the others alone',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      for (let count = 1; count <= 5; count++) await store.commit({ put: [{ key, value: { count } }] });
      // The first stops itself in the midst of a backlog and the second when the first receives revision 3.
      const first = recordWatch(store, prefix, {
        after: start,
        onBatch: ({ revision }, self) => {
          if (revision === start + 3) self.stop();
        },
      });
      let secondAtStop = -1;
      const third = recordWatch(store, prefix, {
        after: start,
        onBatch: ({ revision }) => {
          if (revision !== start + 7) return;
          second.stop();
          secondAtStop = second.batches.length;
        },
      });
      const second = recordWatch(store, prefix, { after: start });
      await watchReaches(harness, second, start + 5);
      for (let count = 6; count <= 10; count++) await store.commit({ put: [{ key, value: { count } }] });
      await watchReaches(harness, third, start + 10);
      expectSame(revisionsOf(third), revisions(start + 1, start + 10), 'the watcher that stayed sees everything');
      expectSame(
        revisionsOf(first),
        revisions(start + 1, start + 3),
        'a watcher that unsubscribed within a batch must receive nothing more',
      );
      expectSame(second.batches.length, secondAtStop, 'a watcher unsubscribed by another must receive nothing more');
    },
  },
  {
    promise: 'what a watch has shown, every read shows from then on',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      const looks: Promise<void>[] = [];
      const look = async ({ revision, changes }: Batch): Promise<void> => {
        const [change] = changes;
        if (change === undefined) return;
        const [got, listed, newest] = await Promise.all([store.get(change.key), store.list(prefix), store.revision()]);
        const earliest = Math.min(got.revision, listed.revision, newest);
        expectThat(
          earliest >= revision,
          `a read from within a watch at revision ${revision} must not be of revision ${earliest}`,
        );
        expectThat(
          (got.entry?.modRevision ?? 0) >= revision,
          `what a watch showed at revision ${revision} must be there to read`,
        );
      };
      const watch = recordWatch(store, prefix, {
        after: start,
        onBatch: (batch) => {
          const looking = look(batch);
          looking.catch(() => undefined); // awaited below, unless the check fails before
          looks.push(looking);
        },
      });
      await Promise.all(
        Array.from({ length: 40 }, (_, n) => store.commit({ put: [{ key: `${key}-${n % 4}`, value: { n } }] })),
      );
      await watchReaches(harness, watch, start + 40);
      await Promise.all(looks);
      watch.stop();
    },
  },
  {
    promise: 'a watch is cold: every subscription begins anew at its revision and ends alone',
    run: async (harness) => {
      const { store } = harness;
      const start = await store.revision();
      await store.commit({ put: [{ key, value: { count: 1 } }] });
      const watches = [1, 2, 3].map(() => recordWatch(store, prefix, { after: start }));
      watches[1]?.stop();
      await store.commit({ put: [{ key, value: { count: 2 } }] });
      for (const watch of [watches[0], watches[2]]) {
        expectThat(watch !== undefined, 'there are three watches');
        await watchReaches(harness, watch, start + 2);
        expectSame(revisionsOf(watch), [start + 1, start + 2], 'each subscription sees everything after its revision');
        watch.stop();
      }
    },
  },
  {
    promise: 'many watchers that come and go while writers go on see all between coming and going',
    run: async (harness) => {
      const { store } = harness;
      const chance = random('coming and going');
      const start = await store.revision();
      const comers: { readonly after: Revision; readonly watch: WatchRecording }[] = [];
      for (let count = 1; count <= 100; count++) {
        const after = start + chance.integer(count);
        comers.push({ after, watch: recordWatch(store, prefix, { after }) });
        if (chance.next() < 0.5) chance.pick(comers).watch.stop();
        await store.commit({ put: [{ key: `${key}-${chance.integer(5)}`, value: { count } }] });
      }
      const last = recordWatch(store, prefix, { after: start });
      await watchReaches(harness, last, start + 100);
      for (const { after, watch } of comers) {
        expectOrdered(watch, after);
        expectSame(
          revisionsOf(watch),
          revisions(after + 1, watch.seen),
          `a watcher after ${after} sees everything until it goes`,
        );
        watch.stop();
      }
      last.stop();
    },
  },
];

async function resumeAgainAndAgain(harness: StoreHarness, seed: number): Promise<void> {
  const { store } = harness;
  const chance = random(seed);
  const start = await store.revision();
  const commits = 200;
  const write = async (): Promise<void> => {
    for (let count = 1; count <= commits; count++)
      await store.commit({ put: [{ key: `${key}-${count % 3}`, value: { count } }] });
  };
  const seen: Revision[] = [];
  const resume = async (): Promise<void> => {
    for (let after = start; after < start + commits;) {
      const patience = 1 + chance.integer(12);
      let received = 0;
      const watch = recordWatch(store, prefix, {
        after,
        onBatch: (_batch, self) => (++received >= patience ? self.stop() : undefined),
      });
      const enough = (): boolean => received >= patience || watch.seen >= start + commits;
      await expectSoon(harness, enough, () => `a watch after revision ${after} must show revision ${watch.seen + 1}`);
      watch.stop();
      expectOrdered(watch, after);
      seen.push(...revisionsOf(watch));
      after = watch.seen;
    }
  };
  await Promise.all([write(), resume()]);
  expectSame(seen, revisions(start + 1, start + commits), 'the parts of an interrupted watch together are the whole');
}

function revisionsOf({ events }: WatchRecording): readonly Revision[] {
  return events.map(({ revision }) => revision);
}

function revisions(first: Revision, last: Revision): readonly Revision[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
