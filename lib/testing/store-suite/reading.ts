/**
 * Checks of lists: byte order, prefixes, pages, and pages that writers do not disturb.
 */
import { random } from '../../core/index.js';
import type { Entry, Listing, Store } from '../../storage/index.js';
import { expectSame, expectThat } from './expect.js';
import type { StoreCheck } from './harness.js';
import { compareKeys } from './store-model.js';

/**
 * Keys whose order is easily got wrong: siblings of a prefix, characters below and above the slash, the ends of the
 * one-, two-, three- and four-byte ranges of UTF-8, and astral characters, which come last in UTF-8 but, as surrogates,
 * before U+E000 in UTF-16.
 */
const trickyKeys: readonly string[] = [
  '/t/a',
  '/t/a/',
  '/t/a/b',
  '/t/a//',
  '/t/a/b/c',
  '/t/a0',
  '/t/a-b',
  '/t/a.b',
  '/t/a b',
  '/t/A',
  '/t/aa',
  '/t/b',
  '/t/ab',
  '/t/a\u0001',
  '/t/a\u007f',
  '/t/a\u0080',
  '/t/aé',
  '/t/a\u07ff',
  '/t/a\u0800',
  '/t/a\ud7ff',
  '/t/a\ud7ff/x',
  '/t/a\ue000',
  '/t/a\ufffd',
  '/t/a\uffff',
  '/t/a\uffff/x',
  '/t/a\u{10000}',
  '/t/a😀',
  '/t/a😀/x',
  '/t/a\u{10ffff}',
  '/t/a\u{10ffff}x',
  '/t0',
  '/t',
  '/s',
  '/u',
  't',
  '/t/e\u0301',
  '/t/\u00e9',
  '/t/%',
  '/t/*',
  '/t/_',
  '/t/\\',
  "/t/'",
  '/t/"',
  '/t/\n',
];

/** What lists answer. */
export const readingChecks: readonly StoreCheck[] = [
  {
    promise: 'lists are in byte order of their UTF-8 keys',
    run: async ({ store }) => {
      await putAll(store, random('order').shuffle(trickyKeys));
      const { entries } = await store.list('');
      expectSame(keysOf(entries), trickyKeys.toSorted(compareKeys), 'all keys in byte order');
    },
  },
  {
    promise: 'a list has exactly the keys that begin with the prefix',
    run: async ({ store }) => {
      await putAll(store, trickyKeys);
      const odd = [
        '/t/é',
        '/t/a\u007f',
        '/t/a\ud7ff',
        '/t/a\uffff',
        '/t/a😀',
        '/t/a\u{10ffff}',
        '/nothing',
        '/t/%',
        '/t/_',
        '/t/*',
      ];
      for (const prefix of ['', '/', '/t', '/t/', '/t/a', '/t/a/', '/t/a/b', '/t/a//', '/t/a0', ...odd]) {
        const expected = trickyKeys.filter((key) => key.startsWith(prefix)).sort(compareKeys);
        const listing = await store.list(prefix);
        expectSame(keysOf(listing.entries), expected, `the keys that begin with ${JSON.stringify(prefix)}`);
        expectSame(listing.remaining, 0, 'nothing remains without a limit');
      }
    },
  },
  {
    promise: 'a page has at most as many entries as asked for, begins after the key given, and says how many remain',
    run: async ({ store }) => {
      await putAll(store, trickyKeys);
      const revision = await store.revision();
      for (const prefix of ['', '/t/', '/t/a', '/t/a\ud7ff']) {
        const all = trickyKeys.filter((key) => key.startsWith(prefix)).sort(compareKeys);
        for (const limit of [1, 2, 7, all.length, all.length + 1]) {
          for (const after of [
            undefined,
            '/',
            '/t/a',
            '/t/a/',
            '/t/a\u0002',
            '/t/a\uffff',
            '/t/a\u{10ffff}x',
            '/v',
            ...all.slice(-2),
          ]) {
            const rest = all.filter((key) => after === undefined || compareKeys(key, after) > 0);
            const {
              entries,
              remaining,
              revision: read,
            } = await store.list(prefix, { limit, ...(after !== undefined && { after }) });
            const asked = `list(${JSON.stringify(prefix)}, ${JSON.stringify({ limit, after })})`;
            expectSame(keysOf(entries), rest.slice(0, limit), `the page of ${asked}`);
            expectSame(remaining, Math.max(0, rest.length - limit), `what remains after ${asked}`);
            expectSame(read, revision, `the revision of ${asked}`);
          }
        }
      }
    },
  },
  {
    promise: 'a list of many keys is whole, in one piece or in pages',
    run: async ({ store, limits }) => {
      const prefix = '/registry/suite/';
      const keys = Array.from({ length: 1500 }, (_, n) => `${prefix}${String(n).padStart(4, '0')}`);
      await putAll(store, keys, Math.min(limits.operationsMax, 100));
      const whole = await store.list(prefix);
      expectSame(keysOf(whole.entries), keys, 'the list in one piece');
      const paged: Entry[] = [];
      for (let remaining = keys.length; remaining > 0;) {
        const page: Listing = await store.list(prefix, {
          limit: 400,
          revision: whole.revision,
          after: paged.at(-1)?.key ?? prefix,
        });
        paged.push(...page.entries);
        remaining = page.remaining;
        expectThat(
          page.entries.length > 0 && paged.length + remaining === keys.length,
          'every page goes on where the one before ended',
        );
      }
      expectSame(paged, whole.entries, 'the pages together');
    },
  },
  ...[21, 22].map((seed): StoreCheck => ({
    promise: `pages are of one revision: listing on at it is not disturbed by writers (seed ${seed})`,
    run: async ({ store }) => pageAmidWriters(store, seed),
  })),
  {
    promise: 'a read without a revision shows every commit that was answered before it began',
    run: async ({ store }) => {
      const key = '/registry/suite/key';
      for (let count = 0; count < 30; count++) {
        const { revision } = await store.commit({ put: [{ key, value: { count } }] });
        const [got, listed, newest] = await Promise.all([
          store.get(key),
          store.list('/registry/suite/'),
          store.revision(),
        ]);
        expectSame(got.entry?.value, { count }, `a get after commit ${revision}`);
        expectSame(listed.entries[0]?.value, { count }, `a list after commit ${revision}`);
        expectThat(
          Math.min(got.revision, listed.revision, newest) >= revision,
          `no read may claim a revision before ${revision}`,
        );
      }
    },
  },
];

