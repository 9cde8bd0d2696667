// Facts derived from pods: the reference's examples, and for requests and selectors a comparison with a naive
// evaluation of the rules. Also the message of a pod that fits no node.
import t from 'tap';
import { deepFreeze, everything, matchesLabels, printLabelSelector, selectorFromLabels } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type {
  Container,
  NodeSelectorRequirement,
  Pod,
  PodSpec,
  PodStatus,
  Taint,
  Toleration,
} from '../../lib/core/types/index.js';
import {
  defaultSelector,
  defaultSpreadConstraints,
  selectingController,
  systemDefaultConstraints,
} from '../../lib/scheduling/pod/topology-spread.js';
import { dependsOnNamespaceLabels, matchesAffinityTerm } from '../../lib/scheduling/pod/pod-affinity.js';
import { compileNodeTerms, matchesRequired, preferenceScore } from '../../lib/core/nodes/node-affinity.js';
import { countIntolerablePreferred, toleratesTaint, untoleratedTaint } from '../../lib/core/nodes/tolerations.js';
import { fitErrorText } from '../../lib/scheduling/fit-error.js';
import { imageName } from '../../lib/scheduling/pod/spec-facts.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import { portsCollide } from '../../lib/scheduling/pod/host-ports.js';
import { referenceRequests } from '../support/reference-requests.js';
import { fc, runs } from '../support/properties.js';

const container = (requests: Record<string, string> | undefined, rest: Partial<Container> = {}): Container => ({
  name: 'c',
  ...(requests && { resources: { requests } }),
  ...rest,
});
const sidecar = (requests: Record<string, string> | undefined, rest: Partial<Container> = {}): Container =>
  container(requests, { restartPolicy: 'Always', ...rest });
const podOf = (spec: Partial<PodSpec>, rest: Partial<Pod> = {}): Frozen<Pod> =>
  deepFreeze<Pod>({ metadata: { name: 'p', namespace: 'n' }, spec: { containers: [], ...spec }, ...rest });

