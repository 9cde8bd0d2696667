#!/usr/bin/env node
// Starts the command line; everything else is in lib/command.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

// A checkout of the repository has no dist/ until it was built; the published package has.
const program = new URL('../dist/command/index.js', import.meta.url);
if (!existsSync(program)) {
  process.stderr.write('vivarium is not built yet: run `npm ci` and `npm run build` in its folder first\n');
  process.exit(1);
}
const { run } = await import(program.href);

const { version } = createRequire(import.meta.url)('../package.json');
process.exitCode = await run({
  args: process.argv.slice(2),
  version,
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signals: process,
});
