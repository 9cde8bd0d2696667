// Counts the files that one create of a pod runs through, from the bytes of the HTTP request to those of the response:
// `node scripts/walk.mjs` prints every file of lib/ with a function that V8 saw called, and how many lie outside
// core/kinds. The first request of a process also fills caches, so the second one is counted.
import { Session } from 'node:inspector/promises';
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const out = resolve('.build/walk');
rmSync(out, { recursive: true, force: true });
const sources = readdirSync('lib', { recursive: true }).filter((file) => file.endsWith('.ts'));
await build({
  entryPoints: sources.map((file) => join('lib', file)),
  outbase: 'lib',
  outdir: out,
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});
const load = (file) => import(pathToFileURL(join(out, file)).href);
const [{ createServer }, { listen }, { memoryStore }] = await Promise.all(
  ['server/index.js', 'server/node/index.js', 'storage/index.js'].map(load),
);

const server = createServer({ store: memoryStore() });
const listening = await listen(server, { port: 0 });
const url = `${listening.url ?? `http://127.0.0.1:${listening.port}`}/api/v1/namespaces/default/pods`;
const create = async (name) => {
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'image' }] },
  });
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  if (response.status !== 201) throw new Error(`answered ${response.status}: ${await response.text()}`);
  return response.text();
};

const session = new Session();
session.connect();
await create('first');
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
await create('second');
const { result } = await session.post('Profiler.takePreciseCoverage');
const files = result
  .filter(({ url: file }) => file.startsWith(pathToFileURL(out).href))
  .filter(({ functions }) => functions.some(({ ranges: [range] }) => range !== undefined && range.count > 0))
  .map(({ url: file }) => file.slice(pathToFileURL(out).href.length + 1).replace(/\.js$/, '.ts'))
  .sort();
const counted = files.filter((file) => !file.startsWith('core/kinds/'));
for (const file of files) console.log(file);
console.log(`${counted.length} files outside core/kinds, ${files.length - counted.length} inside`);
await listening.close();
await server.close();
process.exit(0);
