// Core kinds: what their strategies refuse, warn about, fill in, keep and print. Errors and warnings are golden.
import t from 'tap';
import { create, row, strategyOf, testNow, update } from '../support/strategy.js';
import { refusedOnCreate, warnedOnCreate } from '../support/core-kinds-golden.js';
import { keyPairProblem } from '../../lib/core/kinds/core/key-pair.js';
import { printedDiff } from '../../lib/core/kinds/printed-diff.js';
import { deepFreeze } from '../../lib/core/objects/json.js';
import type { ApiObject } from '../../lib/core/objects/meta.js';

/** An object of a core kind with a name. */
function named(object: object): object {
  const { metadata = {} } = object as { metadata?: object };
  return { ...object, metadata: { name: 'x', ...metadata } };
}

function made(kind: string, object: object): ApiObject & Record<string, unknown> {
  const { object: created, text } = create(`/v1/${kind}`, named(object));
  if (text !== '') throw new Error(`not a valid ${kind}: ${text}`);
  return created;
}

t.test('wrong objects are refused in the words of Kubernetes', async (t) => {
  for (const [kind, object, ...errors] of refusedOnCreate) {
    const { texts } = create(`/v1/${kind}`, named(object));
    t.same([...new Set(texts)], errors, `${kind} ${JSON.stringify(object).slice(0, 100)}`);
  }
});

t.test('authors of valid objects hear what they should know', async (t) => {
  for (const [kind, object, ...warnings] of warnedOnCreate) {
    const created = create(`/v1/${kind}`, named(object));
    t.equal(created.text, '');
    t.same(created.warnings, warnings, kind);
  }
});

