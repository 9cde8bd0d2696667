// Objects as values: their names, owners, immutability, changes by copying a path, and equality.
import { runInThisContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import t from 'tap';
import { deepCopy, deepEqual, deepFreeze, isDeepFrozen } from '../../lib/core/objects/json.js';
import {
  groupVersionKindKey,
  groupVersionKindOf,
  groupVersionResourceKey,
  parseGroupKind,
  parseGroupResource,
  parseGroupVersion,
  parseKindArgument,
  parseResourceArgument,
  printGroupKind,
  printGroupResource,
  printGroupVersion,
  printGroupVersionKind,
  printGroupVersionResource,
  sameGroupKind,
  sameGroupResource,
  sameGroupVersion,
  sameGroupVersionKind,
  sameGroupVersionResource,
} from '../../lib/core/objects/gvk.js';
import {
  isTerminating,
  namespacedName,
  objectKey,
  parseObjectKey,
  printNamespacedName,
} from '../../lib/core/objects/meta.js';
import type { ApiObject, OwnerReference } from '../../lib/core/objects/meta.js';
import {
  controllerOf,
  dedupeOwnerReferences,
  isControlledBy,
  isOwnedBy,
  ownerReference,
  withOwnerReference,
  withoutOwnerReference,
} from '../../lib/core/objects/owner-references.js';
import { isParseError } from '../../lib/core/objects/parse-error.js';
import { deleteIn, getIn, setIn, updateIn } from '../../lib/core/objects/path-copy.js';
import type { ObjectPath } from '../../lib/core/objects/path-copy.js';
import { withMembers } from '../../lib/core/objects/with-members.js';
import type { Pod } from '../../lib/core/types/core-v1.generated.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

const hostileKeys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', ''];
const keys = fc.oneof(fc.constantFrom(...hostileKeys, 'a', 'b', 'c'), fc.string({ maxLength: 3 }));
const scalars = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ maxLength: 3 }));

/** JSON values as a decoder makes them: any key is an own property. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    scalars,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie('json')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const maps = fc.array(fc.tuple(keys, json), { maxLength: 5 }).map((entries) => Object.fromEntries(entries));

/** Nested `depth` deep, as `[[[…]]]` or `{"a":{"a":…}}`; far beyond what the call stack would bear. */
function nested(depth: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

function containers(root: unknown): object[] {
  const found: object[] = [];
  const pending = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== 'object' || node === null) continue;
    found.push(node);
    for (const child of Object.values(node)) pending.push(child);
  }
  return found;
}

/** An independent copy, hostile keys included. */
function clone(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

t.test('an object is known by namespace and name', async (t) => {
  const pod = { metadata: { namespace: 'default', name: 'web' } };
  const node = { metadata: { name: 'node-1' } };
  t.strictSame(namespacedName(pod), { namespace: 'default', name: 'web' });
  t.strictSame(namespacedName({}), { namespace: '', name: '' });
  t.equal(objectKey(pod), 'default/web');
  t.equal(objectKey(node), 'node-1');
  for (const object of [pod, node]) {
    const key = parseObjectKey(objectKey(object));
    t.strictSame(key, namespacedName(object));
    t.equal(key && printNamespacedName(key), objectKey(object));
  }
  t.equal(parseObjectKey('a/b/c'), undefined);
  t.equal(isTerminating(pod), false);
  t.equal(isTerminating({ metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } }), true);
});

t.test('an apiVersion is a version, or a group and a version', async (t) => {
  const table: [text: string, group: string, version: string, printed?: string][] = [
    ['v1', '', 'v1'],
    ['apps/v1', 'apps', 'v1'],
    ['rbac.authorization.k8s.io/v1', 'rbac.authorization.k8s.io', 'v1'],
    ['', '', ''],
    ['/', '', '', ''],
    ['/v1', '', 'v1', 'v1'],
    ['apps/', 'apps', ''],
  ];
  for (const [text, group, version, printed = text] of table) {
    t.strictSame(parseGroupVersion(text), { group, version }, text);
    t.equal(printGroupVersion({ group, version }), printed);
    t.strictSame(groupVersionKindOf({ apiVersion: text, kind: 'K' }), { group, version, kind: 'K' });
  }
  t.throws(() => parseGroupVersion('a/b/c'), { name: 'ParseError', message: 'unexpected GroupVersion string: a/b/c' });
  t.strictSame(groupVersionKindOf({ apiVersion: 'a/b/c', kind: 'K' }), { group: '', version: '', kind: 'K' });
  t.strictSame(groupVersionKindOf({}), { group: '', version: '', kind: '' });
});

