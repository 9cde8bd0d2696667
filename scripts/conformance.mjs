// Holds the server against answers recorded from a real control plane: starts it, runs the kit of conformance/ for the
// areas that exist, prints its table, and compares what failed with what is known to fail and why
// (conformance-exceptions.txt). A case that fails without being listed, or is listed and passes, is an error.
//
//     npm run conformance [-- --areas crud,patch]
//
// Ends with `N passed, M failed`, where M counts the cases that should have passed.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const areas = [
  'discovery',
  'authn',
  'authz',
  'crud',
  'patch',
  'watch',
  'fieldvalidation',
  'validation',
  'defaulting',
  'dryrun',
  'table',
  'subresources',
  'scheduling',
];
const wanted = process.argv[2] === '--areas' ? (process.argv[3] ?? '').split(',') : areas;
const folder = mkdtempSync(join(tmpdir(), 'vivarium-conformance-'));
const exceptions = new Map(
  readFileSync('scripts/conformance-exceptions.txt', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
);

const server = spawn(
  process.execPath,
  [
    'bin/vivarium.js',
    'serve',
    '--port',
    '0',
    '--http',
    '--token-auth-file',
    'conformance/tokens.csv',
    '--ready-file',
    join(folder, 'ready'),
  ],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
let output = '';
server.stdout.on('data', (chunk) => (output += chunk));
try {
  const url = await served();
  const report = join(folder, 'report.json');
  spawnSync(
    process.execPath,
    [
      'conformance/run.mjs',
      '--server',
      url,
      '--filter',
      wanted.map((area) => `${area}/`).join(','),
      '--jobs',
      '4',
      '--json',
      report,
    ],
    { stdio: 'inherit' },
  );
  process.exitCode = judge(JSON.parse(readFileSync(report, 'utf8')));
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function served() {
  for (let attempt = 0; attempt < 300; attempt++) {
    const found = /https?:\/\/\S+/.exec(output);
    if (found !== null) return found[0];
    if (server.exitCode !== null) break;
    await pause(100);
  }
  throw new Error(`the server did not start: ${output}`);
}

function judge(report) {
  const results = (report.results ?? report).map((each) => ({ name: `${each.area}/${each.id}`, passed: each.ok }));
  const unexpected = results.filter(({ name, passed }) => !passed && !exceptions.has(name));
  const mended = results.filter(({ name, passed }) => passed && exceptions.has(name));
  const known = results.filter(({ name, passed }) => !passed && exceptions.has(name));
  console.log('\nknown to differ:');
  for (const { name } of known) console.log(`  ${name}: ${exceptions.get(name)}`);
  for (const { name } of mended) console.log(`passes now, take it off the list of exceptions: ${name}`);
  for (const { name } of unexpected) console.log(`FAILED ${name}`);
  console.log(
    `${results.length - known.length - unexpected.length} passed, ${unexpected.length + mended.length} failed`,
  );
  return unexpected.length + mended.length === 0 ? 0 : 1;
}
