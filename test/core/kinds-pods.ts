// Pods and pod templates: what is made of them, refused, warned of and printed, as Kubernetes v1.36 does it.
import t from 'tap';
import { fieldPath } from '../../lib/core/errors/field-path.js';
import { validateLabelSelector, hasInvalidLabelValue } from '../../lib/core/kinds/label-selector-validation.js';
import { unifiedDiff } from '../../lib/core/kinds/pods/unified-diff.js';
import { builtinSchema } from '../../lib/core/schema/builtin.js';
import { arbitraryObject } from '../support/arbitrary-object.js';
import { podRefusals } from '../support/pod-refusals.js';
import { create, newServer, row, strategyOf, testNow, update } from '../support/strategy.js';
import type { Outcome, StrategiesOfServer } from '../support/strategy.js';
import { fc, runs } from '../support/properties.js';

type Fields = Record<string, unknown>;

const container = { name: 'a', image: 'x' };
const pod = (spec: Fields = {}, metadata: Fields = {}): Fields => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [container], ...spec },
});
const createPod = (spec: Fields = {}, metadata: Fields = {}): Outcome => create('/v1/Pod', pod(spec, metadata));
const updatePod = (
  spec: Fields,
  old: Fields,
  more: { sub?: string; status?: Fields; oldStatus?: Fields; annotations?: Fields } = {},
): Outcome => {
  const metadata = { generation: 3, ...(more.annotations && { annotations: more.annotations }) };
  return update(
    '/v1/Pod',
    { ...pod(spec, metadata), status: more.status },
    { ...pod(old, metadata), status: more.oldStatus },
    more.sub,
  );
};
const withoutExamples = (texts: readonly string[]): string[] =>
  texts.map((text) => text.replace(/ \(e\.g\. '[^]*$/, ''));
const specOf = ({ object }: Outcome): Fields => object.spec as Fields;
const statusOf = ({ object }: Outcome): Fields => object.status as Fields;

t.test('a pod is refused in the words of Kubernetes', async (t) => {
  for (const { about, spec, texts } of podRefusals) {
    // Amounts stand in a map, whose order is anybody's.
    t.strictSame(withoutExamples(createPod(spec).texts).sort(), [...texts].sort(), about);
  }
});

t.test('what is remembered of pods makes no difference to those like them', async (t) => {
  const printed = ({ object, texts, warnings }: Outcome): string => JSON.stringify({ object, texts, warnings });
  const clash = { containers: [{ ...container, ports: [{ containerPort: 80 }, { containerPort: 80 }] }] };
  const claiming = {
    volumes: [
      {
        name: 'data',
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
    ],
  };
  for (const spec of [
    {},
    { hostname: 'known' },
    clash,
    claiming,
    { nodeSelector: { 'beta.kubernetes.io/os': 'x' } },
    { dnsPolicy: 'Never' },
  ]) {
    const [first, second, third] = [createPod(spec), createPod(spec), createPod(spec)];
    t.equal(printed(second), printed(first));
    t.equal(printed(third), printed(first));
    t.equal(
      specOf(second) === specOf(third),
      first.texts.length === 0 && spec !== claiming,
      'those that are in order share what is the same in all of them',
    );
  }
  t.strictSame(
    createPod(clash, { name: 'a.b' }).warnings.map((text) => text.slice(0, text.indexOf(':'))),
    ['metadata.name', 'spec.containers[0].ports[1]'],
    'names are looked at each time',
  );
  t.match(
    createPod(claiming, { name: 'n'.repeat(253) }).texts,
    [/must be no more than 253/],
    'claims have the name of their pod',
  );
  t.match(createPod({}, { finalizers: ['x'] }).texts, [/^metadata.finalizers\[0\]/]);
  t.match(
    createPod({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }).texts,
    [/must set spec.nodeName/],
    'annotations count',
  );
  t.equal(printed(createPod({ hostNetwork: false, hostname: 'known' })), printed(createPod({ hostname: 'known' })));
  t.equal(Object.keys(specOf(createPod({ subdomain: 's', hostname: 'h' })))[1], 'subdomain');
  t.equal(
    Object.keys(
      specOf(
        create('/v1/Pod', {
          metadata: { name: 'p' },
          spec: { containers: [container], hostname: 'h', subdomain: 's' },
        }),
      ),
    )[1],
    'hostname',
    'members stay in their order',
  );

  const sorts = Array.from({ length: 70 }, (_, index) => ({ hostname: `h${index}` }));
  for (const spec of sorts) createPod(spec);
  t.equal(Object.isFrozen(specOf(createPod(sorts[69]))), true);
  t.equal(Object.isFrozen(specOf(createPod(sorts[0]))), false, 'only so many are remembered');
  const any = arbitraryObject(builtinSchema.struct('core/v1.Pod')!, { depth: 5 });
  fc.assert(
    fc.property(any, (object) => printed(create('/v1/Pod', object)) === printed(create('/v1/Pod', object))),
    { numRuns: runs(40) },
  );
});

t.test('templates are checked like pods, under paths of their own', async (t) => {
  const refused = create('/v1/PodTemplate', {
    metadata: { name: 't' },
    template: {
      metadata: { labels: { a: 'b c' }, annotations: { 'kubernetes.io/config.mirror': 'x' } },
      spec: { containers: [{ name: 'a', image: ' x' }], ephemeralContainers: [container], hostNetwork: true },
    },
  });
  t.strictSame(withoutExamples(refused.texts), [
    "template.labels: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    'template.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
    'template.spec.ephemeralContainers[0].name: Duplicate value: "a"',
    'template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
  ]);
  const old = { metadata: { name: 't', generation: 1 }, template: { spec: { containers: [container] } } };
  const changed = update(
    '/v1/PodTemplate',
    {
      metadata: { name: 't' },
      template: { spec: { containers: [container], nodeSelector: { 'beta.kubernetes.io/os': 'x' } } },
    },
    old,
  );
  t.equal(changed.object.metadata?.generation, 2);
  t.strictSame(changed.warnings, [
    'template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
  ]);
  t.strictSame(update('/v1/PodTemplate', old, old).warnings, []);
  t.strictSame(
    row('/v1/PodTemplate', {
      ...old,
      template: {
        metadata: { labels: { b: 'c', a: 'd' } },
        spec: { containers: [container, { name: 'b', image: 'y' }] },
      },
    })?.cells,
    ['t', 'a,b', 'x,y', 'a=d,b=c'],
  );
});

t.test('a new pod gets a status', async (t) => {
  const resources = (requests: Fields, limits?: Fields): Fields => ({
    containers: [{ ...container, resources: { requests, ...(limits && { limits }) } }],
  });
  for (const [spec, qosClass] of [
    [{}, 'BestEffort'],
    [resources({ cpu: '0' }), 'BestEffort'],
    [resources({ cpu: '1' }), 'Burstable'],
    [resources({}, { cpu: '1', memory: '1Gi' }), 'Guaranteed'],
    [resources({ cpu: '1000m', memory: '1Gi' }, { cpu: '1', memory: '1024Mi' }), 'Guaranteed'],
    [resources({}, { cpu: '1' }), 'Burstable'],
    [{ ...resources({}, { cpu: '1', memory: '1Gi' }), initContainers: [{ name: 'i', image: 'x' }] }, 'Burstable'],
    [{ resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } } }, 'Guaranteed'],
    [{ resources: { limits: { cpu: '1' } } }, 'Burstable'],
  ] as const)
    t.strictSame(
      create('/v1/Pod', { ...pod(spec), status: { phase: 'Running' } }).object.status,
      { phase: 'Pending', qosClass },
      JSON.stringify(spec),
    );
  t.equal(createPod().object.metadata?.generation, 1);
});

t.test('gates, label keys and annotations have consequences', async (t) => {
  t.strictSame(statusOf(createPod({ schedulingGates: [{ name: 'g' }] })).conditions, [
    {
      type: 'PodScheduled',
      status: 'False',
      lastTransitionTime: '2026-01-02T03:04:05Z',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
  ]);

  const term = { topologyKey: 'z', labelSelector: {}, matchLabelKeys: ['app', 'gone'], mismatchLabelKeys: ['tier'] };
  const spread = {
    maxSkew: 1,
    topologyKey: 'z',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: {},
    matchLabelKeys: ['app'],
  };
  const merged = specOf(
    createPod(
      {
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
        topologySpreadConstraints: [spread],
      },
      { labels: { app: 'web', tier: 'front' } },
    ),
  );
  t.match(merged.affinity, {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          labelSelector: {
            matchExpressions: [
              { key: 'app', operator: 'In', values: ['web'] },
              { key: 'tier', operator: 'NotIn', values: ['front'] },
            ],
          },
        },
      ],
    },
  });
  t.match(merged.topologySpreadConstraints, [
    { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] } },
  ]);

  const key = 'container.apparmor.security.beta.kubernetes.io/a';
  t.match(specOf(createPod({}, { annotations: { [key]: 'localhost/x' } })).containers, [
    { securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'x' } } },
  ]);
  const ofPod = createPod(
    { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
    { annotations: { [key]: 'unconfined' } },
  );
  t.notMatch(specOf(ofPod).containers, [{ securityContext: {} }]);
  t.strictSame(ofPod.warnings, []);
});

