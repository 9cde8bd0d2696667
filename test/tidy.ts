// A test of the code itself: what a reader may rely on in every file of lib/ and what no compiler checks.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const files = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const lib = files('lib');
const written = lib.filter((file) => !file.includes('.generated.') && file !== 'lib/core/types/index.ts');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Where a file's code (not its comments or strings) matches. */
function occurrences(file: string, pattern: RegExp): string[] {
  const text = read(file);
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, false, ts.LanguageVariant.Standard, text);
  let code = '';
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    const piece = scanner.getTokenText();
    const prose =
      token === ts.SyntaxKind.SingleLineCommentTrivia ||
      token === ts.SyntaxKind.MultiLineCommentTrivia ||
      token === ts.SyntaxKind.StringLiteral ||
      token === ts.SyntaxKind.NoSubstitutionTemplateLiteral;
    code += prose ? piece.replace(/[^\n]/g, ' ') : piece;
  }
  return code
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []));
}

const bans: readonly {
  readonly call: string;
  readonly pattern: RegExp;
  readonly instead: string;
  readonly except: RegExp;
}[] = [
  {
    call: 'Date.now, argument-less Date',
    pattern: /\bDate\.now\b|new Date\(\s*\)|\bDate\(\)/,
    instead: 'the Clock that was handed in',
    except: /^lib\/core\/time\//,
  },
  {
    call: 'timers',
    pattern: /\bset(Timeout|Interval|Immediate)\b|\bperformance\.now\b/,
    instead: 'the Clock that was handed in',
    except: /^lib\/core\/time\//,
  },
  {
    call: 'chance',
    pattern: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/,
    instead: 'the Random that was handed in',
    except: /^lib\/core\/time\//,
  },
  {
    call: 'globals of Node',
    pattern: /\b(Buffer|process|__dirname|require)\b[.(]/,
    instead: 'what browsers have too, or an adapter',
    except: /^lib\/(storage\/(sqlite|etcd|encryption)|(server|client|auth|webhook)\/node|command)\//,
  },
  {
    call: 'structuredClone',
    pattern: /\bstructuredClone\b/,
    instead: 'path copying: objects are frozen values',
    except: /^$/,
  },
  {
    call: 'Object.assign',
    pattern: /\bObject\.assign\b/,
    instead: 'spread, which never runs a __proto__ setter',
    except: /^$/,
  },
  { call: 'console', pattern: /\bconsole\./, instead: 'an activity that the host may log', except: /^$/ },
  {
    call: 'RxJS schedulers',
    pattern: /\b(async|asap|queue|animationFrame)Scheduler\b/,
    instead: 'the Clock',
    except: /^lib\/core\/time\//,
  },
  {
    call: 'subscribe(',
    pattern: /\.subscribe\(/,
    instead: 'composition; only the edges listed here subscribe',
    except:
      /^lib\/core\/(streams|time)\/|^lib\/storage\/leases\.ts$|^lib\/cacher\/(bookmarks|bounded-queue|cache-watch|create-cacher|fresh-reads)\.ts$|^lib\/server\/http\/(after|stream-pump)\.ts$/,
  },
  { call: 'any', pattern: /[:<,|&(]\s*any\b|\bas any\b/, instead: 'unknown and a guard', except: /^$/ },
  {
    call: 'exposed subjects',
    pattern: /\bnew (Behavior|Replay|Async)?Subject\b/,
    instead: 'an Outlet',
    except: /^lib\/core\/streams\//,
  },
  {
    call: 'silenced checks',
    pattern: /eslint-disable|@ts-(ignore|expect-error|nocheck)/,
    instead: 'code that passes',
    except: /^$/,
  },
];

t.test('no file of lib calls what has a better place', async (t) => {
  for (const { call, pattern, instead, except } of bans) {
    const found = written.filter((file) => !except.test(file)).flatMap((file) => occurrences(file, pattern));
    t.strictSame(found, [], `${call}: use ${instead}`);
  }
});

t.test('the ban on calls can fail', async (t) => {
  const time = written
    .filter((file) => file.startsWith('lib/core/time/'))
    .flatMap((file) => occurrences(file, /\bDate\.now\b/));
  t.not(time.length, 0, 'the one place that reads the time is seen');
});

t.test('generated types have no any', async (t) => {
  for (const file of lib.filter((each) => each.includes('.generated.')))
    t.strictSame(occurrences(file, /:\s*any\b|<any>/), [], file);
});

/** Every file that some files import, directly or not, or start as a worker. */
function reachedFrom(roots: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = read(file);
    for (const [, name = ''] of text.matchAll(/(?:from |import\(|new URL\()'(\.[^']+)'/g)) {
      const target = join(file, '..', name.replace(/\.js$/, '.ts'));
      if (existsSync(join(root, target))) visit(target);
    }
  };
  for (const each of roots) visit(each);
  return reached;
}

t.test('every file of lib is reached from a public entry', async (t) => {
  const manifest = JSON.parse(read('package.json')) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default.replace(/^\.\/dist/, 'lib').replace(/js$/, 'ts')],
  );
  // The command has no subpath: bin/vivarium.js starts it.
  const reached = reachedFrom([...entries, 'lib/command/index.ts']);
  t.strictSame(lib.filter((file) => !reached.has(file)).sort(), []);
});

t.test('every file of lib is reached by a test', async (t) => {
  const reached = reachedFrom(files('test'));
  t.strictSame(lib.filter((file) => !reached.has(file)).sort(), []);
});

t.test('every written file says in its first lines what it is for', async (t) => {
  t.strictSame(
    written.filter((file) => !/^(?:\/\*\*|\/\/)/.test(read(file))),
    [],
  );
});

t.test('files stay small: past 400 lines there is a second subject', async (t) => {
  t.strictSame(
    written.filter((file) => !file.endsWith('/index.ts') && read(file).split('\n').length > 401),
    [],
  );
});

t.test('no file has a name that says nothing', async (t) => {
  t.strictSame(
    lib.filter((file) => /\b(util|utils|helpers?|common|misc|manager|impl)\b/.test(file)),
    [],
  );
});

t.test('nothing is left for later', async (t) => {
  const everywhere = [...written, ...files('test'), ...files('examples'), ...files('benchmark'), ...files('scripts')];
  t.strictSame(
    everywhere.filter((file) => file !== 'test/tidy.ts' && /\b(TODO|FIXME|XXX|HACK)\b/.test(read(file))),
    [],
  );
});
