// The scheme: which kinds there are, in which versions, under which names, how a version becomes another, and what pods
// and autoscalers get by default. Golden answers are those of a real Kubernetes v1.36.
import t from 'tap';
import { podDefaults, podSpecDefaults } from '../../lib/core/kinds/pods/pod-defaults.js';
import { defaultPullPolicy } from '../../lib/core/kinds/pods/image-pull-policy.js';
import { deepEqual, deepFreeze } from '../../lib/core/objects/json.js';
import { groupVersionKindOf, parseGroupVersion, printGroupVersion } from '../../lib/core/objects/gvk.js';
import type { GroupVersionKind } from '../../lib/core/objects/gvk.js';
import type { ApiObject, Frozen } from '../../lib/core/objects/meta.js';
import { decodeValue } from '../../lib/core/schema/decode.js';
import type { Shape } from '../../lib/core/schema/type.js';
import { field, scalars, structType } from '../../lib/core/schema/type.js';
import { builtinScheme } from '../../lib/core/scheme/builtin.js';
import type { HubConversion, KindOptions } from '../../lib/core/scheme/kind-definition.js';
import { sameShape, standardVerbs } from '../../lib/core/scheme/kind-definition.js';
import { isNoMatchError, restMapper, restMapperOf } from '../../lib/core/scheme/rest-mapper.js';
import { isNotRegisteredError } from '../../lib/core/scheme/not-registered-error.js';
import { resourceText } from '../../lib/core/scheme/resources.generated.js';
import type { SchemeSection } from '../../lib/core/scheme/scheme.js';
import { createScheme } from '../../lib/core/scheme/scheme.js';
import { compareVersions, isStable, stabilityOf } from '../../lib/core/scheme/version-order.js';
import type { Pod, PodSpec } from '../../lib/core/types/core-v1.generated.js';
import { autoscalerV1, autoscalerV2 } from '../support/arbitrary-autoscaler.js';
import { arbitraryObject } from '../support/arbitrary-object.js';
import { fc, runs } from '../support/properties.js';

const scheme = builtinScheme();
const everything = builtinScheme({ switches: { 'api/all': true } });
const gvk = (apiVersion: string, kind: string): GroupVersionKind => ({ ...parseGroupVersion(apiVersion), kind });
const hostile = [
  '',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'a/b',
  '.',
  '*',
  'pods/log',
  ' pods',
  'Pod\n',
];
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof Error ? error.message : 'not an error';
  }
  return 'no refusal';
};
/** Decoded, defaulted and frozen: as a server holds it. */
const taken = (object: object): Frozen<ApiObject> => {
  const decoded = decodeValue(scheme.typeOf(groupVersionKindOf(object)), object).object;
  scheme.setDefaults(decoded);
  return deepFreeze(decoded);
};
const convert = (object: object, apiVersion: string): Frozen<ApiObject> =>
  scheme.convert(taken(object), parseGroupVersion(apiVersion));

t.test('versions are ordered as Kubernetes documents it', async (t) => {
  const documented = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];
  t.strictSame([...documented].reverse().sort(compareVersions), documented);
  t.strictSame(['v1beta1', 'v1alpha1', 'v1', 'v2'].sort(compareVersions), ['v2', 'v1', 'v1beta1', 'v1alpha1']);
  t.strictSame(
    ['v1', 'v12', 'v1beta1', 'v1alpha2', '1', 'v', 'v1x', 'v1beta', 'V1', 'v-1', 'v1.0', ''].map(stabilityOf),
    ['stable', 'stable', 'beta', 'alpha', ...Array<undefined>(8)],
  );
  t.strictSame(['v1', 'v2', 'v1beta1', 'foo'].filter(isStable), ['v1', 'v2']);
});

t.test('the order of versions is total, and a stable version comes before all others', async () => {
  const digits = fc.oneof(
    fc.nat(12).map(String),
    fc.constantFrom('01', '007', '999999999999999', '9999999999999999999'),
  );
  const version = fc.oneof(
    digits.map((n) => `v${n}`),
    fc.tuple(digits, fc.constantFrom('alpha', 'beta'), digits).map(([a, s, b]) => `v${a}${s}${b}`),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      const sign = Math.sign(compareVersions(a, b));
      if (sign !== -Math.sign(compareVersions(b, a)) || (sign === 0) !== (a === b)) return false;
      if (isStable(a) && !isStable(b) && sign >= 0) return false;
      return !(compareVersions(a, b) < 0 && compareVersions(b, c) < 0) || compareVersions(a, c) < 0;
    }),
    { numRuns: runs(2000) },
  );
});

t.test('by default the stable versions are served, in the order of discovery', async (t) => {
  const groups = scheme.groups.map(({ name, versions, preferredVersion }) =>
    versions[0] === preferredVersion ? [name, ...versions].join(' ') : 'the first is not preferred',
  );
  t.strictSame(groups, [
    ' v1',
    'apiregistration.k8s.io v1',
    'apps v1',
    'events.k8s.io v1',
    'authentication.k8s.io v1',
    'authorization.k8s.io v1',
    'autoscaling v2 v1',
    'batch v1',
    'certificates.k8s.io v1',
    'networking.k8s.io v1',
    'policy v1',
    'rbac.authorization.k8s.io v1',
    'storage.k8s.io v1',
    'admissionregistration.k8s.io v1',
    'apiextensions.k8s.io v1',
    'scheduling.k8s.io v1',
    'coordination.k8s.io v1',
    'node.k8s.io v1',
    'discovery.k8s.io v1',
    'resource.k8s.io v1',
    'flowcontrol.apiserver.k8s.io v1',
  ]);
  t.equal(scheme.resource({ group: 'resource.k8s.io', version: 'v1beta1', resource: 'resourceclaims' }), undefined);
  t.ok(
    scheme.recognizes(gvk('resource.k8s.io/v1beta1', 'ResourceClaim')),
    'a version that is not served is known all the same',
  );
  const plurals = scheme.resourcesOf({ group: '', version: 'v1' }).map(({ resource }) => resource.plural);
  t.strictSame(plurals, [...plurals].sort());
  const pods = scheme.resource({ group: '', version: 'v1', resource: 'pods' })?.resource;
  t.match(pods, { singular: 'pod', shortNames: ['po'], categories: ['all'], namespaced: true, verbs: standardVerbs });
  t.strictSame(
    pods?.subresources.find(({ name }) => name === 'eviction'),
    { name: 'eviction', kind: gvk('policy/v1', 'Eviction'), verbs: ['create'] },
  );
  t.strictSame(scheme.resourcesOf({ group: 'apps', version: 'v9' }), []);
});

