// The long run of the tests: every test file that scales with it (it imports support/properties.ts, or histories of
// controllers, which do), with many samples from a seed of its own, crash loops, long fuzzing, and the conformance
// cases that are known to fail. The seed is that of the tree that is tested: every change draws other samples, and a
// failure repeats until the tree changes.
// `PROPERTY_SEED=N npm run test:long [-- FILES]` chooses another; `PROPERTY_SEED=random` a new one each time.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const named = process.argv.slice(2);
const files = readdirSync('test', { recursive: true })
  .map((file) => join('test', file))
  .filter((file) => file.endsWith('.ts') && !file.startsWith(join('test', 'support')))
  .filter((file) => /support\/(properties|controller-histories)\.js'/.test(readFileSync(file, 'utf8')));
const seed = seedOf(process.env.PROPERTY_SEED);
console.log(`PROPERTY_SEED=${seed}`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/tap/dist/esm/run.mjs', ...(named.length > 0 ? named : files)],
  { stdio: 'inherit', env: { ...process.env, TEST_LONG: '1', PROPERTY_SEED: seed } },
);
console.log(`PROPERTY_SEED=${seed}`);
process.exit(status ?? 1);

function seedOf(given) {
  if (given !== undefined && given !== 'random') return given;
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' });
  const tree = /^[0-9a-f]{7}/.exec(stdout ?? '')?.[0];
  const isChosen = given === undefined && tree !== undefined;
  return String(isChosen ? Number.parseInt(tree, 16) : Math.trunc(Math.random() * 2 ** 31));
}
