// A TypeScript program of this project as one file of JavaScript that plain node runs: in worker threads and child
// processes tap's loader would cost three seconds each. Made from the sources, so it never lags behind them.
import { build } from 'esbuild';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..');
// One for each process, since test files run side by side.
const ownFolder = join(root, '.build', `test-${process.pid}`);
process.on('exit', () => rmSync(ownFolder, { recursive: true, force: true }));

/** Bundles a program, named by its path in the project; of packages only what has a native part stays outside. */
export async function bundledProgram(source: string, folder = ownFolder): Promise<URL> {
  const outfile = join(folder, basename(source).replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [join(root, source)],
    outfile,
    bundle: true,
    external: ['@photostructure/sqlite'],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return pathToFileURL(outfile);
}