async function pageAmidWriters(store: Store, seed: number): Promise<void> {
  const chance = random(seed);
  const prefix = '/registry/suite/';
  const keys = Array.from({ length: 60 }, (_, n) => `${prefix}${String(n).padStart(2, '0')}`);
  await putAll(store, keys);
  const before = await store.list(prefix);
  let writing = true;
  const write = async (): Promise<void> => {
    for (let round = 0; writing && round < 1000; round++) {
      const key = chance.pick(keys);
      const put = [{ key: chance.next() < 0.5 ? key : `${key}-new`, value: { late: true } }];
      await store.commit(chance.next() < 0.5 ? { delete: [key] } : { put });
    }
  };
  const writers = [write(), write(), write()];
  try {
    const entries: Entry[] = [];
    let page: Listing | undefined;
    do {
      const after = page?.entries.at(-1)?.key;
      page = await store.list(prefix, {
        revision: before.revision,
        limit: 1 + chance.integer(9),
        ...(after !== undefined && { after }),
      });
      entries.push(...page.entries);
      expectSame(page.revision, before.revision, 'every page is of the revision asked for');
      expectSame(page.remaining, before.entries.length - entries.length, 'what remains is counted at that revision');
    } while (page.remaining > 0);
    expectSame(entries, before.entries, 'the pages together are the list at that revision');
  } finally {
    writing = false;
    await Promise.all(writers);
  }
}

/** Puts the keys in transactions of some, with values that tell them apart. */
async function putAll(store: Store, keys: readonly string[], atOnce = 10): Promise<void> {
  for (let start = 0; start < keys.length; start += atOnce) {
    await store.commit({ put: keys.slice(start, start + atOnce).map((key) => ({ key, value: { of: key } })) });
  }
}

function keysOf(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ key, value }) => (value.of === key ? key : `${key} with the value ${JSON.stringify(value)}`));
}