t.test('kinds and resources print and parse as Kubernetes writes them', async (t) => {
  const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };
  const pod = { group: '', version: 'v1', kind: 'Pod' };
  const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };
  const pods = { group: '', version: 'v1', resource: 'pods' };
  t.equal(printGroupVersionKind(deployment), 'apps/v1, Kind=Deployment');
  t.equal(printGroupVersionKind(pod), '/v1, Kind=Pod');
  t.equal(printGroupVersionResource(deployments), 'apps/v1, Resource=deployments');
  t.equal(printGroupVersionResource(pods), '/v1, Resource=pods');
  t.equal(printGroupKind(deployment), 'Deployment.apps');
  t.equal(printGroupKind(pod), 'Pod');
  t.equal(printGroupResource(deployments), 'deployments.apps');
  t.equal(printGroupResource(pods), 'pods');
  t.strictSame(parseGroupKind('Ingress.networking.k8s.io'), { group: 'networking.k8s.io', kind: 'Ingress' });
  t.strictSame(parseGroupKind('Pod'), { group: '', kind: 'Pod' });
  t.strictSame(parseGroupResource('events.events.k8s.io'), { group: 'events.k8s.io', resource: 'events' });
});

t.test('a command-line resource or kind has a versioned and an unversioned reading', async (t) => {
  t.strictSame(parseResourceArgument('pods'), { unversioned: { group: '', resource: 'pods' } });
  t.strictSame(parseResourceArgument('deployments.apps'), { unversioned: { group: 'apps', resource: 'deployments' } });
  t.strictSame(parseResourceArgument('deployments.v1.apps'), {
    versioned: { group: 'apps', version: 'v1', resource: 'deployments' },
    unversioned: { group: 'v1.apps', resource: 'deployments' },
  });
  t.strictSame(parseResourceArgument('roles.v1.rbac.authorization.k8s.io'), {
    versioned: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' },
    unversioned: { group: 'v1.rbac.authorization.k8s.io', resource: 'roles' },
  });
  t.strictSame(parseResourceArgument('pods.v1.'), {
    versioned: { group: '', version: 'v1', resource: 'pods' },
    unversioned: { group: 'v1.', resource: 'pods' },
  });
  t.strictSame(parseKindArgument('Pod'), { unversioned: { group: '', kind: 'Pod' } });
  t.strictSame(parseKindArgument('Deployment.v1.apps'), {
    versioned: { group: 'apps', version: 'v1', kind: 'Deployment' },
    unversioned: { group: 'v1.apps', kind: 'Deployment' },
  });
});

t.test('type names are equal when all their parts are', async (t) => {
  const a = { group: 'g', version: 'v', kind: 'K', resource: 'r' };
  const ways = { sameGroupVersion, sameGroupKind, sameGroupResource, sameGroupVersionKind, sameGroupVersionResource };
  const parts = {
    sameGroupVersion: ['group', 'version'],
    sameGroupKind: ['group', 'kind'],
    sameGroupResource: ['group', 'resource'],
    sameGroupVersionKind: ['group', 'version', 'kind'],
    sameGroupVersionResource: ['group', 'version', 'resource'],
  };
  for (const way of Object.keys(ways) as (keyof typeof ways)[]) {
    t.equal(ways[way](a, { ...a }), true);
    for (const part of Object.keys(a)) {
      t.equal(ways[way](a, { ...a, [part]: 'other' }), !parts[way].includes(part), `${way} looks at ${part}`);
    }
  }
});