t.test('fields of disabled features are dropped, and two names of one field are equal', async (t) => {
  const spec = specOf(
    createPod({
      schedulingGroup: { podGroupName: 'x' },
      serviceAccount: 'robot',
      terminationGracePeriodSeconds: -5,
      containers: [{ ...container, lifecycle: { stopSignal: 'SIGTERM' } }],
      volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'x' }, podCertificate: {} }] } }],
    }),
  );
  t.match(spec, {
    serviceAccountName: 'robot',
    serviceAccount: 'robot',
    terminationGracePeriodSeconds: 1,
    volumes: [{ projected: { sources: [{}] } }],
  });
  t.notMatch(spec, { schedulingGroup: {} });
  t.notMatch(spec.containers, [{ lifecycle: {} }]);
  t.notOk(
    createPod({}, { annotations: { 'pod.beta.kubernetes.io/init-containers': '[]' } }).object.metadata?.annotations,
  );
  const ips = (status: Fields): Fields => statusOf(updatePod({}, {}, { sub: 'status', status, oldStatus: {} }));
  t.match(ips({ podIP: '10.0.0.1' }), { podIPs: [{ ip: '10.0.0.1' }] });
  t.match(ips({ podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }] }), { podIPs: [{ ip: '10.0.0.1' }] });
  t.match(ips({ podIPs: [{ ip: '10.0.0.3' }] }), { podIP: '10.0.0.3' });
});