t.test('switches turn versions and resources on and off', async (t) => {
  const served = (switches: Record<string, boolean>, apiVersion: string, resource: string): boolean =>
    builtinScheme({ switches }).resource({ ...parseGroupVersion(apiVersion), resource }) !== undefined;
  t.ok(served({ 'api/beta': true }, 'resource.k8s.io/v1beta1', 'resourceclaims'));
  t.notOk(served({ 'api/beta': true }, 'resource.k8s.io/v1alpha3', 'devicetaintrules'));
  t.ok(served({ 'api/alpha': true }, 'resource.k8s.io/v1alpha3', 'devicetaintrules'));
  t.ok(served({ 'api/all': true }, 'resource.k8s.io/v1alpha3', 'devicetaintrules'));
  t.notOk(served({ 'api/all': true, 'api/alpha': false }, 'resource.k8s.io/v1alpha3', 'devicetaintrules'));
  t.notOk(served({ 'api/ga': false, 'api/beta': true }, 'apps/v1', 'deployments'));
  t.ok(served({ 'apps/v1': true, 'api/all': false }, 'apps/v1', 'deployments'), 'a version outweighs all');
  t.notOk(served({ 'api/all': false, 'apps/v1': true }, 'v1', 'pods'));
  t.notOk(served({ 'batch/v1/jobs': false }, 'batch/v1', 'jobs'));
  t.ok(served({ 'batch/v1/jobs': false }, 'batch/v1', 'cronjobs'));
  t.ok(served({ 'batch/v1': false, 'batch/v1/jobs': true }, 'batch/v1', 'jobs'), 'a resource outweighs its version');
  t.notOk(served({ v1: false }, 'v1', 'pods'));
  t.notOk(served({ '/v1': false }, 'v1', 'pods'));
  t.strictSame(
    builtinScheme({ switches: { 'autoscaling/v2': false } }).groups.find(({ name }) => name === 'autoscaling')
      ?.preferredVersion,
    'v1',
  );
  for (const [switches, message] of [
    [{ 'api/all': false }, 'invalid runtime-config with only api/all=false'],
    [{ 'apps/v7': true }, 'group version apps/v7 that has not been registered'],
    [{ 'foo/v1': true, 'bar/v1': false }, 'unknown api groups bar/v1,foo/v1'],
    [{ 'a/b/c/d': true }, 'runtime-config invalid key a/b/c/d'],
    [
      { 'batch/v1/Jobs': true },
      'invalid key batch/v1/Jobs: group/version/resource and resource is always lowercase plural, not "Jobs"',
    ],
    [{ constructor: true }, 'group version constructor that has not been registered'],
  ] as const) {
    t.equal(
      refusal(() => builtinScheme({ switches })),
      message,
    );
  }
});

t.test('every kind has its schema, in both directions', async (t) => {
  let lists = 0;
  for (const { name: group, versions } of everything.groups) {
    for (const version of versions) {
      for (const served of everything.resourcesOf({ group, version })) {
        const { kind, resource } = served;
        const type = everything.typeOf({ group, version, kind });
        t.ok(
          everything.kindsOf(type).some((each) => deepEqual(each, { group, version, kind })),
          `${printGroupVersion(served)} ${kind}`,
        );
        if (!resource.verbs.includes('list')) continue;
        lists += 1;
        const list = everything.typeOf({ group, version, kind: `${kind}List` });
        t.equal(list.fields.get('items')?.shape.kind, 'list');
        t.strictSame(everything.kindsOf(list), [{ group, version, kind: `${kind}List` }]);
        for (const subresource of resource.subresources)
          t.ok(everything.recognizes(subresource.kind), `${resource.plural}/${subresource.name}`);
      }
    }
  }
  t.ok(lists > 80);
});

t.test('common kinds are known everywhere, unversioned ones under any version', async (t) => {
  const name = (apiVersion: string, kind: string): string => scheme.typeOf(gvk(apiVersion, kind)).name;
  t.equal(name('v1', 'DeleteOptions'), 'meta/v1.DeleteOptions');
  t.equal(name('apps/v1', 'DeleteOptions'), 'meta/v1.DeleteOptions');
  t.equal(name('meta.k8s.io/v1', 'DeleteOptions'), 'meta/v1.DeleteOptions');
  t.notOk(scheme.recognizes(gvk('nowhere/v1', 'DeleteOptions')));
  t.equal(name('v1', 'Status'), 'meta/v1.Status');
  t.equal(name('nowhere/v7', 'Status'), 'meta/v1.Status');
  t.equal(name('meta.k8s.io/v1', 'PartialObjectMetadata'), 'meta/v1.PartialObjectMetadata');
  t.equal(name('admission.k8s.io/v1', 'AdmissionReview'), 'admission/v1.AdmissionReview');
  t.equal(name('autoscaling/v1', 'Scale'), 'autoscaling/v1.Scale');
  t.strictSame(scheme.kindsOf(scheme.typeOf(gvk('v1', 'Status'))), [gvk('v1', 'Status')]);
  const status = deepFreeze({ kind: 'Status', apiVersion: 'v1' });
  t.equal(scheme.convert(status, gvk('apps/v1', '')), status);
});

t.test('what was never registered is refused in the words of Kubernetes', async (t) => {
  const inScheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';
  t.equal(
    refusal(() => scheme.typeOf(gvk('v1', 'Foo'))),
    `no kind "Foo" is registered for version "v1" ${inScheme}`,
  );
  t.equal(
    refusal(() => scheme.typeOf(gvk('apps/v1', 'Pod'))),
    `no kind "Pod" is registered for version "apps/v1" ${inScheme}`,
  );
  t.equal(
    refusal(() => scheme.convert({ apiVersion: 'v7' }, gvk('v1', ''))),
    `no version "v7" has been registered ${inScheme}`,
  );
  t.equal(
    refusal(() => convert({ apiVersion: 'v1', kind: 'Pod' }, 'apps/v1')),
    `v1.Pod is not suitable for converting to "apps/v1" ${inScheme}`,
  );
  t.equal(
    refusal(() => scheme.storageOf(gvk('v1', 'PodList'))),
    `no kind "PodList" is registered for version "v1" ${inScheme}`,
  );
  t.throws(() => scheme.typeOf(gvk('v1', 'Foo')), { name: 'NotRegisteredError' });
  const mapper = restMapperOf(scheme);
  for (const name of hostile) {
    t.notOk(scheme.recognizes({ group: '', version: 'v1', kind: name }), JSON.stringify(name));
    t.notOk(scheme.recognizes({ group: name, version: 'v7', kind: 'Pod' }));
    t.equal(scheme.kind({ group: name, version: name, kind: name }), undefined);
    t.equal(scheme.resource({ group: name, version: 'v1', resource: name }), undefined);
    t.strictSame(scheme.resourcesOf({ group: name, version: name }), []);
    t.strictSame(mapper.category(name), []);
    try {
      mapper.argument(name);
      t.fail(`found ${JSON.stringify(name)}`);
    } catch (error) {
      t.ok(isNoMatchError(error));
    }
    try {
      scheme.typeOf({ group: name, version: name, kind: name });
      t.fail(`found ${JSON.stringify(name)}`);
    } catch (error) {
      t.ok(isNotRegisteredError(error));
    }
  }
  t.notOk(isNoMatchError(new Error('other')));
  t.notOk(isNotRegisteredError(undefined));
});

