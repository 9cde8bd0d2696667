// A TypeScript program of this project as one file of JavaScript that plain node runs: in worker threads and child
// processes tap's loader would cost three seconds each. Made from the sources, so it never lags behind them.
import { build } from 'esbuild';
import { basename, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..');

/** Bundles a program, named by its path in the project. Packages stay outside. */
export async function bundledProgram(source: string, folder = join(root, '.build', `test-${process.pid}`)): Promise<URL> {
  const outfile = join(folder, basename(source).replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [join(root, source)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return pathToFileURL(outfile);
}
