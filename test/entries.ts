// The public entries: what a program that imports them finds.
import { join } from 'node:path';
import { build } from 'esbuild';
import t from 'tap';
import * as admission from '../lib/admission/index.js';
import * as auth from '../lib/auth/index.js';
import * as authNode from '../lib/auth/node/index.js';
import * as client from '../lib/client/index.js';
import * as cluster from '../lib/cluster/index.js';
import * as clusterNode from '../lib/cluster/node/index.js';
import * as clientNode from '../lib/client/node/index.js';
import * as controllers from '../lib/controllers/index.js';
import * as scheduling from '../lib/scheduling/public.js';
import * as core from '../lib/core/public.js';
import * as main from '../lib/index.js';
import * as server from '../lib/server/index.js';
import * as serverNode from '../lib/server/node/index.js';
import * as encryption from '../lib/storage/encryption/index.js';
import * as etcd from '../lib/storage/etcd/index.js';
import * as storage from '../lib/storage/index.js';
import * as sqlite from '../lib/storage/sqlite/index.js';
import * as testing from '../lib/testing/index.js';
import * as webhook from '../lib/webhook/index.js';
import * as webhookNode from '../lib/webhook/node/index.js';

const entries = [
  core,
  storage,
  sqlite,
  etcd,
  encryption,
  server,
  serverNode,
  client,
  clientNode,
  clusterNode,
  auth,
  authNode,
  admission,
  controllers,
  scheduling,
  webhook,
  webhookNode,
  testing,
];

t.test('the main entry offers the very things that the others do', async (t) => {
  const all: Readonly<Record<string, unknown>> = { ...core, ...storage, ...server, ...cluster };
  for (const [name, value] of Object.entries(main)) t.equal(value, all[name], name);
});

t.test('no two entries use one name for different things', async (t) => {
  const seen = new Map<string, unknown>();
  for (const entry of entries) {
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
  for (const entry of [main, ...entries]) t.notOk('default' in entry);
});

t.test('what is for browsers needs nothing of Node', async (t) => {
  for (const name of [
    'core',
    'core/types',
    'storage',
    'server',
    'client',
    'auth',
    'admission',
    'controllers',
    'scheduling',
    'webhook',
  ])
    t.same(await nodeImports(name), [], name);
  t.ok((await nodeImports('auth/node')).includes('node:crypto'), 'which would be noticed');
});

t.test('a cluster can be bundled for browsers, without its ports and certificates', async (t) => {
  const entryPoint = join(import.meta.dirname, '..', 'dist', 'index.js');
  t.same(await importsOf(entryPoint, 'browser'), []);
  t.ok((await importsOf(entryPoint, 'neutral')).includes('node:crypto'), 'which would be noticed');
});

function nodeImports(entry: string): Promise<readonly string[]> {
  return importsOf(join(import.meta.dirname, '..', 'lib', entry, 'index.ts'), 'neutral');
}

async function importsOf(entryPoint: string, platform: 'browser' | 'neutral'): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    platform,
    packages: 'external',
    external: ['node:*'],
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  return Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.map(({ path }) => path).filter((path) => path.startsWith('node:')),
  );
}