t.test('what can be said is filled in', async (t) => {
  t.same(made('Secret', { data: { a: 'YQ==', b: 'YQ==' }, stringData: { b: 'é', __proto__x: '' } }), {
    ...base('Secret'),
    type: 'Opaque',
    data: { a: 'YQ==', b: 'w6k=', __proto__x: '' },
  });
  t.same(
    made('LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '2.0001' }, min: { memory: '1' } }] } })
      .spec,
    {
      limits: [
        {
          type: 'Container',
          max: { cpu: '2001m' },
          min: { memory: '1' },
          default: { cpu: '2001m' },
          defaultRequest: { cpu: '2001m', memory: '1' },
        },
      ],
    },
  );
  t.same(
    made('Node', { spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.1.0.0/24'] }, status: { capacity: { cpu: '4' } } })
      .spec,
    { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] },
  );
  t.match(made('Node', { spec: { podCIDRs: ['10.1.0.0/24'] }, status: { capacity: { cpu: '4' } } }), {
    spec: { podCIDR: '10.1.0.0/24' },
    status: { allocatable: { cpu: '4' } },
  });
  t.same(
    made('Service', { spec: { ports: [{ port: 80 }], sessionAffinity: 'ClientIP', externalIPs: ['1.2.3.4'] } }).spec,
    {
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      type: 'ClusterIP',
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
      externalIPs: ['1.2.3.4'],
      externalTrafficPolicy: 'Cluster',
      internalTrafficPolicy: 'Cluster',
    },
  );
  t.match(
    made('Service', {
      spec: {
        type: 'LoadBalancer',
        ports: [{ port: 80, targetPort: 'http' }],
        sessionAffinityConfig: { clientIP: {} },
      },
    }).spec,
    {
      allocateLoadBalancerNodePorts: true,
      externalTrafficPolicy: 'Cluster',
      sessionAffinityConfig: undefined,
    },
  );
  t.notHas(
    made('Service', { spec: { type: 'ExternalName', externalName: 'a.b.', internalTrafficPolicy: 'Local' } }).spec,
    { internalTrafficPolicy: 'Local' },
    'an alias has no traffic',
  );
  t.same(
    made('ServiceAccount', { secrets: [{ name: 'a', kind: 'Secret', uid: 'u' }, {}] }).secrets,
    [{ name: 'a' }, {}],
    'only names are kept',
  );
  t.match(create('/v1/LimitRange', {}).object.metadata, { name: /^[0-9a-f]{8}-/ }, 'a name is made up');
});

t.test('namespaces begin as active, labelled and held by a finalizer', async (t) => {
  const created = made('Namespace', {
    metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } },
    spec: { finalizers: ['example.com/x'] },
    status: { phase: 'Terminating' },
  });
  t.same(created, {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'x', labels: { 'kubernetes.io/metadata.name': 'x' } },
    spec: { finalizers: ['example.com/x', 'kubernetes'] },
    status: { phase: 'Active' },
  });
  const strategy = strategyOf('/v1/Namespace');
  const leaving: ApiObject & { status?: unknown } = { status: { phase: 'Active' } };
  strategy.prepareForDelete?.(leaving, context);
  t.same(leaving.status, { phase: 'Terminating' });
  t.equal(strategy.holdsDeletion?.(deepFreeze(created)), true);
  t.same(
    update('/v1/Namespace', { ...created, spec: {} }, created).object.spec,
    created.spec,
    'an update keeps the finalizers',
  );
  const finalized = update(
    '/v1/Namespace',
    { ...created, spec: {}, status: { phase: 'Terminating' } },
    created,
    'finalize',
  );
  t.match(finalized, { text: '', object: { spec: {}, status: { phase: 'Active' } } });
  t.match(update('/v1/Namespace', { ...created, spec: { finalizers: ['x'] } }, created, 'finalize').texts, [
    'spec.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  ]);
  t.same(update('/v1/Namespace', { ...created, status: { phase: 'Terminating' } }, created, 'status').texts, [
    'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
  ]);
  const dying = { ...created, metadata: { ...created.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  t.same(update('/v1/Namespace', { ...dying, status: { phase: 'Active' } }, dying, 'status').texts, [
    'status.Phase: Invalid value: "Active": may only be \'Terminating\' if `deletionTimestamp` is not empty',
  ]);
});

t.test('claims settle where their data comes from', async (t) => {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const source = { kind: 'PersistentVolumeClaim', name: 'a' };
  const other = { apiGroup: 'example.com', kind: 'X', name: 'a' };
  const sources = (spec: object): unknown => {
    const { dataSource, dataSourceRef } = made('PersistentVolumeClaim', { spec: { ...claim, ...spec } }).spec as {
      dataSource?: unknown;
      dataSourceRef?: unknown;
    };
    return [dataSource, dataSourceRef];
  };
  t.same(sources({ dataSource: source }), [source, source]);
  t.same(sources({ dataSourceRef: other }), [other, other]);
  t.same(sources({ dataSource: other }), [undefined, undefined], 'what could never have been a source is dropped');
  t.same(sources({ dataSourceRef: { ...source, namespace: 'n' } }), [undefined, undefined], 'so is a source elsewhere');
  t.same(
    sources({ dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'a' } }),
    Array(2).fill({ apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'a' }),
  );
});

t.test('volumes remember when their phase changed', async (t) => {
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
  const now = new Date(testNow).toISOString().replace('.000', '');
  t.same(made('PersistentVolume', { spec, status: { phase: 'Bound' } }).status, {
    phase: 'Pending',
    lastPhaseTransitionTime: now,
  });
  const old = named({ spec, status: { phase: 'Pending', lastPhaseTransitionTime: '2020-01-01T00:00:00Z' } });
  const statusOf = (status: object): unknown =>
    update('/v1/PersistentVolume', { ...old, status }, old, 'status').object.status;
  t.same(statusOf({ phase: 'Pending' }), { phase: 'Pending', lastPhaseTransitionTime: '2020-01-01T00:00:00Z' });
  t.same(statusOf({ phase: 'Bound' }), { phase: 'Bound', lastPhaseTransitionTime: now });
  t.same(statusOf({ phase: 'Bound', lastPhaseTransitionTime: '2020-01-01T00:00:00Z' }), {
    phase: 'Bound',
    lastPhaseTransitionTime: now,
  });
  t.same(statusOf({ phase: 'Bound', lastPhaseTransitionTime: '2021-01-01T00:00:00Z' }), {
    phase: 'Bound',
    lastPhaseTransitionTime: '2021-01-01T00:00:00Z',
  });
});

t.test('updates may not change what is fixed', async (t) => {
  const refused = (kind: string, old: object, object: object, ...errors: readonly string[]): void => {
    const { texts } = update(`/v1/${kind}`, named(object), named(old));
    t.same([...new Set(texts)], errors, `${kind} ${JSON.stringify(object).slice(0, 80)}`);
  };
  const frozen = 'Forbidden: field is immutable when `immutable` is set';
  refused(
    'ConfigMap',
    { immutable: true, data: { a: 'b' } },
    { data: { a: 'c' }, binaryData: { d: 'YQ==' } },
    `immutable: ${frozen}`,
    `data: ${frozen}`,
    `binaryData: ${frozen}`,
  );
  refused(
    'Secret',
    { immutable: true, data: { a: 'YQ==' } },
    { immutable: true, type: 'x' },
    'type: Invalid value: "x": field is immutable',
    `data: ${frozen}`,
  );
  refused(
    'ResourceQuota',
    { spec: { scopes: ['BestEffort'] } },
    { spec: { scopes: ['PriorityClass'] } },
    'spec.scopes: Invalid value: ["PriorityClass"]: field is immutable',
  );
  refused('Endpoints', { subsets: [{}] }, { subsets: [{}], metadata: { labels: { a: 'b' } } });
  refused(
    'Node',
    { spec: { podCIDR: '10.0.0.0/24', providerID: 'p', externalID: 'e' } },
    { spec: { podCIDRs: ['10.1.0.0/24'], providerID: 'q' } },
    'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    'spec.externalID: Forbidden: may not be updated',
  );
  const source = { configMap: { namespace: '', name: '-', kubeletConfigKey: '', uid: 'u', resourceVersion: 'r' } };
  refused(
    'Node',
    { spec: { configSource: {} } },
    { spec: { configSource: source } },
    'spec.configSource.configMap.uid: Forbidden: uid must not be set in spec',
    'spec.configSource.configMap.resourceVersion: Forbidden: resourceVersion must not be set in spec',
    'spec.configSource.configMap.namespace: Required value',
    "spec.configSource.configMap.name: Invalid value: \"-\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    'spec.configSource.configMap.kubeletConfigKey: Required value',
  );
  t.same(
    update(
      '/v1/Node',
      named({
        status: {
          addresses: [
            { type: 'a', address: 'b' },
            { type: 'a', address: 'b' },
          ],
          config: { active: {}, assigned: { configMap: {} } },
        },
      }),
      named({ status: { config: {} } }),
      'status',
    ).texts,
    [
      'status.addresses[1]: Duplicate value: {"Type":"a","Address":"b"}',
      'status.config.assigned.configMap.uid: Required value',
      'status.config.assigned.configMap.resourceVersion: Required value',
      'status.config.assigned.configMap.namespace: Required value',
      'status.config.assigned.configMap.name: Required value',
      'status.config.assigned.configMap.kubeletConfigKey: Required value',
      'status.config.active: Invalid value: {"ConfigMap":null}: exactly one reference subfield must be non-nil',
    ],
  );
  t.notHas(
    update('/v1/Node', named({ status: { config: {} } }), named({}), 'status').object.status,
    { config: {} },
    'a feature that is gone does not come back',
  );
});

t.test('volumes and claims show what changed', async (t) => {
  const storage = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
  const affinity = (key: string): object => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
  });
  const volume = (old: object, object: object): readonly string[] => [
    ...new Set(
      update(
        '/v1/PersistentVolume',
        named({ spec: { ...storage, ...object } }),
        named({ spec: { ...storage, ...old } }),
      ).texts,
    ),
  ];
  const local = { local: { path: '/a' } };
  t.same(volume({ nfs: { server: 's', path: '/p' } }, { nfs: { server: 's', path: '/q' } }), [
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n' +
      '@@ -5,7 +5,7 @@\n  "Glusterfs": null,\n  "NFS": {\n   "Server": "s",\n-  "Path": "/p",\n+  "Path": "/q",\n   "ReadOnly": false\n  },\n  "RBD": null,\n',
  ]);
  t.same(
    volume(
      { ...local, nodeAffinity: affinity('beta.kubernetes.io/os') },
      { ...local, nodeAffinity: affinity('kubernetes.io/os') },
    ),
    [],
    'a label may get its final name',
  );
  t.same(volume({ ...local, nodeAffinity: affinity('kubernetes.io/os') }, { ...local, nodeAffinity: affinity('a') }), [
    'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"a","Operator":"Exists","Values":null}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA',
  ]);
  const csi = { driver: 'd.e', volumeHandle: 'h' };
  t.same(
    volume({ csi }, { csi: { ...csi, controllerExpandSecretRef: { name: 'a', namespace: 'b' } } }),
    [],
    'a secret for expansion may come later',
  );
  t.same(volume({ csi, volumeAttributesClassName: 'v' }, { csi, volumeMode: 'Block' }), [
    'volumeMode: Invalid value: "Block": field is immutable',
    'spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden',
  ]);

  const size = (amount: string): object => ({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: amount } },
  });
  const claim = (old: object, object: object, status: object = { phase: 'Pending' }): readonly string[] =>
    update('/v1/PersistentVolumeClaim', named({ ...object }), named({ ...old, status })).texts;
  const rule =
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  t.same(claim({ spec: size('1Gi') }, { spec: size('2Gi') }), [
    `${rule}\n@@ -6,7 +6,7 @@\n  "Resources": {\n   "Limits": null,\n   "Requests": {\n-   "storage": "1Gi"\n+   "storage": "2Gi"\n   }\n  },\n  "VolumeName": "",\n`,
  ]);
  t.same(
    claim({ spec: size('1Gi') }, { spec: { ...size('2Gi'), volumeAttributesClassName: 'v' } }, { phase: 'Bound' }),
    [],
    'bound claims may grow',
  );
  t.same(claim({ spec: size('2Gi') }, { spec: size('1Gi') }, { phase: 'Bound', capacity: { storage: '1Gi' } }), [
    'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
  ]);
  t.same(
    claim({ spec: size('3Gi') }, { spec: size('2Gi') }, { phase: 'Bound', capacity: { storage: '1Gi' } }),
    [],
    'and recover from an expansion that failed',
  );
  t.same(
    claim({ spec: size('1Gi') }, { spec: { ...size('1024Mi'), volumeName: 'v', storageClassName: 's' } }),
    [],
    'a volume and a class may be filled in',
  );
  const annotated = {
    metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 's' } },
    spec: size('1Gi'),
  };
  t.same(
    claim(annotated, { spec: { ...size('1Gi'), storageClassName: 's' } }),
    [],
    'a class may move from the annotation to the field',
  );
  t.same(claim(annotated, { spec: size('1Gi') }), [
    'metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "": field is immutable',
  ]);
  const classed = { spec: { ...size('1Gi'), volumeAttributesClassName: 'v' } };
  t.same(claim(classed, { spec: size('1Gi') }, { phase: 'Bound', currentVolumeAttributesClassName: 'v' }), [
    'spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil',
  ]);
  const status = {
    allocatedResourceStatuses: { storage: 'x', cpu: 'NodeResizePending' },
    allocatedResources: { '-': '1', storage: '-1' },
    capacity: { storage: '-1' },
  };
  t.same(
    update('/v1/PersistentVolumeClaim', named({ status }), named({}), 'status').texts.map((text) => text.slice(0, 90)),
    [
      'Spec.accessModes: Required value',
      'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "Control',
      'status.allocatedResourceStatuses: Unsupported value: "cpu": supported values: "storage"',
      'status.allocatedResources: Invalid value: "-": name part must consist of alphanumeric char',
      'status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity',
    ],
  );
});