t.test('versions of a kind that convert by name alone have the same shape', async (t) => {
  const differs = (a: Shape, b: Shape, seen = new Set<string>()): boolean => {
    if (a === b) return false;
    if (a.kind === 'list' && b.kind === 'list') return differs(a.items, b.items, seen);
    if (a.kind === 'map' && b.kind === 'map') return differs(a.values, b.values, seen);
    if (a.kind !== 'struct' || b.kind !== 'struct') return a.kind !== b.kind;
    if (seen.has(a.name)) return false;
    seen.add(a.name);
    return (
      a.fields.size !== b.fields.size ||
      [...a.fields].some(([name, each]) => {
        const other = b.fields.get(name);
        // Defaults may differ: each version fills in its own before it is converted.
        return other?.presence !== each.presence || differs(each.shape, other.shape, seen);
      })
    );
  };
  const converted: string[] = [];
  const apart: string[] = [];
  const best = new Map<string, GroupVersionKind>();
  for (const { name: group, versions } of everything.groups) {
    for (const version of versions) {
      for (const served of everything.resourcesOf({ group, version })) {
        const family = `${group}/${served.kind}`;
        const first = best.get(family);
        if (first === undefined) best.set(family, served);
        else if (deepEqual(served.hub, { group, version, kind: served.kind })) apart.push(`${version} ${served.kind}`);
        else {
          t.strictSame(served.hub, { group, version: first.version, kind: served.kind }, 'the best version is the hub');
          if (
            served.conversion?.toHub === undefined ||
            differs(everything.typeOf(served), everything.typeOf(served.hub))
          )
            converted.push(`${version} ${served.kind}`);
          else
            t.strictSame(
              everything.convert(
                { apiVersion: printGroupVersion(served), kind: served.kind, metadata: { name: 'a' } },
                served.hub,
              ),
              { kind: served.kind, apiVersion: printGroupVersion(served.hub), metadata: { name: 'a' } },
            );
        }
      }
    }
  }
  t.strictSame(converted, [
    'v1 HorizontalPodAutoscaler',
    'v1beta1 ResourceClaim',
    'v1beta1 ResourceClaimTemplate',
    'v1beta1 ResourceSlice',
  ]);
  t.strictSame(apart, [], 'every version is converted');
});

t.test('storage keeps one version of what shares a hub', async (t) => {
  const stored = (apiVersion: string, kind: string): string =>
    printGroupVersion(everything.storageOf(gvk(apiVersion, kind)));
  t.equal(stored('apps/v1', 'Deployment'), 'apps/v1');
  t.equal(stored('autoscaling/v1', 'HorizontalPodAutoscaler'), 'autoscaling/v2');
  t.equal(stored('autoscaling/v2', 'HorizontalPodAutoscaler'), 'autoscaling/v2');
  t.equal(stored('events.k8s.io/v1', 'Event'), 'v1');
  t.equal(stored('v1', 'Event'), 'v1');
  for (const version of ['v1', 'v1beta1', 'v1alpha1'])
    t.equal(
      stored(`admissionregistration.k8s.io/${version}`, 'MutatingAdmissionPolicy'),
      'admissionregistration.k8s.io/v1beta1',
    );
  t.equal(stored('resource.k8s.io/v1beta2', 'DeviceTaintRule'), 'resource.k8s.io/v1alpha3');
  t.equal(stored('resource.k8s.io/v1beta2', 'ResourceClaim'), 'resource.k8s.io/v1');
  t.equal(stored('certificates.k8s.io/v1alpha1', 'ClusterTrustBundle'), 'certificates.k8s.io/v1beta1');
});

// A host's own kind: in v1 a widget has a size, in v2 width and height.
interface WidgetV1 extends ApiObject {
  size?: string;
}
interface WidgetV2 extends ApiObject {
  width?: number;
  height?: number;
}
const widgetV2: GroupVersionKind = gvk('example.com/v2', 'Widget');
const widgetConversion: HubConversion<Frozen<WidgetV1>, Frozen<WidgetV2>> = {
  hub: widgetV2,
  toHub({ size = '0x0', ...rest }) {
    const [width, height] = size.split('x').map(Number);
    return { ...rest, ...(width !== undefined && { width }), ...(height !== undefined && { height }) };
  },
  fromHub: ({ width = 0, height = 0, ...rest }) => ({ ...rest, size: `${width}x${height}` }),
};
const widgetType = (version: string) => () =>
  structType(`example/${version}.Widget`, () => [field('kind', scalars.string), field('apiVersion', scalars.string)]);
const widgetKinds: readonly KindOptions[] = [
  {
    ...widgetV2,
    type: widgetType('v2'),
    resource: { plural: 'widgets', shortNames: ['wd'], namespaced: true },
    setDefaults: (widget: WidgetV2) => void (widget.width ??= 1),
  },
  {
    ...widgetV2,
    version: 'v1',
    type: widgetType('v1'),
    resource: { plural: 'widgets', namespaced: true },
    conversion: widgetConversion,
  },
  {
    ...widgetV2,
    version: 'v3alpha1',
    type: widgetType('v3alpha1'),
    resource: { plural: 'widgets', namespaced: true },
    conversion: sameShape(widgetV2),
  },
];

t.test('a host registers its own kind, with versions, converters and defaults', async (t) => {
  const hosted = builtinScheme({ kinds: widgetKinds });
  t.strictSame(hosted.groups.at(-1), { name: 'example.com', versions: ['v2', 'v1'], preferredVersion: 'v2' });
  t.equal(hosted.resource({ group: 'example.com', version: 'v2', resource: 'widgets' })?.resource.singular, 'widget');
  t.strictSame(
    [...hosted.typeOf(gvk('example.com/v2', 'WidgetList')).fields.keys()],
    ['kind', 'apiVersion', 'metadata', 'items'],
  );
  t.equal(
    hosted.typeOf(gvk('example.com/v2', 'WidgetList')),
    hosted.typeOf(gvk('example.com/v2', 'WidgetList')),
    'a list type is made once',
  );

  const metadata = { name: 'a' };
  const first = deepFreeze({ kind: 'Widget', apiVersion: 'example.com/v1', metadata, size: '2x3' });
  const second = hosted.convert(first, { group: 'example.com', version: 'v2' });
  t.strictSame(second, { kind: 'Widget', apiVersion: 'example.com/v2', metadata, width: 2, height: 3 });
  t.equal(second.metadata, first.metadata, 'what does not change is shared');
  t.strictSame(hosted.convert(second, { group: 'example.com', version: 'v1' }), first);
  t.strictSame(
    hosted.convert(first, { group: 'example.com', version: 'v3alpha1' }),
    { ...second, apiVersion: 'example.com/v3alpha1' },
    'through the hub',
  );
  t.equal(hosted.convert(first, { group: 'example.com', version: 'v1' }), first);

  const list = deepFreeze({
    kind: 'WidgetList',
    apiVersion: 'example.com/v1',
    metadata: {},
    items: [{ metadata, size: '4x5' }, first],
  });
  t.strictSame(hosted.convert(list, { group: 'example.com', version: 'v2' }), {
    kind: 'WidgetList',
    apiVersion: 'example.com/v2',
    metadata: {},
    items: [{ metadata, width: 4, height: 5 }, second],
  });
  const item: Frozen<ApiObject> = { metadata };
  t.strictSame(hosted.converter(gvk('example.com/v2', 'Widget'), { group: 'example.com', version: 'v1' })(item), {
    kind: 'Widget',
    apiVersion: 'example.com/v1',
    metadata,
    size: '0x0',
  });

  const fresh: WidgetV2 = { kind: 'Widget', apiVersion: 'example.com/v2' };
  hosted.setDefaults(fresh);
  t.equal(fresh.width, 1);
  const several: ApiObject & { items: WidgetV2[] } = {
    kind: 'WidgetList',
    apiVersion: 'example.com/v2',
    items: [{}, { width: 7 }],
  };
  hosted.setDefaults(several);
  t.strictSame(several.items, [{ width: 1 }, { width: 7 }]);
  hosted.setDefaults({ kind: 'Unknown' });

  t.equal(restMapperOf(hosted).argument('wd')[0]?.version, 'v2');
  t.notOk(scheme.recognizes(widgetV2), 'the other scheme does not know');
  const more = scheme.with(widgetKinds);
  t.ok(more.recognizes(widgetV2));
  t.notOk(scheme.recognizes(widgetV2), 'nor does a scheme change when another is made from it');
  t.equal(builtinScheme(), scheme, 'those who add nothing share one');
});

