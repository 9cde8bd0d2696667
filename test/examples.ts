// Every program of examples/ runs and prints what its last comment block says, and every code block of the documents
// is one of those programs.
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import t from 'tap';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The text between `// prints:` and the end of an example. `…` stands for any text within a line. */
function promised(source: string): string {
  const [, output = ''] = source.split('// prints:\n');
  return output.replace(/^\/\/ ?/gm, '');
}

/** A pattern of the output where a part of it differs from run to run, otherwise the output. */
function expectation(output: string): RegExp | string {
  if (!output.includes('…')) return output;
  const literals = output.split('…').map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${literals.join('.+')}$`);
}

for (const name of examples) {
  t.test(`examples/${name} prints what it promises`, async (t) => {
    const outfile = join(root, '.build', 'examples', name.replace(/\.ts$/, '.mjs'));
    buildSync({
      entryPoints: [join(root, 'examples', name)],
      outfile,
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
    });
    const { stdout } = await run(process.execPath, [outfile], { cwd: root });
    const expected = promised(read(`examples/${name}`));
    t.not(expected, '', 'an example says what it prints');
    const pattern = expectation(expected);
    if (typeof pattern === 'string') t.equal(stdout, pattern);
    else t.match(stdout, pattern);
  });
}

t.test('every TypeScript block of the documents is a program of examples/', async (t) => {
  const documents = [
    'README.md',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  const programs = examples.map((name) => read(`examples/${name}`).split('\n// prints:')[0]?.trim() ?? '');
  for (const document of documents) {
    for (const [, block = ''] of read(document).matchAll(/```ts\n([\s\S]*?)```/g)) {
      t.ok(programs.includes(block.trim()), `${document}: ${block.split('\n')[0] ?? ''}`);
    }
  }
});