t.test('annotations are checked', async (t) => {
  const texts = (annotations: Fields, spec: Fields = {}): readonly string[] => createPod(spec, { annotations }).texts;
  const cost = 'controller.kubernetes.io/pod-deletion-cost';
  for (const value of ['0', '-05', '2147483647']) t.strictSame(texts({ [cost]: value }), [], value);
  for (const value of ['', '+1', '01', '2147483648', 'x']) {
    t.strictSame(texts({ [cost]: value }), [
      `metadata.annotations[${cost}]: Invalid value: "${value}": must be a 32bit integer`,
    ]);
  }
  const tolerations = 'scheduler.alpha.kubernetes.io/tolerations';
  t.strictSame(texts({ [tolerations]: '[{"Key":"a","operator":"Near"}]' }), [
    `metadata.annotations.${tolerations}[0].operator: Unsupported value: "Near": supported values: "Equal", "Exists"`,
  ]);
  t.strictSame(texts({ [tolerations]: '{}' }), [
    `metadata.annotations: Invalid value: "${tolerations}": json: cannot unmarshal object into Go value of type []core.Toleration`,
  ]);
  t.strictSame(texts({ [tolerations]: '[1]' }).length, 1);
  t.strictSame(texts({ [tolerations]: '[{"value":1}]' }).length, 1);
  t.strictSame(texts({ [tolerations]: 'null' }), []);
  t.match(texts({ [tolerations]: '[' }), [/unexpected end of JSON input/]);
  const seccomp = 'seccomp.security.alpha.kubernetes.io/pod';
  t.strictSame(
    texts(
      { [seccomp]: 'localhost/../x', 'container.seccomp.security.alpha.kubernetes.io/a': 'x' },
      { securityContext: { seccompProfile: { type: 'Unconfined' } } },
    ),
    [
      `metadata.annotations.${seccomp}: Invalid value: "../x": must not contain '..'`,
      'metadata.annotations.container.seccomp.security.alpha.kubernetes.io/a: Invalid value: "x": must be a valid seccomp profile',
      'spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
    ],
  );
  const apparmor = 'container.apparmor.security.beta.kubernetes.io/';
  t.strictSame(
    texts(
      { [`${apparmor}b`]: 'strange', [`${apparmor}a`]: 'localhost/x' },
      {
        securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'y' } },
        containers: [
          { ...container, securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'y' } } },
        ],
      },
    ),
    [
      `metadata.annotations[${apparmor}b]: Invalid value: "b": container not found`,
      `metadata.annotations[${apparmor}b]: Invalid value: "strange": invalid AppArmor profile name: "strange"`,
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match',
    ],
  );
  t.strictSame(createPod({}, { finalizers: ['example.com/x', 'orphan', 'mine'] }).texts, [
    'metadata.finalizers[2]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});

t.test('the author of a pod is warned', async (t) => {
  const warned = (about: string, outcome: Outcome, warnings: readonly string[]): unknown =>
    t.strictSame(withoutExamples(outcome.warnings), warnings, about);
  warned('name', createPod({}, { name: 'a.b' }), [
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
  ]);
  warned(
    'labels of nodes',
    createPod({
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: {
                matchExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', operator: 'In', values: ['a b'] }],
              },
            },
          ],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'beta.kubernetes.io/arch', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    }),
    [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: a b is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
      'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
    ],
  );
  warned(
    'annotations',
    createPod(
      {},
      {
        annotations: {
          'scheduler.alpha.kubernetes.io/critical-pod': '',
          'container.apparmor.security.beta.kubernetes.io/a': 'unconfined',
          'container.seccomp.security.alpha.kubernetes.io/a': 'unconfined',
        },
      },
    ),
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/a]: deprecated since v1.30; use the "appArmorProfile" field instead',
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/a]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  );
  warned(
    'volumes',
    createPod({
      volumes: [
        { name: 'g', gitRepo: { repository: 'x' } },
        { name: 's', storageos: { volumeName: 'v' } },
        {
          name: 'c',
          configMap: {
            name: 'm',
            items: [
              { key: 'a', path: 'p' },
              { key: 'b', path: 'p/q' },
            ],
          },
        },
        {
          name: 'p',
          projected: {
            sources: [
              {},
              { secret: { name: 's', items: [{ key: 'a', path: 'x' }] } },
              { configMap: { name: 'm', items: [{ key: 'a', path: 'x/' }] } },
            ],
          },
        },
      ],
    }),
    [
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
      'spec.volumes[1].storageOS: deprecated in v1.22, non-functional in v1.25+',
      'volume "c" (ConfigMap "m"): overlapping paths: "p/q" with "p"',
      'volume "p" (Projected) has no sources provided',
      'volume "p" (Projected): overlapping paths: "x" (ConfigMap "m") with "x" (Secret "s")',
    ],
  );
  warned(
    'lists',
    createPod({
      hostAliases: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }, { ip: 'FD00::1' }],
      imagePullSecrets: [{ name: 's' }, { name: 's' }, {}],
    }),
    [
      'spec.hostAliases[1].ip: duplicate ip "10.0.0.1"',
      'spec.imagePullSecrets[1].name: duplicate name "s"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
      'spec.hostAliases[2].ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
    ],
  );
  warned(
    'amounts and variables',
    createPod({
      overhead: { memory: '100m' },
      containers: [
        {
          ...container,
          resources: { limits: { memory: '1500m' } },
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '$(A)2' },
            { name: 'A', value: '3' },
          ],
        },
      ],
    }),
    [
      'spec.overhead[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply',
    ],
  );
  warned(
    'ports',
    createPod({
      containers: [
        { ...container, ports: [{ name: 'p', containerPort: 80, hostIP: '1.2.3.4' }, { containerPort: 80 }] },
        {
          name: 'b',
          image: 'x',
          ports: [
            { name: 'p', containerPort: 80, hostPort: 8080 },
            { containerPort: 80, hostPort: 8080, hostIP: '1.2.3.4' },
          ],
        },
      ],
    }),
    [
      'spec.containers[0].ports[0]: hostIP set without hostPort: {Name:p HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}',
      'spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]',
      'spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]',
      'spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[1]',
      'spec.containers[1].ports[1]: overlapping port definition with spec.containers[0].ports[0]',
      'spec.containers[1].ports[1]: overlapping port definition with spec.containers[0].ports[1]',
      'spec.containers[1].ports[1]: dangerously ambiguous port definition with spec.containers[1].ports[0]',
      'spec.containers[1].ports[0]: duplicate port name "p" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  );
  warned(
    'affinity',
    createPod({
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z' }] } },
    }),
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod',
    ],
  );
});