t.test('requests of pods', async (t) => {
  t.test(
    'containers add up, an init container counts where it alone wants more, sidecars stay beside what follows',
    async (t) => {
      const containers = [container({ cpu: '100m', memory: '1Gi' }), container({ cpu: '0.2' })];
      t.equal(podFacts(podOf({ containers })).requests.milliCpu, 300);
      t.equal(podFacts(podOf({ containers, initContainers: [container({ cpu: '1' })] })).requests.milliCpu, 1000);
      t.equal(
        podFacts(
          podOf({
            containers,
            initContainers: [sidecar({ cpu: '50m' }), container({ cpu: '1' }), sidecar({ cpu: '1' })],
          }),
        ).requests.milliCpu,
        1350,
        'sidecars run with the containers',
      );
      t.equal(
        podFacts(podOf({ containers, initContainers: [sidecar({ cpu: '50m' }), container({ cpu: '1' })] })).requests
          .milliCpu,
        1050,
        'and with the init containers after them',
      );
      t.equal(
        podFacts(podOf({ containers, initContainers: [container({ cpu: '1' }), sidecar({ cpu: '50m' })] })).requests
          .milliCpu,
        1000,
        'but not with those before',
      );
    },
  );

  t.test('pod-level requests replace the resources they name, and overhead is added', async (t) => {
    const { requests } = podFacts(
      podOf({
        containers: [
          container({
            cpu: '2',
            memory: '1Mi',
            'ephemeral-storage': '5',
            'hugepages-2Mi': '2Mi',
            'example.com/gpu': '2',
          }),
        ],
        resources: { requests: { cpu: '1', 'hugepages-2Mi': '4Mi', 'ephemeral-storage': '9' } },
        overhead: { cpu: '10m', memory: '1' },
      }),
    );
    t.strictSame(
      { ...requests, scalars: [...requests.scalars] },
      {
        milliCpu: 1010,
        memory: 1048577,
        ephemeralStorage: 5,
        scalars: [
          ['hugepages-2Mi', 4194304],
          ['example.com/gpu', 2],
        ],
      },
    );
  });

  t.test('only known resources count, rounded up once after summing', async (t) => {
    const facts = podFacts(
      podOf({
        containers: [
          container({ memory: '1100m', storage: '5', pods: '3', 'attachable-volumes-csi': '1' }),
          container({ memory: '2200m', 'kubernetes.io/thing': '1' }),
          container({ memory: '700m' }),
        ],
      }),
    );
    t.equal(facts.requests.memory, 4, 'where binary fractions would say 5');
    t.strictSame([...facts.requests.scalars.keys()], ['attachable-volumes-csi', 'kubernetes.io/thing']);
    t.equal(podFacts(podOf({ containers: [container({ memory: '20Ti' })] })).requests.memory, 20 * 2 ** 40);
  });

  t.test(
    'for scoring, a container that names no cpu or memory has a little, one that says zero has none',
    async (t) => {
      const { nonZeroRequests, nonZeroRequestsOnNode } = podFacts(
        podOf({ containers: [container(undefined), container({ cpu: '0', memory: '1' })] }),
      );
      t.strictSame(nonZeroRequests, { milliCpu: 100, memory: 209715201 });
      t.equal(nonZeroRequestsOnNode, nonZeroRequests, 'computed once');
      const init = podFacts(
        podOf({
          containers: [container({ cpu: '1m' })],
          initContainers: [container(undefined), sidecar(undefined), container(undefined)],
        }),
      );
      t.strictSame(init.nonZeroRequests, { milliCpu: 200, memory: 2 * 209715200 }, 'init containers too');
    },
  );

  t.test('pod-level requests count in scores for pods on nodes, not for the pending pod', async (t) => {
    const facts = podFacts(
      podOf({ containers: [container(undefined), container(undefined)], resources: { requests: { cpu: '1' } } }),
    );
    t.strictSame(facts.nonZeroRequests, { milliCpu: 200, memory: 2 * 209715200 });
    t.strictSame(
      facts.nonZeroRequestsOnNode,
      { milliCpu: 1000, memory: 2 * 209715200 },
      'a resource missing at both levels is assumed',
    );
    const named = podFacts(
      podOf({ containers: [container({ memory: '1' }), container(undefined)], resources: { requests: { cpu: '1' } } }),
    );
    t.strictSame(named.nonZeroRequestsOnNode, { milliCpu: 1000, memory: 1 }, 'one that any container names is not');
  });

  t.test('a resized pod occupies the maximum of requested, allocated and actual amounts', async (t) => {
    const spec = {
      containers: [container({ cpu: '1' }, { name: 'a' }), container({ cpu: '1' }, { name: 'b' })],
      initContainers: [container({ cpu: '9' }, { name: 'i' })],
    };
    const statusOf = (
      name: string,
      has: string,
      promised: string,
    ): NonNullable<PodStatus['containerStatuses']>[number] => ({
      name,
      ready: true,
      restartCount: 0,
      image: '',
      imageID: '',
      resources: { requests: { cpu: has } },
      allocatedResources: { cpu: promised },
    });
    const status: PodStatus = {
      containerStatuses: [statusOf('a', '3', '10')],
      initContainerStatuses: [statusOf('i', '20', '20')],
    };
    const facts = podFacts(podOf(spec, { status }));
    t.equal(facts.requests.milliCpu, 9000, 'what it asked for');
    t.equal(facts.requestsOnNode.milliCpu, 11_000, 'ordinary init containers are not resized');
    const infeasible = { containers: [container({ cpu: '50' }, { name: 'a' })] };
    const conditions = [{ type: 'PodResizePending', status: 'True' as const, reason: 'Infeasible' }];
    t.equal(podFacts(podOf(infeasible, { status })).requestsOnNode.milliCpu, 50_000);
    t.equal(
      podFacts(podOf(infeasible, { status: { ...status, conditions } })).requestsOnNode.milliCpu,
      10_000,
      'a wish refused for good does not count',
    );
    const podLevel = podOf(
      { resources: { requests: { cpu: '1', memory: '5' } } },
      { status: { resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '1' } } },
    );
    t.strictSame([podFacts(podLevel).requestsOnNode.milliCpu, podFacts(podLevel).requestsOnNode.memory], [2000, 5]);
  });

  t.test('resource names like members of Object.prototype are plain names', async (t) => {
    const requests = JSON.parse('{"__proto__":"5","constructor":"1","cpu":"1"}') as Record<string, string>;
    const facts = podFacts(podOf({ containers: [container(requests)] }));
    t.equal(facts.requests.milliCpu, 1000);
    t.equal(facts.requests.scalars.size, 0);
  });

  t.test('pods that share parts of their spec may differ in the rest', async (t) => {
    const containers = [container({ cpu: '1' })];
    const shared = podFacts(podOf({ containers }));
    t.equal(podFacts(podOf({ containers })).requests, shared.requests, 'what they share is read once');
    t.equal(
      podFacts(podOf({ containers, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] })).attachable,
      1,
    );
    t.equal(
      podFacts(podOf({ containers, volumes: [{ name: 'v', image: { reference: 'data:1' } }] })).images.length,
      shared.images.length + 1,
    );
    t.equal(
      podFacts(
        podOf({
          containers,
          volumes: [
            { name: 'v', emptyDir: {} },
            { name: 'w', configMap: { name: 'c' } },
          ],
        }),
      ).attachable,
      0,
      'volumes that are at hand',
    );
    t.equal(podFacts(podOf({ containers, overhead: { cpu: '1' } })).requests.milliCpu, 2000);
    t.equal(podFacts(podOf({ containers, tolerations: [{ operator: 'Exists' }] })).toleratesUnschedulable, true);
  });

  t.test('they agree with a naive evaluation of the rules', async (t) => {
    const amount = fc.constantFrom('0', '1', '100m', '250m', '1500m', '2', '1Ki', '333', '100Gi');
    const list = fc.option(
      fc.dictionary(
        fc.constantFrom('cpu', 'memory', 'ephemeral-storage', 'hugepages-2Mi', 'example.com/gpu', 'storage'),
        amount,
        { maxKeys: 4 },
      ),
      { nil: undefined },
    );
    const statuses = fc.record({ has: list, promised: list });
    const containers = fc.array(
      fc.record({ requests: list, always: fc.boolean(), status: fc.option(statuses, { nil: undefined }) }),
      { maxLength: 4 },
    );
    const world = fc.record({
      containers,
      init: containers,
      podLevel: list,
      podStatus: fc.option(statuses, { nil: undefined }),
      overhead: list,
      infeasible: fc.boolean(),
    });
    fc.assert(
      fc.property(world, ({ containers: regular, init, podLevel, podStatus, overhead, infeasible }) => {
        const made = (each: (typeof regular)[number], name: string, isInit: boolean): Container => ({
          ...container(each.requests, { name }),
          ...(isInit && each.always && { restartPolicy: 'Always' as const }),
        });
        const statusesOf = (all: typeof regular, prefix: string): NonNullable<PodStatus['containerStatuses']> =>
          all.flatMap(({ status }, index) =>
            status === undefined
              ? []
              : [
                  {
                    name: `${prefix}${index}`,
                    ready: true,
                    restartCount: 0,
                    image: '',
                    imageID: '',
                    resources: { ...(status.has && { requests: status.has }) },
                    ...(status.promised && { allocatedResources: status.promised }),
                  },
                ],
          );
        const pod = podOf(
          {
            containers: regular.map((each, index) => made(each, `c${index}`, false)),
            initContainers: init.map((each, index) => made(each, `i${index}`, true)),
            ...(podLevel && { resources: { requests: podLevel } }),
            ...(overhead && { overhead }),
          },
          {
            status: {
              containerStatuses: statusesOf(regular, 'c'),
              initContainerStatuses: statusesOf(init, 'i'),
              ...(podStatus && {
                resources: { ...(podStatus.has && { requests: podStatus.has }) },
                ...(podStatus.promised && { allocatedResources: podStatus.promised }),
              }),
              ...(infeasible && {
                conditions: [{ type: 'PodResizePending', status: 'True' as const, reason: 'Infeasible' }],
              }),
            },
          },
        );
        const { requests, requestsOnNode, nonZeroRequests, nonZeroRequestsOnNode } = podFacts(pod);
        t.strictSame({ requests, requestsOnNode, nonZeroRequests, nonZeroRequestsOnNode }, referenceRequests(pod));
      }),
      { numRuns: runs(400) },
    );
  });
});