t.test('no hostile type name has the key of a valid one', async (t) => {
  const registered = { group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments' };
  const part = fc
    .stringMatching(/^[a-z/]{0,4}$/)
    .map((text) => text.replaceAll('d', 'Deployment').replaceAll('a', 'apps'));
  fc.assert(
    fc.property(part, part, part, (group, version, last) => {
      const same = sameGroupVersionKind({ group, version, kind: last }, registered);
      t.equal(groupVersionKindKey({ group, version, kind: last }) === groupVersionKindKey(registered), same);
    }),
  );
  t.not(groupVersionKindKey({ group: 'apps/v1', version: 'Deployment', kind: '' }), groupVersionKindKey(registered));
  t.equal(groupVersionResourceKey(registered), 'apps/v1/deployments');
});

t.test('owner references', async (t) => {
  const owner: ApiObject = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', uid: 'u1' } };
  const other: ApiObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'u2' } };
  const controlled: ApiObject = {
    metadata: { name: 'p', ownerReferences: [ownerReference(other), ownerReference(owner, { controller: true })] },
  };

  t.test('a reference says only what was asked for', async (t) => {
    const plain = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1' };
    t.strictSame(ownerReference(owner), plain);
    const full = { controller: false, blockOwnerDeletion: true };
    t.strictSame(ownerReference(owner, full), { ...plain, ...full });
    const { apiVersion: _a, kind: _k, ...listed } = owner;
    const gvk = { group: 'apps', version: 'v1', kind: 'ReplicaSet' };
    t.strictSame(ownerReference(listed, { gvk }), plain, 'an item of a typed list does not say its kind');
    t.throws(() => ownerReference(listed), TypeError);
    t.throws(() => ownerReference({ ...owner, metadata: { name: 'web' } }), TypeError);
    t.throws(() => ownerReference({ apiVersion: 'v1', kind: 'Node' }), TypeError);
  });

  t.test('control and ownership are decided by uid', async (t) => {
    t.equal(controllerOf(controlled)?.uid, 'u1');
    t.equal(controllerOf({}), undefined);
    t.equal(isControlledBy(controlled, owner), true);
    t.equal(isControlledBy(controlled, other), false);
    t.equal(isOwnedBy(controlled, other), true);
    t.equal(isOwnedBy(controlled, { ...other, metadata: { name: 'n', uid: 'u3' } }), false);
    t.equal(isOwnedBy({}, other), false);
    t.equal(isOwnedBy(controlled, {}), false, 'an object never persisted owns nothing');
    t.equal(isControlledBy({}, {}), false);
  });

  t.test('adding, replacing and removing copy only what changes', async (t) => {
    const pod = deepFreeze<Pod>({ metadata: { name: 'p', labels: { a: 'b' } }, spec: { containers: [] } });
    const added = withOwnerReference(pod, ownerReference(owner));
    t.strictSame(added.metadata?.ownerReferences, [ownerReference(owner)]);
    t.equal(added.spec, pod.spec);
    t.equal(added.metadata?.labels, pod.metadata?.labels);
    t.equal(withOwnerReference(added, ownerReference(owner)), added, 'the same reference again changes nothing');
    const both = withOwnerReference(added, ownerReference(other));
    const replaced = withOwnerReference(both, ownerReference(owner, { controller: true }));
    t.strictSame(replaced.metadata?.ownerReferences, [
      ownerReference(owner, { controller: true }),
      ownerReference(other),
    ]);
    t.strictSame(withoutOwnerReference(replaced, 'u1').metadata?.ownerReferences, [ownerReference(other)]);
    t.strictSame(withoutOwnerReference(added, 'u1'), pod);
    t.equal(withoutOwnerReference(added, 'u9'), added);
    t.strictSame(withOwnerReference({}, ownerReference(owner)), {
      metadata: { ownerReferences: [ownerReference(owner)] },
    });
    const empty = {};
    t.equal(withoutOwnerReference(empty, 'u1'), empty);
  });

  t.test('repetitions are dropped when equal in every field', async (t) => {
    const reference = ownerReference(owner);
    const variants: OwnerReference[] = [
      reference,
      { ...reference, name: 'else' },
      { ...reference, controller: false },
      { ...reference, blockOwnerDeletion: true },
    ];
    t.equal(dedupeOwnerReferences(variants).references, variants, 'nothing repeated, nothing copied');
    t.strictSame(dedupeOwnerReferences([...variants, { ...reference }, ...variants]), {
      references: variants,
      duplicates: ['u1', 'u1', 'u1', 'u1', 'u1'],
    });
    const many = Array.from({ length: 20_000 }, (_, index) => ({ ...reference, name: String(index) }));
    t.equal(dedupeOwnerReferences(many).references.length, 20_000, 'in linear time, also for one uid');
  });
});