t.test('a difference is the same however long the texts are', async (t) => {
  const lines = Array.from({ length: 400 }, (_, index) => (index % 3 === 0 ? 'same' : `line ${index}`));
  const changed = lines.map((line, index) => (index === 200 ? 'other' : line));
  t.equal(
    printedDiff(lines, changed),
    '@@ -199,7 +199,7 @@\n  "line 197",\n  "same",\n  "line 199",\n- "line 200",\n+ "other",\n  "same",\n  "line 202",\n  "line 203",\n',
  );
  t.equal(printedDiff(lines, lines), '');
  t.equal(printedDiff({ a: '<' }, null), '@@ -1,3 +1 @@\n-{\n- "a": "\\u003c"\n-}\n+null\n');
  t.equal(
    printedDiff([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15]).split(
      '@@',
    ).length,
    5,
    'changes far from each other stand apart',
  );
});

t.test('services drop what a change of type makes meaningless', async (t) => {
  const spec = {
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 30_001,
    ports: [{ port: 80, nodePort: 30_000 }],
    clusterIP: '10.96.0.9',
    clusterIPs: ['10.96.0.9'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    loadBalancerClass: 'example.com/x',
  };
  const old = named({ spec, status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } });
  const changed = (change: object): ReturnType<typeof update> =>
    update('/v1/Service', named({ spec: { ...spec, allocateLoadBalancerNodePorts: true, ...change } }), old);
  t.same(changed({ type: 'ExternalName', externalName: 'a' }).object.spec, {
    type: 'ExternalName',
    externalName: 'a',
    ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    sessionAffinity: 'None',
  });
  t.same(changed({ type: 'ClusterIP' }).object.status, { loadBalancer: {} });
  t.same(changed({ type: 'ClusterIP' }).text, '');
  t.same(
    changed({ type: 'ClusterIP', ports: [{ port: 80, nodePort: 30_002 }], loadBalancerClass: 'example.com/y' }).texts,
    [
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
  );
  t.same(
    changed({
      clusterIP: '10.96.0.8',
      clusterIPs: ['10.96.0.8'],
      ipFamilies: ['IPv6'],
      healthCheckNodePort: 30_003,
      loadBalancerClass: 'example.com/y',
    }).texts,
    [
      'spec.clusterIPs[0]: Invalid value: ["10.96.0.8"]: may not change once set',
      'spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
      'spec.loadBalancerClass: Invalid value: "example.com/y": may not change once set',
      'spec.healthCheckNodePort: Forbidden: field is immutable',
      'spec.clusterIPs[0]: Invalid value: "10.96.0.8": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
  );
  const dual = {
    ...spec,
    clusterIPs: ['10.96.0.9', 'fd00::9'],
    ipFamilies: ['IPv4', 'IPv6'],
    ipFamilyPolicy: 'PreferDualStack',
  };
  t.same(
    update(
      '/v1/Service',
      named({ spec: { ...dual, clusterIPs: ['10.96.0.9'], ipFamilies: ['IPv4'] } }),
      named({ spec: dual }),
    ).texts,
    [
      'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to \'SingleStack\' when releasing the secondary clusterIP',
      'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to \'SingleStack\' when releasing the secondary ipFamily',
    ],
  );
  t.same(update('/v1/Service', named({ spec: dual }), named({ spec })).text, '', 'a second address may be added');
  const ingress = [{ ip: 'x' }, { ipMode: 'VIP', hostname: '1.2.3.4' }, { ip: '1.2.3.4', ipMode: 'x' }];
  t.same(update('/v1/Service', named({ status: { loadBalancer: { ingress } } }), old, 'status').texts, [
    'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set',
    'status.loadBalancer.ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set',
    'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    'status.loadBalancer.ingress[2].ipMode: Unsupported value: "x": supported values: "Proxy", "VIP"',
  ]);
  t.same(
    update(
      '/v1/Service',
      named({ status: { loadBalancer: { ingress: [{ ip: 'FD00::1', ipMode: 'VIP' }] } } }),
      old,
      'status',
    ).warnings,
    ['status.loadBalancer.ingress[0]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")'],
  );
});

t.test('addresses of services agree with each other', async (t) => {
  const refused = (spec: object, ...errors: readonly string[]): void =>
    void t.same(create('/v1/Service', named({ spec: { ports: [{ port: 80 }], ...spec } })).texts, errors);
  refused({ clusterIP: '1.2.3.4' }, 'spec.clusterIPs: Required value');
  refused(
    { clusterIPs: ['1.2.3.4'] },
    'spec.clusterIPs: Invalid value: ["1.2.3.4"]: must be empty when `clusterIP` is not specified',
  );
  refused(
    { clusterIP: '1.2.3.4', clusterIPs: ['1.2.3.5'] },
    'spec.clusterIPs: Invalid value: ["1.2.3.5"]: first value must match `clusterIP`',
  );
  refused(
    { clusterIP: 'None', clusterIPs: ['None', 'x'] },
    'spec.clusterIPs: Invalid value: ["None","x"]: \'None\' must be the first and only value',
    'spec.clusterIPs[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  );
  refused(
    { clusterIP: '1.2.3.4', clusterIPs: ['1.2.3.4', '1.2.3.5', '1.2.3.6'] },
    'spec.clusterIPs: Invalid value: ["1.2.3.4","1.2.3.5","1.2.3.6"]: may only hold up to 2 values',
    'spec.clusterIPs: Invalid value: ["1.2.3.4","1.2.3.5","1.2.3.6"]: may specify no more than one IP for each IP family',
  );
  refused(
    { ipFamilies: ['x', 'IPv4', 'IPv4'], ipFamilyPolicy: 'y' },
    'spec.ipFamilies[0]: Unsupported value: "x": supported values: "IPv4", "IPv6"',
    'spec.ipFamilies[2]: Duplicate value: "IPv4"',
    'spec.ipFamilyPolicy: Unsupported value: "y": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
  );
  refused(
    { type: 'NodePort', clusterIP: 'None', clusterIPs: ['None'] },
    'spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services',
  );
});

t.test('the newer API of events is strict', async (t) => {
  const kind = 'events.k8s.io/v1/Event';
  const event = {
    eventTime: '2020-01-01T00:00:00.000000Z',
    reportingController: 'c',
    reportingInstance: 'i',
    action: 'A',
    reason: 'R',
    type: 'Normal',
    regarding: { kind: 'Pod', namespace: 'default', name: 'x' },
  };
  t.same(create(kind, named(event)).text, '');
  t.same(
    create(
      kind,
      named({
        ...event,
        metadata: { name: 'A' },
        type: 'x',
        series: { count: 1 },
        deprecatedCount: 1,
        deprecatedSource: { host: 'h' },
        deprecatedFirstTimestamp: '2020-01-01T00:00:00Z',
        deprecatedLastTimestamp: '2020-01-01T00:00:00Z',
      }),
    ).texts.map((text) => text.slice(0, 60)),
    [
      'metadata.name: Invalid value: "A": a lowercase RFC 1123 subd',
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'type: Invalid value: "": has invalid value: x',
      'firstTimestamp: Invalid value: "": needs to be unset',
      'lastTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ],
  );
  t.match(create(kind, named({ ...event, eventTime: undefined })).texts, ['eventTime: Required value']);
  const changed = {
    ...event,
    action: 'B',
    reportingController: 'd',
    related: { name: 'y' },
    regarding: { name: 'z', namespace: 'default' },
    series: { count: 2, lastObservedTime: '2020-01-01T00:00:00.000000Z' },
  };
  t.same(update(kind, named(changed), named(event)).texts, [
    'involvedObject: Invalid value: {"Kind":"","Namespace":"default","Name":"z","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    'action: Invalid value: "B": field is immutable',
    'related: Invalid value: {"Kind":"","Namespace":"","Name":"y","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    'reportingController: Invalid value: "d": field is immutable',
  ]);
  t.same(
    update(
      '/v1/Event',
      named({ involvedObject: { namespace: 'default' }, reason: 'S' }),
      named({ involvedObject: { namespace: 'default' }, reason: 'R' }),
    ).text,
    '',
    'the older one takes nearly anything',
  );
  const { timeToLiveMs, createsOnUpdate, ignoresPropagation } = strategyOf('/v1/Event');
  t.same([timeToLiveMs, createsOnUpdate, ignoresPropagation], [3_600_000, true, true]);
});

t.test('objects can be selected by some of their fields', async (t) => {
  const selected = (kind: string, object: object): unknown =>
    Object.fromEntries(
      Object.entries(strategyOf(`/v1/${kind}`).selectableFields ?? {}).map(([field, read]) => [
        field,
        read(deepFreeze(made(kind, object))),
      ]),
    );
  t.same(selected('Secret', {}), { type: 'Opaque' });
  t.same(selected('Namespace', {}), { 'status.phase': 'Active' });
  t.same(selected('Node', {}), { 'spec.unschedulable': 'false' });
  t.same(selected('Service', { spec: { clusterIP: 'None', clusterIPs: ['None'] } }), {
    'spec.clusterIP': 'None',
    'spec.type': 'ClusterIP',
  });
  t.match(
    selected('Event', {
      involvedObject: {
        namespace: 'default',
        name: 'a',
        kind: 'Pod',
        uid: 'u',
        apiVersion: 'v1',
        resourceVersion: '1',
        fieldPath: 'f',
      },
      reportingComponent: 'c',
      reason: 'R',
      type: 'Normal',
    }),
    {
      'involvedObject.name': 'a',
      'involvedObject.uid': 'u',
      'involvedObject.fieldPath': 'f',
      source: 'c',
      reason: 'R',
    },
  );
});

t.test('rows say what kubectl shows', async (t) => {
  const created = new Date(testNow - 90_000).toISOString().replace('.000', '');
  const cells = (kind: string, object: object): unknown =>
    row(`/v1/${kind}`, {
      ...object,
      metadata: { name: 'x', creationTimestamp: created, ...(object as { metadata?: object }).metadata },
    })?.cells;
  t.same(cells('ConfigMap', { data: { a: '' }, binaryData: { b: 'YQ==' } }), ['x', 2, '90s']);
  t.same(cells('Secret', { data: { a: '' } }), ['x', 'Opaque', 1, '90s']);
  t.same(cells('ServiceAccount', {}), ['x', '90s']);
  t.same(cells('Namespace', {}), ['x', 'Active', '90s']);
  t.same(cells('ComponentStatus', { conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] }), [
    'x',
    'Healthy',
    'ok',
    '',
  ]);
  t.same(cells('ComponentStatus', {}), ['x', 'Unknown', '', '']);
  t.same(cells('Endpoints', {}), ['x', '<none>', '90s']);
  t.same(
    cells('Endpoints', {
      subsets: [
        { addresses: [{ ip: '1.1.1.1' }] },
        { addresses: [{ ip: '1.1.1.2' }, { ip: 'fd00::1' }], ports: [{ port: 1 }, { port: 2 }] },
      ],
    }),
    ['x', '1.1.1.1,1.1.1.2:1,[fd00::1]:1 + 2 more...', '90s'],
  );
  t.same(
    cells('Node', {
      metadata: {
        labels: { 'node-role.kubernetes.io/b': '', 'node-role.kubernetes.io/a': '', 'kubernetes.io/role': 'c' },
      },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '1.1.1.1' }],
        nodeInfo: { kernelVersion: '6', architecture: 'amd64', kubeletVersion: 'v1.36.0' },
      },
    }),
    [
      'x',
      'Ready,SchedulingDisabled',
      'a,b,c',
      '90s',
      'v1.36.0',
      '1.1.1.1',
      '<none>',
      '<unknown>',
      '6 (amd64)',
      '<unknown>',
    ],
  );
  t.same(cells('Node', {}), [
    'x',
    'Unknown',
    '<none>',
    '90s',
    '',
    '<none>',
    '<none>',
    '<unknown>',
    '<unknown>',
    '<unknown>',
  ]);
  t.same(
    cells('ResourceQuota', { status: { hard: { pods: '2', 'limits.cpu': '1', cpu: '3' }, used: { pods: '1' } } }),
    ['x', 'cpu: 0/3, pods: 1/2', 'limits.cpu: 0/1', '90s'],
  );
  t.same(
    cells('PersistentVolume', {
      metadata: { deletionTimestamp: created },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        claimRef: { namespace: 'n', name: 'c' },
        storageClassName: 's',
      },
    }),
    ['x', '1Gi', 'RWO,RWX', 'Retain', 'Terminating', 'n/c', 's', '<unset>', '', '90s', 'Filesystem'],
  );
  t.same(
    cells('PersistentVolumeClaim', {
      spec: { volumeName: 'v', volumeAttributesClassName: 'a' },
      status: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOncePod'] },
    }),
    ['x', 'Pending', 'v', '1Gi', 'RWOP', '', 'a', '90s', 'Filesystem'],
  );
  const port = { ports: [{ port: 80, nodePort: 30_000 }] };
  t.same(
    cells('Service', {
      spec: { ...port, clusterIPs: ['10.96.0.1'], externalIPs: ['1.1.1.1'], selector: { b: '2', a: '1' } },
    }),
    ['x', 'ClusterIP', '10.96.0.1', '1.1.1.1', '80:30000/TCP', '90s', 'a=1,b=2'],
  );
  t.same(cells('Service', { spec: { type: 'LoadBalancer' } }), [
    'x',
    'LoadBalancer',
    '<none>',
    '<pending>',
    '<none>',
    '90s',
    '<none>',
  ]);
  t.same(
    cells('Service', {
      spec: { type: 'LoadBalancer', externalIPs: ['9.9.9.9'] },
      status: { loadBalancer: { ingress: [{ hostname: 'h' }, { ip: '1.1.1.1' }, { ip: '1.1.1.1' }] } },
    }),
    ['x', 'LoadBalancer', '<none>', '1.1.1.1,h,9.9.9.9', '<none>', '90s', '<none>'],
  );
  t.same(cells('Service', { spec: { type: 'ExternalName', externalName: 'a.b' } }), [
    'x',
    'ExternalName',
    '<none>',
    'a.b',
    '<none>',
    '90s',
    '<none>',
  ]);
  const event = {
    involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'f' },
    type: 'Normal',
    reason: 'R',
    message: ' m ',
    source: { component: 'c', host: 'h' },
  };
  t.same(cells('Event', { ...event, firstTimestamp: created, count: 3 }), [
    '90s',
    'Normal',
    'R',
    'pod/p',
    'f',
    'c, h',
    'm',
    '90s',
    3,
    'x',
  ]);
  t.same(
    cells('Event', {
      ...event,
      source: {},
      reportingComponent: 'r',
      eventTime: created.replace('Z', '.000000Z'),
      series: { count: 7 },
    }),
    ['<unknown>', 'Normal', 'R', 'pod/p', 'f', 'r', 'm', '90s', 7, 'x'],
  );
});