t.test('definitions that contradict each other are refused', async (t) => {
  const [hub, other] = widgetKinds as [KindOptions, KindOptions];
  const make = (...kinds: KindOptions[]): string => refusal(() => createScheme({ name: 'test', kinds }));
  t.equal(make(hub, other), 'no refusal');
  t.equal(make(hub, hub), 'Double registration of example.com/v2, Kind=Widget');
  t.equal(
    make({ ...hub, kind: 'WidgetList' }, hub, { ...hub, kind: 'WidgetList' }),
    'Double registration of example.com/v2, Kind=WidgetList',
  );
  t.match(make(other), 'names a hub that is not one: example.com/v2, Kind=Widget');
  t.match(
    make({ ...hub, conversion: sameShape(gvk('example.com/v1', 'Widget')) }, other),
    'names a hub that is not one',
  );
  t.match(make(hub, { ...other, storage: hub }), 'names a storage version, which only its hub may');
  t.match(
    make({ ...hub, storage: { group: 'example.com', version: 'v9' } }),
    'is stored in a version it does not have',
  );
  t.equal(make(hub, { ...hub, kind: 'Gadget' }), 'two kinds are served as example.com/v2/widgets');
  t.match(
    make(hub, {
      ...hub,
      kind: 'Gadget',
      conversion: sameShape(hub),
      resource: { plural: 'gadgets', namespaced: true },
    }),
    'share the hub',
  );
  for (const bad of [
    { kind: '' },
    { kind: 'a/b' },
    { version: '' },
    { group: 'a/b' },
    { resource: { plural: 'pods/log', namespaced: true } },
  ])
    t.match(make({ ...hub, ...bad }), 'not the name of a kind');
});

t.test(
  'whole sections are made when something of them is asked for, and the built-in ones contradict nothing',
  async (t) => {
    const [hub, other] = widgetKinds as [KindOptions, KindOptions];
    const read: string[] = [];
    const section = (kind: KindOptions): SchemeSection => ({
      group: kind.group,
      version: kind.version,
      hasResources: true,
      kinds: () => {
        read.push(kind.version);
        return [kind];
      },
    });
    const lazy = createScheme({ name: 'test', sections: [section(hub), section(other)], kinds: [] });
    t.strictSame(lazy.groups, [{ name: 'example.com', versions: ['v2', 'v1'], preferredVersion: 'v2' }]);
    t.strictSame(read, [], 'which groups there are is known without');
    t.equal(lazy.kind(other)?.kind, 'Widget');
    t.equal(lazy.kind(other)?.kind, 'Widget');
    t.strictSame(read, ['v1'], 'read once');
    t.equal(lazy.storageOf(other).version, 'v2');
    t.strictSame(read, ['v1', 'v2'], 'the hub when it is needed');
    t.match(
      refusal(() => createScheme({ name: 'test', sections: [section(hub)], kinds: [hub] })),
      'Double registration',
    );
    const added = createScheme({
      name: 'test',
      sections: [section(hub)],
      kinds: [other, { ...hub, kind: 'Gadget', resource: { plural: 'gadgets', namespaced: true } }],
    });
    t.strictSame(
      added.resourcesOf(hub).map(({ resource }) => resource.plural),
      ['gadgets', 'widgets'],
      'a section may be added to',
    );

    const kinds = everything.groups.flatMap(({ name: group, versions }) =>
      versions.flatMap((version) => everything.resourcesOf({ group, version })),
    );
    const eager = createScheme({ name: 'test', kinds, switches: { 'api/all': true } });
    t.strictSame(eager.groups, everything.groups, 'taken one by one, and so checked, they are the same');
    for (const kind of kinds) t.equal(eager.storageOf(kind).version, everything.storageOf(kind).version);
  },
);

const annotation = (name: string): string => `autoscaling.alpha.kubernetes.io/${name}`;
const autoscaler = (
  apiVersion: string,
  spec: object,
  rest: { annotations?: object; status?: object } = {},
): object => ({
  apiVersion,
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a', ...(rest.annotations && { annotations: rest.annotations }) },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 5, ...spec },
  ...(rest.status && { status: rest.status }),
});
const cpuAt = (averageUtilization: number): object => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

t.test('autoscaling/v2 goes through v1 in annotations, letter by letter as in Kubernetes', async (t) => {
  const selector = {
    matchExpressions: [{ operator: 'In', key: 'k', values: ['x'] }],
    matchLabels: { z: '<1>', 12: '', '-': 'b' },
  };
  const metrics = [
    cpuAt(50),
    {
      type: 'Object',
      object: {
        describedObject: { name: 'i', kind: 'Ingress', apiVersion: 'networking.k8s.io/v1' },
        target: { type: 'Value', value: '1500m' },
        metric: { name: 'rps', selector },
      },
    },
    { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '1Gi' } } },
    cpuAt(60),
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', container: 'app', target: { type: 'Utilization', averageUtilization: 70 } },
    },
    { type: 'External', external: { metric: { name: 'e' }, target: { type: 'AverageValue', averageValue: '30' } } },
  ];
  const status = {
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40, averageValue: '200m' } } },
    ],
    conditions: [
      { type: 'AbleToScale', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z', message: 'a & b' },
      { type: 'X', status: 'False' },
    ],
  };
  t.strictSame(
    convert(
      autoscaler(
        'autoscaling/v2',
        { metrics, behavior: { scaleDown: { tolerance: '0.1' } } },
        { status, annotations: { keep: 'me', [annotation('metrics')]: '[]' } },
      ),
      'autoscaling/v1',
    ),
    {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: 'a',
        annotations: {
          keep: 'me',
          [annotation('metrics')]:
            '[{"type":"Object","object":{"target":{"kind":"Ingress","name":"i","apiVersion":"networking.k8s.io/v1"},"metricName":"rps","targetValue":"1500m",' +
            '"selector":{"matchLabels":{"-":"b","12":"","z":"\\u003c1\\u003e"},"matchExpressions":[{"key":"k","operator":"In","values":["x"]}]}}},' +
            '{"type":"Pods","pods":{"metricName":"q","targetAverageValue":"1Gi"}},' +
            '{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":70,"container":"app"}},' +
            '{"type":"External","external":{"metricName":"e","targetAverageValue":"30"}}]',
          [annotation('current-metrics')]:
            '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":40,"currentAverageValue":"200m"}}]',
          [annotation('behavior')]:
            '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},' +
            '"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":"100m"}}',
          [annotation('conditions')]:
            '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","message":"a \\u0026 b"},{"type":"X","status":"False","lastTransitionTime":null}]',
        },
      },
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
        maxReplicas: 5,
        minReplicas: 1,
        targetCPUUtilizationPercentage: 50,
      },
      status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 40 },
    },
  );
});

