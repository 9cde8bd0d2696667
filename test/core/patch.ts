// The three patch formats of the API: JSON Patch, merge patch and strategic merge patch. The tables hold what a real
// Kubernetes v1.36 answers; the properties hold for all of them: inputs are never changed, what stays is shared.
import t from 'tap';
import { deepEqual, deepFreeze, isJsonObject } from '../../lib/core/objects/json.js';
import type { JsonObject, JsonValue } from '../../lib/core/objects/json.js';
import { applyJsonPatch, jsonPatchProblems, parseJsonPatch } from '../../lib/core/patch/json-patch.js';
import type { JsonPatchOperation } from '../../lib/core/patch/json-patch.js';
import { applyMergePatch, createMergePatch, parseMergePatch } from '../../lib/core/patch/merge-patch.js';
import { isPatchError, PatchError } from '../../lib/core/patch/patch-error.js';
import { applyStrategicMergePatch, parseStrategicMergePatch } from '../../lib/core/patch/strategic-merge-patch.js';
import { builtinSchema } from '../../lib/core/schema/builtin.js';
import { field, listOf, scalars as scalarShapes, structType } from '../../lib/core/schema/type.js';
import type { StructType } from '../../lib/core/schema/type.js';
import { fc, runs } from '../support/properties.js';

/** Whatever the patch does, neither argument may change: writing to a frozen object throws. */
function jsonPatched(document: JsonValue, patch: readonly (JsonPatchOperation | JsonObject | null)[]): JsonValue {
  return applyJsonPatch(deepFreeze(document), deepFreeze(patch));
}

