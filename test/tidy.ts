// A test of the code itself: what a reader may rely on in every file of lib/ and no compiler checks. It works on syntax
// trees; the rules and their exceptions are in test/support/tidy. Bans without exceptions are in eslint.config.js,
// directions of imports in .dependency-cruiser.cjs.
import t from 'tap';
import { exceptions } from './support/tidy/exceptions.js';
import { clashingNames, exportedNameCount } from './support/tidy/exported-names.js';
import { commentLines, dialect, testTexts } from './support/tidy/dialect.js';
import { reachableFrom, smallFilesWithOneImporter } from './support/tidy/import-graph.js';
import { smallFiles } from './support/tidy/small-files.js';
import { defaultPublicNamesMax, publicNamesMax } from './support/tidy/public-surface.js';
import { sharedNames } from './support/tidy/shared-names.js';
import { rules, type Rule, type RuleName } from './support/tidy/rules.js';
import {
  Finding,
  findNodes,
  parseSource,
  readText,
  filesBelow,
  typescriptFiles,
  visitNodes,
} from './support/tidy/source.js';

const lib = typescriptFiles('lib');
const written = lib.filter((file) => !file.includes('.generated.') && file !== 'lib/core/types/index.ts');
const sources = lib.map((file) => parseSource(file, readText(file)));

/** The source file of each entry of `exports`, by its subpath. */
const entries: ReadonlyMap<string, string> = new Map(
  Object.entries(
    (JSON.parse(readText('package.json')) as { exports: Record<string, string | { default: string }> }).exports,
  ).flatMap(([subpath, entry]) =>
    typeof entry === 'string' ? [] : [[subpath, entry.default.replace(/^\.\/dist/, 'lib').replace(/js$/, 'ts')]],
  ),
);

const markdownFiles = ['README.md', ...filesBelow('docs', '.md')];

const isIn = (path: string, file: string): boolean => (path.endsWith('/') ? file.startsWith(path) : file === path);
const print = (findings: readonly Finding[]): readonly string[] => findings.map(String);

const allRules = Object.entries(rules) as [RuleName, Rule][];
const findingsOf = new Map<RuleName, Finding[]>(allRules.map(([name]) => [name, []]));
// One walk for all rules: walking is most of the time that this test takes.
for (const source of sources)
  visitNodes(source, (node) => {
    for (const [name, { matches }] of allRules)
      if (matches(node)) findingsOf.get(name)?.push(new Finding(source, node));
  });

for (const [name, rule] of allRules) {
  const findings = findingsOf.get(name) ?? [];
  const allowed = exceptions.filter((exception) => exception.rule === name).flatMap((exception) => exception.in);

  t.test(`${name}: a file of lib uses ${rule.instead}`, async (t) => {
    t.strictSame(print(findings.filter(({ file }) => !allowed.some((path) => isIn(path, file)))), []);
    t.strictSame(
      allowed.filter((path) => !findings.some(({ file }) => isIn(path, file))),
      [],
      'every exception is needed: delete these from test/support/tidy/exceptions.ts',
    );
  });

  t.test(`${name}: the rule refuses and accepts its examples`, async (t) => {
    for (const text of rule.refused) {
      const lines = findNodes(parseSource('refused.ts', text), rule.matches).map(({ line }) => line);
      t.equal(lines.at(-1), text.split('\n').length, text);
    }
    for (const text of rule.accepted)
      t.strictSame(print(findNodes(parseSource('accepted.ts', text), rule.matches)), [], text);
  });
}

t.test('one exported name has one meaning', async (t) => {
  const clashes = clashingNames(sources);
  t.strictSame(
    clashes
      .filter(({ name }) => !Object.hasOwn(sharedNames, name))
      .map(({ name, files }) => `${name}: ${files.join(', ')}`),
    [],
    'a name is declared in one file: rename one of these',
  );
  t.strictSame(
    Object.keys(sharedNames).filter((name) => !clashes.some((clash) => clash.name === name)),
    [],
    'every shared name is needed: delete these from test/support/tidy/shared-names.ts',
  );
});

t.test('a name that two files declare is seen', async (t) => {
  const parse = (texts: readonly string[]): readonly string[] =>
    clashingNames(texts.map((text, index) => parseSource(`lib/${index}.ts`, text))).map(({ name }) => name);
  t.strictSame(parse(['export const pod = 1;', 'export interface pod {}', 'const pod = 2;']), ['pod']);
  t.strictSame(parse(['export function one() {}', 'export async function one() {}', 'export class Two {}']), ['one']);
  t.strictSame(parse(['export class Two {}', 'export type Two = `${string}.${string}`;']), ['Two']);
  t.strictSame(parse(['export const { a } = b;', "export { a } from './0.js';", 'const a = 1;']), []);
});

t.test('the public surface stays small', async (t) => {
  for (const [subpath, file] of entries) {
    const [count, max] = [exportedNameCount(file), publicNamesMax[subpath] ?? defaultPublicNamesMax];
    t.ok(count <= max, `${subpath} exports ${count} names, the limit in public-surface.ts is ${max}`);
  }
});