t.test('autoscaling/v1 reads its annotations as Go would, and ignores what it cannot read', async (t) => {
  const metricsOf = (text: string, spec: object = {}): unknown =>
    (
      convert(
        autoscaler('autoscaling/v1', spec, { annotations: { [annotation('metrics')]: text } }),
        'autoscaling/v2',
      ) as { spec?: { metrics?: unknown } }
    ).spec?.metrics;
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 70 } },
  };
  t.strictSame(
    metricsOf('[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":70}}]', {
      targetCPUUtilizationPercentage: 9,
    }),
    [memory, cpuAt(9)],
  );
  t.strictSame(
    metricsOf('[{"TYPE":"Resource","Resource":{"nAme":"memory","targetaverageutilization":70}}]'),
    [memory],
    'keys in any case',
  );
  t.strictSame(metricsOf('[{"type":"Pods","pods":{"metricName":"q","targetAverageValue":5,"bogus":[]}}]'), [
    { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } },
  ]);
  t.strictSame(
    metricsOf(
      '[{"type":"Object","object":{"target":{"kind":"K","name":"n"},"metricName":"m","targetValue":"0","averageValue":"3"}}]',
    ),
    [
      {
        type: 'Object',
        object: {
          describedObject: { kind: 'K', name: 'n' },
          target: { type: 'AverageValue', averageValue: '3' },
          metric: { name: 'm' },
        },
      },
    ],
  );
  t.strictSame(metricsOf('[null]'), [{ type: '' }]);
  for (const ignored of [
    '[]',
    'null',
    '{}',
    '"x"',
    '[1]',
    '[{',
    '[{"type":5}]',
    '[{"type":"Pods","pods":{"targetAverageValue":"bad"}}]',
    '[{"type":"Resource","resource":{"targetAverageUtilization":3000000000}}]',
    '[{"type":"External","external":{"metricSelector":{"matchLabels":{"b":1}}}}]',
  ]) {
    t.strictSame(metricsOf(ignored), [cpuAt(80)], ignored);
  }

  const behaviorOf = (text: string): unknown =>
    (
      convert(
        autoscaler('autoscaling/v1', {}, { annotations: { [annotation('behavior')]: text } }),
        'autoscaling/v2',
      ) as { spec?: { behavior?: unknown } }
    ).spec?.behavior;
  t.strictSame(behaviorOf('{"scaleUp":{"policies":[{"type":"Pods","value":4,"periodSeconds":15}]}}'), {
    scaleUp: { policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] },
  });
  t.strictSame(behaviorOf('{"ScaleDown":{"Tolerance":"0.05","Policies":null,"SelectPolicy":""}}'), {
    scaleDown: { selectPolicy: '', tolerance: '50m' },
  });
  for (const ignored of ['{}', 'null', '[]', '{"ScaleUp":null}', '{"ScaleUp":{"StabilizationWindowSeconds":"5"}}'])
    t.equal(behaviorOf(ignored), undefined, ignored);

  const status = { currentReplicas: 0, desiredReplicas: 1, currentCPUUtilizationPercentage: 7 };
  const statusOf = (annotations: object): unknown =>
    (convert(autoscaler('autoscaling/v1', {}, { annotations, status }), 'autoscaling/v2') as { status?: unknown })
      .status;
  const currentCpu = [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 7 } } }];
  t.strictSame(
    statusOf({
      [annotation('current-metrics')]: 'x',
      [annotation('conditions')]: '[{"type":"A","lastTransitionTime":"bad"}]',
    }),
    { desiredReplicas: 1, currentMetrics: currentCpu },
  );
  t.strictSame(
    statusOf({
      [annotation('current-metrics')]: '[]',
      [annotation('conditions')]: '[{"type":"A","lastTransitionTime":"2026-01-02T03:04:05+02:00","reason":""}]',
    }),
    {
      desiredReplicas: 1,
      currentMetrics: [],
      conditions: [{ type: 'A', status: '', lastTransitionTime: '2026-01-02T01:04:05Z' }],
    },
  );
});

t.test('whatever stands in the annotations, autoscaling/v1 converts', async (t) => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom(
      '[{"type":"Pods","__proto__":{"pods":1}}]',
      '['.repeat(9000),
      '[{"type":"Pods","pods":{"selector":{"matchLabels":{"__proto__":"x"}}}}]',
    ),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('metrics', 'behavior', 'current-metrics', 'conditions').map(annotation), text, {
        minKeys: 1,
        noNullPrototype: true,
      }),
      (annotations) => {
        const converted = scheme.convert(
          deepFreeze(autoscaler('autoscaling/v1', { targetCPUUtilizationPercentage: 1 }, { annotations })),
          { group: 'autoscaling', version: 'v2' },
        );
        return converted.apiVersion === 'autoscaling/v2' && converted.metadata?.annotations === undefined;
      },
    ),
  );
  t.pass();
});

t.test('an autoscaler that both versions can say comes back as it was', async () => {
  for (const [arbitrary, via] of [
    [autoscalerV2, 'v1'],
    [autoscalerV1, 'v2'],
  ] as const) {
    fc.assert(
      fc.property<[Frozen<ApiObject>]>(arbitrary, (given) => {
        const object = deepFreeze(given);
        const there = scheme.convert(object, { group: 'autoscaling', version: via });
        return deepEqual(scheme.convert(there, parseGroupVersion(object.apiVersion ?? '')), object);
      }),
      { numRuns: runs(300) },
    );
  }
});

t.test('autoscalers get their defaults', async (t) => {
  t.strictSame(taken(autoscaler('autoscaling/v1', {})), {
    ...autoscaler('autoscaling/v1', { minReplicas: 1 }),
    status: { currentReplicas: 0, desiredReplicas: 0 },
  });
  t.match(taken(autoscaler('autoscaling/v2', { minReplicas: 0 })), {
    spec: { minReplicas: 0, metrics: [cpuAt(80)], behavior: undefined },
  });
  t.match(
    taken(
      autoscaler('autoscaling/v2', {
        metrics: [cpuAt(3)],
        behavior: { scaleUp: { stabilizationWindowSeconds: 3, selectPolicy: 'Min' } },
      }),
    ),
    {
      spec: {
        metrics: [cpuAt(3)],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 3,
            selectPolicy: 'Min',
            policies: [
              { type: 'Pods', value: 4, periodSeconds: 15 },
              { type: 'Percent', value: 100, periodSeconds: 15 },
            ],
          },
          scaleDown: {
            stabilizationWindowSeconds: undefined,
            selectPolicy: 'Max',
            policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
          },
        },
      },
    },
  );
  t.strictSame(
    taken(autoscaler('autoscaling/v2', {}, { annotations: { [annotation('behavior')]: '{}', a: 'b' } })).metadata,
    { name: 'a', annotations: { a: 'b' } },
    'v2 never shows the annotations of v1',
  );
  t.strictSame(taken(autoscaler('autoscaling/v2', {}, { annotations: { [annotation('conditions')]: '' } })).metadata, {
    name: 'a',
  });
});

