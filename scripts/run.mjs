// Runs a TypeScript program of this project on Node 20, which cannot strip types itself:
// `node scripts/run.mjs benchmark/core.ts [arguments]`. Packages stay external, our own files are bundled.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';

const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) {
  console.error('usage: node scripts/run.mjs FILE.ts [arguments]');
  process.exit(2);
}
const outfile = join('.build', basename(entry).replace(/\.ts$/, '.mjs'));
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, ['--expose-gc', '--enable-source-maps', outfile, ...rest], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
