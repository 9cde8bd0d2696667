// The kinds of the smaller API groups, against answers of a real API server (support/group-cases.ts), and the objects a
// new cluster begins with.
import t from 'tap';
import { fieldErrorText } from '../../lib/core/errors/field-error.js';
import { fieldPath } from '../../lib/core/errors/field-path.js';
import { validateSignerName } from '../../lib/core/kinds/signer-name.js';
import { nodeSelectorWarnings } from '../../lib/core/kinds/deprecated-node-labels.js';
import { readPem } from '../../lib/core/kinds/certificates/pem.js';
import { addToIp, cidrContains, parseCidr, parseIp, printIp, printNetwork } from '../../lib/core/objects/ip-address.js';
import {
  isCanonicalIp,
  validateCidr,
  validateIp,
  validateLegacyCidr,
  validateLegacyIp,
  warningsForCidr,
  warningsForIp,
} from '../../lib/core/objects/ip-validation.js';
import type { ApiObject } from '../../lib/core/objects/meta.js';
import { builtinScheme } from '../../lib/core/scheme/builtin.js';
import { bootstrapObjects as definitions } from '../../lib/server/bootstrap/bootstrap-objects.js';
import type { BootstrapOptions } from '../../lib/server/bootstrap/bootstrap-objects.js';
import { absent, groupCases, moreCases } from '../support/group-cases.js';
import { create, row, strategyOf, testNow, update } from '../support/strategy.js';
import type { Outcome } from '../support/strategy.js';
import { fc } from '../support/properties.js';

type Tree = Record<string, unknown>;

/** A copy with one place changed. Keys may hold dots: the longest that fits is meant. */
function changed(object: object, place: string, value: unknown): Tree {
  const copy = structuredClone(object) as Tree;
  let at: Tree = copy;
  let rest = place;
  for (;;) {
    const keys = Object.keys(at).filter((each) => rest === each || rest.startsWith(`${each}.`));
    const key = keys.sort((a, b) => b.length - a.length)[0] ?? rest;
    if (key === rest) break;
    at = at[key] as Tree;
    rest = rest.slice(key.length + 1);
  }
  if (value !== absent) at[rest] = value;
  else if (Array.isArray(at)) at.splice(Number(rest), 1);
  else delete at[rest];
  return copy;
}

/** Errors once each, as a Status prints them, or warnings. */
function said({ texts, warnings }: Outcome): readonly string[] {
  return texts.length > 0 ? [...new Set(texts)] : [...new Set(warnings)].map((warning) => `warning: ${warning}`);
}

/** Shortens our texts where the recorded ones are short. */
function likeRecorded(ours: readonly string[], recorded: readonly string[]): readonly string[] {
  const beginnings = recorded.filter((text) => text.endsWith('…')).map((text) => text.slice(0, -1));
  return ours.map((text) => {
    const beginning = beginnings.find((each) => text.startsWith(each));
    return beginning === undefined ? text : `${beginning}…`;
  });
}

t.test('kinds accept their examples and say of every mistake what Kubernetes says', async (t) => {
  for (const [kind, { object, create: cases }] of Object.entries(groupCases)) {
    t.strictSame(create(kind, object).texts, [], `${kind}: the example is fine`);
    for (const [place, value, recorded] of cases) {
      const ours = said(create(kind, changed(object, place, value)));
      t.strictSame(
        [...likeRecorded(ours, recorded)].sort(),
        [...recorded].sort(),
        `${kind}: ${place} ${String(value).slice(0, 40)}`,
      );
    }
  }
});