t.test('host ports', async (t) => {
  const pod = podOf({
    containers: [container(undefined, { ports: [{ containerPort: 1 }, { containerPort: 2, hostPort: 80 }] })],
    initContainers: [
      container(undefined, { ports: [{ containerPort: 1, hostPort: 1 }] }),
      sidecar(undefined, { ports: [{ containerPort: 1, hostPort: 53, protocol: 'UDP', hostIP: '10.0.0.1' }] }),
    ],
  });
  t.strictSame(
    podFacts(pod).hostPorts,
    [
      { ip: '0.0.0.0', protocol: 'TCP', port: 80 },
      { ip: '10.0.0.1', protocol: 'UDP', port: 53 },
    ],
    'those of containers that stay',
  );
  const port = (ip: string, protocol = 'TCP', number = 80): { ip: string; protocol: string; port: number } => ({
    ip,
    protocol,
    port: number,
  });
  t.ok(portsCollide(port('10.0.0.1'), port('0.0.0.0')));
  t.ok(portsCollide(port('10.0.0.1'), port('10.0.0.1')));
  t.notOk(portsCollide(port('10.0.0.1'), port('10.0.0.2')));
  t.notOk(portsCollide(port('0.0.0.0'), port('0.0.0.0', 'UDP')));
  t.notOk(portsCollide(port('0.0.0.0'), port('0.0.0.0', 'TCP', 81)));
});

