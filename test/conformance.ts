// The answers of the server are those of a real control plane: the cases of conformance/ that do not wait for a missing
// part, and in the long run also that those which do (scripts/conformance-exceptions.txt) still fail. Uses the build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import t from 'tap';
import { isLongRun } from './support/properties.js';

/** One case, as scripts/conformance.mjs reports it. */
interface CaseResult {
  readonly area: string;
  readonly id: string;
  readonly ok: boolean;
  readonly isListed: boolean;
  readonly failure: unknown;
}

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'vivarium-conformance-test-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const report = join(folder, 'report.json');
const runner = spawn(
  process.execPath,
  [join(root, 'scripts/conformance.mjs'), '--json', report, ...(isLongRun ? [] : ['--only', 'passing'])],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
await once(runner, 'close');
const results = JSON.parse(readFileSync(report, 'utf8')) as readonly CaseResult[];

for (const area of new Set(results.map((each) => each.area)))
  t.test(`${area} answers as recorded`, async (t) => {
    for (const { id, ok, isListed, failure } of results.filter((each) => each.area === area))
      if (isListed) t.notOk(ok, `${area}/${id} waits for a missing part`);
      else t.ok(ok, `${area}/${id}`, { failure });
  });
