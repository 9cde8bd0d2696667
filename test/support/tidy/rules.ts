// The bans of lib/: what a syntax tree can show in one file. Each rule carries examples of what it refuses and what it
// accepts, and test/tidy.ts checks the rule against them. Bans that need no exceptions are in eslint.config.js.
import ts from 'typescript';
import { isModuleState } from './module-state.js';

/** A construct that code of lib/ must not contain, outside the files listed in `exceptions.ts`. */
export interface Rule {
  /** What to use in its place. */
  readonly instead: string;
  readonly matches: (node: ts.Node) => boolean;
  /** Snippets with at least one violation each; the violation is on the last line. */
  readonly refused: readonly string[];
  /** Snippets without a violation. */
  readonly accepted: readonly string[];
}

/** Every rule, by name. */
export const rules = {
  time: {
    instead: 'the injected Clock',
    matches: (node) =>
      isMember(node, 'Date', ['now']) ||
      isMember(node, 'AbortSignal', ['timeout']) ||
      isMember(node, 'process', ['hrtime', 'nextTick', 'uptime']) ||
      isCurrentDate(node) ||
      isGlobal(node, ['setTimeout', 'setInterval', 'setImmediate', 'performance', 'requestAnimationFrame']) ||
      isImport(node, 'rxjs', timedOperators),
    refused: [
      'const started = Date.now();',
      'const text = `${name} at`;\nconst next = `${Date.now()}`;',
      'const now = new Date();',
      'const now = Date();',
      'setTimeout(run, 10);',
      'globalThis.setTimeout(run, 10);',
      "import { setImmediate } from 'node:timers';",
      'const at = performance.now();',
      'const signal = AbortSignal.timeout(5);',
      "import { asyncScheduler } from 'rxjs';",
      "import { map, timer } from 'rxjs';",
    ],
    accepted: ['const date = new Date(0);', 'socket.setTimeout(0);', 'clock.timer(5);', "const text = 'Date.now()';"],
  },
  chance: {
    instead: 'the injected Random',
    matches: (node) =>
      isMember(node, 'Math', ['random']) ||
      isMember(node, 'crypto', ['randomUUID', 'getRandomValues']) ||
      isImport(node, 'node:crypto', ['randomUUID', 'randomBytes', 'randomInt', 'randomFill', 'randomFillSync']),
    refused: [
      'const half = Math.random() < 0.5;',
      'const uid = crypto.randomUUID();',
      "import { randomBytes } from 'node:crypto';",
    ],
    accepted: ['const half = random.next() < 0.5;'],
  },
  node: {
    instead: 'what browsers have too, or a port implemented in a node/ folder',
    matches: (node) => isGlobal(node, ['Buffer', 'process', 'global', 'require', '__dirname', '__filename']),
    refused: [
      'const bytes = Buffer.from(text);',
      'const text = `${one}${process.pid}`;',
      'type Bytes = Buffer | string;',
    ],
    accepted: ['queue.process(item);', 'const names = { process: 1 };'],
  },
  subscribe: {
    instead: 'operators: only the edges listed in exceptions.ts subscribe',
    matches: (node) => isCalledMethod(node, ['subscribe']),
    refused: ['values$.subscribe();', 'const text = `${name}`;\nof(1).pipe(map(half))\n.subscribe(`${name}`);'],
    accepted: ['const { subscribe } = subscriptions;', 'values$.pipe(map(half));'],
  },
  hiddenSubscription: {
    instead: 'operators, or a listed edge: a Promise of a stream subscribes to it',
    matches: (node) =>
      (isCalledMethod(node, ['forEach', 'toPromise']) && isStream(node.parent.expression)) ||
      isImport(node, 'rxjs', ['firstValueFrom', 'lastValueFrom']),
    refused: [
      'void values$.forEach(keep);',
      'const done = this.#values$.forEach(keep);',
      'const done = source.pipe(map(half)).forEach(keep);',
      'const done = source.values$().forEach(keep);',
      "import { firstValueFrom } from 'rxjs';",
      "import { lastValueFrom as lastOf } from 'rxjs';",
    ],
    accepted: ['values.forEach(keep);', "import { map } from 'rxjs';"],
  },
  subject: {
    instead: 'an Outlet of core/streams',
    matches: (node) =>
      ts.isNewExpression(node) &&
      isNamed(node.expression, ['Subject', 'BehaviorSubject', 'ReplaySubject', 'AsyncSubject']),
    refused: ['const changes = new Subject<number>();', 'const state = new BehaviorSubject(0);'],
    accepted: ['const subject = new SubjectBindings();'],
  },
  moduleState: {
    instead: 'a field of the object that the state belongs to: modules hold no state',
    matches: isModuleState,
    refused: [
      'let count = 0;',
      'export let count = 0;',
      'const known = new Map<string, number>();',
      'const known: Map<string, number> = new Map();',
      'const known = new WeakMap<object, string>();',
      'const cache: ReadonlyMap<string, number> = new LRUCache({ max: 5 });',
      'const pods = new KnownPods();',
      'const names: string[] = [];',
      'class Counter {\n  static count = 0;\n}\nclass Other { static readonly known = new Map(); }',
    ],
    accepted: [
      'function count() { let sum = 0; const known = new Map(); return [sum, known]; }',
      "const names: ReadonlySet<string> = new Set(['a']);",
      'const none: Shares = new Map();',
      'const none: readonly string[] = [];',
      'const utf8 = new TextEncoder();',
      'const shape = new RegExp(`^${digits}$`);',
      'class Counter { count = 0; static readonly max = 5; }',
    ],
  },
  any: {
    instead: 'unknown and a guard',
    matches: (node) => node.kind === ts.SyntaxKind.AnyKeyword,
    refused: ['let value: any;', 'const text = `${one}${two as any}`;', 'type List = Array<any>;'],
    accepted: ["const any = 'any';", 'function any(value: unknown): void {}'],
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** The name of a rule. */
export type RuleName = keyof typeof rules;

/** Names exported by rxjs that use a scheduler of their own, and so the real time, unless they are given one. */
const timedOperators = [
  ...['asyncScheduler', 'asapScheduler', 'queueScheduler', 'animationFrameScheduler', 'animationFrames'],
  ...['timer', 'interval', 'delay', 'timeout', 'timeoutWith', 'timestamp', 'timeInterval'],
  ...['auditTime', 'bufferTime', 'debounceTime', 'sampleTime', 'throttleTime', 'windowTime'],
];

/** True if the node is an identifier with one of `names`. */
function isNamed(node: ts.Node, names: readonly string[]): boolean {
  return ts.isIdentifier(node) && names.includes(node.text);
}

/** True for `object.name` and `globalThis.object.name` with one of `names`. */
function isMember(node: ts.Node, object: string, names: readonly string[]): boolean {
  if (!ts.isPropertyAccessExpression(node) || !isNamed(node.name, names)) return false;
  return isNamed(node.expression, [object]) || isMember(node.expression, 'globalThis', [object]);
}

/** True if the node refers to a global of one of `names`: bare, as a member of `globalThis`, or imported. */
function isGlobal(node: ts.Node, names: readonly string[]): boolean {
  if (!isNamed(node, names)) return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return isNamed(parent.expression, ['globalThis']);
  if (ts.isQualifiedName(parent)) return parent.left === node;
  const isMemberName =
    (ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isBindingElement(parent)) &&
    (parent.name === node || ('propertyName' in parent && parent.propertyName === node));
  return !isMemberName;
}

/** True for the import of one of `names` from `module` or an entry below it. */
function isImport(node: ts.Node, module: string, names: readonly string[]): boolean {
  if (!ts.isImportSpecifier(node) || !isNamed(node.propertyName ?? node.name, names)) return false;
  const from = node.parent.parent.parent.moduleSpecifier;
  return ts.isStringLiteral(from) && (from.text === module || from.text.startsWith(`${module}/`));
}

/** True for the `name` of `x.name(…)`, if it is one of `names`. */
function isCalledMethod(
  node: ts.Node,
  names: readonly string[],
): node is ts.Identifier & { readonly parent: ts.PropertyAccessExpression } {
  if (!isNamed(node, names) || !ts.isPropertyAccessExpression(node.parent)) return false;
  return (
    node.parent.name === node &&
    ts.isCallExpression(node.parent.parent) &&
    node.parent.parent.expression === node.parent
  );
}

/** True for `new Date()` and `Date()`, which read the current time. */
function isCurrentDate(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) return isNamed(node.expression, ['Date']) && (node.arguments ?? []).length === 0;
  return ts.isCallExpression(node) && isNamed(node.expression, ['Date']);
}

/** True if an expression is an Observable by its name (`values$`, `values$()`) or because it ends in `.pipe(…)`. */
function isStream(node: ts.Expression): boolean {
  if (ts.isCallExpression(node)) return isPipe(node.expression) || isStream(node.expression);
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return isStream(node.expression);
  if (ts.isPropertyAccessExpression(node)) return node.name.text.endsWith('$');
  return ts.isIdentifier(node) && node.text.endsWith('$');
}

/** True for `x.pipe`. */
function isPipe(node: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(node) && node.name.text === 'pipe';
}
