// The public entries: what a program that imports them finds.
import { join } from 'node:path';
import { build } from 'esbuild';
import t from 'tap';
import * as admission from '../lib/admission/index.js';
import * as auth from '../lib/auth/public.js';
import * as authNode from '../lib/auth/node/public.js';
import * as cel from '../lib/cel/public.js';
import * as cacher from '../lib/cacher/public.js';
import * as client from '../lib/client/public.js';
import * as cluster from '../lib/cluster/index.js';
import * as clusterNode from '../lib/cluster/node/public.js';
import * as clientNode from '../lib/client/node/public.js';
import * as controllers from '../lib/controllers/public.js';
import * as nodeagent from '../lib/nodeagent/public.js';
import * as scheduling from '../lib/scheduling/public.js';
import * as core from '../lib/core/public.js';
import * as main from '../lib/index.js';
import * as server from '../lib/server/public.js';
import * as serverNode from '../lib/server/node/public.js';
import * as encryption from '../lib/storage/encryption/index.js';
import * as etcd from '../lib/storage/etcd/index.js';
import * as storage from '../lib/storage/public.js';
import * as sqlite from '../lib/storage/sqlite/index.js';
import * as testing from '../lib/testing/public.js';
import * as webhook from '../lib/webhook/public.js';
import * as webhookNode from '../lib/webhook/node/index.js';
import { apiReport, publicNames, reportFile, reportedEntries, type PublicName } from './support/api-report.js';
import { readText } from './support/tidy/source.js';

const entries = [
  core,
  cacher,
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
  cel,
  controllers,
  nodeagent,
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
    'cacher',
    'server',
    'client',
    'auth',
    'admission',
    'cel',
    'controllers',
    'nodeagent',
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

const reported: ReadonlyMap<string, readonly PublicName[]> = new Map(
  [...reportedEntries(readText)].map(([subpath, file]) => [subpath, publicNames(file, readText)]),
);

t.test('the reports in api/ show the public surface: `npm run api-report` writes them', async (t) => {
  for (const [subpath, names] of reported)
    t.equal(readText(reportFile(subpath)), apiReport(subpath, names), reportFile(subpath));
});

t.test('a report shows signatures and members, without bodies, comments and private members', async (t) => {
  const text = `
    /** Adds. */
    export function add(one: number, { two = 2 }: Two = {}): number { return one + two; }
    /** Holds. */
    export class Held<T> extends Base { readonly #secret = 1; /** Text. */ readonly text: string; get(): T { return x; } }
    export interface Two { readonly two?: number }
    const hidden = 1;
  `;
  t.equal(
    apiReport(
      './one',
      publicNames('one.ts', () => text),
    ),
    'vivarium/one: 3 names\n\nclass Held<T> extends Base {\n  readonly text: string\n  get(): T\n}\n' +
      'interface Two {\n  readonly two?: number\n}\nfunction add(one: number, options?: Two): number\n',
  );
  t.strictSame(
    publicNames('one.ts', () => text).map(({ doc }) => doc),
    ['Holds.', '', 'Adds.'],
  );
});

t.test('every public name has a doc comment', async (t) => {
  for (const [subpath, names] of reported)
    t.strictSame(
      names.filter(({ doc }) => doc === '').map(({ name, place }) => `${name} (${place})`),
      [],
      subpath,
    );
});

t.test('doc comments of public names start with what the name is or does', async (t) => {
  // "Returns …", "Emits …", "The revision at which …"; not "What is …" or "Whether …".
  const evasive = /^(?:What|Whether|How|Who|Whose|Why|Where|When|Which)\b/;
  for (const [subpath, names] of reported) {
    t.strictSame(
      names.filter(({ doc }) => evasive.test(doc)).map(({ name, place, doc }) => `${name} (${place}): ${doc}`),
      [],
      subpath,
    );
  }
});