t.test('of a pod that exists, only a few things may change', async (t) => {
  const gated = { schedulingGates: [{ name: 'g1' }, { name: 'g2' }], nodeSelector: { a: 'b' } };
  const affinity = (...terms: Fields[]): Fields => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  });
  const term = (...keys: string[]): Fields => ({ matchExpressions: keys.map((key) => ({ key, operator: 'Exists' })) });
  const path = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const texts = (spec: Fields, old: Fields): readonly string[] =>
    updatePod(spec, old).texts.map((text) => text.replace(/\n@@[^]*/, ''));
  const onlyThese =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
    '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

  for (const [about, spec, old] of [
    [
      'images',
      { containers: [{ name: 'a', image: 'y' }], initContainers: [{ name: 'i', image: 'z' }] },
      { initContainers: [{ name: 'i', image: 'x' }] },
    ],
    ['a deadline comes', { activeDeadlineSeconds: 5 }, {}],
    ['a deadline comes nearer', { activeDeadlineSeconds: 4 }, { activeDeadlineSeconds: 5 }],
    [
      'more tolerations',
      {
        tolerations: [
          { key: 'b', operator: 'Exists' },
          { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 },
        ],
      },
      { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }] },
    ],
    ['fewer gates', { ...gated, schedulingGates: [{ name: 'g2' }] }, gated],
    ['a gated pod may be held closer', { ...gated, nodeSelector: { a: 'b', c: 'd' }, ...affinity(term('x')) }, gated],
    ['and its terms may get stricter', { ...gated, ...affinity(term('x', 'y')) }, { ...gated, ...affinity(term('x')) }],
    [
      'amounts in other words',
      { containers: [{ ...container, resources: { requests: { memory: '1024Mi' } } }] },
      { containers: [{ ...container, resources: { requests: { memory: '1Gi' } } }] },
    ],
  ] as const)
    t.strictSame(texts(spec, old), [], about);

  for (const [spec, old, expected] of [
    [
      { containers: [container, { name: 'b', image: 'x' }] },
      {},
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      { containers: [{ name: 'a', image: 'x ', imagePullPolicy: 'Always' }] },
      {},
      [
        'spec.containers[0].image: Invalid value: "x ": must not have leading or trailing whitespace',
        'spec.containers[0].image: Invalid value: "x ": must not have leading or trailing whitespace',
      ],
    ],
    [
      { activeDeadlineSeconds: 6 },
      { activeDeadlineSeconds: 5 },
      ['spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value'],
    ],
    [
      {},
      { activeDeadlineSeconds: 5 },
      ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
    ],
    [
      { activeDeadlineSeconds: -1 },
      {},
      [
        'spec.activeDeadlineSeconds: Invalid value: -1: must be between 1 and 2147483647, inclusive',
        'spec.activeDeadlineSeconds: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      ],
    ],
    [
      { tolerations: [] },
      { tolerations: [{ key: 'a', operator: 'Exists' }] },
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [
      { ...gated, schedulingGates: [{ name: 'g2' }, { name: 'g3' }] },
      gated,
      ["spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g3'"],
    ],
    [
      { ...gated, nodeSelector: { a: 'c' } },
      gated,
      [
        'spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    [
      { ...gated, ...affinity(term('x'), term('y')) },
      { ...gated, ...affinity(term('x')) },
      [
        `${path}: Invalid value: [{"MatchExpressions":[{"Key":"x","Operator":"Exists","Values":null}],"MatchFields":null},{"MatchExpressions":[{"Key":"y","Operator":"Exists","Values":null}],"MatchFields":null}]: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
      ],
    ],
    [
      { ...gated, ...affinity(term('y')) },
      { ...gated, ...affinity(term('x')) },
      [
        `${path}[0]: Invalid value: {"MatchExpressions":[{"Key":"y","Operator":"Exists","Values":null}],"MatchFields":null}: only additions are allowed (no mutations or deletions)`,
      ],
    ],
    [{ nodeSelector: { a: 'b' } }, {}, [onlyThese]],
  ] as const)
    t.strictSame(texts(spec, old), expected, JSON.stringify(spec));

  t.match(
    updatePod({ containers: [{ ...container, args: ['y'] }] }, {}).text,
    /@@ -6,7 \+6,9 @@\n {4}"Name": "a",\n {4}"Image": "x",\n {4}"Command": null,\n- {3}"Args": null,\n\+ {3}"Args": \[\n\+ {4}"y"\n\+ {3}\],\n/,
  );
  t.equal(updatePod({ activeDeadlineSeconds: 5 }, {}).object.metadata?.generation, 4);
  t.equal(updatePod({}, {}).object.metadata?.generation, 3);
  const annotations = (now: Fields, old: Fields): readonly string[] =>
    update('/v1/Pod', pod({ nodeName: 'n' }, { annotations: now }), pod({ nodeName: 'n' }, { annotations: old })).texts;
  const mirror = 'kubernetes.io/config.mirror';
  t.strictSame(annotations({ [mirror]: 'x' }, {}), [
    `metadata.annotations[${mirror}]: Forbidden: may not add mirror pod annotation`,
  ]);
  t.strictSame(annotations({}, { [mirror]: 'x' }), [
    `metadata.annotations[${mirror}]: Forbidden: may not remove or update mirror pod annotation`,
  ]);
});

t.test('what an old pod has wrong, it may keep', async (t) => {
  const wrongSelector = {
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'z', labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] } },
        ],
      },
    },
  };
  const wrongNode = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] }],
        },
      },
    },
  };
  const spread = { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' };
  for (const spec of [
    wrongSelector,
    wrongNode,
    {
      topologySpreadConstraints: [
        { ...spread, labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] } },
      ],
    },
    { containers: [{ ...container, resources: { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' } } }] },
    {
      serviceAccountName: 's',
      volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: '../x' } }] } }],
    },
    { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.core.x', value: '1' }] } },
    { tolerations: [{ key: 'a', operator: 'Gt', value: '5' }] },
    { securityContext: { seLinuxChangePolicy: 'MountOption' } },
    {
      initContainers: [
        { name: 'i', image: 'x', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
      ],
    },
    {
      hostUsers: false,
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
      containers: [{ ...container, volumeDevices: [{ name: 'v', devicePath: '/d' }] }],
    },
  ]) {
    t.not(createPod(spec).texts.length, 0, `refused when new: ${JSON.stringify(spec)}`);
    t.strictSame(updatePod(spec, spec).texts, []);
  }
  const keys = {
    topologySpreadConstraints: [
      {
        ...spread,
        labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
        matchLabelKeys: ['a'],
      },
    ],
  };
  t.strictSame(updatePod(keys, keys).texts, [
    'spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
  ]);
  for (const value of ['', 'x', '01', '9223372036854775808', '99999999999999999999']) {
    const spec = { tolerations: [{ key: 'a', operator: 'Gt', value }] };
    t.not(
      updatePod(spec, { tolerations: [{ key: 'b', operator: 'Gt', value: '5' }, ...spec.tolerations] }).texts.length,
      0,
    );
    t.not(updatePod(spec, spec).texts.length, 0, value);
  }
  const cost = { 'controller.kubernetes.io/pod-deletion-cost': 'x' };
  t.strictSame(updatePod({}, {}, { annotations: cost }).texts, []);
});

t.test('a status is written by those who run the pod', async (t) => {
  const write = (status: Fields, oldStatus: Fields = {}, spec: Fields = {}): Outcome =>
    updatePod(spec, spec, { sub: 'status', status, oldStatus });
  const kept = write(
    { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    {
      qosClass: 'Burstable',
      observedGeneration: 2,
      conditions: [{ type: 'Ready', status: 'False', observedGeneration: 1 }],
    },
  );
  t.match(statusOf(kept), {
    phase: 'Running',
    qosClass: 'Burstable',
    observedGeneration: 2,
    conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }],
  });
  t.strictSame(kept.texts, []);
  const ended = { name: 'a', state: { terminated: { exitCode: 1 } } };
  const runs = { name: 'a', state: { running: {} } };
  const restart = 'Forbidden: may not be transitioned to non-terminated state';
  for (const [status, old, spec, expected] of [
    [
      { qosClass: 'BestEffort' },
      { qosClass: 'Burstable' },
      {},
      ['status.qosClass: Invalid value: "BestEffort": field is immutable'],
    ],
    [
      { observedGeneration: -1, conditions: [{ type: 'a b', status: 'True', observedGeneration: -1 }] },
      {},
      {},
      [
        'status.conditions[0].observedGeneration: Invalid value: -1: must be a non-negative integer',
        "status.conditions[0].Type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        'status.observedGeneration: Invalid value: -1: must be a non-negative integer',
      ],
    ],
    [
      { nominatedNodeName: 'n' },
      {},
      { nodeName: 'm' },
      ['status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node'],
    ],
    [{ containerStatuses: [runs] }, { containerStatuses: [ended] }, {}, []],
    [
      { containerStatuses: [runs] },
      { containerStatuses: [ended] },
      { restartPolicy: 'Never' },
      [`status.containerStatuses[0].state: ${restart}`],
    ],
    [{ containerStatuses: [runs] }, { containerStatuses: [ended] }, { restartPolicy: 'OnFailure' }, []],
    [
      { containerStatuses: [runs] },
      { containerStatuses: [ended] },
      {
        restartPolicy: 'Never',
        containers: [
          {
            ...container,
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
          },
        ],
      },
      [],
    ],
    [
      { initContainerStatuses: [{ ...runs, name: 'i' }] },
      { initContainerStatuses: [{ ...ended, name: 'i' }] },
      { restartPolicy: 'Never', initContainers: [{ name: 'i', image: 'x' }] },
      [`status.initContainerStatuses[0].state: ${restart}`],
    ],
    [
      { ephemeralContainerStatuses: [runs] },
      { ephemeralContainerStatuses: [ended] },
      {},
      [`status.ephemeralContainerStatuses[0].state: ${restart}`],
    ],
    [
      { containerStatuses: [runs] },
      { containerStatuses: [ended] },
      {
        restartPolicy: 'Never',
        containers: [
          {
            ...container,
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [7] } }],
          },
        ],
      },
      [],
    ],
    [
      { podIPs: [{ ip: 'x' }, { ip: '10.0.0.1' }] },
      {},
      {},
      [
        'status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[0]: x',
        'status.podIPs: Invalid value: [{"IP":"x"},{"IP":"10.0.0.1"}]: may specify no more than one IP for each IP family',
      ],
    ],
    [
      { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.2' }] },
      {},
      {},
      ['status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`'],
    ],
    [
      { resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'A' }, { name: 'c' }] },
      {},
      {},
      [
        'status.resourceClaimStatuses[0].name: Invalid value: "c": must match the name of an entry in `spec.resourceClaims`',
        "status.resourceClaimStatuses[0].resourceClaimName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        'status.resourceClaimStatuses[1].name: Invalid value: "c": must match the name of an entry in `spec.resourceClaims`',
        'status.resourceClaimStatuses[1].name: Duplicate value: "c"',
      ],
    ],
    [
      {
        extendedResourceClaimStatus: {
          resourceClaimName: '',
          requestMappings: [
            { containerName: 'z', resourceName: 'r', requestName: 'q' },
            { containerName: 'z', resourceName: 'r', requestName: 'q' },
            { containerName: 'a', resourceName: 'r', requestName: 'q' },
          ],
        },
      },
      {},
      {},
      [
        'status.extendedResourceClaimStatus.requestMappings[0].containerName: Invalid value: "z": must match the name of an entry in spec.initContainers.name or spec.containers.name',
        'status.extendedResourceClaimStatus.requestMappings[1].containerName: Invalid value: "z": must match the name of an entry in spec.initContainers.name or spec.containers.name',
        'status.extendedResourceClaimStatus.requestMappings[1].containerName: Duplicate value: "z"',
        'status.extendedResourceClaimStatus.requestMappings[1].resourceName: Duplicate value: "r"',
        'status.extendedResourceClaimStatus.requestMappings[1].requestName: Duplicate value: "q"',
        'status.extendedResourceClaimStatus.requestMappings[2].resourceName: Invalid value: "r": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
        'status.extendedResourceClaimStatus.resourceClaimName: Required value',
      ],
    ],
    [
      { extendedResourceClaimStatus: { resourceClaimName: 'c' } },
      {},
      {},
      ['status.extendedResourceClaimStatus.requestMappings: Required value: at least one request mapping is required'],
    ],
    [
      {
        containerStatuses: [
          {
            name: 'a',
            user: { linux: { uid: -1, gid: 1, supplementalGroups: [-2] } },
            allocatedResourcesStatus: [
              { name: 'claim:c' },
              {
                name: 'cpu',
                resources: [
                  { resourceID: 'i', health: 'Fine', message: '' },
                  { resourceID: 'i', health: 'Healthy' },
                ],
              },
            ],
          },
        ],
        ephemeralContainerStatuses: [{ name: 'e', allocatedResourcesStatus: [{ name: 'x' }] }],
      },
      {},
      {},
      [
        'status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive',
        'status.containerStatuses[0].user.linux.supplementalGroups[0]: Invalid value: -2: must be between 0 and 2147483647, inclusive',
        "status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: \"claim:c\": must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
        'status.containerStatuses[0].allocatedResourcesStatus[1].name: Invalid value: "cpu": must match one of the container\'s resource requests',
        'status.containerStatuses[0].allocatedResourcesStatus[1].resources[0].health: Unsupported value: "Fine": supported values: "Healthy", "Unhealthy", "Unknown"',
        'status.containerStatuses[0].allocatedResourcesStatus[1].resources[0].message: Required value: must be non-empty if specified',
        'status.containerStatuses[0].allocatedResourcesStatus[1].resources[1].resourceID: Duplicate value: "i"',
        'status.ephemeralContainerStatuses[0].allocatedResourcesStatus: Forbidden: must not be specified in container status',
      ],
    ],
    [
      { containerStatuses: [{ name: 'a', user: { linux: { uid: 1, gid: 1 } } }] },
      {},
      { os: { name: 'windows' } },
      ['status.containerStatuses[0].user.linux: Forbidden: cannot be set for a windows pod'],
    ],
  ] as const)
    t.strictSame(withoutExamples(write(status, old, spec).texts), expected, JSON.stringify(status));
  t.strictSame(
    write({ podIPs: [{ ip: 'FD00::1' }], hostIP: 'FD00::2', hostIPs: [{ ip: 'FD00::2' }] }).warnings.length,
    2,
  );
  const owners = (uid: string): Fields => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid }] });
  t.match(update('/v1/Pod', pod({}, owners('2')), pod({}, owners('1')), 'status').object.metadata, owners('1'));
});

