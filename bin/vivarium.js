#!/usr/bin/env node
// Starts the command line; everything else is in lib/command.
import { createRequire } from 'node:module';
import { run } from '../dist/command/index.js';

const { version } = createRequire(import.meta.url)('../package.json');
process.exitCode = await run({
  args: process.argv.slice(2),
  version,
  stdout: process.stdout,
  stderr: process.stderr,
  signals: process,
});
