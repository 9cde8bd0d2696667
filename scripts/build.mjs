// Builds dist/: declarations by tsc, one file each, and JavaScript by esbuild, bundled into one entry per subpath of
// `exports` and the chunks they share. Bundled, because Node spends half a millisecond on every file it imports: the
// core alone has a hundred and fifty. Packages stay outside, workers are entries of their own.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const subpaths = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'lib/').replace(/\.js$/, '.ts')],
);
const workers = readdirSync('lib', { recursive: true })
  .filter((file) => file.endsWith('-worker.ts'))
  .map((file) => join('lib', file));

const { metafile } = await build({
  // The command has no subpath: bin/vivarium.js starts it.
  entryPoints: [...subpaths, ...workers, 'lib/command/index.ts'],
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
  metafile: true,
  logLevel: 'warning',
});

// A worker is found beside the file that starts it; bundling must not have moved that file into a chunk.
for (const worker of workers) {
  const folder = join(worker, '..');
  const starters = readdirSync(folder).filter((file) =>
    readFileSync(join(folder, file), 'utf8').includes(`'./${basename(worker, '.ts')}.js', import.meta.url`),
  );
  for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
    const moved = starters.find(
      (file) => join(folder, file) in inputs && join(output, '..') !== join('dist', folder.slice('lib/'.length)),
    );
    if (moved !== undefined) throw new Error(`${moved} ended up in ${output}, away from its worker ${worker}`);
  }
}

const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