t.test('a resize changes cpu and memory, and nothing else', async (t) => {
  const sized = (requests: Fields, more: Fields = {}): Fields => ({
    containers: [{ ...container, resources: { requests }, ...more }],
  });
  const resize = (spec: Fields, old: Fields, oldStatus: Fields = { qosClass: 'Burstable' }): Outcome =>
    updatePod(spec, old, { sub: 'resize', oldStatus });
  const done = resize({ ...sized({ cpu: '2' }, { image: 'ignored' }), nodeName: 'ignored' }, sized({ cpu: '1' }));
  t.strictSame(done.texts, []);
  t.match(specOf(done).containers, [{ image: 'x', resources: { requests: { cpu: '2' } } }]);
  t.notMatch(specOf(done), { nodeName: 'ignored' });
  t.equal(done.object.metadata?.generation, 4);
  const init = (cpu: string, more: Fields = {}): Fields => ({
    ...sized({ cpu: '1' }),
    initContainers: [{ name: 'i', image: 'x', resources: { requests: { cpu } }, ...more }],
  });
  const ofPod = (requests: Fields): Fields => ({ ...sized({}), resources: { requests } });
  const restarts = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };
  for (const [spec, old, expected] of [
    [
      sized({}),
      sized({ cpu: '1' }),
      [
        'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
        'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
      ],
    ],
    [
      sized({ cpu: '1', 'ephemeral-storage': '1' }),
      sized({ cpu: '1' }),
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    [
      { containers: [container, { name: 'b', image: 'x' }] },
      sized({ cpu: '1' }),
      [
        'spec: Invalid value: "": Pod QOS Class may not change as a result of resizing',
        'spec.containers: Forbidden: containers may not be added or removed on resize',
      ],
    ],
    [
      { containers: [{ ...container, name: 'b', resources: { requests: { cpu: '1' } } }] },
      sized({ cpu: '1' }),
      ['spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize'],
    ],
    [init('2'), init('1'), []],
    [
      init('2', restarts),
      init('1', restarts),
      [
        'spec.initContainers[0]: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized',
      ],
    ],
    [
      {
        ...init('2'),
        initContainers: [{ name: 'i', image: 'x', resources: { requests: { cpu: '1', 'ephemeral-storage': '1' } } }],
      },
      init('1'),
      ['spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable'],
    ],
    [ofPod({ cpu: '2' }), ofPod({ cpu: '1' }), []],
    [
      ofPod({ memory: '1' }),
      ofPod({ cpu: '1' }),
      ['spec.resources.requests: Forbidden: pod-level resource requests cannot be removed'],
    ],
    [
      sized({}),
      ofPod({ cpu: '1' }),
      [
        'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
        'spec.resources: Forbidden: pod-level resources cannot be removed',
      ],
    ],
    [{ ...sized({ cpu: '1' }), resources: { requests: { cpu: '1' } } }, sized({ cpu: '1' }), []],
    [
      {
        ...sized({ cpu: '1' }),
        resources: { limits: { cpu: '1', 'hugepages-2Mi': '2Mi' }, requests: { cpu: '1', 'hugepages-2Mi': '2Mi' } },
      },
      sized({ cpu: '1' }),
      ['spec: Forbidden: only cpu and memory resources are mutable at pod-level'],
    ],
  ] as const)
    t.strictSame(resize(spec, old).texts, expected, JSON.stringify(spec));
  t.strictSame(
    resize(sized({ cpu: '2' }), sized({ cpu: '1' }), {
      qosClass: 'Burstable',
      containerStatuses: [{ name: 'a', state: { running: {} } }],
    }).texts,
    ['spec: Forbidden: Pod running on node without support for resize'],
  );
  t.strictSame(resize({ os: { name: 'windows' } }, { os: { name: 'windows' } }).texts, [
    '[]: Forbidden: windows pods cannot be resized',
  ]);
  t.strictSame(
    updatePod(
      { nodeName: 'n' },
      { nodeName: 'n' },
      { sub: 'resize', annotations: { 'kubernetes.io/config.mirror': 'x' } },
    ).texts,
    ['[]: Forbidden: static pods cannot be resized'],
  );
});