t.test('the two Events are one object under different names', async (t) => {
  const core = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: 'a' },
    involvedObject: { kind: 'Pod', name: 'p' },
    reason: 'Started',
    message: 'm',
    source: { component: 'kubelet', host: 'n' },
    firstTimestamp: '2026-01-02T03:04:05Z',
    lastTimestamp: '2026-01-02T03:04:06Z',
    count: 3,
    type: 'Normal',
    eventTime: '2026-01-02T03:04:05.000001Z',
    series: { count: 2, lastObservedTime: '2026-01-02T03:04:05.000002Z' },
    action: 'Do',
    related: { kind: 'Node' },
    reportingComponent: 'k',
    reportingInstance: 'i',
  };
  const renamed = {
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    metadata: { name: 'a' },
    eventTime: '2026-01-02T03:04:05.000001Z',
    series: { count: 2, lastObservedTime: '2026-01-02T03:04:05.000002Z' },
    reportingController: 'k',
    reportingInstance: 'i',
    action: 'Do',
    reason: 'Started',
    regarding: { kind: 'Pod', name: 'p' },
    related: { kind: 'Node' },
    note: 'm',
    type: 'Normal',
    deprecatedSource: { component: 'kubelet', host: 'n' },
    deprecatedFirstTimestamp: '2026-01-02T03:04:05Z',
    deprecatedLastTimestamp: '2026-01-02T03:04:06Z',
    deprecatedCount: 3,
  };
  t.strictSame(convert(core, 'events.k8s.io/v1'), renamed);
  t.strictSame(convert(renamed, 'v1'), core);
  t.strictSame(convert({ kind: 'Event', apiVersion: 'events.k8s.io/v1', series: { count: 0 } }, 'v1'), {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: {},
    involvedObject: {},
    source: {},
    series: {},
    reportingComponent: '',
    reportingInstance: '',
  });
  t.strictSame(convert({ kind: 'Event', apiVersion: 'v1', series: {} }, 'events.k8s.io/v1'), {
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    metadata: {},
    series: { count: 0 },
    regarding: {},
    deprecatedSource: {},
  });

  const field = (name: string): string | undefined =>
    scheme.kind(gvk('events.k8s.io/v1', 'Event'))?.conversion?.hubField?.(name);
  t.strictSame(
    ['regarding.kind', 'regarding.fieldPath', 'reportingController', 'reason', 'type', 'metadata.name'].map(field),
    ['involvedObject.kind', 'involvedObject.fieldPath', 'reportingComponent', 'reason', 'type', 'metadata.name'],
  );
  t.strictSame(
    ['involvedObject.kind', 'source', 'reportingComponent', '__proto__'].map(field),
    Array<undefined>(4),
    'the other version has other names',
  );
});

t.test('every Event comes back as it was', async () => {
  for (const [apiVersion, via] of [
    ['v1', 'events.k8s.io/v1'],
    ['events.k8s.io/v1', 'v1'],
  ] as const) {
    const arbitrary = arbitraryObject(scheme.typeOf(gvk(apiVersion, 'Event')), {
      typeMeta: { apiVersion, kind: 'Event' },
    });
    fc.assert(
      fc.property(arbitrary, (json) => {
        const object = taken(json);
        const there = scheme.convert(object, parseGroupVersion(via));
        if (there.metadata !== object.metadata) return false;
        return deepEqual(scheme.convert(there, parseGroupVersion(apiVersion)), object);
      }),
      { numRuns: runs(300) },
    );
  }
});

t.test('every resource is found by each of its names', async (t) => {
  const mapper = restMapperOf(everything);
  let apiVersion = '';
  const taken = new Map<string, string>();
  for (const line of resourceText.trim().split('\n')) {
    const [name = '', kind = '', scope, , short = '-'] = line.split(' ');
    if (name.startsWith('@')) apiVersion = name.slice(1);
    if (name.startsWith('@') || name.includes('/')) continue;
    const version = parseGroupVersion(apiVersion);
    const { group } = version;
    const mapping = mapper.kind({ group, kind }, [version.version]);
    t.match(
      mapping,
      {
        group,
        version: version.version,
        kind,
        resource: name,
        namespaced: scope === 'N',
        singular: kind.toLowerCase(),
      },
      `${apiVersion} ${name}`,
    );
    t.equal(mapper.resource({ ...version, resource: name }), mapping);
    t.equal(mapper.resource({ ...version, resource: kind.toLowerCase() }), mapping);
    // Without a version the preferred one answers, without a group the first.
    for (const each of [name, kind.toLowerCase(), ...(short === '-' ? [] : short.split(','))]) {
      const inGroup = mapper.resource({ group, resource: each });
      t.strictSame([inGroup.group, inGroup.resource, inGroup.kind], [group, name, kind], `${each} in ${group}`);
      if (!taken.has(each)) taken.set(each, apiVersion);
      t.equal(printGroupVersion(mapper.resource({ resource: each })), taken.get(each), each);
      t.strictSame(mapper.argument(group === '' ? each : `${each}.${group}`), [inGroup]);
    }
    t.equal(
      mapper.argument(`${name}.${version.version}.${group}`)[0],
      group === '' ? mapper.resource({ resource: name }) : mapping,
    );
  }
});

t.test('arguments of kubectl name resources as kubectl takes them', async (t) => {
  const mapper = restMapperOf(scheme);
  const found = (text: string): string =>
    mapper
      .argument(text)
      .map((each) => `${each.resource}.${each.version}.${each.group}`)
      .join(' ');
  for (const [text, expected] of [
    ['po', 'pods.v1.'],
    ['Pod', 'pods.v1.'],
    ['PODS', 'pods.v1.'],
    ['ev', 'events.v1.'],
    ['events', 'events.v1.'],
    ['events.events.k8s.io', 'events.v1.events.k8s.io'],
    ['ev.events.k8s.io', 'events.v1.events.k8s.io'],
    ['events.events', 'events.v1.events.k8s.io'],
    ['deploy.apps', 'deployments.v1.apps'],
    ['deployments.v1.apps', 'deployments.v1.apps'],
    ['Deployment.v1.apps', 'deployments.v1.apps'],
    ['hpa', 'horizontalpodautoscalers.v2.autoscaling'],
    ['horizontalpodautoscalers.v1.autoscaling', 'horizontalpodautoscalers.v1.autoscaling'],
    ['hpa.v1.autoscaling', 'horizontalpodautoscalers.v2.autoscaling'],
    ['hpa.autoscal', 'horizontalpodautoscalers.v2.autoscaling'],
    ['storageclass.storage', 'storageclasses.v1.storage.k8s.io'],
    ['crds', 'customresourcedefinitions.v1.apiextensions.k8s.io'],
    ['endpoints', 'endpoints.v1.'],
    ['cm,cm,po,pods', 'configmaps.v1. pods.v1.'],
    [
      'all',
      'pods.v1. replicationcontrollers.v1. services.v1. daemonsets.v1.apps deployments.v1.apps replicasets.v1.apps statefulsets.v1.apps horizontalpodautoscalers.v2.autoscaling cronjobs.v1.batch jobs.v1.batch',
    ],
  ] as const) {
    t.equal(found(text), expected, text);
  }
  for (const text of ['foo', 'foo.bar', 'PO', 'pods.v7.apps', 'po,foo', '']) {
    t.equal(
      refusal(() => mapper.argument(text)),
      `the server doesn't have a resource type "${text.split(',').at(-1)?.split('.')[0] ?? ''}"`,
      text,
    );
  }
});

