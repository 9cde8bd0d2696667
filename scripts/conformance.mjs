// Runs the conformance kit (conformance/) against our server and judges the result by conformance-exceptions.txt, which
// names for each failing case the part of the engine it waits for. A case that fails without being listed is an error,
// and so is one that is listed and passes.
//
//     npm run conformance [-- --areas crud,patch] [--only passing|listed] [--max-wait MS] [--json FILE]
//
// Cases that should pass wait as long as the machine needs: ten times what the case allows. Listed cases fail by waiting
// for something that never happens, so each of their steps waits at most --max-wait milliseconds (default 1500); use a
// longer time to find the cases that a new part has made pass. The two sets run on servers of their own, at the same
// time; the area admission-optional needs another server and follows them. The last line is `N passed, M failed`; M counts cases on the wrong side of the list.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

/** What a case may wait for. */
const parts = [
  'admission',
  'aggregation',
  'CEL',
  'controllers',
  'custom resources',
  'field descriptions',
  'node agent',
  'policies',
  'server-side apply',
  'webhooks',
];
const kit = join(import.meta.dirname, '../conformance');
const { values: options } = parseArgs({
  options: {
    areas: { type: 'string' },
    only: { type: 'string' },
    'max-wait': { type: 'string', default: '1500' },
    json: { type: 'string' },
  },
});

const exceptions = readExceptions();
const files = readdirSync(join(kit, 'cases')).map((name) => ({ name, ...readJson(join(kit, 'cases', name)) }));
checkExceptions();
const areas = options.areas?.split(',') ?? files.map(({ area }) => area);
const folder = mkdtempSync(join(tmpdir(), 'vivarium-conformance-'));
try {
  const isPassing = (name) => !exceptions.has(name);
  const [passing, listed] = await Promise.all([
    options.only === 'listed' ? [] : run('passing', isPassing, ['--scale', '10']),
    options.only === 'passing'
      ? []
      : run('listed', (name) => exceptions.has(name), ['--max-wait', options['max-wait']]),
  ]);
  const optional = options.only === 'listed' ? [] : await run('optional', isPassing, ['--scale', '10']);
  const results = [...passing, ...listed, ...optional].map((each) => ({
    ...each,
    isListed: exceptions.has(`${each.area}/${each.id}`),
  }));
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results));
  process.exitCode = judge(results);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** The part that each listed case waits for, by `area/id`. */
function readExceptions() {
  const lines = readFileSync(join(import.meta.dirname, 'conformance-exceptions.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
}

function checkExceptions() {
  const known = new Set(files.flatMap(({ area, cases }) => cases.map(({ id }) => `${area}/${id}`)));
  for (const [name, part] of exceptions) {
    if (!known.has(name)) throw new Error(`conformance-exceptions.txt lists ${name}, which is no case`);
    if (!parts.includes(part)) throw new Error(`${name} waits for ${part}, which is no part: ${parts.join(', ')}`);
  }
}

/** Runs the cases that `selects` accepts on a server of their own. Returns the kit's result of each. */
async function run(set, selects, waiting) {
  const cases = join(folder, set);
  mkdirSync(cases);
  let count = 0;
  for (const { name, ...file } of files) {
    const isOfServer = (file.optional ?? false) === (set === 'optional') && areas.includes(file.area);
    const selected = file.cases.filter(({ id }) => isOfServer && selects(`${file.area}/${id}`));
    if (selected.length > 0)
      writeFileSync(join(cases, name), JSON.stringify({ ...file, optional: false, cases: selected }));
    count += selected.length;
  }
  if (count === 0) return [];
  const server = await startServer(set);
  try {
    const report = join(folder, `${set}.json`);
    const runner = spawn(
      process.execPath,
      [join(kit, 'run.mjs'), '--server', server.url, '--cases', cases, '--jobs', '8', '--json', report, ...waiting],
      { stdio: ['ignore', set === 'listed' ? 'ignore' : 'inherit', 'inherit'] },
    );
    await ended(runner);
    return readJson(report).results;
  } finally {
    server.process.kill();
    await ended(server.process);
  }
}

/** Starts the server as conformance/README.md describes it. */
async function startServer(set) {
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../bin/vivarium.js'),
      'serve',
      '--port=0',
      '--http',
      `--kubeconfig-out=${join(folder, `${set}.kubeconfig`)}`,
      `--token-auth-file=${join(kit, 'tokens.csv')}`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      '--controllers=*,bootstrap-signer-controller,token-cleaner-controller',
      '--allocate-node-cidrs',
      '--cluster-cidr=10.244.0.0/16',
      ...admissionFlags(set),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the server did not start'))),
  ]);
  return { url: line.split(' ').at(-1), process: child };
}

/** The plugins of the area admission-optional are off for the others. */
function admissionFlags(set) {
  if (set !== 'optional') return ['--enable-admission-plugins=NodeRestriction'];
  const configuration = {
    apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
    kind: 'Configuration',
    limits: [{ type: 'Namespace', qps: 1, burst: 3 }],
  };
  const file = join(folder, 'admission.json');
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [{ name: 'EventRateLimit', configuration }],
    }),
  );
  return [
    `--admission-control-config-file=${file}`,
    '--enable-admission-plugins=NodeRestriction,AlwaysPullImages,DenyServiceExternalIPs,ExtendedResourceToleration',
    '--enable-admission-plugins=LimitPodHardAntiAffinityTopology,OwnerReferencesPermissionEnforcement,PodNodeSelector',
    '--enable-admission-plugins=PodTolerationRestriction,NamespaceAutoProvision,EventRateLimit',
  ];
}

function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  return new Promise((resolve) => child.once('close', resolve));
}

function judge(results) {
  const named = results.map(({ area, id, ...rest }) => ({ name: `${area}/${id}`, ...rest }));
  const failed = named.filter(({ ok, isListed }) => !ok && !isListed);
  const mended = named.filter(({ ok, isListed }) => ok && isListed);
  const waiting = named.filter(({ ok, isListed }) => !ok && isListed);
  if (waiting.length > 0) console.log('\nlisted cases, by the part they wait for:');
  for (const part of parts) {
    const count = waiting.filter(({ name }) => exceptions.get(name) === part).length;
    if (count > 0) console.log(`${part.padEnd(22)}${String(count).padStart(8)}`);
  }
  for (const { name } of mended) console.log(`passes, remove it from conformance-exceptions.txt: ${name}`);
  for (const { name, failure } of failed) console.log(`FAILED ${name} ${JSON.stringify(failure)}`);
  const passed = named.length - waiting.length - failed.length - mended.length;
  console.log(`\n${passed} passed, ${failed.length + mended.length} failed`);
  return failed.length + mended.length === 0 ? 0 : 1;
}