t.test('bindings name a node', async (t) => {
  t.same(create('/v1/Binding', named({ target: { kind: 'Pod' } })).texts, [
    'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    'target.name: Required value',
  ]);
  t.same(create('/v1/Binding', named({ target: { name: 'n' } })).text, '');
});

t.test('a certificate and a key belong together or not', async (t) => {
  const certificate = (...info: readonly (readonly number[])[]): string =>
    pem(
      'CERTIFICATE',
      der(
        0x30,
        der(0x30, der(0xa0, [2, 1, 2]), [2, 1, 1], [0x30, 0], [0x30, 0], [0x30, 0], [0x30, 0], der(0x30, ...info)),
        [0x30, 0],
        [3, 1, 0],
      ),
    );
  const rsa = der(0x30, [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1], [5, 0]);
  const ec = der(0x30, [6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]);
  const edwards = der(0x30, [6, 3, 0x2b, 0x65, 0x70]);
  const rsaCertificate = certificate(rsa, der(3, [0], der(0x30, [2, 2, 77, 7], [2, 1, 3])));
  const ecCertificate = certificate(ec, der(3, [0, 4, 1, 2]));
  const rsaKey = (modulus: number): string =>
    pem('RSA PRIVATE KEY', der(0x30, [2, 1, 0], [2, 2, 77, modulus], [2, 1, 3]));
  const wrapped = (algorithm: readonly number[], key: readonly number[]): string =>
    pem('PRIVATE KEY', der(0x30, [2, 1, 0], algorithm, der(4, key)));
  const ecKey = (point: number): number[] => der(0x30, [2, 1, 1], [4, 1, 9], der(0xa1, der(3, [0, 4, 1, point])));
  const problem = (crt: string, key: string): string | undefined =>
    keyPairProblem(new TextEncoder().encode(crt), new TextEncoder().encode(key));

  t.equal(problem(rsaCertificate, rsaKey(7)), undefined);
  t.equal(problem(rsaCertificate, wrapped(rsa, der(0x30, [2, 1, 0], [2, 2, 77, 7], [2, 1, 3]))), undefined);
  t.equal(problem(rsaCertificate, rsaKey(8)), 'tls: private key does not match public key');
  t.equal(problem(ecCertificate, pem('EC PRIVATE KEY', ecKey(2))), undefined);
  t.equal(problem(ecCertificate, wrapped(ec, ecKey(2))), undefined);
  t.equal(problem(ecCertificate, wrapped(ec, ecKey(3))), 'tls: private key does not match public key');
  t.equal(problem(ecCertificate, rsaKey(7)), 'tls: private key type does not match public key type');
  t.equal(problem(certificate(edwards, der(3, [0, 1])), wrapped(edwards, [4, 1, 1])), undefined);
  t.equal(problem(certificate(der(0x30, [6, 1, 1]), der(3, [0, 1])), rsaKey(7)), 'tls: unknown public key algorithm');
  t.equal(problem(pem('CERTIFICATE', [1, 2]), rsaKey(7)), 'x509: malformed certificate');
  t.equal(problem(rsaCertificate, pem('PRIVATE KEY', [0x30, 0x85, 1])), 'tls: failed to parse private key');
  t.equal(
    problem(rsaKey(7), ''),
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
  );
  t.equal(
    problem(pem('A', []) + pem('B', []), ''),
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  );
  t.equal(problem(rsaCertificate, 'x'), 'tls: failed to find any PEM data in key input');
  t.equal(
    problem(rsaCertificate, rsaCertificate),
    'tls: found a certificate rather than a key in the PEM for the private key',
  );
  t.equal(
    problem(rsaCertificate, pem('A', [])),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A]',
  );
  t.equal(
    problem('-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----', ''),
    'tls: failed to find any PEM data in certificate input',
  );
});

const context = {
  user: {},
  now: testNow,
  random: { uuid: () => '' } as never,
  dryRun: false,
  version: { group: '', version: 'v1' },
};

function base(kind: string): object {
  return { kind, apiVersion: 'v1', metadata: { name: 'x', namespace: 'default' } };
}

function der(tag: number, ...parts: readonly (readonly number[])[]): number[] {
  const content = parts.flat();
  return content.length < 128 ? [tag, content.length, ...content] : [tag, 0x81, content.length, ...content];
}

function pem(type: string, bytes: readonly number[]): string {
  return `-----BEGIN ${type}-----\n${btoa(String.fromCharCode(...bytes))}\n-----END ${type}-----\n`;
}
