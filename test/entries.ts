// The public entries: what a program that imports them finds.
import t from 'tap';
import * as client from '../lib/client/index.js';
import * as clientNode from '../lib/client/node/index.js';
import * as core from '../lib/core/index.js';
import * as main from '../lib/index.js';
import * as encryption from '../lib/storage/encryption/index.js';
import * as etcd from '../lib/storage/etcd/index.js';
import * as storage from '../lib/storage/index.js';
import * as sqlite from '../lib/storage/sqlite/index.js';
import * as testing from '../lib/testing/index.js';

t.test('the main entry offers the very things that the others do', async (t) => {
  const all: Readonly<Record<string, unknown>> = { ...core, ...storage };
  for (const [name, value] of Object.entries(main)) t.equal(value, all[name], name);
});

t.test('no two entries use one name for different things', async (t) => {
  const seen = new Map<string, unknown>();
  for (const entry of [core, storage, sqlite, etcd, encryption, client, clientNode, testing]) {
    for (const [name, value] of Object.entries(entry)) {
      t.ok(!seen.has(name) || seen.get(name) === value, name);
      seen.set(name, value);
    }
  }
});

t.test('every backend is made by a function named after it', async (t) => {
  t.type(storage.memoryStore, 'function');
  t.type(sqlite.sqliteStore, 'function');
  t.type(etcd.etcdStore, 'function');
});

t.test('no entry has a default export', async (t) => {
  for (const entry of [main, core, storage, sqlite, etcd, encryption, client, clientNode, testing]) t.notOk('default' in entry);
});