t.test('deepCopy says the same and shares nothing', async (t) => {
  fc.assert(
    fc.property(json, (value) => {
      const copy = deepCopy(deepFreeze(value));
      if (JSON.stringify(copy) !== JSON.stringify(value)) throw new Error('changed');
      const originals = new Set<unknown>(containers(value));
      for (const node of containers(copy)) if (originals.has(node) || Object.isFrozen(node)) throw new Error('shared');
    }),
  );
  const hostile = JSON.parse('{"a":{"__proto__":{"b":[{}]}}}') as { readonly a: object };
  t.equal(JSON.stringify(deepCopy(hostile)), JSON.stringify(hostile));
  t.equal(Object.getPrototypeOf(deepCopy(hostile).a), Object.prototype, 'any key is data');
});

t.test('deepFreeze', async (t) => {
  t.test('leaves nothing writable and says the same', async () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        if (deepFreeze(value) !== value) throw new Error('not frozen in place');
        if (JSON.stringify(value) !== before) throw new Error('changed');
        for (const node of containers(value)) {
          if (!Object.isFrozen(node) || Reflect.set(node, 'new', 1)) throw new Error('writable');
        }
        if (!isDeepFrozen(value)) throw new Error('isDeepFrozen disagrees');
      }),
    );
  });

  t.test('takes a frozen subtree as done', async (t) => {
    const inner = { deep: {} };
    Object.freeze(inner);
    const value = deepFreeze({ inner, beside: [{}] });
    t.equal(Object.isFrozen(inner.deep), false, 'this is why frozen must mean deeply frozen');
    t.equal(isDeepFrozen(value), false, 'isDeepFrozen checks every level');
    t.equal(isDeepFrozen(value.beside), true);
    t.equal(isDeepFrozen(1), true);
  });

  t.test('ends on cycles and bears hostile nesting', async (t) => {
    const cycle: Record<string, unknown> = {};
    cycle.self = [cycle, cycle];
    t.equal(isDeepFrozen(deepFreeze(cycle)), true);
    for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
      t.equal(isDeepFrozen(deepFreeze(nested(100_000, wrap, {}))), true);
    }
  });
});