t.test('a mapper says what it searched for in vain', async (t) => {
  const mapper = restMapperOf(scheme);
  t.equal(
    refusal(() => mapper.kind({ group: '', kind: 'Foo' }, ['v1'])),
    'no matches for kind "Foo" in version "v1"',
  );
  t.equal(
    refusal(() => mapper.kind({ group: 'apps', kind: 'Pod' })),
    'no matches for kind "Pod" in group "apps"',
  );
  t.equal(
    refusal(() => mapper.kind({ group: 'apps', kind: 'Pod' }, ['v2', 'v1'])),
    'no matches for kind "Pod" in versions ["apps/v1" "apps/v2"]',
  );
  t.equal(
    refusal(() => mapper.resource({ resource: 'foo' })),
    'no matches for /, Resource=foo',
  );
  t.equal(
    refusal(() => mapper.resources({ group: 'apps', version: 'v1', resource: 'Foo' })),
    'no matches for apps/v1, Resource=Foo',
  );
  t.equal(
    refusal(() => mapper.resource({ group: 'autoscal', version: 'v1', resource: 'horizontalpodautoscalers' })),
    'no matches for autoscal/v1, Resource=horizontalpodautoscalers',
  );
  t.equal(mapper.kind({ group: 'autoscaling', kind: 'HorizontalPodAutoscaler' }).version, 'v2');
  t.equal(mapper.kind({ group: 'autoscaling', kind: 'HorizontalPodAutoscaler' }, ['v7', 'v1']).version, 'v1');
  t.strictSame(
    mapper.resources({ resource: 'events' }).map(({ group }) => group),
    ['', 'events.k8s.io'],
  );
  t.strictSame(
    mapper.resources({ resource: 'hpa' }).map(({ version }) => version),
    ['v2', 'v1'],
  );
  t.strictSame(
    mapper.resources({ version: 'v1', resource: 'horizontalpodautoscalers' }).map(({ version }) => version),
    ['v1'],
  );
});

t.test('a mapper can be created from the discovery documents of any server', async (t) => {
  const mapper = restMapper([
    {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      kind: 'PodMetrics',
      resource: 'pods',
      singular: 'pod',
      namespaced: true,
    },
    {
      group: 'example.com',
      version: 'v1',
      kind: 'CronTab',
      resource: 'crontabs',
      singular: 'tab',
      shortNames: ['pods', 'ct'],
      namespaced: false,
    },
    { group: '', version: 'v1', kind: 'Pod', resource: 'pods', namespaced: true },
  ]);
  t.equal(
    mapper.argument('pods')[0]?.kind,
    'Pod',
    'the core group comes first wherever it stands, and a full name before a short one',
  );
  t.equal(mapper.argument('pods.metrics.k8s.io')[0]?.kind, 'PodMetrics');
  t.equal(mapper.argument('pods.example.com')[0]?.kind, 'CronTab');
  t.equal(mapper.argument('CronTab.v1.example.com')[0]?.resource, 'crontabs', 'a kind whose singular is another word');
  t.equal(mapper.argument('CronTab.example.com')[0]?.resource, 'crontabs');
  t.strictSame(mapper.argument('ct')[0], {
    group: 'example.com',
    version: 'v1',
    kind: 'CronTab',
    resource: 'crontabs',
    singular: 'tab',
    shortNames: ['pods', 'ct'],
    categories: [],
    namespaced: false,
  });
});

const podOf = (spec: unknown): Pod =>
  decodeValue(scheme.typeOf(gvk('v1', 'Pod')), { kind: 'Pod', apiVersion: 'v1', spec }).object;
const completed = (spec: unknown): PodSpec => {
  const pod = podOf(spec);
  podDefaults(pod);
  return pod.spec ?? { containers: [] };
};

t.test('images are pulled always when their tag is latest, named or meant', async (t) => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const always = [
    'nginx',
    'nginx:latest',
    `nginx:latest@${digest}`,
    `a:latest@sha512:${'a'.repeat(128)}`,
    'Nginx/foo',
    'localhost:5000/x',
    'reg.io:5000/a/b',
    'reg.io:5000/a/b:latest',
    '[::1]:5000/x',
    'a__b',
    'a--b',
    'index.docker.io/x',
    'foo_bar.com/x',
    `d.io/${'x'.repeat(255)}`,
    'x'.repeat(247),
  ];
  const ifNotPresent = [
    '',
    'nginx:1.27',
    'nginx:v1',
    'nginx:Latest',
    `nginx@${digest}`,
    `nginx:1@${digest}`,
    'nginx:latest@sha256:abc',
    `nginx:latest@md5:${'a'.repeat(32)}`,
    'NGINX',
    'foo/Bar',
    'localhost:5000',
    'reg.io:5000/a/b:9',
    '[zz]/x',
    'a..b',
    'a___b',
    'a-',
    '/a',
    'a//b',
    'foo_bar:80/x',
    'bad-.com/x',
    'a:',
    `d.io/${'x'.repeat(256)}`,
    'x'.repeat(248),
    'a'.repeat(64),
    'nginx:latest ',
    'nginx\n',
    'näh',
    'a:b:c',
  ];
  for (const image of always) t.equal(defaultPullPolicy(image), 'Always', image);
  for (const image of ifNotPresent) t.equal(defaultPullPolicy(image), 'IfNotPresent', image);
  for (const hostileImage of [
    'a-'.repeat(200_000),
    `${'a'.repeat(400_000)}_`,
    'a.'.repeat(200_000) + '/x',
    ':'.repeat(400_000),
  ])
    t.equal(defaultPullPolicy(hostileImage), 'IfNotPresent', 'in linear time');
  const spec = completed({
    containers: [
      { name: 'c', image: 'x' },
      { image: 'x', imagePullPolicy: 'Never' },
    ],
    initContainers: [{ image: 'x:1' }],
    ephemeralContainers: [{ image: 'x' }],
    volumes: [
      { name: 'v', image: { reference: 'x' } },
      { name: 'w', image: {} },
    ],
  });
  t.match(spec, {
    containers: [{ imagePullPolicy: 'Always' }, { imagePullPolicy: 'Never' }],
    initContainers: [{ imagePullPolicy: 'IfNotPresent' }],
    ephemeralContainers: [{ imagePullPolicy: 'Always' }],
    volumes: [{ image: { pullPolicy: 'Always' } }, { image: { pullPolicy: 'IfNotPresent' } }],
  });
});

