// The loader of bundled-tests.mjs: the source of a test file is the bundle of the file and of all modules of this
// repository that it imports.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = new URL('../../', import.meta.url).href;

/** Loads a test file as its bundle, and everything else as before. */
export async function load(url, context, nextLoad) {
  if (!url.startsWith(`${root}test/`) || !url.endsWith('.ts')) return nextLoad(url, context);
  return { format: 'module', source: await bundle(fileURLToPath(url)), shortCircuit: true };
}

async function bundle(path) {
  const { outputFiles } = await build({
    entryPoints: [path],
    outfile: `${path}.js`, // never written; paths of the source map are relative to it
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    plugins: [ownAddress],
    logLevel: 'silent',
  });
  return outputFiles[0].text;
}

/** In a bundle, `import.meta` is that of the test file; modules that use their own address get it as a literal. */
const ownAddress = {
  name: 'own-address',
  setup({ onLoad }) {
    onLoad({ filter: /\/(lib|test)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta')) return { contents: text, loader: 'ts' };
      const contents = text
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: 'ts' };
    });
  },
};