t.test('ephemeral containers come and stay', async (t) => {
  const sub = 'ephemeralcontainers';
  const e = (name: string, more: Fields = {}): Fields => ({ name, image: 'x', ...more });
  const change = (containers: Fields[], old: Fields[] = [], more: Fields = {}): Outcome =>
    updatePod({ ephemeralContainers: containers, ...more }, { ephemeralContainers: old }, { sub });
  const added = change([e('e', { targetContainerName: 'a' })], [], { nodeName: 'ignored' });
  t.strictSame(added.texts, []);
  t.notMatch(specOf(added), { nodeName: 'ignored' });
  t.equal(added.object.metadata?.generation, 4);
  t.strictSame(change([], [e('e')]).texts, [
    'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n',
  ]);
  t.match(change([e('e', { image: 'y' })], [e('e')]).texts, [
    /^spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed\n@@ -1,6 \+1,6 @@\n \{\n {2}"Name": "e",\n- "Image": "x",\n\+ "Image": "y",\n/,
  ]);
  t.strictSame(
    change([
      e('e', {
        resources: { limits: { cpu: '1' } },
        lifecycle: {},
        volumeMounts: [{ name: 'v', mountPath: '/a', subPath: 's', subPathExpr: '$(A)' }],
      }),
    ]).texts.filter((text) => text.includes('Ephemeral')),
    [
      'spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container',
      'spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container',
      'spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container',
      'spec.ephemeralContainers[0].volumeMounts[0].subPathExpr: Forbidden: cannot be set for an Ephemeral Container',
    ],
  );
  t.strictSame(
    updatePod({ nodeName: 'n' }, { nodeName: 'n' }, { sub, annotations: { 'kubernetes.io/config.mirror': 'x' } }).texts,
    ['[]: Forbidden: static pods do not support ephemeral containers'],
  );
});

t.test('a row says how a pod is', async (t) => {
  const cells = (status: Fields, spec: Fields = {}, metadata: Fields = {}): unknown =>
    row('/v1/Pod', { ...pod(spec, metadata), status })?.cells.slice(1, 4);
  const one = (state: Fields, more: Fields = {}): Fields => ({
    name: 'a',
    ready: false,
    restartCount: 0,
    state,
    ...more,
  });
  const init = {
    initContainers: [
      { name: 'i', image: 'x' },
      { name: 's', image: 'x', restartPolicy: 'Always' },
    ],
  };
  const at = (hour: number): Fields => ({ terminated: { exitCode: 1, finishedAt: `2026-01-02T0${hour}:04:05Z` } });
  for (const [status, spec, metadata, expected] of [
    [{ phase: 'Pending' }, {}, {}, ['0/1', 'Pending', '0']],
    [{ phase: 'Failed', reason: 'Evicted' }, {}, {}, ['0/1', 'Evicted', '0']],
    [
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
      {},
      {},
      ['0/1', 'SchedulingGated', '0'],
    ],
    [
      {
        phase: 'Running',
        containerStatuses: [one({ running: {} }, { ready: true, restartCount: 2, lastState: at(1) })],
      },
      {},
      {},
      ['1/1', 'Running', '2 (120m ago)'],
    ],
    [
      { phase: 'Running', containerStatuses: [one({ waiting: { reason: 'CrashLoopBackOff' } })] },
      {},
      {},
      ['0/1', 'CrashLoopBackOff', '0'],
    ],
    [
      { phase: 'Running', containerStatuses: [one({ terminated: { exitCode: 2, signal: 9 } })] },
      {},
      {},
      ['0/1', 'Signal:9', '0'],
    ],
    [
      { phase: 'Running', containerStatuses: [one({ terminated: { exitCode: 2 } })] },
      {},
      {},
      ['0/1', 'ExitCode:2', '0'],
    ],
    [
      {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          one({ terminated: { exitCode: 0, reason: 'Completed' } }),
          one({ running: {} }, { ready: true }),
        ],
      },
      {},
      {},
      ['1/1', 'Running', '0'],
    ],
    [
      {
        phase: 'Running',
        containerStatuses: [
          one({ terminated: { exitCode: 0, reason: 'Completed' } }),
          one({ running: {} }, { ready: true }),
        ],
      },
      {},
      {},
      ['1/1', 'NotReady', '0'],
    ],
    [
      {
        phase: 'Running',
        containerStatuses: [
          one({ terminated: { exitCode: 0, reason: 'Completed' } }),
          one({ terminated: { exitCode: 1, reason: 'Error' } }),
        ],
      },
      {},
      {},
      ['0/1', 'Error', '0'],
    ],
    [
      { phase: 'Pending', initContainerStatuses: [{ name: 'i', restartCount: 1, state: { running: {} } }] },
      init,
      {},
      ['0/2', 'Init:0/2', '1'],
    ],
    [
      {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'i', restartCount: 1, state: { terminated: { exitCode: 3 } } }],
      },
      init,
      {},
      ['0/2', 'Init:ExitCode:3', '1'],
    ],
    [
      {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'i', restartCount: 0, state: { waiting: { reason: 'ErrImagePull' } } }],
      },
      init,
      {},
      ['0/2', 'Init:ErrImagePull', '0'],
    ],
    [
      {
        phase: 'Running',
        initContainerStatuses: [
          { name: 'i', restartCount: 4, state: { terminated: { exitCode: 0 } }, lastState: at(2) },
          { name: 's', ready: true, started: true, restartCount: 1, state: { running: {} }, lastState: at(1) },
        ],
        containerStatuses: [one({ running: {} }, { ready: true })],
      },
      init,
      {},
      ['2/2', 'Running', '1 (120m ago)'],
    ],
    [{ phase: 'Running' }, {}, { deletionTimestamp: '2026-01-02T03:04:05Z' }, ['0/1', 'Terminating', '0']],
    [
      { phase: 'Running', reason: 'NodeLost' },
      {},
      { deletionTimestamp: '2026-01-02T03:04:05Z' },
      ['0/1', 'Unknown', '0'],
    ],
    [{ phase: 'Succeeded' }, {}, { deletionTimestamp: '2026-01-02T03:04:05Z' }, ['0/1', 'Succeeded', '0']],
  ] as const)
    t.strictSame(cells(status, spec, metadata), expected, JSON.stringify(status));
  const wide = row('/v1/Pod', {
    ...pod(
      { nodeName: 'n', readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] },
      { creationTimestamp: '2026-01-02T03:03:05Z' },
    ),
    status: { phase: 'Failed', podIP: '10.0.0.1', nominatedNodeName: 'm', conditions: [{ type: 'a', status: 'True' }] },
  });
  t.strictSame(wide, {
    cells: ['p', '0/1', 'Failed', '0', '60s', '10.0.0.1', 'n', 'm', '1/2'],
    conditions: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
  });
  t.strictSame(row('/v1/Pod', { status: { phase: 'Succeeded' } })?.conditions?.[0]?.reason, 'Succeeded');
  t.equal(strategyOf('/v1/Pod').table?.columns.length, 9);
});

