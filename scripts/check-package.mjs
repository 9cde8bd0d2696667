// What a user meets: the packed package installed in an empty folder is imported from ESM and CommonJS, every
// subpath of `exports` resolves, and the core and a whole cluster bundle for a browser without a `node:` import.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-'));
const run = (command, args, options = {}) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });
try {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const [{ filename, size, files }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder]));
  console.log(`packed ${files.length} files, ${Math.round(size / 1024)} KiB`);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', join(folder, filename)], { cwd: folder });

  for (const subpath of Object.keys(manifest.exports).filter((each) => !each.endsWith('.json'))) {
    const name = subpath.replace(/^\./, manifest.name);
    run(process.execPath, ['-e', `import('${name}')`], { cwd: folder });
    run(process.execPath, ['-e', `require('${name}')`], { cwd: folder });
    console.log(`${name}: imported and required`);
  }

  // A whole cluster runs in a browser: `browser` of package.json leaves out what needs Node.
  for (const name of [`${manifest.name}/core`, manifest.name]) {
    writeFileSync(join(folder, 'entry.js'), `export * from '${name}';`);
    const result = await build({
      entryPoints: [join(folder, 'entry.js')],
      bundle: true,
      platform: 'browser',
      format: 'esm',
      minify: true,
      write: false,
      metafile: true,
      logLevel: 'error',
    });
    const external = Object.values(result.metafile.inputs).flatMap((input) =>
      input.imports.filter((each) => each.path.startsWith('node:')),
    );
    if (external.length > 0)
      throw new Error(`the browser bundle imports ${external.map((each) => each.path).join(', ')}`);
    const size = Math.round(result.outputFiles[0].contents.length / 1024);
    console.log(`browser bundle of ${name}: ${size} KiB, no node: import`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