t.test('path copies', async (t) => {
  const paths = fc.array(fc.oneof(keys, fc.nat({ max: 2 })), { maxLength: 4 });

  /** What setIn must answer, written as a plain recursion; undefined when the path contradicts the object. */
  function expected(object: unknown, path: ObjectPath, value: unknown): { value: unknown } | undefined {
    const [segment, ...rest] = path;
    if (segment === undefined) return { value };
    if (typeof segment === 'number') {
      const list: unknown[] | undefined =
        object === undefined || object === null ? [] : Array.isArray(object) ? object : undefined;
      if (list === undefined || segment > list.length) return undefined;
      const inner = expected(list[segment], rest, value);
      return inner && { value: [...list.slice(0, segment), inner.value, ...list.slice(segment + 1)] };
    }
    if (Array.isArray(object) || (typeof object !== 'object' && object !== undefined)) return undefined;
    const entries = new Map<string, unknown>(Object.entries(object ?? {}));
    const inner = expected(entries.get(segment), rest, value);
    return inner && { value: Object.fromEntries(entries.set(segment, inner.value)) };
  }

  t.test('setIn answers what it should, or refuses, and touches nothing', async (t) => {
    let set = 0;
    fc.assert(
      fc.property(json, paths, json, (object, path, value) => {
        const before = JSON.stringify(object);
        deepFreeze(object);
        const want = expected(object, path, value);
        let got: unknown;
        try {
          got = setIn(object, path, value);
        } catch (error) {
          if (want !== undefined || !(error instanceof TypeError)) throw error;
          return;
        }
        if (want === undefined) throw new Error('should have been refused');
        if (!deepEqual(got, want.value)) throw new Error(`got ${JSON.stringify(got)}`);
        if (getIn(got, path) !== value) throw new Error('getIn after setIn gives another value');
        if (setIn(got, path, value) !== got) throw new Error('setting the same again made a copy');
        if (JSON.stringify(object) !== before) throw new Error('argument changed');
        set++;
      }),
      { numRuns: runs(2000) },
    );
    t.ok(set >= seenAtLeast(300), 'many paths were possible');
  });

  t.test('only the containers along the path are copied', async () => {
    fc.assert(
      fc.property(maps, keys, keys, json, (object, first, second, value) => {
        const changed = setIn(setIn(object, [first], {}), [first, second], value);
        for (const key of Object.keys(object)) {
          if (key !== first && getIn(changed, [key]) !== getIn(object, [key])) throw new Error(`${key} not shared`);
        }
      }),
    );
  });

  t.test('deleteIn undoes setIn, and deleting what is absent changes nothing', async () => {
    fc.assert(
      fc.property(maps, keys, json, (object, key, value) => {
        const without = deleteIn(object, [key]);
        if (Object.hasOwn(without, key)) throw new Error('still there');
        if (deleteIn(without, [key]) !== without) throw new Error('copied for nothing');
        if (!deepEqual(deleteIn(setIn(without, [key], value), [key]), without)) throw new Error('not undone');
        if (!deepEqual(setIn(object, [key], undefined), without)) throw new Error('undefined does not delete');
      }),
    );
  });

  t.test('lists grow at their end and close their gaps', async (t) => {
    const pod: Pod = { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } };
    const grown = setIn(pod, ['spec', 'containers', 3], { name: 'd' });
    t.equal(grown.spec?.containers.length, 4);
    t.equal(grown.spec?.containers[0], pod.spec?.containers[0]);
    t.strictSame(deleteIn(pod, ['spec', 'containers', 1]), { spec: { containers: [{ name: 'a' }, { name: 'c' }] } });
    t.equal(deleteIn(pod, ['spec', 'containers', 3]), pod);
    t.strictSame(setIn({}, ['a', 0, 'b'] as ObjectPath, 1), { a: [{ b: 1 }] });
    t.throws(() => setIn(pod, ['spec', 'containers', 5], { name: 'x' }), {
      message: 'cannot set ["spec","containers",5]: ["spec","containers"] has 3 elements',
    });
    t.throws(() => setIn(pod, ['spec', 'containers', -1], { name: 'x' }), TypeError);
    t.throws(() => setIn(pod, ['spec', 'containers', 0.5], { name: 'x' }), TypeError);
    t.throws(() => setIn(pod as unknown, ['spec', 0], 1), { message: 'cannot set ["spec",0]: ["spec"] is not a list' });
    t.throws(() => setIn(pod as unknown, ['spec', 'containers', 'x'], 1), {
      message: 'cannot set ["spec","containers","x"]: ["spec","containers"] is not a map',
    });
    t.throws(() => deleteIn(pod, []), TypeError);
  });

  t.test('updateIn gives the old value and takes the new', async (t) => {
    const pod: Pod = { metadata: { generation: 1 } };
    t.strictSame(
      updateIn(pod, ['metadata', 'generation'], (generation = 0) => generation + 1),
      { metadata: { generation: 2 } },
    );
    t.equal(
      updateIn(pod, ['metadata', 'generation'], (generation) => generation),
      pod,
    );
    t.strictSame(
      updateIn(pod, ['metadata', 'generation'], () => undefined),
      { metadata: {} },
    );
  });

  t.test('a key named __proto__ is a key like any other', async (t) => {
    const config = JSON.parse('{"data":{"__proto__":"x","a":"b"}}') as { data: Record<string, string> };
    const changed = setIn(config, ['data', 'c'], 'd');
    t.equal(JSON.stringify(changed), '{"data":{"__proto__":"x","a":"b","c":"d"}}');
    t.equal(JSON.stringify(setIn({}, ['__proto__', 'polluted'] as ObjectPath, 1)), '{"__proto__":{"polluted":1}}');
    t.equal(JSON.stringify(deleteIn(changed, ['data', '__proto__'])), '{"data":{"a":"b","c":"d"}}');
    t.equal(getIn({}, ['__proto__', 'toString'] as ObjectPath), undefined);
    t.equal(getIn({ a: 'text' }, ['a', 'length'] as ObjectPath), undefined);
    t.equal(getIn(['x'], ['length'] as ObjectPath), undefined);
    t.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  t.test('long paths are walked without recursion', async (t) => {
    const path = Array.from({ length: 100_000 }, () => 'a');
    const deep = setIn({}, path, 1);
    t.equal(getIn(deep, path), 1);
    t.equal(getIn(deleteIn(deep, path), path), undefined);
  });
});

t.test('deepEqual', async (t) => {
  /** Equality by another road: text with sorted keys. */
  function canonical(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`).join()}}`;
  }

  t.test('agrees with canonical text', async () => {
    fc.assert(
      fc.property(json, json, (a, b) => deepEqual(a, b) === (canonical(a) === canonical(b))),
      { numRuns: runs(1000) },
    );
    fc.assert(fc.property(json, (a) => deepEqual(a, clone(a)) && deepEqual(clone(a), a)));
  });

  t.test('ignores the order of keys and sees one changed leaf', async () => {
    fc.assert(
      fc.property(maps, keys, (object, key) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        if (!deepEqual(object, reversed)) throw new Error('order matters');
        const changed = setIn(object, [key], { marker: 'no other value has this' });
        return !deepEqual(reversed, changed) && !deepEqual(changed, reversed);
      }),
    );
  });

  t.test('distinguishes values that look alike', async (t) => {
    const pairs: [unknown, unknown][] = [
      [[], {}],
      [{}, []],
      [null, {}],
      [{ a: null }, { a: {} }],
      [{ a: undefined }, {}],
      [{ a: undefined }, { b: undefined }],
      [{ a: 1 }, { b: 1 }],
      [[1], [1, 2]],
      [['1'], [1]],
      [[undefined], [null]],
      [{}, JSON.parse('{"__proto__":null}')],
      [JSON.parse('{"constructor":1}'), JSON.parse('{"toString":1}')],
    ];
    for (const [a, b] of pairs) {
      t.equal(deepEqual(a, b), false);
      t.equal(deepEqual(b, a), false);
    }
  });

  t.test('bears hostile nesting', async (t) => {
    const wrap = (inner: unknown): unknown => ({ a: [inner] });
    t.equal(deepEqual(nested(50_000, wrap, 1), nested(50_000, wrap, 1)), true);
    t.equal(deepEqual(nested(50_000, wrap, 1), nested(50_000, wrap, 2)), false);
  });
});