t.test('taints and tolerations', async (t) => {
  const taint = (effect: Taint['effect'], key = 'k', value = 'v'): Taint => ({ key, value, effect });
  const cases: readonly [Toleration, Taint, boolean][] = [
    [{ operator: 'Exists' }, taint('NoSchedule'), true],
    [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }, taint('NoSchedule'), false],
    [{ key: 'k', value: 'v' }, taint('NoExecute'), true],
    [{ key: 'k', operator: 'Equal', value: 'other' }, taint('NoSchedule'), false],
    [{ key: 'other', operator: 'Exists' }, taint('NoSchedule'), false],
    [{ key: 'k', operator: 'Gt', value: '1' }, taint('NoSchedule', 'k', '5'), false],
    [{ key: 'k' }, { key: 'k', effect: 'NoSchedule' }, true],
  ];
  for (const [toleration, given, expected] of cases)
    t.equal(toleratesTaint(toleration, given), expected, JSON.stringify([toleration, given]));
  const taints = [taint('PreferNoSchedule', 'a'), taint('NoSchedule', 'b'), taint('NoExecute', 'c')];
  t.equal(untoleratedTaint(taints, []), taints[1]);
  t.equal(untoleratedTaint(taints, [{ key: 'b', operator: 'Exists' }]), taints[2]);
  t.equal(untoleratedTaint(taints, [{ operator: 'Exists' }]), undefined);
  t.equal(untoleratedTaint(undefined, []), undefined);
  const facts = podFacts(podOf({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }] }));
  t.equal(
    countIntolerablePreferred(taints, facts.preferenceTolerations),
    1,
    'a toleration of another effect does not count',
  );
  t.equal(
    countIntolerablePreferred(
      taints,
      podFacts(podOf({ tolerations: [{ key: 'a', operator: 'Exists' }] })).preferenceTolerations,
    ),
    0,
  );
  t.equal(countIntolerablePreferred(undefined, []), 0);
  t.notOk(facts.toleratesUnschedulable);
  t.ok(
    podFacts(podOf({ tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] }))
      .toleratesUnschedulable,
  );
});