t.test('a pod is selected, and goes, by its own rules', async (t) => {
  const strategy = strategyOf('/v1/Pod');
  const object = {
    metadata: {},
    spec: {
      nodeName: 'n',
      restartPolicy: 'Never',
      hostNetwork: true,
      containers: [],
      terminationGracePeriodSeconds: 30,
    },
    status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] },
  };
  const fields = Object.fromEntries(
    Object.entries(strategy.selectableFields ?? {}).map(([name, read]) => [name, [read(object), read({})]]),
  );
  t.strictSame(fields, {
    'spec.nodeName': ['n', ''],
    'spec.host': ['n', ''],
    'spec.restartPolicy': ['Never', ''],
    'spec.schedulerName': ['', ''],
    'spec.serviceAccountName': ['', ''],
    'spec.hostNetwork': ['true', 'false'],
    'status.phase': ['Running', ''],
    'status.podIP': ['10.0.0.1', ''],
    'status.podIPs': ['', ''],
    'status.nominatedNodeName': ['', ''],
  });
  t.strictSame(strategy.triggerFields, ['spec.nodeName']);
  t.equal(strategy.answersDeleted, true);
  const grace = (asked?: number, more: Fields = {}): number | undefined =>
    strategy.gracePeriodSeconds?.({ ...object, ...more }, asked);
  t.strictSame([grace(), grace(5), grace(0), grace(-1)], [30, 5, 0, 1]);
  t.strictSame(
    [grace(5, { spec: {} }), grace(5, { status: { phase: 'Failed' } }), grace(5, { status: { phase: 'Succeeded' } })],
    [0, 0, 0],
  );
});