t.test('a parse error is known by its name', async (t) => {
  t.equal(isParseError(Object.assign(new Error('from another copy'), { name: 'ParseError' })), true);
  t.equal(isParseError(new Error('x')), false);
  t.equal(isParseError('ParseError'), false);
});

t.test('members are added to a copy in their order, and keys of any name stay data', (t) => {
  const object: Record<string, unknown> = { a: 1, b: 2 };
  Object.defineProperty(object, '__proto__', { value: 3, enumerable: true, configurable: true, writable: true });
  const copy = withMembers(object, { b: 4, c: 5 });
  t.same(Object.entries(copy), [
    ['a', 1],
    ['b', 4],
    ['__proto__', 3],
    ['c', 5],
  ]);
  t.equal(Object.getPrototypeOf(copy), Object.prototype);
  t.same(Object.keys(object), ['a', 'b', '__proto__'], 'the original is not changed');
  t.end();
});

t.test('copies with further members share one hidden class, frozen or not', (t) => {
  setFlagsFromString('--allow-natives-syntax');
  const haveSameMap = runInThisContext('(one, other) => %HaveSameMap(one, other)') as (a: object, b: object) => boolean;
  const make = (index: number): { readonly name: string; readonly time: string } =>
    withMembers({ name: `${index}`, kind: 'Pod' }, { time: `${index}` });
  const made = Array.from({ length: 500 }, (_, index) => make(index));
  const frozen = made.map((each) => Object.freeze(withMembers(each, {})));
  const shapesOf = (objects: readonly object[]): number =>
    objects.filter((each, index) => index > 0 && !haveSameMap(each, objects[index - 1] ?? {})).length + 1;
  t.equal(shapesOf(made.slice(100)), 1);
  t.equal(shapesOf(frozen.slice(100)), 1);
  t.end();
});