t.test('a pod requests what it is limited to, in whole thousandths', async (t) => {
  const spec = completed({
    overhead: { cpu: '1u' },
    containers: [
      { resources: { limits: { cpu: '1500u', memory: '1n', 'x/y': '0.0001' }, requests: { cpu: '1' } } },
      { resources: { requests: { cpu: '1' } } },
    ],
    initContainers: [{ resources: { limits: JSON.parse('{"cpu":"2","__proto__":"3"}') as unknown } }],
    ephemeralContainers: [{ resources: { limits: { cpu: '1' } } }],
  });
  t.strictSame(spec.overhead, { cpu: '1m' });
  t.strictSame(
    spec.containers.map(({ resources }) => resources),
    [
      { limits: { cpu: '2m', memory: '1m', 'x/y': '1m' }, requests: { cpu: '1', memory: '1m', 'x/y': '1m' } },
      { requests: { cpu: '1' } },
    ],
  );
  t.strictSame(Object.entries(spec.initContainers?.[0]?.resources?.requests ?? {}), [
    ['cpu', '2'],
    ['__proto__', '3'],
  ]);
  t.strictSame(
    spec.ephemeralContainers?.[0]?.resources,
    { limits: { cpu: '1' } },
    'an ephemeral container requests nothing',
  );
});

t.test('resources of the pod as a whole follow from those of its containers', async (t) => {
  const resourcesOf = (resources: object, containers: object[], initContainers: object[] = []): unknown =>
    completed({ resources, containers: containers.map((each) => ({ resources: each })), initContainers }).resources;
  t.strictSame(
    resourcesOf({ limits: { cpu: '2', 'hugepages-2Mi': '8Mi' } }, [
      { limits: { cpu: '500m', memory: '1Gi' } },
      { limits: { memory: '1Gi' }, requests: { memory: '100M' } },
    ]),
    {
      limits: { cpu: '2', 'hugepages-2Mi': '8Mi' },
      requests: { cpu: '500m', memory: '1173741824', 'hugepages-2Mi': '8Mi' },
    },
  );
  const sidecar = { restartPolicy: 'Always', resources: { limits: { cpu: '1' } } };
  const init = { resources: { limits: { cpu: '2500m', 'hugepages-2Mi': '6Mi' } } };
  t.strictSame(
    resourcesOf({ limits: { cpu: '4' } }, [{ limits: { cpu: '1', 'hugepages-2Mi': '2Mi' } }], [sidecar, init]),
    { limits: { cpu: '4', 'hugepages-2Mi': '6Mi' }, requests: { cpu: '3500m', 'hugepages-2Mi': '6Mi' } },
  );
  t.strictSame(resourcesOf({ requests: { cpu: '1' } }, [{ limits: { cpu: '3' } }]), { requests: { cpu: '1' } });
  t.strictSame(resourcesOf({ limits: { memory: '1Gi' }, requests: { memory: '1k' } }, [{}]), {
    limits: { memory: '1Gi' },
    requests: { memory: '1k' },
  });
  t.strictSame(resourcesOf({}, [{ limits: { cpu: '3' } }]), {});
});

t.test('volumes without a source are empty directories, and host networking opens ports of the host', async (t) => {
  t.strictSame(
    completed({
      volumes: [
        { name: 'a' },
        { name: 'b', hostPath: { path: '/' } },
        { name: 'c', emptyDir: { medium: 'Memory' } },
        { name: 'd', ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1n' } } } } } },
      ],
    }).volumes,
    [
      { name: 'a', emptyDir: {} },
      { name: 'b', hostPath: { path: '/', type: '' } },
      { name: 'c', emptyDir: { medium: 'Memory' } },
      {
        name: 'd',
        ephemeral: {
          volumeClaimTemplate: {
            metadata: {},
            spec: { resources: { requests: { storage: '1m' } }, volumeMode: 'Filesystem' },
          },
        },
      },
    ],
  );
  const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081 }];
  const open = [
    { containerPort: 80, hostPort: 80, protocol: 'TCP' },
    { containerPort: 81, hostPort: 8081, protocol: 'TCP' },
  ];
  t.match(
    completed({
      hostNetwork: true,
      containers: [{ ports }],
      initContainers: [{ ports }],
      ephemeralContainers: [{ ports }],
    }),
    {
      containers: [{ ports: open }],
      initContainers: [{ ports: open }],
      ephemeralContainers: [{ ports: [{ hostPort: undefined }, {}] }],
    },
  );
  t.match(completed({ containers: [{ ports }] }), { containers: [{ ports: [{ hostPort: undefined }, {}] }] });
});

t.test('a template gets no defaults that are for pods alone', async (t) => {
  const pod = podOf({
    hostNetwork: true,
    containers: [{ image: 'x', ports: [{ containerPort: 1 }], resources: { limits: { cpu: '1' } } }],
    volumes: [{ name: 'v' }],
  });
  const spec = pod.spec ?? { containers: [] };
  podSpecDefaults(spec);
  t.match(spec, {
    enableServiceLinks: undefined,
    containers: [{ imagePullPolicy: 'Always', ports: [{ hostPort: undefined }], resources: { requests: undefined } }],
    volumes: [{ emptyDir: {} }],
  });
  podDefaults(pod);
  t.match(spec, {
    enableServiceLinks: true,
    containers: [{ ports: [{ hostPort: 1 }], resources: { requests: { cpu: '1' } } }],
  });
  t.equal(completed({ enableServiceLinks: false }).enableServiceLinks, false);
  t.equal(completed({}).enableServiceLinks, true, 'a pod without containers is for validation to refuse');
});

t.test('status amounts are rounded too', async (t) => {
  const pod = decodeValue(scheme.typeOf(gvk('v1', 'Pod')), {
    status: {
      containerStatuses: [{ allocatedResources: { cpu: '1n' }, resources: { limits: { cpu: '1n' } } }],
      initContainerStatuses: [{ allocatedResources: { cpu: '1u' } }],
      ephemeralContainerStatuses: [{ resources: { requests: { cpu: '1u' } } }],
      allocatedResources: { cpu: '1u' },
      resources: { limits: { cpu: '1500u' } },
    },
  }).object as Pod;
  scheme.setDefaults(pod, gvk('v1', 'Pod'));
  t.match(pod.status, {
    containerStatuses: [{ allocatedResources: { cpu: '1m' }, resources: { limits: { cpu: '1m' } } }],
    initContainerStatuses: [{ allocatedResources: { cpu: '1m' } }],
    ephemeralContainerStatuses: [{ resources: { requests: { cpu: '1m' } } }],
    allocatedResources: { cpu: '1m' },
    resources: { limits: { cpu: '2m' } },
  });
});

t.test('defaults of any pod are complete after one run', async () => {
  const type = scheme.typeOf(gvk('v1', 'Pod'));
  fc.assert(
    fc.property(arbitraryObject(type), (json) => {
      const once = decodeValue(type, json).object as Pod;
      podDefaults(once);
      const twice = decodeValue(type, once).object as Pod;
      podDefaults(twice);
      return deepEqual(once, twice);
    }),
    { numRuns: runs(200) },
  );
});