t.test('node selection of pods', async (t) => {
  const labels = { zone: 'a', size: '5' };
  const requiring = (
    terms: readonly { matchExpressions?: NodeSelectorRequirement[]; matchFields?: NodeSelectorRequirement[] }[],
    rest: Partial<PodSpec> = {},
  ): Frozen<Pod> =>
    podOf({
      ...rest,
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...terms] } } },
    });
  const matches = (pod: Frozen<Pod>, name = 'n1'): boolean => {
    const { requiredNodes } = podFacts(pod);
    return requiredNodes === undefined || matchesRequired(requiredNodes, labels, name);
  };
  const named = (operator: 'In' | 'NotIn', ...values: string[]): { matchFields: NodeSelectorRequirement[] } => ({
    matchFields: [{ key: 'metadata.name', operator, values }],
  });

  t.equal(podFacts(podOf({})).requiredNodes, undefined, 'who demands nothing is not asked about');
  t.ok(matches(podOf({ nodeSelector: { zone: 'a' } })));
  t.notOk(matches(podOf({ nodeSelector: { zone: 'a', size: '6' } })));
  t.notOk(matches(requiring([{}])), 'a term without requirements matches nothing');
  t.notOk(matches(requiring([])), 'nor do no terms');
  t.ok(matches(requiring([{}, { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }])), 'terms are ORed');
  t.notOk(
    matches(requiring([{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }], { nodeSelector: { zone: 'b' } })),
    'and ANDed with the selector',
  );
  t.ok(
    matches(
      requiring([
        {
          matchExpressions: [
            { key: 'size', operator: 'Gt', values: ['4'] },
            { key: 'size', operator: 'Lt', values: ['6'] },
          ],
        },
      ]),
    ),
  );
  t.notOk(
    matches(requiring([{ matchExpressions: [{ key: 'zone', operator: 'Gt', values: ['4'] }] }])),
    'what is no number is not larger',
  );
  t.notOk(
    matches(
      requiring([
        {
          matchExpressions: [{ key: 'zone', operator: 'Exists' }],
          matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1', 'n2'] }],
        },
      ]),
    ),
    'a term that cannot be read does not match',
  );
  t.ok(matches(requiring([named('In', 'n1')])));
  t.notOk(matches(requiring([named('NotIn', 'n1')])));

  const names = (...terms: Parameters<typeof requiring>[0]): unknown => {
    const found = podFacts(requiring(terms)).requiredNodes?.names;
    return found && [...found];
  };
  t.strictSame(names(named('In', 'n1'), named('In', 'n2')), ['n1', 'n2'], 'the union over terms');
  t.strictSame(
    names({ matchFields: [...named('In', 'n1').matchFields, ...named('In', 'n2').matchFields] }),
    [],
    'a conflict inside a term leaves none',
  );
  t.equal(
    names(named('In', 'n1'), { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }),
    undefined,
    'any name, as soon as one term allows it',
  );

  const preferring = podFacts(
    podOf({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 5, preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] } },
            { weight: 7, preference: { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['b'] }] } },
            { weight: 100, preference: {} },
            { weight: 0, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } },
          ],
        },
      },
    }),
  ).preferredNodes;
  t.equal(preferring.terms.length, 2, 'terms that cannot count are left out');
  t.equal(preferenceScore(preferring.terms, labels, 'n1'), 12);
  t.equal(preferenceScore(preferring.terms, undefined, 'n1'), 7);
  t.strictSame(
    compileNodeTerms([
      { matchExpressions: [{ key: 'a', operator: 'In' }], matchFields: [{ key: 'metadata.name', operator: 'Exists' }] },
    ]).problems,
    [
      `nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty`,
      'nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"',
    ],
  );
});