t.test('several mistakes are said in order', async (t) => {
  for (const [kind, object, recorded] of moreCases)
    t.strictSame(likeRecorded(said(create(kind, object)), recorded), recorded, kind);
  const parameters = Object.fromEntries(Array.from({ length: 513 }, (_, i) => [String(i), '']));
  t.strictSame(
    create('storage.k8s.io/v1/VolumeAttributesClass', { metadata: { name: 'n' }, driverName: 'a', parameters }).texts,
    ['parameters: Too long: may not be more than 512 bytes'],
  );
  const slice = (endpoints: unknown): object => ({ metadata: { name: 'n' }, addressType: 'IPv4', endpoints });
  const kind = 'discovery.k8s.io/v1/EndpointSlice';
  const addresses = Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`);
  t.strictSame(create(kind, slice([{ addresses }])).texts, [
    'endpoints[0].addresses: Too many: 101: must have at most 100 items',
  ]);
  t.strictSame(
    create(
      kind,
      slice(
        addresses
          .concat(...Array.from({ length: 9 }, () => addresses), ...addresses)
          .map((address) => ({ addresses: [address] })),
      ),
    ).texts,
    ['endpoints: Too many: 1111: must have at most 1000 items'],
  );
});

t.test('updates refuse what may not change', async (t) => {
  for (const [kind, { object, update: cases }] of Object.entries(groupCases)) {
    t.strictSame(update(kind, object, object).texts, [], `${kind}: the example may stay`);
    for (const [place, value, recorded] of cases) {
      const ours = said(update(kind, changed(object, place, value), object));
      t.strictSame(
        [...likeRecorded(ours, recorded)].sort(),
        [...recorded].sort(),
        `${kind}: ${place} ${String(value).slice(0, 40)}`,
      );
    }
  }
});

/** Columns as words, an asterisk for those shown on request, and the row of the example. */
const tables: readonly (readonly [kind: string, columns: string, cells: readonly unknown[]])[] = [
  [
    'networking.k8s.io/v1/Ingress',
    'Name Class Hosts Address Ports Age',
    ['n', 'c', 'a.com,*.c.com,d.com + 1 more...', '', '80, 443', '0s'],
  ],
  ['networking.k8s.io/v1/IngressClass', 'Name Controller Parameters Age', ['n (default)', 'a.io/b', 'K.g.io/n', '0s']],
  ['networking.k8s.io/v1/NetworkPolicy', 'Name Pod-Selector Age', ['n', 'a=b,e,k in (v,w)', '0s']],
  ['networking.k8s.io/v1/IPAddress', 'Name ParentRef', ['10.200.0.1', 'r.g.io/n/x', '0s']],
  ['networking.k8s.io/v1/ServiceCIDR', 'Name CIDRs Age', ['n', '10.210.0.0/24,2001:db8::/112', '0s']],
  [
    'rbac.authorization.k8s.io/v1/RoleBinding',
    'Name Role Age Users* Groups* ServiceAccounts*',
    ['n', 'Role/r', '0s', 'u', 'g', 'x/s'],
  ],
  [
    'rbac.authorization.k8s.io/v1/ClusterRoleBinding',
    'Name Role Age Users* Groups* ServiceAccounts*',
    ['n', 'ClusterRole/r', '0s', 'u', 'g', 'x/s'],
  ],
  [
    'storage.k8s.io/v1/StorageClass',
    'Name Provisioner ReclaimPolicy VolumeBindingMode AllowVolumeExpansion Age',
    ['n (default)', 'a.io/B', 'Retain', 'WaitForFirstConsumer', true, '0s'],
  ],
  [
    'storage.k8s.io/v1/CSIDriver',
    'Name AttachRequired PodInfoOnMount StorageCapacity TokenRequests RequiresRepublish Modes Age',
    ['n', true, true, true, 'a,b', true, 'Persistent,Ephemeral', '0s'],
  ],
  ['storage.k8s.io/v1/CSINode', 'Name Drivers Age', ['n', 2, '0s']],
  ['storage.k8s.io/v1/VolumeAttachment', 'Name Attacher PV Node Attached Age', ['n', 'a.io', 'pv', 'n', false, '0s']],
  ['storage.k8s.io/v1/VolumeAttributesClass', 'Name DriverName Age', ['n', 'a.io', '0s']],
  [
    'scheduling.k8s.io/v1/PriorityClass',
    'Name Value Global-Default Age PreemptionPolicy',
    ['n', 5, false, '0s', 'Never'],
  ],
  ['coordination.k8s.io/v1/Lease', 'Name Holder Age', ['n', 'h', '0s']],
  ['node.k8s.io/v1/RuntimeClass', 'Name Handler Age', ['n', 'h', '0s']],
  [
    'discovery.k8s.io/v1/EndpointSlice',
    'Name AddressType Ports Endpoints Age',
    ['n', 'IPv4', '80,q', '10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...', '0s'],
  ],
  ['apiregistration.k8s.io/v1/APIService', 'Name Service Available Age', ['v1.g.io', 'n/s', 'Unknown', '0s']],
  [
    'flowcontrol.apiserver.k8s.io/v1/FlowSchema',
    'Name PriorityLevel MatchingPrecedence DistinguisherMethod Age MissingPL',
    ['n', 'p', 500, 'ByUser', '0s', '?'],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration',
    'Name Type NominalConcurrencyShares Queues HandSize QueueLengthLimit Age',
    ['n', 'Limited', 5, 8, 2, 5, '0s'],
  ],
  [
    'certificates.k8s.io/v1/CertificateSigningRequest',
    'Name Age SignerName Requestor RequestedDuration Condition',
    ['n', '0s', 'a.io/b', 'x', '10m', 'Pending'],
  ],
];

t.test('kinds print their tables', async (t) => {
  for (const [kind, columns, cells] of tables) {
    const example = groupCases[kind]!.object as { metadata: object };
    const object = { ...example, metadata: { ...example.metadata, creationTimestamp: '2026-01-02T03:04:05Z' } };
    const { table } = strategyOf(kind);
    t.equal(
      table!.columns.map(({ name, priority = 0 }) => (priority > 0 ? `${name}*` : name)).join(' '),
      columns,
      kind,
    );
    t.strictSame(row(kind, object)!.cells, cells, kind);
  }
  const cells = (kind: string, object: object): unknown => row(kind, object)!.cells.slice(1);
  t.strictSame(
    cells('networking.k8s.io/v1/Ingress', {
      status: { loadBalancer: { ingress: [{ hostname: 'b' }, { ip: '10.0.0.1' }, { ip: '10.0.0.1' }] } },
    }),
    ['<none>', '*', '10.0.0.1,b', '80', '<unknown>'],
  );
  t.strictSame(cells('networking.k8s.io/v1/IngressClass', {}), ['', '<none>', '<unknown>']);
  t.strictSame(cells('networking.k8s.io/v1/IPAddress', {}), ['<none>', '<unknown>']);
  t.strictSame(cells('networking.k8s.io/v1/IPAddress', { spec: { parentRef: { resource: 'Services', name: 'x' } } }), [
    'services/x',
    '<unknown>',
  ]);
  t.strictSame(cells('storage.k8s.io/v1/CSIDriver', {}), [
    true,
    false,
    false,
    '<unset>',
    false,
    'Persistent',
    '<unknown>',
  ]);
  t.strictSame(cells('discovery.k8s.io/v1/EndpointSlice', { addressType: 'IPv6', ports: [{ name: '' }] }), [
    'IPv6',
    '<unset>',
    '<unset>',
    '<unknown>',
  ]);
  t.strictSame(cells('flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration', { spec: { type: 'Exempt' } }), [
    'Exempt',
    '<none>',
    '<none>',
    '<none>',
    '<none>',
    '<unknown>',
  ]);
  t.strictSame(
    cells('flowcontrol.apiserver.k8s.io/v1/FlowSchema', {
      status: { conditions: [{ type: 'Dangling', status: 'True' }] },
    }),
    ['', 1000, '<none>', '<unknown>', 'True'],
  );
  const apiService = (condition: object): unknown =>
    row('apiregistration.k8s.io/v1/APIService', { status: { conditions: [condition] } })!.cells[2];
  t.strictSame(apiService({ type: 'Available', status: 'True', reason: 'Passed' }), 'True');
  t.strictSame(
    apiService({ type: 'Available', status: 'False', reason: 'ServiceNotFound' }),
    'False (ServiceNotFound)',
  );
  const request = (status: object): unknown =>
    row('certificates.k8s.io/v1/CertificateSigningRequest', { status })!.cells[5];
  t.strictSame(request({ conditions: [{ type: 'Approved' }], certificate: 'eA==' }), 'Approved,Issued');
  t.strictSame(request({ conditions: [{ type: 'Denied' }, { type: 'Failed' }] }), 'Denied,Failed');
});

t.test('kinds know how they are written and deleted', async (t) => {
  const having = (
    flag: 'requiresResourceVersion' | 'createsOnUpdate' | 'answersDeleted' | 'changesGeneration',
  ): readonly string[] =>
    Object.keys(groupCases)
      .filter((kind) => strategyOf(kind)[flag] !== undefined)
      .map((kind) => kind.slice(kind.lastIndexOf('/') + 1))
      .sort();
  t.strictSame(having('requiresResourceVersion'), [
    'APIService',
    'CSIDriver',
    'CSINode',
    'CSIStorageCapacity',
    'Lease',
    'RuntimeClass',
    'VolumeAttachment',
  ]);
  t.strictSame(having('createsOnUpdate'), [
    'ClusterRole',
    'ClusterRoleBinding',
    'Lease',
    'Role',
    'RoleBinding',
    'RuntimeClass',
  ]);
  t.strictSame(having('answersDeleted'), [
    'CSIDriver',
    'CSINode',
    'StorageClass',
    'VolumeAttachment',
    'VolumeAttributesClass',
  ]);
  t.strictSame(having('changesGeneration'), [
    'EndpointSlice',
    'FlowSchema',
    'Ingress',
    'IngressClass',
    'NetworkPolicy',
    'PriorityClass',
    'PriorityLevelConfiguration',
  ]);
  const generation = (kind: string, place: string, value: unknown): number | undefined => {
    const old = changed(groupCases[kind]!.object, 'metadata.generation', 3);
    return update(kind, changed(old, place, value), old).object.metadata?.generation;
  };
  t.equal(
    generation('networking.k8s.io/v1/Ingress', 'spec.rules.0.host', 'x.com'),
    4,
    'a new spec is a new generation',
  );
  t.equal(generation('networking.k8s.io/v1/Ingress', 'metadata.labels.app', 'y'), 3, 'new labels are not');
  t.equal(generation('discovery.k8s.io/v1/EndpointSlice', 'metadata.labels.app', 'y'), 4, 'but for EndpointSlices');
  t.equal(generation('scheduling.k8s.io/v1/PriorityClass', 'description', 'y'), 3, 'a PriorityClass stays the first');
  t.equal(generation('storage.k8s.io/v1/CSIDriver', 'spec.podInfoOnMount', false), 4, 'a CSIDriver counts');
  t.equal(
    create('storage.k8s.io/v1/CSIDriver', groupCases['storage.k8s.io/v1/CSIDriver']!.object).object.metadata
      ?.generation,
    undefined,
    'but not from the start',
  );
  const { selectableFields } = strategyOf('certificates.k8s.io/v1/CertificateSigningRequest');
  t.equal(selectableFields!['spec.signerName']!({ spec: { signerName: 'a/b' } } as ApiObject), 'a/b');
});

t.test('an old mistake may stay, and a second family of addresses may come', async (t) => {
  const selecting = (value: string, name: string): object => ({
    metadata: { name: 'n' },
    spec: {
      podSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: [value] }] },
      ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }],
      policyTypes: [name],
    },
  });
  t.strictSame(
    update('networking.k8s.io/v1/NetworkPolicy', selecting('-y', 'Ingress'), selecting('-x', 'Egress')).texts,
    [],
  );
  const wildcard = (secretName: string): object => ({
    metadata: { name: 'n' },
    spec: { tls: [{ secretName }], rules: [{ host: '*.a.com', http: {} }] },
  });
  t.strictSame(update('networking.k8s.io/v1/Ingress', wildcard('-y'), wildcard('-x')).texts, []);
  t.equal(create('networking.k8s.io/v1/Ingress', wildcard('-y')).texts.length, 2);
  const cidrs = (...list: readonly string[]): object => ({ metadata: { name: 'n' }, spec: { cidrs: list } });
  const changeCidrs = (object: object, old: object): readonly string[] =>
    update('networking.k8s.io/v1/ServiceCIDR', object, old).texts;
  t.strictSame(changeCidrs(cidrs('10.0.0.0/8', 'fd00::/108'), cidrs('10.0.0.0/8')), []);
  t.strictSame(
    changeCidrs(cidrs('11.0.0.0/8', 'x'), cidrs('10.0.0.0/8')).map((text) => text.slice(0, 45)),
    ['spec.cidrs[0]: Invalid value: "11.0.0.0/8": f', 'spec.cidrs[1]: Invalid value: "x": must be a '],
  );
  t.strictSame(changeCidrs(cidrs('10.0.0.0/8'), cidrs('10.0.0.0/8', 'fd00::/108')), [
    'spec.cidrs: Invalid value: ["10.0.0.0/8"]: field is immutable',
  ]);
  const attachment = (volumeHandle: string): object => ({
    metadata: { name: 'n' },
    spec: {
      attacher: 'a',
      nodeName: 'n',
      source: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle } } },
    },
  });
  const moved = update('storage.k8s.io/v1/VolumeAttachment', attachment('y'), attachment('x')).texts;
  t.match(
    moved[0],
    /^spec: Invalid value: \{"Attacher":"a","Source":\{"PersistentVolumeName":null,"InlineVolumeSpec":\{"Capacity":null,.*"CSI":\{"Driver":"d","VolumeHandle":"y",.*: field is immutable$/,
  );
  const usages = (list: readonly string[]): object =>
    changed(groupCases['certificates.k8s.io/v1/CertificateSigningRequest']!.object, 'spec.usages', list);
  t.strictSame(
    update('certificates.k8s.io/v1/CertificateSigningRequest', usages([]), usages(['x', 'x'])).texts,
    [],
    'unknown usages, twice, stay',
  );
});

t.test('fields are defaulted, dropped and kept', async (t) => {
  const spec = (kind: string, object: object): unknown => create(kind, object).object.spec;
  t.strictSame(spec('networking.k8s.io/v1/NetworkPolicy', { spec: { egress: [{ ports: [{ port: 53 }] }] } }), {
    podSelector: {},
    egress: [{ ports: [{ port: 53, protocol: 'TCP' }] }],
    policyTypes: ['Ingress', 'Egress'],
  });
  t.strictSame(
    (
      spec('flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration', {
        spec: { limited: { limitResponse: { queuing: { queues: 0 } } } },
      }) as Tree
    ).limited,
    {
      limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 }, type: '' },
      nominalConcurrencyShares: 30,
      lendablePercent: 0,
    },
  );
  t.strictSame(
    create('rbac.authorization.k8s.io/v1/RoleBinding', {
      roleRef: { apiGroup: '' },
      subjects: [{ kind: 'User' }, { kind: 'ServiceAccount' }],
    }).object,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: '', name: '' },
      subjects: [
        { kind: 'User', name: '', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'ServiceAccount', name: '' },
      ],
    },
  );
  t.strictSame(
    spec('coordination.k8s.io/v1/Lease', { spec: { strategy: 'x', preferredHolder: 'y', holderIdentity: 'z' } }),
    { holderIdentity: 'z' },
    'coordinated election is off',
  );
  const lease = { metadata: { name: 'n' }, spec: { strategy: 'x' } };
  t.strictSame(
    update('coordination.k8s.io/v1/Lease', lease, lease).object.spec,
    { strategy: 'x' },
    'but what is there stays',
  );
  const slice = (endpoint: object): Tree => ({
    metadata: { name: 'n' },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], ...endpoint }],
  });
  const topology = { deprecatedTopology: { 'kubernetes.io/hostname': 'node' } };
  const kind = 'discovery.k8s.io/v1/EndpointSlice';
  t.strictSame(
    (create(kind, slice(topology)).object.endpoints as Tree[])[0],
    { addresses: ['10.0.0.1'], conditions: {} },
    'old topology is not written',
  );
  t.strictSame(
    (update(kind, slice({ ...topology, zone: 'z' }), slice(topology)).object.endpoints as Tree[])[0],
    { addresses: ['10.0.0.1'], conditions: {}, nodeName: 'node', zone: 'z' },
    'but its node is kept',
  );
  t.strictSame(
    (update(kind, slice(topology), slice(topology)).object.endpoints as Tree[])[0],
    { ...topology, addresses: ['10.0.0.1'], conditions: {} },
    'unless nothing changed',
  );
  const invalid = slice({ addresses: ['127.0.0.1'] });
  t.strictSame(update(kind, invalid, invalid).texts, [], 'old endpoints stay valid');
  t.strictSame(
    create('apiregistration.k8s.io/v1/APIService', {
      metadata: { name: 'v1.' },
      spec: { version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    }).object.status,
    {
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: '2026-01-02T03:04:05Z',
          reason: 'Local',
          message: 'Local APIServices are always available',
        },
      ],
    },
  );
});

t.test('the status has its own door', async (t) => {
  const through = (kind: string, status: object, labels?: object, old?: object): Outcome => {
    const { object } = groupCases[kind]!;
    return update(
      kind,
      { ...object, spec: {}, metadata: { ...(object.metadata as object), labels }, status },
      { ...object, status: old },
      'status',
    );
  };
  const ingress = through('networking.k8s.io/v1/Ingress', {
    loadBalancer: { ingress: [{ ip: '010.0.0.1' }, { hostname: '10.0.0.1' }, { hostname: 'A' }] },
  });
  t.strictSame(
    ingress.texts.map((text) => text.slice(0, 90)),
    [
      'status.loadBalancer.ingress[0].ip: Invalid value: "010.0.0.1": must not have leading 0s',
      'status.loadBalancer.ingress[1].hostname: Invalid value: "10.0.0.1": must be a DNS name, no',
      'status.loadBalancer.ingress[2].hostname: Invalid value: "A": a lowercase RFC 1123 subdomai',
    ],
  );
  const kept = { loadBalancer: { ingress: [{ ip: '010.0.0.1' }, { ip: '2001:DB8::1' }] } };
  const again = through('networking.k8s.io/v1/Ingress', kept, { a: 'b' }, kept);
  t.strictSame(again.texts, [], 'addresses that are there may stay');
  t.strictSame(again.warnings, [
    'status.loadBalancer.ingress[0]: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
    'status.loadBalancer.ingress[1]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
  ]);
  t.strictSame(again.object.metadata?.labels, { a: 'b' }, 'labels of an Ingress change there too');
  for (const kind of [
    'networking.k8s.io/v1/ServiceCIDR',
    'storage.k8s.io/v1/VolumeAttachment',
    'apiregistration.k8s.io/v1/APIService',
    'flowcontrol.apiserver.k8s.io/v1/FlowSchema',
    'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration',
  ]) {
    const { object, texts } = through(kind, { attached: true }, { a: 'b' });
    t.strictSame(texts, [], kind);
    t.equal(object.metadata?.labels, undefined, `${kind}: labels do not`);
    t.strictSame(
      object.spec,
      update(kind, groupCases[kind]!.object, groupCases[kind]!.object).object.spec,
      `${kind}: nor does the spec`,
    );
  }
  t.strictSame(
    through('storage.k8s.io/v1/VolumeAttachment', { attachError: { message: 'x'.repeat(1025), errorCode: -1 } }).texts,
    [
      'status.attachError.message: Too long: may not be more than 262144 bytes',
      'status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
  );
  t.strictSame(through('apiregistration.k8s.io/v1/APIService', { conditions: [{ type: 'x', status: 'y' }] }).texts, [
    'status.conditions[0].status: Unsupported value: "y": supported values: "True", "False", "Unknown"',
  ]);
  t.strictSame(
    through('flowcontrol.apiserver.k8s.io/v1/FlowSchema', { conditions: [{ type: 'x' }, { type: 'x' }, {}] }).texts,
    ['status.conditions[1].type: Duplicate value: "x"', 'status.conditions[2].type: Required value'],
  );
});

t.test('mandatory flow control cannot be changed', async (t) => {
  const wrong = create('flowcontrol.apiserver.k8s.io/v1/FlowSchema', {
    metadata: { name: 'exempt' },
    spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence: 1 },
  });
  t.strictSame(wrong.texts, [
    'spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"x"},"MatchingPrecedence":1,"DistinguisherMethod":null,"Rules":null}: ' +
      "spec of 'exempt' must equal the fixed value",
  ]);
  const level = (name: string, spec: object): readonly string[] =>
    create('flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration', { metadata: { name }, spec }).texts;
  t.strictSame(
    level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 7 } }),
    [],
    'but for the share of the exempt level',
  );
  t.match(
    level('exempt', { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } })[1],
    / spec of 'exempt' except the 'spec.exempt' field must equal the fixed value$/,
  );
  t.match(
    level('catch-all', { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } })[0],
    /: spec of 'catch-all' must equal the fixed value$/,
  );
});

t.test('a certificate is asked for, approved and issued through different doors', async (t) => {
  const kind = 'certificates.k8s.io/v1/CertificateSigningRequest';
  const { object } = groupCases[kind]!;
  const made = create(kind, object);
  t.strictSame(made.texts, []);
  t.match(made.object.spec, { username: 'tester', signerName: 'a.io/b' });
  t.notOk((made.object.spec as Tree).groups, 'who asked is not for the asker to say');
  t.strictSame(
    update(kind, { ...object, spec: { signerName: 'other.io/x' } }, object).object.spec,
    update(kind, object, object).object.spec,
    'what was asked stays',
  );

  const approved = {
    type: 'Approved',
    status: 'True',
    reason: 'r',
    lastUpdateTime: '2026-01-01T00:00:00Z',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const on = (sub: string, status: object, old?: object): Outcome =>
    update(kind, { ...object, status }, { ...object, status: old }, sub);
  const approval = on('approval', { conditions: [{ type: 'Approved', status: 'True' }], certificate: 'eA==' });
  t.strictSame(approval.object.status, {
    conditions: [
      {
        type: 'Approved',
        status: 'True',
        lastUpdateTime: '2026-01-02T03:04:05Z',
        lastTransitionTime: '2026-01-02T03:04:05Z',
      },
    ],
  });
  t.strictSame(
    on('approval', { conditions: [{ type: 'Approved', status: 'True' }] }, { conditions: [approved] }).object.status,
    {
      conditions: [
        {
          type: 'Approved',
          status: 'True',
          lastUpdateTime: '2026-01-02T03:04:05Z',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
    'a condition keeps the time it came',
  );
  t.strictSame(
    on('approval', {
      conditions: [
        approved,
        { type: 'Denied', status: 'False' },
        { type: 'Denied', status: '' },
        { type: '', status: 'x' },
      ],
    }).texts,
    [
      'status.conditions[1].status: Unsupported value: "False": supported values: "True"',
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
      'status.conditions[2].status: Required value',
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
      'status.conditions[2].type: Duplicate value: "Denied"',
      'status.conditions[3].type: Required value',
      'status.conditions[3].status: Unsupported value: "x": supported values: "False", "True", "Unknown"',
    ],
  );
  t.strictSame(on('approval', {}, { conditions: [approved] }).texts, [
    'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
  ]);
  t.strictSame(on('status', { conditions: [approved] }).texts, [
    'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
  ]);
  const kept = on(
    'status',
    {
      conditions: [
        { ...approved, message: 'other' },
        { type: 'Failed', status: 'True' },
      ],
    },
    { conditions: [{ ...approved, message: 'first' }] },
  );
  t.strictSame(kept.texts, []);
  t.match(
    kept.object.status,
    { conditions: [{ message: 'first' }, { type: 'Failed', lastUpdateTime: '2026-01-02T03:04:05Z' }] },
    'a decision is not changed through the status',
  );

  const pem = (type: string, body: string): string => btoa(`-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`);
  const certificate = pem('CERTIFICATE', btoa('\x30\x07\x30\x00\x30\x00\x03\x01\x00'));
  t.strictSame(on('status', { certificate }).texts, []);
  t.strictSame(on('status', { certificate: pem('X', 'eA==') }).texts, [
    'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "X"',
  ]);
  t.strictSame(on('status', { certificate: pem('CERTIFICATE', 'a: b\n\neA==') }).texts, [
    'status.certificate: Invalid value: "<certificate data>": no PEM block headers are permitted',
  ]);
  t.strictSame(on('status', { certificate: pem('CERTIFICATE', '') }).texts, [
    'status.certificate: Invalid value: "<certificate data>": found CERTIFICATE PEM block containing 0 certificates',
  ]);
  t.strictSame(on('status', { certificate: pem('CERTIFICATE', 'eA==') }).texts, [
    'status.certificate: Invalid value: "<certificate data>": x509: malformed certificate',
  ]);
  t.strictSame(on('status', { certificate: 'eA==' }).texts, [
    'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
  ]);
  t.strictSame(
    on('status', { certificate: 'eA==' }, { certificate: 'eA==' }).texts,
    [],
    'nonsense that is there may stay',
  );
  t.strictSame(on('status', { certificate }, { certificate: 'eA==' }).texts, [
    'status.certificate: Forbidden: updates may not modify existing certificate content',
  ]);

  const asked = (request: string): string | undefined =>
    create(kind, { ...object, spec: { ...(object.spec as object), request } }).texts[0]?.replace(
      /^.*: (?=PEM|asn1)/,
      '',
    );
  t.equal(asked(''), 'PEM block type must be CERTIFICATE REQUEST');
  t.equal(asked(certificate), 'PEM block type must be CERTIFICATE REQUEST');
  t.equal(asked(pem('CERTIFICATE REQUEST', '')), 'asn1: syntax error: sequence truncated');
  t.equal(asked(pem('CERTIFICATE REQUEST', btoa('\x30\x80'))), 'asn1: syntax error: indefinite length found (not DER)');
  t.equal(asked(pem('CERTIFICATE REQUEST', btoa('\x30\x05\x01'))), 'asn1: syntax error: data truncated');
  t.equal(asked(pem('CERTIFICATE REQUEST', btoa('\x30\x00\x00'))), 'asn1: syntax error: trailing data');
  t.equal(asked(pem('CERTIFICATE REQUEST', btoa('\x31\x00'))), 'asn1: syntax error: sequence truncated');
  t.equal(asked(pem('CERTIFICATE REQUEST', btoa('\x30\x00'))), 'asn1: syntax error: sequence truncated');
});

t.test('PEM is read as far as it is PEM', async (t) => {
  const types = (text: string): readonly string[] => readPem(text).map(({ type }) => type);
  t.strictSame(types('-----BEGIN A-----\neA==\n-----END A-----\nx\n-----BEGIN B-----\r\n eA=\t=\r\n-----END B-----'), [
    'A',
    'B',
  ]);
  t.strictSame(types('x-----BEGIN A-----\neA==\n-----END A-----'), [], 'a block begins a line');
  t.strictSame(
    types('-----BEGIN A-----\neA==\n-----END B-----\n-----BEGIN A-----\n!\n-----END A-----'),
    [],
    'it ends as it began, with base64 between',
  );
});

t.test('signers are named by domain and path', async (t) => {
  const wrong = (name: string): readonly string[] =>
    validateSignerName(name, fieldPath('s')).map((error) => fieldErrorText(error).slice(0, 60));
  t.strictSame(wrong('a.io/b.c'), []);
  t.strictSame(wrong(''), ['s: Required value']);
  t.strictSame(wrong('a'), ['s: Invalid value: "a": must be a fully qualified domain and ']);
  t.strictSame(wrong('a.io/b/c').length, 1);
  t.strictSame(wrong('a/b'), ['s: Invalid value: "a": should be a domain with at least two ']);
  t.strictSame(wrong('A.io/B'), [
    's: Invalid value: "A.io": validating label "A": a lowercase ',
    's: Invalid value: "B": validating label "B": a lowercase RFC',
  ]);
  t.strictSame(wrong(`${'a.'.repeat(130)}io/${'b.'.repeat(160)}c`), [
    's: Too long: may not be more than 253 bytes',
    's: Too long: may not be more than 571 bytes',
  ]);
});

t.test('old labels of nodes are warned about', async (t) => {
  const selector = {
    matchLabels: { 'beta.kubernetes.io/os': 'x' },
    matchExpressions: [
      { key: 'beta.kubernetes.io/arch', operator: 'Exists' as const },
      { key: 'fine', operator: 'Exists' as const },
    ],
  };
  t.strictSame(nodeSelectorWarnings(selector, fieldPath('s')), [
    's.matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
    's.matchLabels.beta.kubernetes.io/os: deprecated since v1.14; use "kubernetes.io/os" instead',
  ]);
  t.strictSame(nodeSelectorWarnings(undefined, fieldPath('s')), []);
});

t.test('addresses are read, printed and checked', async (t) => {
  const canonical: readonly (readonly [text: string, printed: string | undefined])[] = [
    ['10.0.0.1', '10.0.0.1'],
    ['010.000.0.01', '10.0.0.1'],
    ['256.0.0.1', undefined],
    ['1.2.3', undefined],
    ['1.2.3.4.5', undefined],
    ['', undefined],
    ['a', undefined],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['2001:DB8:0:0:1::1', '2001:db8::1:0:0:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::1.2.3.4', '::102:304'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
    ['1:2:3:4:5:6:7:1.2.3.4', undefined],
    ['1:1.2.3.4', undefined],
    ['1:2', undefined],
    ['1::2::3', undefined],
    ['1:2:3:4:5:6:7::8', undefined],
    [':1', undefined],
    ['1:', undefined],
    ['10000::', undefined],
    ['fe80::1%eth0', undefined],
    ['1.2.3.4:', undefined],
  ];
  for (const [text, printed] of canonical) {
    const ip = parseIp(text);
    t.equal(ip && printIp(ip), printed, text);
  }
  const wrong = (text: string): string => validateIp(text, fieldPath('f')).map(fieldErrorText).join();
  t.equal(wrong('10.0.0.1'), '');
  t.equal(wrong('x'), 'f: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
  t.equal(wrong('2001:DB8::1'), 'f: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")');
  t.strictSame(validateLegacyIp('2001:DB8::1', fieldPath('f')), [], 'older fields take other spellings');
  t.strictSame(validateLegacyIp('::ffff:1.2.3.4', fieldPath('f')).map(fieldErrorText), [
    'f: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
  ]);
  t.strictSame(validateLegacyIp('01.2.3.4', fieldPath('f'), ['01.2.3.4']), [], 'and keep what they had');
  t.strictSame(isCanonicalIp('::00001'), ['must not have leading 0s']);
  t.strictSame(warningsForIp('::ffff:1.2.3.4', fieldPath('f')), [
    'f: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"',
  ]);
  t.strictSame([warningsForIp('x', fieldPath('f')), warningsForIp('1.2.3.4', fieldPath('f'))], [[], []]);
  t.equal(printIp(addToIp(parseIp('10.0.255.255')!, 2)), '10.1.0.1');
  t.throws(() => addToIp(parseIp('255.255.255.255')!, 1), RangeError);
});

t.test('blocks of addresses are read, printed and checked', async (t) => {
  const network = (text: string): string | undefined => {
    const cidr = parseCidr(text);
    return cidr && printNetwork(cidr);
  };
  t.strictSame(
    [
      '10.1.2.3/8',
      '10.0.0.0/33',
      '10.0.0.0',
      '10.0.0.0/',
      '10.0.0.0/-1',
      '2001:db8::1/32',
      '::/0',
      '::ffff:10.1.2.3/104',
      '::ffff:10.1.2.3/64',
      '1::/129',
      '10.0.0.0/x',
    ].map(network),
    [
      '10.0.0.0/8',
      undefined,
      undefined,
      undefined,
      undefined,
      '2001:db8::/32',
      '::/0',
      '10.0.0.0/8',
      '::/64',
      undefined,
      undefined,
    ],
  );
  const legacy = (text: string): string =>
    validateLegacyCidr(text, fieldPath('f'))
      .map(({ message }) => message.replace(/^.*?: .*?: /, ''))
      .join();
  t.equal(legacy('10.0.0.0/08'), 'must not have leading 0s in IP or prefix length');
  t.equal(legacy('::ffff:10.0.0.0/104'), 'must not have an IPv4-mapped IPv6 address');
  t.equal(legacy('10.0.0.1/8'), 'must not have bits set beyond the prefix length');
  t.match(legacy('x'), /^must be a valid CIDR value/);
  t.strictSame(validateLegacyCidr('10.0.0.1/8', fieldPath('f'), ['10.0.0.1/8']), []);
  t.strictSame(validateCidr('2001:DB8::/32', fieldPath('f')).map(fieldErrorText), [
    'f: Invalid value: "2001:DB8::/32": must be in canonical form ("2001:db8::/32")',
  ]);
  t.strictSame(warningsForCidr('10.0.0.1/08', fieldPath('f')), [
    'f: CIDR value "10.0.0.1/08" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    'f: non-standard CIDR value "10.0.0.1/08" is invalid: use "10.0.0.0/8"',
  ]);
  t.strictSame(warningsForCidr('2001:DB8::/32', fieldPath('f')), [
    'f: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
  ]);
  t.strictSame([warningsForCidr('x', fieldPath('f')), warningsForCidr('10.0.0.0/8', fieldPath('f'))], [[], []]);
  t.ok(cidrContains(parseCidr('10.0.0.0/8')!, parseIp('10.9.9.9')!));
  t.notOk(cidrContains(parseCidr('10.0.0.0/8')!, parseIp('11.0.0.0')!));
  t.notOk(cidrContains(parseCidr('::/0')!, parseIp('10.0.0.0')!), 'families never mix');
});

t.test('any address is what it prints, and hostile text costs little', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 }),
      (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
        const ip = parseIp(long)!;
        const again = parseIp(printIp(ip))!;
        return again.groups.every((group, i) => group === groups[i]) && printIp(again) === printIp(ip);
      },
    ),
  );
  fc.assert(
    fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, length) => {
      const cidr = parseCidr(`${address}/${length}`)!;
      return (
        cidrContains(cidr, parseIp(address)!) && printNetwork(parseCidr(printNetwork(cidr))!) === printNetwork(cidr)
      );
    }),
  );
  for (const hostile of [
    '0'.repeat(1e6),
    `${'0'.repeat(1e6)}.1`,
    ':'.repeat(1e6),
    '1:'.repeat(5e5),
    `::${'f'.repeat(1e6)}`,
    `10.0.0.0/${'9'.repeat(1e6)}`,
  ]) {
    t.equal(parseIp(hostile), undefined);
    t.equal(parseCidr(hostile), undefined);
  }
  const names = {
    metadata: { name: 'constructor' },
    roleRef: { kind: '__proto__', name: 'toString' },
    subjects: [{ kind: 'constructor', name: '__proto__' }],
  };
  t.equal(
    create('rbac.authorization.k8s.io/v1/RoleBinding', names).texts.length,
    2,
    'names of inherited properties are only names',
  );
});

const options = {
  serviceCidrs: ['10.96.0.0/16'],
  serverAddress: { port: 6443, address: '192.0.2.2' },
  policy: false,
  groupVersions: [
    { group: '', version: 'v1' },
    { group: 'apiregistration.k8s.io', version: 'v1' },
    { group: 'resource.k8s.io', version: 'v1' },
    { group: 'discovery.k8s.io', version: 'v1' },
    { group: 'autoscaling', version: 'v1' },
    { group: 'autoscaling', version: 'v2' },
    { group: 'host.example', version: 'v1' },
  ],
  now: testNow,
  identity: { name: 'apiserver-a', hostname: 'machine' },
  runId: 'run',
};

const bootstrapObjects = (options: BootstrapOptions): readonly ApiObject[] =>
  definitions(options).map(({ object }) => object as ApiObject);

t.test('a new cluster begins with these objects, in this order', async (t) => {
  const objects = bootstrapObjects(options);
  const places = objects.map(
    ({ kind, metadata }) =>
      `${kind ?? ''} ${metadata?.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata?.name ?? ''}`,
  );
  t.strictSame(places.slice(0, 11), [
    'Namespace kube-system',
    'Namespace kube-public',
    'Namespace kube-node-lease',
    'Namespace default',
    'PriorityClass system-node-critical',
    'PriorityClass system-cluster-critical',
    'ServiceCIDR kubernetes',
    'Service default/kubernetes',
    'IPAddress 10.96.0.1',
    'Endpoints default/kubernetes',
    'EndpointSlice default/kubernetes',
  ]);
  const named = (kind: string): readonly string[] =>
    places.flatMap((place) => (place.startsWith(`${kind} `) ? [place.slice(kind.length + 1)] : []));
  t.strictSame(named('PriorityLevelConfiguration'), [
    'exempt',
    'catch-all',
    'system',
    'node-high',
    'leader-election',
    'workload-high',
    'workload-low',
    'global-default',
  ]);
  t.strictSame(named('FlowSchema'), [
    'exempt',
    'catch-all',
    'probes',
    'system-leader-election',
    'system-node-high',
    'system-nodes',
    'kube-controller-manager',
    'kube-scheduler',
    'kube-system-service-accounts',
    'service-accounts',
    'global-default',
  ]);
  t.strictSame(
    named('APIService'),
    ['v1.', 'v2.autoscaling', 'v1.autoscaling', 'v1.discovery.k8s.io', 'v1.resource.k8s.io', 'v1.host.example'],
    "by priority, a host's groups last",
  );
  t.strictSame(
    bootstrapObjects({ ...options, serviceCidrs: ['FD00::/108'] }).find(({ kind }) => kind === 'Service'),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
        clusterIP: 'fd00::1',
        clusterIPs: ['fd00::1'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv6'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  );
  t.throws(() => bootstrapObjects({ ...options, serviceCidrs: ['x'] }), RangeError);
  t.throws(() => bootstrapObjects({ ...options, serviceCidrs: [] }), RangeError);
  t.throws(() => bootstrapObjects({ ...options, serverAddress: { port: 6443, address: 'x' } }), RangeError);
  t.notOk(
    bootstrapObjects({ ...options, serverAddress: { port: 6443 } }).some(
      ({ kind }) => kind === 'Endpoints' || kind === 'EndpointSlice',
    ),
    'a server without address has no endpoints',
  );
});

t.test('these objects are complete and valid', async (t) => {
  const scheme = builtinScheme();
  for (const object of bootstrapObjects({ ...options, serviceCidrs: ['10.96.0.0/16', 'fd00::/108'] })) {
    const name = `${object.kind ?? ''} ${object.metadata?.name ?? ''}`;
    const completed = structuredClone(object);
    scheme.setDefaults(completed);
    t.strictSame(completed, object, `${name} has its defaults`);
    const kind = `${object.apiVersion === 'v1' ? '/v1' : (object.apiVersion ?? '')}/${object.kind ?? ''}`;
    const made = create(kind, object);
    t.strictSame(made.texts, [], `${name} is valid`);
    t.equal(made.object.metadata?.generation, object.metadata?.generation, `${name} has its generation`);
    const status = (object as { status?: object }).status;
    if (status !== undefined && 'conditions' in status)
      t.strictSame(update(kind, object, object, 'status').texts, [], `${name} has a valid status`);
  }
});