t.test('servers do not share what they remember of pods', async (t) => {
  const [one, other] = [newServer(), newServer()];
  const createOn = (server: StrategiesOfServer): Fields =>
    specOf(create('/v1/Pod', pod({ hostname: 'memory' }), server));
  createOn(one);
  t.equal(createOn(one), createOn(one));
  t.not(createOn(other), createOn(one));
});

t.test('selectors of labels are checked', async (t) => {
  const path = fieldPath('selector');
  const wrong = {
    matchLabels: { 'a b': 'c d' },
    matchExpressions: [
      { key: 'k', operator: 'In' as const },
      { key: '', operator: 'Exists' as const, values: ['x y'] },
    ],
  };
  t.strictSame(
    validateLabelSelector(wrong, path).map(({ field }) => field),
    [
      'selector.matchLabels',
      'selector.matchLabels',
      'selector.matchExpressions[0].values',
      'selector.matchExpressions[1].values',
      'selector.matchExpressions[1].key',
      'selector.matchExpressions[1].key',
      'selector.matchExpressions[1].values[0]',
    ],
  );
  t.equal(validateLabelSelector(wrong, path, { allowInvalidValues: true }).length, 6);
  t.strictSame(
    [hasInvalidLabelValue(wrong), hasInvalidLabelValue({}), hasInvalidLabelValue(undefined)],
    [true, false, false],
  );
  t.strictSame(validateLabelSelector(undefined, path), []);
});

t.test('differences of texts are shown around what changed', async (t) => {
  const lines = (...changes: readonly (readonly [number, string])[]): string => {
    const text = Array.from({ length: 30 }, (_, index) => `${index + 1}`);
    for (const [index, line] of changes) text[index] = line;
    return text.join('\n');
  };
  t.equal(unifiedDiff(lines(), lines()), '');
  t.equal(
    unifiedDiff(lines(), lines([4, 'x'], [20, 'y'])),
    '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n@@ -18,7 +18,7 @@\n 18\n 19\n 20\n-21\n+y\n 22\n 23\n 24\n',
  );
  t.equal(
    unifiedDiff(lines(), lines([0, 'x'], [5, 'y'], [29, 'z'])),
    '@@ -1,9 +1,9 @@\n-1\n+x\n 2\n 3\n 4\n 5\n-6\n+y\n 7\n 8\n 9\n@@ -27,4 +27,4 @@\n 27\n 28\n 29\n-30\n+z\n',
  );
  t.equal(unifiedDiff('a', 'a\nb'), '@@ -1 +1,2 @@\n a\n+b\n');
  t.equal(unifiedDiff('a'.repeat(5000).split('').join('\n'), 'b'), '', 'too long to compare');
  // Applying a difference to the first text gives the second.
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 }).map((parts) => parts.join('\n'));
  fc.assert(fc.property(text, text, (before, after) => applyDiff(before, unifiedDiff(before, after)) === after));
});

function applyDiff(text: string, diff: string): string {
  const lines = text.split('\n');
  const out: string[] = [];
  let at = 0;
  for (const line of diff.split('\n')) {
    const [, start = '', length = '1'] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
    if (start !== '') while (at < Number(start) - (length === '0' ? 0 : 1)) out.push(lines[at++] ?? '');
    else if (line.startsWith('+')) out.push(line.slice(1));
    else if (line !== '') {
      if (line.startsWith(' ')) out.push(lines[at] ?? '');
      at += 1;
    }
  }
  return [...out, ...lines.slice(at)].join('\n');
}

t.test('whatever a client sends, there is an answer', async (t) => {
  for (const [kind, name] of [
    ['/v1/Pod', 'core/v1.Pod'],
    ['/v1/PodTemplate', 'core/v1.PodTemplate'],
  ] as const) {
    const any = arbitraryObject(builtinSchema.struct(name)!, { depth: 5 });
    fc.assert(
      fc.property(any, any, (object, old) => {
        const { errors, texts } = create(kind, object);
        t.ok(
          texts.every((text) => !text.includes('undefined')),
          'no hole in a sentence',
        );
        const again = update(kind, object, object);
        for (const sub of [undefined, ...Object.keys(strategyOf(kind).subresources ?? {})])
          update(kind, object, old, sub);
        row(kind, object, testNow);
        return Array.isArray(errors) && Array.isArray(again.errors);
      }),
      { numRuns: runs(40) },
    );
  }
  const hostile = JSON.parse(
    '{"metadata":{"name":"p","annotations":{"__proto__":"x","constructor":"y"}},"spec":{"containers":[{"name":"__proto__","image":"x","resources":{"limits":{"__proto__":"1","constructor":"1"}}}],"volumes":[{"name":"constructor","emptyDir":{}}],"nodeSelector":{"__proto__":"x"}}}',
  ) as Fields;
  t.strictSame(
    [...new Set(create('/v1/Pod', hostile).errors.map(({ field }) => field))],
    [
      'metadata.annotations',
      'spec.containers[0].name',
      'spec.containers[0].resources.limits[__proto__]',
      'spec.containers[0].resources.limits[constructor]',
      'spec.containers[0].resources.requests[__proto__]',
      'spec.containers[0].resources.requests[constructor]',
      'spec.nodeSelector',
    ],
  );

  const many = Array.from({ length: 20_000 }, (_, index) => index);
  const crowd = createPod({
    containers: [
      {
        ...container,
        ports: many.map(() => ({ containerPort: 80 })),
        resources: { claims: many.map((index) => ({ name: `c${index}` })) },
      },
    ],
    tolerations: many.map(() => ({ key: 'a b' })),
    volumes: [{ name: 'v', configMap: { name: 'c', items: many.map(() => ({ key: 'a', path: 'a' })) } }],
  });
  t.ok(crowd.errors.length <= 3000, 'no list says more than a thousand things');
});