t.test('required nodes agree with a naive evaluation', async (t) => {
  const key = fc.constantFrom('a', 'b');
  const value = fc.constantFrom('1', '2', '03', 'x', '');
  const expression = fc.record({
    key,
    operator: fc.constantFrom<NodeSelectorRequirement['operator']>('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
    values: fc.array(fc.constantFrom('1', '2', '3'), { maxLength: 2 }),
  });
  const worded = (
    { key: on, operator, values }: { key: string; operator: string; values: string[] },
    labels: Readonly<Record<string, string>>,
  ): boolean | undefined => {
    const has = labels[on];
    switch (operator) {
      case 'In':
      case 'NotIn':
        return values.length === 0 ? undefined : (has !== undefined && values.includes(has)) === (operator === 'In');
      case 'Exists':
      case 'DoesNotExist':
        return values.length > 0 ? undefined : (has !== undefined) === (operator === 'Exists');
      default: {
        if (values.length !== 1) return undefined;
        const number = /^[0-9]+$/.test(has ?? '') ? Number(has) : NaN;
        return operator === 'Gt' ? number > Number(values[0]) : number < Number(values[0]);
      }
    }
  };
  fc.assert(
    fc.property(
      fc.array(fc.array(expression, { maxLength: 3 }), { maxLength: 3 }),
      fc.dictionary(key, value),
      (terms, labels) => {
        const expected = terms.some((term) => term.length > 0 && term.every((each) => worded(each, labels) === true));
        const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
        const { requiredNodes } = podFacts(
          podOf({
            affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
          }),
        );
        t.equal(requiredNodes !== undefined && matchesRequired(requiredNodes, labels, 'n'), expected);
      },
    ),
    { numRuns: runs(300) },
  );
});

t.test('pod affinity', async (t) => {
  const term = (rest: object): ReturnType<typeof podFacts>['affinity']['required'][number] => {
    const [compiled] = podFacts(
      podOf({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'x' } }, ...rest },
            ],
          },
        },
      }),
    ).affinity.required;
    if (compiled === undefined) throw new Error('no term');
    return compiled;
  };
  const app = { app: 'x' };
  const own = term({});
  t.ok(matchesAffinityTerm(own, 'n', app, {}), 'of its own namespace where it names none');
  t.notOk(matchesAffinityTerm(own, 'other', app, {}));
  t.notOk(matchesAffinityTerm(own, 'n', {}, {}));
  t.ok(matchesAffinityTerm(term({ namespaces: ['other'] }), 'other', app, {}));
  t.notOk(matchesAffinityTerm(term({ namespaces: ['other'] }), 'n', app, {}), 'and then not of its own');
  const selecting = term({ namespaces: ['other'], namespaceSelector: { matchLabels: { team: 'a' } } });
  t.ok(matchesAffinityTerm(selecting, 'other', app, {}));
  t.ok(matchesAffinityTerm(selecting, 'third', app, { team: 'a' }), 'or of those that the selector finds');
  t.notOk(matchesAffinityTerm(selecting, 'n', app, undefined));
  t.ok(matchesAffinityTerm(term({ namespaceSelector: {} }), 'any', app, {}), 'an empty selector is all namespaces');
  t.strictSame([own, term({ namespaceSelector: {} }), selecting].map(dependsOnNamespaceLabels), [false, false, true]);
  t.notOk(matchesAffinityTerm(term({ labelSelector: undefined }), 'n', app, {}), 'no selector is no pod');
  t.notOk(
    matchesAffinityTerm(term({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } }), 'n', app, {}),
    'nor is one that cannot be read',
  );
  const anti = podFacts(
    podOf({
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 9, podAffinityTerm: { topologyKey: 'host', labelSelector: {} } },
          ],
        },
      },
    }),
  ).antiAffinity;
  t.strictSame([anti.required.length, anti.preferred[0]?.weight, anti.preferred[0]?.topologyKey], [0, 9, 'host']);
});

t.test('topology spread', async (t) => {
  const labels = { app: 'x', version: '2' };
  const pod = podOf(
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'x' } },
          matchLabelKeys: ['version', 'absent'],
        },
        {
          maxSkew: 2,
          topologyKey: 'host',
          whenUnsatisfiable: 'ScheduleAnyway',
          minDomains: 3,
          nodeAffinityPolicy: 'Ignore',
          nodeTaintsPolicy: 'Honor',
        },
      ],
    },
    { metadata: { labels } },
  );
  const { spread } = podFacts(pod);
  const [hard] = spread?.hard ?? [];
  const [soft] = spread?.soft ?? [];
  t.strictSame(
    { ...hard, selector: printLabelSelector(hard?.selector ?? everything) },
    {
      maxSkew: 1,
      topologyKey: 'zone',
      selector: 'app=x,version=2',
      minDomains: 1,
      honorsAffinity: true,
      honorsTaints: false,
    },
  );
  t.match(soft, { maxSkew: 2, minDomains: 3, honorsAffinity: false, honorsTaints: true, selector: { nothing: true } });

  const bare = podOf(
    {},
    {
      metadata: {
        labels,
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true }],
      },
    },
  );
  t.equal(podFacts(bare).spread, undefined);
  t.strictSame(selectingController(bare), { kind: 'ReplicaSet', name: 'r' });
  t.equal(
    selectingController(
      podOf(
        {},
        {
          metadata: {
            ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }],
          },
        },
      ),
    ),
    undefined,
  );
  const alike = defaultSelector(bare, [{ app: 'x' }, { app: 'other' }, undefined, {}], {
    kind: 'ReplicaSet',
    selector: { matchExpressions: [{ key: 'version', operator: 'Exists' }] },
  });
  t.equal(printLabelSelector(alike), 'app=x,version');
  t.equal(
    printLabelSelector(
      defaultSelector(bare, [{ app: 'x' }], { kind: 'ReplicationController', selector: { version: '2' } }),
    ),
    'app=x,version=2',
  );
  t.equal(defaultSelector(bare, [], undefined), everything);
  const defaults = defaultSpreadConstraints(systemDefaultConstraints, alike);
  t.strictSame(
    defaults.soft.map(({ topologyKey, maxSkew }) => [topologyKey, maxSkew]),
    [
      ['kubernetes.io/hostname', 3],
      ['topology.kubernetes.io/zone', 5],
    ],
  );
  t.ok(defaults.soft.every(({ selector }) => matchesLabels(selector, labels)));
  t.strictSame(
    defaultSpreadConstraints(systemDefaultConstraints, everything),
    { hard: [], soft: [] },
    'none where no owner groups the pods',
  );
  t.strictSame(defaultSpreadConstraints([], alike), { hard: [], soft: [] });
  const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, 'v']));
  t.ok(
    defaultSelector(podOf({}, { metadata: { labels: wide } }), [wide], undefined).requirements.length === 0,
    'a selector over the size limit selects nothing',
  );
  t.throws(() => selectorFromLabels(wide));
});

