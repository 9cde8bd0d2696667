// Schemes that change: what is shared between the old and the new one, and what a change costs.
import t from 'tap';
import {
  builtinScheme,
  createKinds,
  field,
  printGroupVersionKind,
  sameShape,
  scalars,
  structType,
} from '../../lib/core/index.js';
import type { GroupVersionKind, KindOptions, SchemeChange } from '../../lib/core/index.js';
import { SortedMap } from '../../lib/core/scheme/sorted-map.js';
import { random } from '../../lib/core/index.js';

const gvk = (group: string, version: string, kind: string): GroupVersionKind => ({ group, version, kind });

function kindOf(group: string, kind: string, more: Partial<KindOptions> = {}): KindOptions {
  const { version = 'v1' } = more;
  return {
    ...gvk(group, version, kind),
    type: () => structType(`${group}/${version}.${kind}`, () => [field('size', scalars.int32)]),
    resource: { plural: `${kind.toLowerCase()}s`, namespaced: true },
    ...more,
  };
}

function refusal(call: () => unknown): string {
  try {
    call();
    return 'no refusal';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

t.test('a sorted map agrees with a Map under random changes, and old maps stay as they were', async (t) => {
  const draw = random('sorted-map');
  let map = SortedMap.of<number>();
  const plain = new Map<string, number>();
  const kept: { readonly map: SortedMap<number>; readonly entries: string }[] = [];
  const entriesOf = (each: SortedMap<number>): string =>
    JSON.stringify(Array.from(each.keys(), (key) => [key, each.get(key)]));
  for (let step = 0; step < 2000; step++) {
    const key = `k${draw.integer(200)}`;
    if (draw.integer(3) === 0) {
      map = map.delete(key);
      plain.delete(key);
    } else {
      map = map.set(key, step);
      plain.set(key, step);
    }
    if (step % 100 === 0) kept.push({ map, entries: entriesOf(map) });
  }
  const sorted = [...plain].sort(([a], [b]) => (a < b ? -1 : 1));
  t.strictSame(
    Array.from(map.keys(), (key) => [key, map.get(key)]),
    sorted,
  );
  t.strictSame(
    [...map.values()],
    sorted.map(([, value]) => value),
  );
  t.equal(map.size, plain.size);
  t.equal(map.delete('missing'), map);
  for (const { map: old, entries } of kept) t.equal(entriesOf(old), entries);
});

t.test('kinds are added, replaced and removed', async (t) => {
  const kinds = createKinds();
  const changes: SchemeChange[] = [];
  kinds.changes$.subscribe((change) => void changes.push(change));
  const first = kinds.current;
  t.equal(first, builtinScheme(), 'those of Kubernetes unless others are given');

  kinds.add(kindOf('example.com', 'Widget', { version: 'v1beta1' }));
  t.equal(first.kind(gvk('example.com', 'v1beta1', 'Widget')), undefined, 'an old scheme stays as it was');
  t.strictSame(
    kinds.current.groups.at(-1),
    { name: 'example.com', versions: ['v1beta1'], preferredVersion: 'v1beta1' },
    'served, whatever its version is called',
  );
  t.strictSame(kinds.current.kindsOf(kinds.current.typeOf(gvk('example.com', 'v1beta1', 'WidgetList'))), [
    gvk('example.com', 'v1beta1', 'WidgetList'),
  ]);
  kinds.add(kindOf('another.example.com', 'Widget'));
  t.strictSame(
    kinds.current.groups.slice(-2).map(({ name }) => name),
    ['another.example.com', 'example.com'],
    'new groups come last, by name',
  );

  const shaped = kindOf('example.com', 'Widget', {
    version: 'v1beta1',
    resource: { plural: 'widgets', namespaced: false },
  });
  kinds.replace(shaped);
  t.equal(
    kinds.current.resource({ group: 'example.com', version: 'v1beta1', resource: 'widgets' })?.resource.namespaced,
    false,
  );
  kinds.remove(shaped);
  t.equal(kinds.current.group('example.com'), undefined, 'a group without kinds is gone');
  t.notOk(kinds.current.recognizes(gvk('example.com', 'v1beta1', 'WidgetList')));
  t.notOk(kinds.current.recognizes(gvk('example.com', 'v1beta1', 'DeleteOptions')));
  t.strictSame(
    changes.map(({ type, before, after }) => [
      type,
      before.map(printGroupVersionKind),
      after.map(printGroupVersionKind),
    ]),
    [
      ['added', [], ['example.com/v1beta1, Kind=Widget']],
      ['added', [], ['another.example.com/v1, Kind=Widget']],
      ['replaced', ['example.com/v1beta1, Kind=Widget'], ['example.com/v1beta1, Kind=Widget']],
      ['removed', ['example.com/v1beta1, Kind=Widget'], []],
    ],
  );
  t.equal(changes.at(-1)?.scheme, kinds.current);
});

t.test('a change that contradicts what is registered is refused and changes nothing', async (t) => {
  const hub = kindOf('example.com', 'Widget', { version: 'v2' });
  const old = kindOf('example.com', 'Widget', { conversion: sameShape(hub) });
  const kinds = createKinds();
  kinds.add(hub, old);
  const before = kinds.current;
  t.match(
    refusal(() => kinds.add(hub)),
    'Double registration of example.com/v2, Kind=Widget',
  );
  t.match(
    refusal(() => kinds.add(kindOf('example.com', 'Gadget', { conversion: sameShape(hub) }))),
    'share the hub',
  );
  t.match(
    refusal(() => kinds.add(kindOf('', 'Pod'))),
    'Double registration of /v1, Kind=Pod',
  );
  t.match(
    refusal(() => kinds.add(kindOf('apps', 'Other', { resource: { plural: 'deployments', namespaced: true } }))),
    'two kinds are served as apps/v1/deployments',
  );
  t.match(
    refusal(() => kinds.remove(gvk('example.com', 'v1', 'Missing'))),
    'not registered: example.com/v1, Kind=Missing',
  );
  t.match(
    refusal(() => kinds.remove(hub)),
    'names a hub that is not one',
  );
  t.equal(kinds.current, before);
  kinds.replace({ ...hub, resource: { plural: 'widgets', shortNames: ['w'], namespaced: true } });
  t.equal(
    kinds.current.convert({ kind: 'Widget', apiVersion: 'example.com/v1' }, hub).apiVersion,
    'example.com/v2',
    'other versions convert through the new hub',
  );
  kinds.remove(hub, old);
  t.equal(kinds.current.group('example.com'), undefined);
});

t.test('a kind may come into a built-in group, and a built-in kind may go', async (t) => {
  const kinds = createKinds();
  const untouched = kinds.current.resourcesOf({ group: 'batch', version: 'v1' });
  kinds.add(kindOf('apps', 'Rollout'));
  t.match(
    kinds.current.resourcesOf({ group: 'apps', version: 'v1' }).map(({ resource }) => resource.plural),
    ['controllerrevisions', 'daemonsets', 'deployments', 'replicasets', 'rollouts', 'statefulsets'],
  );
  t.equal(kinds.current.resourcesOf({ group: 'batch', version: 'v1' }), untouched);
  t.equal(
    kinds.current.groups.findIndex(({ name }) => name === 'apps'),
    builtinScheme().groups.findIndex(({ name }) => name === 'apps'),
  );
  kinds.remove(gvk('apps', 'v1', 'DaemonSet'));
  t.equal(kinds.current.resource({ group: 'apps', version: 'v1', resource: 'daemonsets' }), undefined);
  t.ok(builtinScheme().resource({ group: 'apps', version: 'v1', resource: 'daemonsets' }));
});

t.test('a change reads no definition but its own, and keeps what was made of others', async (t) => {
  let reads = 0;
  const counted = (kind: KindOptions): KindOptions =>
    new Proxy(kind, {
      get(target, name, receiver): unknown {
        reads += 1;
        return Reflect.get(target, name, receiver);
      },
      ownKeys(target) {
        reads += 1;
        return Reflect.ownKeys(target);
      },
    });
  const cost: number[] = [];
  for (const count of [10, 1000]) {
    const kinds = createKinds();
    for (let at = 0; at < count; at++) {
      kinds.add(counted(kindOf(`g${at}.example.com`, 'Widget')));
      kinds.add(counted(kindOf('shared.example.com', `Thing${at}`)));
    }
    const version = { group: 'g3.example.com', version: 'v1' };
    const [resources, group] = [kinds.current.resourcesOf(version), kinds.current.group(version.group)];
    const builtin = kinds.current.resourcesOf({ group: 'apps', version: 'v1' });
    reads = 0;
    const own = counted(kindOf('shared.example.com', 'Newcomer'));
    kinds.add(own);
    kinds.replace(own);
    kinds.remove(own);
    cost.push(reads);
    t.equal(kinds.current.resourcesOf(version), resources);
    t.equal(kinds.current.group(version.group), group);
    t.equal(kinds.current.resourcesOf({ group: 'apps', version: 'v1' }), builtin);
  }
  t.ok((cost[0] ?? 0) > 0);
  t.equal(cost[0], cost[1], 'as many reads among 2,000 kinds as among 20');
});
