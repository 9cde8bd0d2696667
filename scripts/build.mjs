// Builds dist/: declarations by tsc, one file each, and JavaScript by esbuild, bundled into one entry per subpath of
// `exports` and the chunks they share. Bundled, because Node spends half a millisecond on every file it imports: the core
// alone has a hundred and fifty. Packages stay outside, workers are entries of their own.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const subpaths = Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'lib/').replace(/\.js$/, '.ts')]));
const workers = readdirSync('lib', { recursive: true })
  .filter((file) => file.endsWith('-worker.ts'))
  .map((file) => join('lib', file));

await build({
  entryPoints: [...subpaths, ...workers],
  outbase: 'lib',
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'neutral',
  external: ['node:*'],
  format: 'esm',
  target: 'es2022',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
process.exit(status ?? 1);