function typeNamed(name: string): StructType {
  const type = builtinSchema.struct(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

const pod = typeNamed('core/v1.Pod');

function refusal(act: () => unknown): { readonly code: string; readonly message: string } | undefined {
  try {
    act();
  } catch (error) {
    if (isPatchError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return undefined;
}

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

/** JSON with few names, so that patches meet what is there; hostile names among them. */
const names = fc.constantFrom('a', 'b', 'c', 'x/y', '~', '__proto__', 'constructor');
const scalars = fc.constantFrom<JsonValue>(1, 2, 'x', 'y', true);
const { tree, map } = fc.letrec<{ tree: JsonValue; map: JsonObject; list: JsonValue[] }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalars, tie('map'), tie('list')),
  map: fc.array(fc.tuple(names, tie('tree')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  list: fc.array(tie('tree'), { maxLength: 4 }),
}));
const withNulls = fc
  .tuple(map, fc.array(names, { maxLength: 2 }))
  .map(([value, deleted]): JsonObject => ({ ...value, ...Object.fromEntries(deleted.map((name) => [name, null])) }));

t.test('JSON Patch', async (t) => {
  t.test('does what the examples of RFC 6902, appendix A, say', async (t) => {
    const examples: readonly (readonly [
      says: string,
      document: JsonValue,
      patch: readonly JsonObject[],
      result: JsonValue,
    ])[] = [
      [
        'A.1 adding an object member',
        { foo: 'bar' },
        [{ op: 'add', path: '/baz', value: 'qux' }],
        { baz: 'qux', foo: 'bar' },
      ],
      [
        'A.2 adding an array element',
        { foo: ['bar', 'baz'] },
        [{ op: 'add', path: '/foo/1', value: 'qux' }],
        { foo: ['bar', 'qux', 'baz'] },
      ],
      ['A.3 removing an object member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
      [
        'A.4 removing an array element',
        { foo: ['bar', 'qux', 'baz'] },
        [{ op: 'remove', path: '/foo/1' }],
        { foo: ['bar', 'baz'] },
      ],
      [
        'A.5 replacing a value',
        { baz: 'qux', foo: 'bar' },
        [{ op: 'replace', path: '/baz', value: 'boo' }],
        { baz: 'boo', foo: 'bar' },
      ],
      [
        'A.6 moving a value',
        { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
        [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
        { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
      ],
      [
        'A.7 moving an array element',
        { foo: ['all', 'grass', 'cows', 'eat'] },
        [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
        { foo: ['all', 'cows', 'eat', 'grass'] },
      ],
      [
        'A.8 testing a value, successfully',
        { baz: 'qux', foo: ['a', 2, 'c'] },
        [
          { op: 'test', path: '/baz', value: 'qux' },
          { op: 'test', path: '/foo/1', value: 2 },
        ],
        { baz: 'qux', foo: ['a', 2, 'c'] },
      ],
      [
        'A.10 adding a nested member object',
        { foo: 'bar' },
        [{ op: 'add', path: '/child', value: { grandchild: {} } }],
        { foo: 'bar', child: { grandchild: {} } },
      ],
      [
        'A.11 ignoring unrecognized elements',
        { foo: 'bar' },
        [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
        { foo: 'bar', baz: 'qux' },
      ],
      ['A.14 escape ordering', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
      [
        'A.16 adding an array value',
        { foo: ['bar'] },
        [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
        { foo: ['bar', ['abc', 'def']] },
      ],
    ];
    for (const [says, document, patch, result] of examples) t.strictSame(jsonPatched(document, patch), result, says);
    const failing: typeof examples = [
      ['A.9 testing a value, with an error', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }], null],
      ['A.12 adding to a nonexistent target', { foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }], null],
      [
        'A.13 an invalid patch: of two members op the last counts',
        { foo: 'bar' },
        [JSON.parse('{"op":"add","path":"/baz","value":"qux","op":"remove"}') as JsonObject],
        null,
      ],
      ['A.15 comparing strings and numbers', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }], null],
    ];
    for (const [says, document, patch] of failing)
      t.equal(refusal(() => jsonPatched(document, patch))?.code, 'invalid', says);
  });

  t.test('answers as a real server where the RFC would not', async (t) => {
    const cases: readonly (readonly [
      says: string,
      document: JsonValue,
      patch: readonly (JsonObject | null)[],
      result: JsonValue,
    ])[] = [
      ['replacing an absent member adds it', { a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], { a: 1, b: 2 }],
      ['copying an absent member copies null', {}, [{ op: 'copy', from: '/a', path: '/b' }], { b: null }],
      ['an absent member tests as null', {}, [{ op: 'test', path: '/a', value: null }], {}],
      ['an absent value is null', {}, [{ op: 'add', path: '/a' }], { a: null }],
      [
        'an index below zero counts from the end',
        { a: [1, 2] },
        [
          { op: 'replace', path: '/a/-1', value: 3 },
          { op: 'remove', path: '/a/-2' },
        ],
        { a: [3] },
      ],
      [
        'an insertion below zero counts from behind the end',
        { a: [1, 2] },
        [
          { op: 'add', path: '/a/-1', value: 3 },
          { op: 'add', path: '/a/-4', value: 0 },
        ],
        { a: [0, 1, 2, 3] },
      ],
      [
        'the whole document can be replaced',
        { a: 1 },
        [
          { op: 'replace', path: '', value: [1] },
          { op: 'add', path: '/0', value: 0 },
        ],
        [0, 1],
      ],
      ['the whole document can be tested', { a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }], { a: 1 }],
      [
        'moving a value to where it is changes nothing',
        { a: [1, 2] },
        [{ op: 'move', from: '/a/0', path: '/a/0' }],
        { a: [1, 2] },
      ],
      [
        'an element moves into the one that takes its index',
        { a: [{ x: 1 }, 2] },
        [{ op: 'move', from: '/a/1', path: '/a/0/y' }],
        { a: [{ x: 1, y: 2 }] },
      ],
      ['the empty name is a name', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
    ];
    for (const [says, document, patch, result] of cases) t.strictSame(jsonPatched(document, patch), result, says);
  });

  t.test('refuses what does not fit, and leaves the document alone', async (t) => {
    const document = { a: [1, 2], b: { c: 'text' }, n: null };
    const refused: readonly (readonly [says: string, operation: JsonObject | null])[] = [
      ['removing an absent member', { op: 'remove', path: '/z' }],
      ['removing beyond the end', { op: 'remove', path: '/a/2' }],
      ['removing at the end mark', { op: 'remove', path: '/a/-' }],
      ['replacing beyond the end', { op: 'replace', path: '/a/2', value: 1 }],
      ['inserting beyond the end', { op: 'add', path: '/a/3', value: 1 }],
      ['inserting before the start', { op: 'add', path: '/a/-4', value: 1 }],
      ['an index with a leading zero', { op: 'replace', path: '/a/01', value: 1 }],
      ['an index with a sign', { op: 'replace', path: '/a/+1', value: 1 }],
      ['an index that is no number', { op: 'test', path: '/a/length', value: 2 }],
      ['an enormous index', { op: 'remove', path: '/a/99999999999999999999' }],
      ['a path through text', { op: 'add', path: '/b/c/d', value: 1 }],
      ['a path through null', { op: 'add', path: '/n/d', value: 1 }],
      ['a path through an inherited name', { op: 'add', path: '/constructor/x', value: 1 }],
      ['removing an inherited name', { op: 'remove', path: '/toString' }],
      ['a path without a slash', { op: 'add', path: 'a', value: 1 }],
      ['a path that is absent', { op: 'remove' }],
      ['a path of too many names', { op: 'add', path: '/a'.repeat(1001), value: 1 }],
      ['adding the whole document', { op: 'add', path: '', value: {} }],
      ['removing the whole document', { op: 'remove', path: '' }],
      ['replacing the whole document by a scalar', { op: 'replace', path: '', value: 1 }],
      ['copying the whole document', { op: 'copy', from: '', path: '/z' }],
      ['moving a value into itself', { op: 'move', from: '/b', path: '/b/d' }],
      ['moving an absent member onto itself', { op: 'move', from: '/z', path: '/z' }],
      ['moving without a source', { op: 'move', path: '/z' }],
      ['an unknown operation', { op: 'frobnicate', path: '/a' }],
      ['an absent operation', { path: '/a' }],
      ['a null in place of an operation', null],
      ['a failing test', { op: 'test', path: '/b', value: { c: 'text', d: 1 } }],
    ];
    for (const [says, operation] of refused) {
      t.equal(
        refusal(() => jsonPatched(document, [{ op: 'replace', path: '/b/c', value: 'changed' }, operation]))?.code,
        'invalid',
        says,
      );
    }
    t.strictSame(document, { a: [1, 2], b: { c: 'text' }, n: null });
  });

  t.test('checks a request body in the words of a real server', async (t) => {
    const undecodable = 'error decoding patch: json: cannot unmarshal';
    const refused: readonly (readonly [body: JsonValue, message: string])[] = [
      [{}, `${undecodable} object into Go value of type []handlers.jsonPatchOp`],
      ['x', `${undecodable} string into Go value of type []handlers.jsonPatchOp`],
      [3, `${undecodable} number into Go value of type []handlers.jsonPatchOp`],
      [true, `${undecodable} bool into Go value of type []handlers.jsonPatchOp`],
      [[[]], `${undecodable} array into Go value of type handlers.jsonPatchOp`],
      [[{ op: 5 }], `${undecodable} number into Go struct field jsonPatchOp.op of type string`],
      [[{ op: 'add', path: {} }], `${undecodable} object into Go struct field jsonPatchOp.path of type string`],
      [
        [{ op: 'add', path: '/a', from: [] }],
        `${undecodable} array into Go struct field jsonPatchOp.from of type string`,
      ],
    ];
    for (const [body, message] of refused)
      t.strictSame(
        refusal(() => parseJsonPatch(body)),
        { code: 'malformed', message },
      );
    t.strictSame(parseJsonPatch(null), []);
    t.strictSame(parseJsonPatch([null, { op: 'add', path: null }]), [null, { op: 'add', path: null }]);
    const long = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '' }));
    t.strictSame(
      refusal(() => parseJsonPatch(long)),
      { code: 'tooLarge', message: 'The allowed maximum operations in a JSON patch is 10000, got 10001' },
    );
    t.equal(parseJsonPatch(long.slice(1)).length, 10_000);
    t.strictSame(
      jsonPatchProblems(
        parseJsonPatch([{ op: 'test', path: '' }, null, { op: 'add', path: '/a', value: 1, foo: 1, Op: 2 }]),
      ),
      ['json patch unknown field "[2].foo"', 'json patch unknown field "[2].Op"'],
    );
  });

  t.test('shares what it did not touch, and returns the document itself when nothing changes', async (t) => {
    const document = deepFreeze({ a: { b: { c: 1 } }, list: [{ x: 1 }, { y: 2 }], other: { z: 1 } });
    const patched = jsonPatched(document, [
      { op: 'add', path: '/list/0', value: { n: 1 } },
      { op: 'replace', path: '/a/b/c', value: 2 },
    ]);
    t.strictSame(patched, { a: { b: { c: 2 } }, list: [{ n: 1 }, { x: 1 }, { y: 2 }], other: { z: 1 } });
    if (!isJsonObject(patched)) return;
    t.equal(patched.other, document.other);
    t.equal((patched.list as readonly JsonValue[])[1], document.list[0]);
    const idle: readonly JsonPatchOperation[] = [
      { op: 'test', path: '/a/b', value: { c: 1 } },
      { op: 'replace', path: '/a', value: { b: { c: 1 } } },
      { op: 'add', path: '/list', value: [{ x: 1 }, { y: 2 }] },
      { op: 'replace', path: '', value: { other: { z: 1 }, list: [{ x: 1 }, { y: 2 }], a: { b: { c: 1 } } } },
      { op: 'move', from: '/a', path: '/a' },
    ];
    t.equal(jsonPatched(document, idle), document);
    t.equal(jsonPatched(document, []), document);
  });

  t.test('a copied value and its source live apart', async (t) => {
    const patched = jsonPatched({ a: { l: [1] } }, [
      { op: 'add', path: '/a/x', value: 1 },
      { op: 'add', path: '/a/l/-', value: 2 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/y', value: 2 },
      { op: 'add', path: '/b/l/-', value: 3 },
      { op: 'remove', path: '/a/x' },
    ]);
    t.strictSame(patched, { a: { l: [1, 2] }, b: { l: [1, 2, 3], x: 1, y: 2 } });
  });

  t.test('bounds what copies and moves can build', async (t) => {
    const document = { a: { text: 'x'.repeat(1000) } };
    const doubling = Array.from({ length: 20 }, (_, index): JsonPatchOperation => ({
      op: 'copy',
      from: '/a',
      path: `/a/${index}`,
    }));
    t.equal(refusal(() => jsonPatched(document, doubling))?.code, 'invalid', 'a document doubled twenty times');
    t.equal(Object.keys(jsonPatched(document, doubling.slice(0, 8)) as JsonObject).length, 1, 'a few doublings');
    const wide = { a: Array.from({ length: 1000 }, () => [1, true, null, 'text']) };
    const copies = Array.from({ length: 300 }, (_, index): JsonPatchOperation => ({
      op: 'copy',
      from: '/a',
      path: `/${index}`,
    }));
    t.equal(refusal(() => jsonPatched(wide, copies))?.code, 'invalid', 'a list copied too often');
    const chain = Object.fromEntries(Array.from({ length: 2100 }, (_, index) => [`k${index}`, {}]));
    const moves = Array.from({ length: 2099 }, (_, index): JsonPatchOperation => ({
      op: 'move',
      from: `/k${index}`,
      path: `/k${index + 1}/k`,
    }));
    t.equal(refusal(() => jsonPatched(chain, moves))?.code, 'malformed', 'maps moved into each other');
    t.equal(
      refusal(() => jsonPatched({}, [{ op: 'add', path: '/a', value: nested(1000) }]))?.message,
      'exceeded max depth',
    );
  });

  t.test('thousands of operations on one container cost no copy each', async (t) => {
    const document = {
      list: Array.from({ length: 20_000 }, (_, index) => index),
      map: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index])),
    };
    const operations = Array.from({ length: 2_500 }, (_, index): JsonPatchOperation[] => [
      { op: 'add', path: '/list/0', value: index },
      { op: 'remove', path: '/list/-1' },
      { op: 'add', path: `/map/n${index}`, value: index },
      { op: 'remove', path: `/map/k${index}` },
    ]).flat();
    const patched = jsonPatched(document, operations) as { list: number[]; map: JsonObject };
    t.equal(patched.list.length, 20_000);
    t.equal(patched.list[0], 2_499);
    t.equal(Object.keys(patched.map).length, 20_000);
  });

  t.test('the elements that insertions and removals move are bounded', async (t) => {
    const document = { list: Array.from({ length: 100_000 }, () => 0) };
    const moving = (op: 'add' | 'remove', path: string): JsonPatchOperation[] =>
      Array.from({ length: 2_000 }, () => ({ op, path, ...(op === 'add' && { value: 1 }) }));
    const refused = { code: 'tooLarge', message: 'The patch moves more than 150000000 elements of lists' };
    t.throws(() => jsonPatched(document, moving('add', '/list/0')), refused);
    t.throws(() => jsonPatched(document, moving('remove', '/list/0')), refused);
    t.equal((jsonPatched(document, moving('add', '/list/-')) as typeof document).list.length, 102_000);
  });

  t.test('hostile names are only data', async (t) => {
    const document = JSON.parse('{"data":{"__proto__":{"polluted":1},"constructor":"c"}}') as JsonObject;
    const patched = jsonPatched(document, [
      { op: 'add', path: '/data/__proto__/polluted', value: 2 },
      { op: 'add', path: '/__proto__', value: { polluted: 3 } },
      { op: 'move', from: '/data/constructor', path: '/data/toString' },
      { op: 'copy', from: '/__proto__', path: '/data/copy' },
    ]);
    t.equal(
      JSON.stringify(patched),
      '{"data":{"__proto__":{"polluted":2},"toString":"c","copy":{"polluted":3}},"__proto__":{"polluted":3}}',
    );
    t.equal(Object.getPrototypeOf(patched), Object.prototype);
    t.equal(({} as JsonObject).polluted, undefined);
  });

  const pointers = fc
    .array(fc.oneof(names, fc.constantFrom('0', '1', '-', '-1')), { minLength: 1, maxLength: 3 })
    .map((path) => path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
  const operations: fc.Arbitrary<JsonPatchOperation> = fc.record({
    op: fc.constantFrom('add', 'add', 'remove', 'replace', 'move', 'copy', 'test'),
    path: pointers,
    from: pointers,
    value: tree,
  });

  t.test('several operations do together what they do one after the other', async () => {
    fc.assert(
      fc.property(map, fc.array(operations, { maxLength: 6 }), (document, patch) => {
        let expected: JsonValue | undefined = document;
        for (const operation of patch) {
          const before: JsonValue = expected;
          expected = undefined;
          if (refusal(() => (expected = jsonPatched(before, [operation]))) !== undefined) break;
          expected ??= null;
        }
        let actual: JsonValue | undefined;
        refusal(() => (actual = jsonPatched(document, patch)));
        return deepEqual(actual, patch.length === 0 ? document : expected);
      }),
      { numRuns: runs(2000) },
    );
  });

  t.test('an addition and its removal restore the document', async () => {
    fc.assert(
      fc.property(map, tree, fc.nat(), fc.nat(), (document, value, which, where) => {
        const places = containersOf(document);
        const [pointer, container] = places[which % places.length] ?? ['', document];
        const path = `${pointer}/${isJsonObject(container) ? 'fresh' : where % (container.length + 1)}`;
        const added = jsonPatched(document, [{ op: 'add', path, value }]);
        return !deepEqual(added, document) && deepEqual(jsonPatched(added, [{ op: 'remove', path }]), document);
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** Every object and list of a value with the pointer to it. */
function containersOf(
  value: JsonObject | readonly JsonValue[],
  pointer = '',
): (readonly [string, JsonObject | readonly JsonValue[]])[] {
  const inner = Object.entries(value).flatMap(([name, child]) =>
    typeof child === 'object' && child !== null
      ? containersOf(child, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      : [],
  );
  return [[pointer, value], ...inner];
}

t.test('Merge patch', async (t) => {
  const apply = (document: JsonValue, patch: JsonValue): JsonValue =>
    applyMergePatch(deepFreeze(document), deepFreeze(patch));

  t.test('does what the examples of RFC 7386, appendix A, say', async (t) => {
    const examples: readonly (readonly [document: JsonValue, patch: JsonValue, result: JsonValue])[] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [
        ['a', 'b'],
        ['c', 'd'],
        ['c', 'd'],
      ],
      [{ a: 'b' }, ['c'], ['c']],
      [{ a: 'foo' }, null, null],
      [{ a: 'foo' }, 'bar', 'bar'],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ];
    for (const [document, patch, result] of examples)
      t.strictSame(apply(document, patch), result, JSON.stringify([document, patch]));
  });

  t.test('drops nulls inside lists as a real server does', async (t) => {
    t.strictSame(apply({ a: [] }, { a: [{ b: null }, null] }), { a: [{}, null] });
    t.strictSame(apply({ a: 1 }, { a: { b: [{ c: null }] } }), { a: { b: [{}] } });
    t.strictSame(apply({ a: {} }, { a: [{ b: null }] }), { a: [{ b: null }] }, 'but not in the place of a map');
    t.strictSame(apply({ a: null }, { a: { b: null } }), { a: {} });
  });

  t.test('checks a request body in the words of a real server', async (t) => {
    const message = (what: string): string =>
      `error decoding patch: json: cannot unmarshal ${what} into Go value of type map[string]interface {}`;
    t.strictSame(
      refusal(() => parseMergePatch([])),
      { code: 'malformed', message: message('array') },
    );
    t.strictSame(
      refusal(() => parseMergePatch('x')),
      { code: 'malformed', message: message('string') },
    );
    t.strictSame(
      refusal(() => parseMergePatch(3)),
      { code: 'malformed', message: message('number') },
    );
    t.strictSame(
      refusal(() => parseMergePatch(null)),
      { code: 'malformed', message: 'Invalid JSON Patch' },
    );
    t.strictSame(parseMergePatch({ a: 1 }), { a: 1 });
  });

  t.test('shares what it did not touch, and returns the document itself when nothing changes', async (t) => {
    const document = deepFreeze({ a: { b: 1, deep: { c: [1, { d: 2 }] } }, other: { z: 1 } });
    const patched = apply(document, { a: { b: 2 } });
    if (!isJsonObject(patched) || !isJsonObject(patched.a)) return;
    t.equal(patched.other, document.other);
    t.equal(patched.a.deep, document.a.deep);
    t.equal(apply(document, { a: { b: 1, deep: { c: [1, { d: 2 }] }, gone: null }, other: {} }), document);
    const list = [1, { a: 1 }];
    t.equal((apply({}, { list }) as JsonObject).list, list, 'and with the patch too');
  });

  t.test('hostile names are only data, and depth is bounded', async (t) => {
    const patch = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":null}}',
    ) as JsonObject;
    const patched = apply(JSON.parse('{"a":{"__proto__":1,"b":2}}') as JsonObject, patch);
    t.equal(
      JSON.stringify(patched),
      '{"a":{"b":2},"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    t.equal(({} as JsonObject).polluted, undefined);
    t.equal(JSON.stringify(createMergePatch(JSON.parse('{"__proto__":1}') as JsonObject, {})), '{"__proto__":null}');
    t.strictSame(
      refusal(() => apply({}, nested(1001))),
      { code: 'malformed', message: 'exceeded max depth' },
    );
    t.strictSame(
      refusal(() => createMergePatch(nested(1002), { ...nested(1001), b: 1 })),
      { code: 'malformed', message: 'exceeded max depth' },
    );
    t.strictSame(apply({}, nested(1000)), nested(1000));
  });

  t.test('creating says only what differs', async (t) => {
    const original = { kept: [1, { a: 1 }], gone: 1, changed: { deep: { x: 1, y: 2 }, list: [1] }, type: { a: 1 } };
    const modified = {
      kept: [1, { a: 1 }],
      changed: { deep: { x: 1, y: 3 }, list: [1, 2] },
      type: 'text',
      added: { b: 1 },
    };
    t.strictSame(createMergePatch(original, modified), {
      gone: null,
      changed: { deep: { y: 3 }, list: [1, 2] },
      type: 'text',
      added: { b: 1 },
    });
    t.strictSame(createMergePatch(original, original), {});
    t.equal(createMergePatch(original, 'text'), 'text');
    t.equal(createMergePatch([1], original), original);
  });

  t.test('a created patch, applied, gives the modified document', async () => {
    fc.assert(
      fc.property(map, map, (original, modified) =>
        deepEqual(apply(original, createMergePatch(original, modified)), modified),
      ),
      { numRuns: runs(2000) },
    );
  });

  t.test('applying twice is applying once, and the second time changes nothing', async () => {
    fc.assert(
      fc.property(withNulls, withNulls, (document, patch) => {
        const once = apply(document, patch);
        return apply(once, patch) === once;
      }),
      { numRuns: runs(2000) },
    );
  });

  t.test('a patch without effect returns the document itself', async () => {
    fc.assert(
      fc.property(
        map,
        (document) => apply(document, {}) === document && apply(document, structuredCloneOf(document)) === document,
      ),
      { numRuns: runs(500) },
    );
  });
});

t.test('Strategic merge patch', async (t) => {
  type Case = readonly [
    says: string,
    type: string,
    document: JsonObject,
    patch: JsonObject,
    answer: JsonObject | string,
  ];
  // prettier-ignore
  const cases: readonly Case[] = [
    ['a scalar is replaced', 'core/v1.Pod',
      { spec: { nodeName: 'a', hostNetwork: true } }, { spec: { nodeName: 'b' } },
      { spec: { hostNetwork: true, nodeName: 'b' } }],
    ['maps of strings merge per key', 'core/v1.ConfigMap',
      { data: { a: '1', b: '2' } }, { data: { b: '3', c: '4' } },
      { data: { a: '1', b: '3', c: '4' } }],
    ['null deletes a member', 'core/v1.ConfigMap',
      { data: { a: '1', b: '2' } }, { data: { a: null } },
      { data: { b: '2' } }],
    ['null deletes a whole map', 'core/v1.Pod',
      { metadata: { labels: { a: '1' }, name: 'p' } }, { metadata: { labels: null } },
      { metadata: { name: 'p' } }],
    ['null for what is not there changes nothing', 'core/v1.Pod',
      { metadata: { name: 'p' } }, { metadata: { labels: null }, spec: null },
      { metadata: { name: 'p' } }],
    ['nulls are dropped from a new map, at any depth', 'core/v1.Pod',
      {}, { metadata: { labels: { a: null, b: '1' } }, spec: { containers: [{ name: 'a', image: null }] } },
      { metadata: { labels: { b: '1' } }, spec: { containers: [{ name: 'a' }] } }],
    ['nulls stay in a new element of a merged list', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [{ name: 'b', image: null }] } },
      { spec: { containers: [{ image: null, name: 'b' }, { name: 'a' }] } }],
    ['nulls stay in a replaced list', 'core/v1.Pod',
      { spec: { tolerations: [{ key: 'a' }] } }, { spec: { tolerations: [{ key: 'b', value: null }] } },
      { spec: { tolerations: [{ key: 'b', value: null }] } }],
    ['a value of another type is replaced', 'core/v1.Pod',
      { metadata: { labels: 'text' } }, { metadata: { labels: { a: '1', b: null } } },
      { metadata: { labels: { a: '1' } } }],
    ['an explicit null of the document counts as absent', 'core/v1.Pod',
      { metadata: { labels: null } }, { metadata: { labels: { a: '1', b: null } } },
      { metadata: { labels: { a: '1' } } }],
    ['a map with $patch replace is taken as it is', 'apps/v1.Deployment',
      { metadata: { labels: { a: '1', b: '2' } } }, { metadata: { labels: { $patch: 'replace', c: '3' } } },
      { metadata: { labels: { c: '3' } } }],
    ['a map with $patch replace keeps its nulls', 'apps/v1.Deployment',
      { metadata: { labels: { a: '1' } } }, { metadata: { labels: { $patch: 'replace', c: null } } },
      { metadata: { labels: { c: null } } }],
    ['a map with $patch delete becomes empty', 'apps/v1.Deployment',
      { metadata: { labels: { a: '1' }, name: 'd' } }, { metadata: { labels: { $patch: 'delete', x: 'y' } } },
      { metadata: { labels: {}, name: 'd' } }],
    ['a map with $patch that meets nothing is dropped', 'apps/v1.Deployment',
      { metadata: { name: 'd' } }, { metadata: { labels: { $patch: 'replace', c: '3' } } },
      { metadata: { name: 'd' } }],
    ['$patch at the root replaces the document', 'core/v1.ConfigMap',
      { data: { a: '1' }, metadata: { name: 'c' } }, { $patch: 'replace', data: { b: '2' } },
      { data: { b: '2' } }],
    ['$patch merge in a map is refused', 'core/v1.Pod',
      { metadata: { labels: { a: '1' } } }, { metadata: { labels: { $patch: 'merge', b: '2' } } },
      'unknown patch type: merge in map: map[$patch:merge b:2]'],
    ['an unknown $patch is refused', 'core/v1.Pod',
      { metadata: { labels: { a: '1' } } }, { metadata: { labels: { $patch: 'bogus', n: 1, list: ['x', true, null, 1.5], m: { k: 'v' } } } },
      'unknown patch type: bogus in map: map[$patch:bogus list:[x true <nil> 1.5] m:map[k:v] n:1]'],
    ['a $patch that is no text is refused', 'core/v1.Pod',
      { metadata: { labels: { a: '1' } } }, { metadata: { labels: { $patch: 5 } } },
      'unknown patch type: %!s(int64=5) in map: map[$patch:5]'],
    ['a $patch that is a list is refused', 'core/v1.Pod',
      { metadata: { labels: { a: '1' } } }, { metadata: { labels: { $patch: [true, null, { a: 1.5 }] } } },
      'unknown patch type: [%!s(bool=true) <nil> map[a:%!s(float64=1.5)]] in map: map[$patch:[true <nil> map[a:1.5]]]'],
    ['a null $patch is refused', 'core/v1.Pod',
      { metadata: { labels: { a: '1' } } }, { metadata: { labels: { $patch: null } } },
      'unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]'],
    ['the selector of a disruption budget is replaced', 'policy/v1.PodDisruptionBudget',
      { spec: { selector: { matchLabels: { a: '1' } } } }, { spec: { selector: { matchLabels: { b: null } } } },
      { spec: { selector: { matchLabels: { b: null } } } }],
    ['the selector of a deployment merges', 'apps/v1.Deployment',
      { spec: { selector: { matchLabels: { a: '1' } } } }, { spec: { selector: { matchLabels: { b: '2' } } } },
      { spec: { selector: { matchLabels: { a: '1', b: '2' } } } }],
    ['an embedded object merges one level deep', 'apps/v1.ControllerRevision',
      { data: { a: 1, b: 2 } }, { data: { b: null, c: 3 } },
      { data: { a: 1, c: 3 } }],
    ['an embedded object has no known fields', 'apps/v1.ControllerRevision',
      { data: { spec: { a: 1 } } }, { data: { spec: { b: 2 } } },
      'unable to find api field in struct RawExtension for the json field "spec"'],
    ['an unknown scalar passes', 'core/v1.Pod',
      { spec: { nodeName: 'a' } }, { spec: { bogus: 1 } },
      { spec: { bogus: 1, nodeName: 'a' } }],
    ['an unknown map is refused where one is there', 'core/v1.Pod',
      { spec: { bogus: { a: 1 } } }, { spec: { bogus: { b: 1 } } },
      'unable to find api field in struct PodSpec for the json field "bogus"'],
    ['a map of lists is refused', 'certificates/v1.CertificateSigningRequest',
      { spec: { extra: { a: ['x'] } } }, { spec: { extra: { a: ['y'] } } },
      'merging an object in json but data type is not struct, instead is: map'],
    ['containers merge by name and keep their order', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a', image: '1' }, { name: 'b', image: '2' }] } }, { spec: { containers: [{ name: 'b', image: '3' }] } },
      { spec: { containers: [{ image: '1', name: 'a' }, { image: '3', name: 'b' }] } }],
    ['a new element comes first', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }] } }, { spec: { containers: [{ name: 'n' }] } },
      { spec: { containers: [{ name: 'n' }, { name: 'a' }, { name: 'b' }] } }],
    ['the order of the patch counts among its elements', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } }, { spec: { containers: [{ name: 'c' }, { name: 'a' }] } },
      { spec: { containers: [{ name: 'b' }, { name: 'c' }, { name: 'a' }] } }],
    ['an element of the document stays before those it preceded', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }] } }, { spec: { containers: [{ name: 'c' }, { name: 'n' }, { name: 'd' }] } },
      { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'n' }, { name: 'd' }] } }],
    ['an element with $patch delete deletes its like', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } }, { spec: { containers: [{ name: 'b', $patch: 'delete' }] } },
      { spec: { containers: [{ name: 'a' }, { name: 'c' }] } }],
    ['deleting what is not there changes nothing', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [{ name: 'z', $patch: 'delete' }] } },
      { spec: { containers: [{ name: 'a' }] } }],
    ['deleting takes all elements of the key', 'core/v1.Service',
      { spec: { ports: [{ port: 53, protocol: 'UDP' }, { port: 80 }, { port: 53, protocol: 'TCP' }] } }, { spec: { ports: [{ port: 53, $patch: 'delete' }] } },
      { spec: { ports: [{ port: 80 }] } }],
    ['of several elements with the key the first is merged', 'core/v1.Service',
      { spec: { ports: [{ port: 53, protocol: 'UDP' }, { port: 80 }, { port: 53, protocol: 'TCP' }] } }, { spec: { ports: [{ port: 53, name: 'dns' }] } },
      { spec: { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }, { port: 53, protocol: 'TCP' }, { port: 80 }] } }],
    ['an element with $patch replace replaces the list', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }] } }, { spec: { containers: [{ $patch: 'replace' }, { name: 'c' }] } },
      { spec: { containers: [{ name: 'c' }] } }],
    ['$patch replace alone empties the list', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }] } }, { spec: { containers: [{ $patch: 'replace' }] } },
      { spec: { containers: [] } }],
    ['$patch merge in a list is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [{ name: 'a', $patch: 'merge' }] } },
      'merging lists cannot yet be specified in the patch'],
    ['an unknown $patch in a list is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [{ name: 'a', $patch: 'bogus' }] } },
      'unknown patch type: bogus in map: map[$patch:bogus name:a]'],
    ['an element without merge key is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [{ image: 'y', ports: [{ containerPort: 80 }], args: ['x', 'y'] }] } },
      'map: map[args:[x y] image:y ports:[map[containerPort:80]]] does not contain declared merge key: name'],
    ['deleting without merge key is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [{ image: 'y', $patch: 'delete' }] } },
      'map: map[$patch:delete image:y] does not contain declared merge key: name'],
    ['an element of the document without merge key is refused', 'core/v1.Pod',
      { spec: { containers: [{ image: 'x' }] } }, { spec: { containers: [{ name: 'a' }] } },
      'map: map[image:x] does not contain declared merge key: name'],
    ['an element named twice in the patch merges with itself', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [{ name: 'n', image: '1' }, { name: 'n', tty: true }] } },
      { spec: { containers: [{ image: '1', name: 'n', tty: true }, { name: 'a' }] } }],
    ['a list that was not there is taken whole', 'core/v1.Pod',
      { spec: {} }, { spec: { containers: [{ name: 'b' }, { name: 'a' }] } },
      { spec: { containers: [{ name: 'b' }, { name: 'a' }] } }],
    ['elements with $patch are dropped from a new list', 'core/v1.Pod',
      { spec: {} }, { spec: { containers: [{ name: 'a' }, { name: 'b', $patch: 'delete' }] } },
      { spec: { containers: [{ name: 'a' }] } }],
    ['an empty patch list changes nothing', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [] } },
      { spec: { containers: [{ name: 'a' }] } }],
    ['elements of different types are refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: ['a'] } },
      'list element types are not identical: [[map[name:a]] [a]]'],
    ['a list of lists is refused', 'core/v1.Pod',
      { spec: { containers: [['a']] } }, { spec: { containers: [['b']] } },
      'lists of lists are not supported'],
    ['scalars in a list with merge key are refused', 'core/v1.Pod',
      { spec: { containers: ['a'] } }, { spec: { containers: ['b'] } },
      'expected a map[string]interface {}, but received a string'],
    ['maps in a list without merge key are refused', 'core/v1.ConfigMap',
      { metadata: { finalizers: [{ a: 1 }] } }, { metadata: { finalizers: [{ b: 1 }] } },
      'cannot merge lists without merge key for string'],
    ['env merges by name, two levels down', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }, { name: 'Y', value: '2' }] }] } }, { spec: { containers: [{ name: 'a', env: [{ name: 'Y', value: '3' }, { name: 'X', $patch: 'delete' }] }] } },
      { spec: { containers: [{ env: [{ name: 'Y', value: '3' }], name: 'a' }] } }],
    ['ports merge by containerPort, whatever the protocol', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a', ports: [{ containerPort: 53, protocol: 'UDP' }] }] } }, { spec: { containers: [{ name: 'a', ports: [{ containerPort: 53, protocol: 'TCP' }, { containerPort: 80 }] }] } },
      { spec: { containers: [{ name: 'a', ports: [{ containerPort: 53, protocol: 'TCP' }, { containerPort: 80 }] }] } }],
    ['volumeMounts merge by mountPath', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] } }, { spec: { containers: [{ name: 'a', volumeMounts: [{ name: 'w', mountPath: '/w' }, { name: 'u', mountPath: '/v' }] }] } },
      { spec: { containers: [{ name: 'a', volumeMounts: [{ mountPath: '/w', name: 'w' }, { mountPath: '/v', name: 'u' }] }] } }],
    ['args are replaced', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a', args: ['x', 'y'] }] } }, { spec: { containers: [{ name: 'a', args: ['z'] }] } },
      { spec: { containers: [{ args: ['z'], name: 'a' }] } }],
    ['tolerations are replaced', 'core/v1.Pod',
      { spec: { tolerations: [{ key: 'a' }] } }, { spec: { tolerations: [{ key: 'b' }] } },
      { spec: { tolerations: [{ key: 'b' }] } }],
    ['a directive in a replaced list is data', 'core/v1.Pod',
      { spec: { tolerations: [{ key: 'a' }] } }, { spec: { tolerations: [{ $patch: 'replace' }, { key: 'b' }] } },
      { spec: { tolerations: [{ $patch: 'replace' }, { key: 'b' }] } }],
    ['hostAliases merge by ip', 'core/v1.Pod',
      { spec: { hostAliases: [{ ip: '1.1.1.1', hostnames: ['a'] }] } }, { spec: { hostAliases: [{ ip: '1.1.1.1', hostnames: ['b'] }] } },
      { spec: { hostAliases: [{ hostnames: ['b'], ip: '1.1.1.1' }] } }],
    ['topologySpreadConstraints merge by topologyKey', 'apps/v1.Deployment',
      { spec: { template: { spec: { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 1 }] } } } }, { spec: { template: { spec: { topologySpreadConstraints: [{ topologyKey: 'host', maxSkew: 2 }, { topologyKey: 'zone', maxSkew: 3 }] } } } },
      { spec: { template: { spec: { topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'host' }, { maxSkew: 3, topologyKey: 'zone' }] } } } }],
    ['service ports merge by port', 'core/v1.Service',
      { spec: { ports: [{ name: 'a', port: 80 }, { name: 'b', port: 81 }] } }, { spec: { ports: [{ port: 81, targetPort: 9000 }, { name: 'c', port: 82 }] } },
      { spec: { ports: [{ name: 'a', port: 80 }, { name: 'b', port: 81, targetPort: 9000 }, { name: 'c', port: 82 }] } }],
    ['numbers and their text are different keys', 'core/v1.Service',
      { spec: { ports: [{ port: 80 }] } }, { spec: { ports: [{ port: '80' }] } },
      { spec: { ports: [{ port: '80' }, { port: 80 }] } }],
    ['secrets of a service account merge by name', 'core/v1.ServiceAccount',
      { secrets: [{ name: 'a' }], imagePullSecrets: [{ name: 'p' }] }, { secrets: [{ name: 'b' }], imagePullSecrets: [{ name: 'p', $patch: 'delete' }] },
      { imagePullSecrets: [{ $patch: 'delete', name: 'p' }], secrets: [{ name: 'b' }, { name: 'a' }] }],
    ['ownerReferences merge by uid', 'core/v1.ConfigMap',
      { metadata: { ownerReferences: [{ uid: '1', name: 'a' }] } }, { metadata: { ownerReferences: [{ uid: '2', name: 'b' }, { uid: '1', controller: true }] } },
      { metadata: { ownerReferences: [{ name: 'b', uid: '2' }, { controller: true, name: 'a', uid: '1' }] } }],
    ['conditions merge by type', 'core/v1.Pod',
      { status: { conditions: [{ type: 'Ready', status: 'True' }, { type: 'Initialized', status: 'True' }] } }, { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
      { status: { conditions: [{ status: 'False', type: 'Ready' }, { status: 'True', type: 'Initialized' }] } }],
    ['addresses of a node merge by type', 'core/v1.Node',
      { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }, { type: 'Hostname', address: 'n' }] } }, { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] } },
      { status: { addresses: [{ address: '10.0.0.2', type: 'InternalIP' }, { address: 'n', type: 'Hostname' }] } }],
    ['taints of a node are replaced', 'core/v1.Node',
      { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }, { spec: { taints: [{ key: 'b', effect: 'NoExecute' }] } },
      { spec: { taints: [{ effect: 'NoExecute', key: 'b' }] } }],
    ['webhooks and their conditions merge by name', 'admissionregistration/v1.ValidatingWebhookConfiguration',
      { webhooks: [{ name: 'w', matchConditions: [{ name: 'm', expression: 'x' }] }] }, { webhooks: [{ name: 'w', matchConditions: [{ name: 'n', expression: 'y' }], rules: [] }] },
      { webhooks: [{ matchConditions: [{ expression: 'y', name: 'n' }, { expression: 'x', name: 'm' }], name: 'w', rules: [] }] }],
    ['consumers of a claim merge by uid', 'resource/v1.ResourceClaim',
      { status: { reservedFor: [{ uid: '1', name: 'a' }] } }, { status: { reservedFor: [{ uid: '2', name: 'b' }] } },
      { status: { reservedFor: [{ name: 'b', uid: '2' }, { name: 'a', uid: '1' }] } }],
    ['a cron job reaches its containers', 'batch/v1.CronJob',
      { spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: 'a', image: '1' }] } } } } } }, { spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: 'a', image: '2' }] } } } } } },
      { spec: { jobTemplate: { spec: { template: { spec: { containers: [{ image: '2', name: 'a' }] } } } } } }],
    ['versions of a definition are replaced', 'apiextensions/v1.CustomResourceDefinition',
      { spec: { versions: [{ name: 'v1', served: true }] } }, { spec: { versions: [{ name: 'v2' }] } },
      { spec: { versions: [{ name: 'v2' }] } }],
    ['finalizers are united, new ones first', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a', 'b'] } }, { metadata: { finalizers: ['c'] } },
      { metadata: { finalizers: ['c', 'a', 'b'] } }],
    ['finalizers of the patch keep its order', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a', 'b', 'c'] } }, { metadata: { finalizers: ['c', 'a'] } },
      { metadata: { finalizers: ['b', 'c', 'a'] } }],
    ['podCIDRs are united', 'core/v1.Node',
      { spec: { podCIDRs: ['10.0.0.0/24'] } }, { spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] } },
      { spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] } }],
    ['null deletes a primitive list', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a'] } }, { metadata: { finalizers: null } },
      { metadata: {} }],
    ['$deleteFromPrimitiveList takes scalars out', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a', 'b', 'c'] } }, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'c', 'z'] } },
      { metadata: { finalizers: ['b'] } }],
    ['$deleteFromPrimitiveList beside additions', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a', 'b'] } }, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] } },
      { metadata: { finalizers: ['c', 'b'] } }],
    ['$deleteFromPrimitiveList also works on replaced lists', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a', args: ['x', 'y'] }] } }, { spec: { containers: [{ name: 'a', '$deleteFromPrimitiveList/args': ['x'] }] } },
      { spec: { containers: [{ args: ['y'], name: 'a' }] } }],
    ['$deleteFromPrimitiveList without the list changes nothing', 'core/v1.ConfigMap',
      { metadata: { name: 'c' } }, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: { name: 'c' } }],
    ['$deleteFromPrimitiveList null deletes the list', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a'] } }, { metadata: { '$deleteFromPrimitiveList/finalizers': null } },
      { metadata: {} }],
    ['$deleteFromPrimitiveList without a name is refused', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a'] } }, { metadata: { $deleteFromPrimitiveList: ['a'] } },
      'invalid patch format of primitive list'],
    ['scalars of different types are refused', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a'] } }, { metadata: { finalizers: [1] } },
      'list element types are not identical: [[a] [1]]'],
    ['$setElementOrder reorders without a list', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } }, { spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }, { name: 'b' }] } },
      { spec: { containers: [{ name: 'c' }, { name: 'a' }, { name: 'b' }] } }],
    ['$setElementOrder leaves elements of the document in place', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } }, { spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }] } },
      { spec: { containers: [{ name: 'a' }, { name: 'c' }, { name: 'b' }] } }],
    ['$setElementOrder places a new element', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }] } }, { spec: { '$setElementOrder/containers': [{ name: 'a' }, { name: 'n' }, { name: 'b' }], containers: [{ name: 'n' }] } },
      { spec: { containers: [{ name: 'a' }, { name: 'n' }, { name: 'b' }] } }],
    ['$setElementOrder with a server-only element', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 's' }, { name: 'b' }] } }, { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'n' }, { name: 'a' }], containers: [{ name: 'n' }] } },
      { spec: { containers: [{ name: 's' }, { name: 'b' }, { name: 'n' }, { name: 'a' }] } }],
    ['$setElementOrder and a deletion', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 's' }, { name: 'd' }] } }, { spec: { '$setElementOrder/containers': [{ name: 'd' }, { name: 'n' }], containers: [{ name: 'n' }, { name: 'a', $patch: 'delete' }] } },
      { spec: { containers: [{ name: 'b' }, { name: 's' }, { name: 'd' }, { name: 'n' }] } }],
    ['$setElementOrder, where a new element takes the place of a deleted one', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 's' }, { name: 'd' }] } }, { spec: { '$setElementOrder/containers': [{ name: 'n' }], containers: [{ name: 'n' }, { name: 'a', $patch: 'delete' }] } },
      { spec: { containers: [{ name: 's' }, { name: 'd' }, { name: 'n' }] } }],
    ['$setElementOrder for a new list', 'core/v1.Pod',
      { spec: {} }, { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }], containers: [{ name: 'b' }, { name: 'a' }] } },
      { spec: { containers: [{ name: 'b' }, { name: 'a' }] } }],
    ['$setElementOrder for no list at all', 'core/v1.Pod',
      { spec: {} }, { spec: { '$setElementOrder/containers': [{ name: 'b' }] } },
      { spec: {} }],
    ['$setElementOrder for scalars', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a', 'b', 's'] } }, { metadata: { '$setElementOrder/finalizers': ['n', 'b', 'a'], finalizers: ['n'] } },
      { metadata: { finalizers: ['n', 'b', 'a', 's'] } }],
    ['$setElementOrder, deletion and addition of scalars', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a', 'b', 's'] } }, { metadata: { '$setElementOrder/finalizers': ['b', 'n'], finalizers: ['n'], '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: { finalizers: ['b', 'n', 's'] } }],
    ['$setElementOrder for a replaced list of scalars', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a', args: ['x', 'y'] }] } }, { spec: { containers: [{ name: 'a', args: ['z', 'x'], '$setElementOrder/args': ['z', 'x'] }] } },
      { spec: { containers: [{ args: ['z', 'x'], name: 'a' }] } }],
    ['$setElementOrder that contradicts the list is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }] } }, { spec: { '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }], containers: [{ name: 'b' }, { name: 'a' }] } },
      "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n"],
    ['$setElementOrder that forgets an element is refused', 'core/v1.ConfigMap',
      { metadata: { finalizers: ['a'] } }, { metadata: { '$setElementOrder/finalizers': ['a'], finalizers: ['n'] } },
      "The order in patch list:\n[n]\n doesn't match $setElementOrder list:\n[a]\n"],
    ['$setElementOrder of text is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { '$setElementOrder/containers': 'a' } },
      'expected a []interface {}, but received a string'],
    ['$setElementOrder without a name is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { $setElementOrder: [{ name: 'a' }] } },
      'invalid patch format of setElementOrder list'],
    ['$setElementOrder without merge key is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { '$setElementOrder/containers': [{ image: 'a' }] } },
      'map: map[image:a] does not contain declared merge key: name'],
    ['$setElementOrder of what is no list is refused', 'core/v1.Pod',
      { spec: {} }, { spec: { '$setElementOrder/nodeSelector': ['a'] } },
      'expected slice or array type, but got: struct'],
    ['$setElementOrder of an unknown field is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: [{ name: 'a', '$setElementOrder/bogus': ['a'] }] } },
      'unable to find api field in struct Container for the json field "bogus"'],
    ['$setElementOrder of an empty list is refused', 'core/v1.Pod',
      { spec: { containers: [] } }, { spec: { '$setElementOrder/containers': [{ name: 'a' }] } },
      'no elements in any of the given slices'],
    ['$setElementOrder of a deleted list is refused', 'core/v1.Pod',
      { spec: { containers: [{ name: 'a' }] } }, { spec: { '$setElementOrder/containers': [{ name: 'a' }], containers: null } },
      'expected a []interface {}, but received a %!s(<nil>)'],
    ['$retainKeys keeps only the named members', 'apps/v1.Deployment',
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } }, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      { spec: { strategy: { type: 'Recreate' } } }],
    ['without $retainKeys the strategy merges', 'apps/v1.Deployment',
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } }, { spec: { strategy: { type: 'Recreate' } } },
      { spec: { strategy: { rollingUpdate: { maxSurge: 1 }, type: 'Recreate' } } }],
    ['$retainKeys in an element of a list', 'apps/v1.Deployment',
      { spec: { template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } } }, { spec: { template: { spec: { volumes: [{ $retainKeys: ['name', 'configMap'], name: 'v', configMap: { name: 'cfg' } }] } } } },
      { spec: { template: { spec: { volumes: [{ configMap: { name: 'cfg' }, name: 'v' }] } } } }],
    ['$retainKeys in a new element stays', 'apps/v1.Deployment',
      { spec: { template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } } }, { spec: { template: { spec: { volumes: [{ $retainKeys: ['name', 'configMap'], name: 'w', configMap: { name: 'cfg' } }] } } } },
      { spec: { template: { spec: { volumes: [{ $retainKeys: ['name', 'configMap'], configMap: { name: 'cfg' }, name: 'w' }, { emptyDir: {}, name: 'v' }] } } } }],
    ['$retainKeys works on any map', 'core/v1.ConfigMap',
      { data: { a: '1', b: '2', c: '3' } }, { data: { $retainKeys: ['a', 'd'], d: '4' } },
      { data: { a: '1', d: '4' } }],
    ['$retainKeys allows deletions and directives', 'core/v1.Pod',
      { metadata: { name: 'p', labels: { a: '1' }, finalizers: ['x', 'y'] } }, { metadata: { $retainKeys: ['name', 'finalizers'], annotations: null, '$deleteFromPrimitiveList/finalizers': ['x'] } },
      { metadata: { finalizers: ['y'], name: 'p' } }],
    ['$retainKeys that forgets a member is refused', 'apps/v1.Deployment',
      { spec: { strategy: { type: 'Recreate' } } }, { spec: { strategy: { $retainKeys: ['rollingUpdate'], type: 'Recreate' } } },
      'invalid patch format of retainKeys'],
    ['$retainKeys of text is refused', 'apps/v1.Deployment',
      { spec: { strategy: { type: 'Recreate' } } }, { spec: { strategy: { $retainKeys: 'type' } } },
      'invalid patch format of retainKeys'],
  ];
  const codes: readonly (readonly [start: string, code: string])[] = [
    ['invalid patch format', 'malformed'],
    ['lists of lists', 'invalid'],
  ];

  t.test('answers as a real server', async (t) => {
    for (const [says, type, document, patch, answer] of cases) {
      const act = (): JsonObject => applyStrategicMergePatch(deepFreeze(document), deepFreeze(patch), typeNamed(type));
      if (typeof answer !== 'string') t.strictSame(act(), answer, says);
      else
        t.strictSame(
          refusal(act),
          { code: codes.find(([start]) => answer.startsWith(start))?.[1] ?? 'internal', message: answer },
          says,
        );
    }
  });

  const apply = (document: JsonObject, patch: JsonObject, type: StructType = pod): JsonObject =>
    applyStrategicMergePatch(deepFreeze(document), deepFreeze(patch), type);
  const containers = (...list: JsonValue[]): JsonObject => ({ spec: { containers: list } });

  t.test('refuses what ends the request of a real server in a panic', async (t) => {
    const message = 'This request caused apiserver to panic. Look in the logs for details.';
    const refused: readonly (readonly [document: JsonObject, patch: JsonObject])[] = [
      [{ metadata: { finalizers: ['a'] } }, { metadata: { $retainKeys: [{}] } }],
      [{ metadata: { finalizers: [null] } }, { metadata: { finalizers: ['a'] } }],
      [containers({ name: 'a' }), containers({ name: {} })],
      [
        containers({ name: 'a' }),
        { spec: { containers: [{ name: {} }], '$setElementOrder/containers': [{ name: {} }] } },
      ],
      [{ spec: { tolerations: [{ key: 'a' }] } }, { spec: { '$setElementOrder/tolerations': ['a'] } }],
    ];
    for (const [document, patch] of refused)
      t.strictSame(
        refusal(() => apply(document, patch)),
        { code: 'internal', message },
        JSON.stringify(patch),
      );
  });

  t.test('refuses odd orders as a real server', async (t) => {
    const order = (...elements: JsonValue[]): JsonObject => ({ spec: { '$setElementOrder/containers': elements } });
    t.equal(
      refusal(() => apply(containers({ name: 'a' }), order({ name: 'b' }, 'text')))?.message,
      'value for key 1 is not a map',
    );
    t.equal(
      refusal(() => apply(containers({ name: 'a' }), order({ name: 'a' }, 'text')))?.message,
      'expected a map[string]interface {}, but received a string',
    );
    t.equal(
      refusal(() =>
        apply(
          { spec: { tolerations: [{ key: 'a' }] } },
          { spec: { tolerations: [], '$setElementOrder/tolerations': [] } },
        ),
      )?.message,
      'map: map[key:a] does not contain declared merge key: ',
    );
    t.strictSame(
      apply(
        { spec: {} },
        { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], '$setElementOrder/containers': [] } },
      ),
      containers({ name: 'c' }, { name: 'b' }, { name: 'a' }),
      'an empty order turns a new list around',
    );
    t.strictSame(
      apply(containers({ name: 'a' }, { name: 'b' }), {
        spec: { containers: [{ name: 'n' }], '$setElementOrder/containers': [] },
      }),
      containers({ name: 'a' }, { name: 'b' }, { name: 'n' }),
      'and moves new elements of a merged one to the end',
    );
    t.strictSame(
      apply(containers({ name: 'a' }), {
        spec: {
          containers: [{ name: 'n', $patch: 'replace' }, { name: 'n' }],
          '$setElementOrder/containers': [{ name: 'n' }],
        },
      }),
      containers({ name: 'n' }),
      'other directives need no place in it',
    );
    t.strictSame(
      apply({ spec: {} }, { spec: { '$setElementOrder/terminationGracePeriodSeconds': [] } }),
      { spec: {} },
      'a pointer passes for a list',
    );
    const probed = (probe: JsonObject): JsonObject => containers({ name: 'a', livenessProbe: { httpGet: probe } });
    t.equal(
      refusal(() => apply(probed({}), probed({ '$setElementOrder/path': [] })))?.message,
      'expected slice or array type, but got: ptr',
      'the message names what holds the field',
    );
    t.equal(
      refusal(() => apply({ spec: { nodeSelector: { a: {} } } }, { spec: { nodeSelector: { a: {} } } }))?.message,
      'merging an object in json but data type is not struct, instead is: map',
    );
    const request = typeNamed('certificates/v1.CertificateSigningRequest');
    t.strictSame(
      apply({ spec: {} }, { spec: { '$setElementOrder/request': [] } }, request),
      { spec: {} },
      'bytes pass for a list',
    );
  });

  t.test('applies the members of a patch in their order', async (t) => {
    const [deletion, value] = [{ '$deleteFromPrimitiveList/nodeName': null }, { nodeName: 'a' }];
    t.strictSame(apply({ spec: { nodeName: 'a' } }, { spec: { ...deletion, ...value } }), { spec: { nodeName: 'a' } });
    t.strictSame(apply({ spec: { nodeName: 'a' } }, { spec: { ...value, ...deletion } }), { spec: {} });
  });

  t.test('reads field names without regard to case, as Go does', async (t) => {
    t.strictSame(apply({ spec: { Containers: [{ name: 'a' }] } }, { spec: { Containers: [{ name: 'b' }] } }), {
      spec: { Containers: [{ name: 'b' }, { name: 'a' }] },
    });
  });

  t.test('knows types of a host as well', async (t) => {
    const type = structType('example/v1.Sample', () => [
      field('matrix', listOf(listOf(scalarShapes.string))),
      field('ratio', scalarShapes.double),
    ]);
    const message = (document: JsonObject, patch: JsonObject): string | undefined =>
      refusal(() => apply(document, patch, type))?.message;
    t.equal(message({ matrix: [['a']] }, { matrix: [['b']] }), 'unexpected slice of slice');
    t.equal(
      message({ matrix: { x: {} } }, { matrix: { x: {} } }),
      'merging an object in json but data type is not struct, instead is: slice',
    );
    t.equal(
      message({ ratio: { x: {} } }, { ratio: { x: {} } }),
      'merging an object in json but data type is not struct, instead is: float64',
    );
    t.equal(message({ x: {} }, { x: {} }), 'unable to find api field in struct Sample for the json field "x"');
  });

  t.test('prints numbers as Go does', async (t) => {
    const patch = containers({ a: 1.5, b: 1234567.5, c: 0.00001, d: 12, e: 1e21, f: false });
    t.equal(
      refusal(() => apply(containers({ name: 'a' }), patch))?.message,
      'map: map[a:1.5 b:1.2345675e+06 c:1e-05 d:12 e:1e+21 f:false] does not contain declared merge key: name',
    );
  });

  t.test('checks a request body in the words of a real server', async (t) => {
    t.strictSame(
      refusal(() => parseStrategicMergePatch([])),
      { code: 'malformed', message: 'json: cannot unmarshal array into Go value of type map[string]interface {}' },
    );
    t.strictSame(
      refusal(() => parseStrategicMergePatch(true)),
      { code: 'malformed', message: 'json: cannot unmarshal bool into Go value of type map[string]interface {}' },
    );
    t.strictSame(parseStrategicMergePatch(null), {});
    t.strictSame(parseStrategicMergePatch({ a: 1 }), { a: 1 });
  });

  t.test('shares what it did not touch, and returns the document itself when nothing changes', async (t) => {
    const document = deepFreeze({
      metadata: { labels: { a: '1' }, finalizers: ['x', 'y'] },
      spec: {
        containers: [
          { name: 'a', env: [{ name: 'E', value: '1' }] },
          { name: 'b', args: ['x'] },
        ],
        tolerations: [{ key: 'k' }],
        volumes: [],
      },
    });
    const patched = apply(document, containers({ name: 'a', env: [{ name: 'E', value: '2' }] }));
    if (!isJsonObject(patched.spec)) return;
    t.equal(patched.metadata, document.metadata);
    t.equal(patched.spec.tolerations, document.spec.tolerations);
    t.equal((patched.spec.containers as readonly JsonValue[])[1], document.spec.containers[1]);
    const idle = {
      metadata: {
        labels: { $patch: 'replace', a: '1' },
        finalizers: ['x'],
        annotations: null,
        $retainKeys: ['labels', 'finalizers'],
      },
      spec: {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'E', value: '1' },
              { name: 'F', $patch: 'delete' },
            ],
          },
          { name: 'b', args: ['x'], '$deleteFromPrimitiveList/args': ['z'] },
        ],
        '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
        tolerations: [{ key: 'k' }],
        volumes: [],
      },
    };
    t.equal(apply(document, idle), document);
    t.equal(apply(document, {}), document);
  });

  t.test('hostile names are only data, and depth is bounded', async (t) => {
    const configMap = typeNamed('core/v1.ConfigMap');
    const patched = apply(
      JSON.parse('{"data":{"__proto__":"1","constructor":"2"}}') as JsonObject,
      JSON.parse('{"data":{"__proto__":"3","constructor":null,"toString":"4"}}') as JsonObject,
      configMap,
    );
    t.equal(JSON.stringify(patched), '{"data":{"__proto__":"3","toString":"4"}}');
    t.equal(
      refusal(() => apply({ spec: {} }, JSON.parse('{"spec":{"__proto__":{"$patch":"x"}}}') as JsonObject)),
      undefined,
    );
    t.equal(
      refusal(() =>
        apply(
          JSON.parse('{"spec":{"__proto__":{}}}') as JsonObject,
          JSON.parse('{"spec":{"__proto__":{}}}') as JsonObject,
        ),
      )?.message,
      'unable to find api field in struct PodSpec for the json field "__proto__"',
    );
    t.strictSame(
      refusal(() => apply({}, nested(1001))),
      { code: 'malformed', message: 'exceeded max depth' },
    );
    t.match(
      refusal(() => apply(containers({ image: nested(1200) }), containers({ name: 'a' })))?.message,
      /\[a:\.\.\.\]/,
      'a message is not deeper than the document may be',
    );
  });

  t.test('long lists cost no scan for each element', async (t) => {
    const list = (count: number, step: number): JsonObject[] =>
      Array.from({ length: count }, (_, index) => ({ name: `c${index * step}`, image: String(step) }));
    const patched = apply(containers(...list(30_000, 1)), {
      spec: {
        containers: list(20_000, 3),
        '$setElementOrder/containers': list(20_000, 3).map(({ name = '' }) => ({ name })),
      },
    });
    t.equal(((patched.spec as JsonObject).containers as JsonValue[]).length, 40_000);
  });

  const element = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e'), image: fc.constantFrom('1', '2') });
  const elements = fc.uniqueArray(element, { maxLength: 5, selector: ({ name }) => name });
  const namesOf = (value: JsonObject): string[] =>
    ((value.spec as JsonObject).containers as { name: string }[]).map(({ name }) => name);

  t.test('a list patch applied twice is applied once', async () => {
    fc.assert(
      fc.property(elements, elements, (document, patch) => {
        const once = apply(containers(...document), containers(...patch));
        return apply(once, containers(...patch)) === once;
      }),
    );
  });

  t.test('a merged list holds every name once, those of the patch and the others each in their order', async () => {
    fc.assert(
      fc.property(elements, elements, (document, patch) => {
        const merged = namesOf(apply(containers(...document), containers(...patch)));
        const patched = patch.map(({ name }): string => name);
        const others = document.map(({ name }): string => name).filter((name) => !patched.includes(name));
        return (
          deepEqual(
            merged.filter((name) => patched.includes(name)),
            patched,
          ) &&
          deepEqual(
            merged.filter((name) => !patched.includes(name)),
            others,
          )
        );
      }),
    );
  });

  t.test('without lists and directives it is a merge patch', async () => {
    const labels = fc.dictionary(names, fc.option(fc.constantFrom('1', '2')), { maxKeys: 4 });
    fc.assert(
      fc.property(labels, labels, (before, after) => {
        const [document, patch] = [{ metadata: { labels: before } }, { metadata: { labels: after } }];
        return deepEqual(apply(document, patch), applyMergePatch(document, patch));
      }),
    );
  });
});

t.test('a refused patch is recognised by name, so that two copies of the package agree', async (t) => {
  t.ok(isPatchError(new PatchError('invalid', 'x')));
  t.ok(isPatchError(Object.assign(new Error('x'), { name: 'PatchError' })));
  t.notOk(isPatchError(new Error('x')));
  t.notOk(isPatchError('x'));
});

function structuredCloneOf(value: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