t.test('images, claims and other facts of a pod', async (t) => {
  t.strictSame(['a', 'a:1', 'host:5000/a', 'host:5000/a:1', 'a/b@sha256:00'].map(imageName), [
    'a:latest',
    'a:1',
    'host:5000/a:latest',
    'host:5000/a:1',
    'a/b@sha256:00',
  ]);
  const pod = podOf(
    {
      schedulerName: 's',
      nodeName: 'n1',
      priority: -5,
      preemptionPolicy: 'Never',
      schedulingGates: [{ name: 'g' }],
      containers: [container(undefined, { image: 'a' })],
      initContainers: [container(undefined, { image: 'i:1' })],
      volumes: [
        { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'e', ephemeral: {} },
        { name: 'm', image: { reference: 'm' } },
        { name: 'x', emptyDir: {} },
      ],
      resourceClaims: [
        { name: 'gpu', resourceClaimName: 'c' },
        { name: 't', resourceClaimTemplateName: 'tt' },
        { name: 'u', resourceClaimTemplateName: 'tt' },
        { name: 'none', resourceClaimTemplateName: 'tt' },
      ],
    },
    { status: { resourceClaimStatuses: [{ name: 't', resourceClaimName: 'p-t-x' }, { name: 'none' }] } },
  );
  const facts = podFacts(pod);
  t.match(facts, {
    namespace: 'n',
    name: 'p',
    uid: '',
    schedulerName: 's',
    nodeName: 'n1',
    priority: -5,
    preempts: false,
    gates: ['g'],
    images: ['i:1', 'a:latest', 'm:latest'],
    containerCount: 2,
  });
  t.strictSame(facts.volumeClaims, [
    { claim: 'data', ephemeral: false },
    { claim: 'p-e', ephemeral: true },
  ]);
  t.strictSame(facts.deviceClaims, [
    { name: 'gpu', claim: 'c', fromTemplate: false },
    { name: 't', claim: 'p-t-x', fromTemplate: true },
    { name: 'u', claim: undefined, fromTemplate: true },
    { name: 'none', claim: null, fromTemplate: true },
  ]);
  t.equal(podFacts(pod), facts, 'read once');
  t.match(podFacts({}), {
    schedulerName: 'default-scheduler',
    priority: 0,
    preempts: true,
    gates: [],
    images: [],
    volumeClaims: [],
    deviceClaims: [],
    containerCount: 0,
  });
});

t.test('the message of a pod that fits no node', async (t) => {
  const reasons = new Map([
    ['Insufficient cpu', 2],
    ['node(s) had untolerated taint(s)', 1],
  ]);
  t.equal(
    fitErrorText({
      nodeCount: 3,
      reasons,
      postFilterMessage:
        'no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.',
    }),
    '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.',
  );
  t.equal(
    fitErrorText({
      nodeCount: 5,
      preFilterMessage: 'pod has unbound immediate PersistentVolumeClaims',
      reasons,
      postFilterMessage: 'not found',
    }),
    '0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
  );
  t.equal(
    fitErrorText({
      nodeCount: 12,
      reasons: new Map([
        ['y', 2],
        ['x', 10],
      ]),
    }),
    '0/12 nodes are available: 10 x, 2 y.',
    'sorted as texts',
  );
  t.equal(
    fitErrorText({ nodeCount: 9, reasons: new Map([['x', 1]]), others: { count: 8, reasons: ['x', 'z'] } }),
    '0/9 nodes are available: 8 z, 9 x.',
  );
  t.equal(fitErrorText({ nodeCount: 0 }), '0/0 nodes are available:');
});