t.test('exported names are counted through re-exports', async (t) => {
  t.ok(exportedNameCount('lib/index.ts') > 10);
  t.ok(exportedNameCount('lib/core/types/index.ts') > 600);
});

t.test('every file of lib is reached from a public entry', async (t) => {
  // The command has no subpath: bin/vivarium.js starts it.
  const reached = reachableFrom([...entries.values(), 'lib/command/index.ts']);
  t.strictSame(
    lib.filter((file) => !reached.has(file)),
    [],
  );
});

t.test('every file of lib is reached by a test', async (t) => {
  const reached = reachableFrom(typescriptFiles('test'));
  t.strictSame(
    lib.filter((file) => !reached.has(file)),
    [],
  );
});

t.test('every written file states in its first lines what it is for', async (t) => {
  t.strictSame(
    written.filter((file) => !/^(?:\/\*\*|\/\/)/.test(readText(file))),
    [],
  );
});

t.test('files stay small: past 400 lines there is a second subject', async (t) => {
  t.strictSame(
    written.filter((file) => !file.endsWith('/index.ts') && readText(file).split('\n').length > 401),
    [],
  );
});

t.test('a small file with one importer is merged into it, unless it is a contract or a table', async (t) => {
  const found = smallFilesWithOneImporter(sources, 44);
  const isException = (path: string, line: string): boolean => line.split(' <- ').some((each) => each.startsWith(path));
  const paths = Object.keys(smallFiles);
  t.strictSame(
    found.filter((line) => !paths.some((path) => isException(path, line))),
    [],
    'merge these, or give a reason in test/support/tidy/small-files.ts',
  );
  t.strictSame(
    paths.filter((path) => !found.some((line) => isException(path, line))),
    [],
    'every exception is needed: delete these from test/support/tidy/small-files.ts',
  );
});

t.test('importers are counted through index files', async (t) => {
  const files = {
    'lib/a/one.ts': 'export const one = 1;',
    'lib/a/two.ts': 'export const two = 2;',
    'lib/a/index.ts': "export { one } from './one.js';\nexport { two } from './two.js';",
    'lib/b.ts': "import { one, two } from './a/index.js';",
    'lib/c.ts': "import { two as other } from './a/index.js';",
  };
  t.strictSame(
    smallFilesWithOneImporter(
      Object.entries(files).map(([file, text]) => parseSource(file, text)),
      44,
    ),
    ['lib/a/one.ts <- lib/b.ts'],
  );
});

t.test('no file has a name that says nothing', async (t) => {
  t.strictSame(
    lib.filter((file) => /\b(util|utils|helpers?|common|misc|manager|impl)\b/.test(file)),
    [],
  );
});

t.test('nothing is left for later', async (t) => {
  const everywhere = [...written, ...['test', 'examples', 'benchmark', 'scripts'].flatMap(typescriptFiles)];
  t.strictSame(
    everywhere.filter((file) => file !== 'test/tidy.ts' && /\b(TODO|FIXME|XXX|HACK)\b/.test(readText(file))),
    [],
  );
});

t.test('comments, documents and names of tests speak of parts and data, not of people', async (t) => {
  const tests = ['test', 'examples', 'benchmark', 'scripts']
    .flatMap(typescriptFiles)
    .filter((file) => file !== 'test/tidy.ts')
    .map((file) => parseSource(file, readText(file)));
  const documents = markdownFiles.flatMap((file) =>
    readText(file)
      .split('\n')
      .map((line, index) => `${file}:${index + 1}: ${line}`),
  );
  t.strictSame(
    [...[...sources, ...tests].flatMap(commentLines), ...tests.flatMap(testTexts), ...documents].filter((line) =>
      dialect.test(line),
    ),
    [],
    'see "Style" in CONTRIBUTING.md',
  );
});

t.test('names and messages of tests are seen, expected values are not', async (t) => {
  const text =
    "t.test('nobody waits', () => {\n  t.equal(await ask(), 'nobody is here', `told ${x} of`);\n  t.ok(x, 'is told');\n});\n";
  t.strictSame(
    testTexts(parseSource('a.ts', text)).filter((line) => dialect.test(line)),
    ["a.ts:1: 'nobody waits'", 'a.ts:2: `told ${x} of`', "a.ts:3: 'is told'"],
  );
});

t.test('words in comments are seen, in code they are not', async (t) => {
  const text =
    "// Nobody knows.\nconst told = 'somebody';\n/**\n * Is told of it.\n */\nexport const x = `//told ${y}//told`; // tells\n";
  t.strictSame(
    commentLines(parseSource('a.ts', text)).filter((line) => dialect.test(line)),
    ['a.ts:1: // Nobody knows.', 'a.ts:4:  * Is told of it.', 'a.ts:6: // tells'],
  );
});
