// KubeSchedulerConfiguration: defaults, the order of plugins after merging, and errors with Kubernetes' messages.
import t from 'tap';
import { DecodeError } from '../../lib/core/index.js';
import {
  SchedulerConfigurationError,
  parseSchedulerConfiguration,
  schedulerConfiguration,
} from '../../lib/scheduling/public.js';
import type {
  ConfigurationOptions,
  ExtensionPoint,
  PluginSets,
  ProfileDocument,
  SchedulerDocument,
  SchedulerProfile,
} from '../../lib/scheduling/public.js';

const header = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';
const profileOf = (profile: ProfileDocument = {}, options: ConfigurationOptions = {}): SchedulerProfile => {
  const completed = schedulerConfiguration({ profiles: [{ schedulerName: 's', ...profile }] }, options).profiles.get(
    's',
  );
  if (completed === undefined) throw new Error('no profile');
  return completed;
};
const namesAt = (
  point: ExtensionPoint,
  plugins: PluginSets = {},
  options: ConfigurationOptions = {},
): readonly string[] => profileOf({ plugins }, options).plugins[point].map(({ name }) => name);
const weighted = (plugins: PluginSets = {}): Readonly<Record<string, number>> =>
  Object.fromEntries(profileOf({ plugins }).plugins.score.map(({ name, weight }) => [name, weight]));
const refusal = (document: SchedulerDocument, options: ConfigurationOptions = {}): string => {
  try {
    schedulerConfiguration(document, options);
  } catch (error) {
    if (error instanceof SchedulerConfigurationError || error instanceof DecodeError) return error.message;
    throw error;
  }
  return 'accepted';
};
const refusedProfile = (profile: ProfileDocument): string =>
  refusal({ profiles: [{ schedulerName: 's', ...profile }] });
const refusedArgs = (name: string, args: Readonly<Record<string, unknown>>): string =>
  refusedProfile({ pluginConfig: [{ name, args }] }).replaceAll('profiles[0].pluginConfig[0].args.', '…');
const listed = (...names: readonly string[]): { readonly name: string }[] => names.map((name) => ({ name }));

t.test('the default configuration', async (t) => {
  const { profiles, ...rest } = schedulerConfiguration();
  t.strictSame(rest, {
    parallelism: 16,
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 10,
    extenders: [],
    delayCacheUntilActive: false,
    clientConnection: { qps: 50, burst: 100 },
    leaderElection: {
      leaderElect: undefined,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      resourceName: 'kube-scheduler',
      resourceNamespace: 'kube-system',
    },
  });
  t.strictSame([...profiles.keys()], ['default-scheduler']);
  const profile = profiles.get('default-scheduler');
  t.equal(profile?.percentageOfNodesToScore, 100, 'every node is evaluated by default');
  t.strictSame(
    profile?.plugins.filter.map(({ name }) => name),
    [
      'NodeUnschedulable',
      'NodeName',
      'TaintToleration',
      'NodeAffinity',
      'NodePorts',
      'NodeResourcesFit',
      'VolumeRestrictions',
      'NodeVolumeLimits',
      'VolumeBinding',
      'VolumeZone',
      'PodTopologySpread',
      'InterPodAffinity',
      'DynamicResources',
      'NodeDeclaredFeatures',
    ],
  );
  t.strictSame(weighted(), {
    TaintToleration: 3,
    NodeAffinity: 2,
    NodeResourcesFit: 1,
    VolumeBinding: 1,
    PodTopologySpread: 2,
    InterPodAffinity: 2,
    DynamicResources: 2,
    NodeResourcesBalancedAllocation: 1,
    ImageLocality: 1,
  });
  t.strictSame(
    namesAt('postFilter'),
    ['DynamicResources', 'DefaultPreemption'],
    'claims are given back before pods are made to leave',
  );
  t.strictSame(namesAt('preEnqueue'), ['SchedulingGates', 'DynamicResources', 'DefaultPreemption']);
  t.strictSame(
    [namesAt('queueSort'), namesAt('bind'), namesAt('permit'), namesAt('postBind')],
    [['PrioritySort'], ['DefaultBinder'], [], []],
  );
  t.strictSame(profile?.args, {
    DefaultPreemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 },
    DynamicResources: { filterTimeoutMs: 10_000, bindingTimeoutMs: 600_000 },
    InterPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false },
    NodeAffinity: {},
    NodeResourcesBalancedAllocation: {
      resources: [
        { name: 'cpu', weight: 1 },
        { name: 'memory', weight: 1 },
      ],
    },
    NodeResourcesFit: {
      ignoredResources: [],
      ignoredResourceGroups: [],
      scoringStrategy: {
        type: 'LeastAllocated',
        resources: [
          { name: 'cpu', weight: 1 },
          { name: 'memory', weight: 1 },
        ],
      },
    },
    PodTopologySpread: { defaultingType: 'System', defaultConstraints: [] },
    VolumeBinding: { bindTimeoutSeconds: 600 },
  });
  t.ok(
    Object.isFrozen(profile) &&
      Object.isFrozen(profile?.args.NodeResourcesFit.scoringStrategy.resources) &&
      Object.isFrozen(profile?.plugins.score[0]),
  );
});

t.test('a file is decoded strictly', async (t) => {
  const configuration = await parseSchedulerConfiguration(`${header}
percentageOfNodesToScore: 30
podMaxBackoffSeconds: 20
leaderElection: {leaderElect: false, leaseDuration: 1m30s, retryPeriod: 0s, resourceName: mine}
profiles:
- schedulerName: quick
  percentageOfNodesToScore: 0
- schedulerName: packed
  pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: example.com/gpu, weight: 5}, {name: cpu}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
  - name: Foreign
    args: {any: thing}
extenders:
- urlPrefix: http://localhost
  httpTimeout: 30s
- urlPrefix: http://localhost
  filterVerb: filter
`);
  t.strictSame(
    [...configuration.profiles.values()].map(({ schedulerName, percentageOfNodesToScore }) => [
      schedulerName,
      percentageOfNodesToScore,
    ]),
    [
      ['quick', 0],
      ['packed', 30],
    ],
    "a profile's own share wins even if 0",
  );
  t.strictSame(configuration.leaderElection, {
    leaderElect: false,
    leaseDurationMs: 90_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
    resourceName: 'mine',
    resourceNamespace: 'kube-system',
  });
  const packed = configuration.profiles.get('packed');
  t.strictSame(packed?.args.NodeResourcesFit.scoringStrategy, {
    type: 'RequestedToCapacityRatio',
    resources: [
      { name: 'example.com/gpu', weight: 5 },
      { name: 'cpu', weight: 1 },
    ],
    requestedToCapacityRatio: {
      shape: [
        { utilization: 0, score: 0 },
        { utilization: 100, score: 10 },
      ],
    },
  });
  t.strictSame(packed?.customArgs.get('Foreign'), { any: 'thing' });
  t.strictSame(
    configuration.extenders.map(({ httpTimeoutMs, weight }) => [httpTimeoutMs, weight]),
    [
      [30_000, 0],
      [5000, 0],
    ],
  );

  const texts: readonly [string, string | RegExp][] = [
    ['kind: KubeSchedulerConfiguration', /'apiVersion' is missing/],
    ['apiVersion: kubescheduler.config.k8s.io/v1', /'Kind' is missing/],
    [
      header.replace('/v1', '/v1beta3'),
      /no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io\/v1beta3"/,
    ],
    [`${header}paralelism: 3`, 'strict decoding error: unknown field "paralelism"'],
    [
      `${header}profiles: [{pluginConfig: [{name: InterPodAffinity, args: {weight: 3, height: 4}}]}]`,
      'strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin InterPodAffinity: strict decoding error: unknown field "weight", unknown field "height"',
    ],
    [
      `${header}profiles: [{pluginConfig: [{name: InterPodAffinity, args: {kind: NodeAffinityArgs}}]}]`,
      /args for plugin InterPodAffinity were not of type InterPodAffinityArgs.kubescheduler.config.k8s.io, got NodeAffinityArgs/,
    ],
    [`${header}extenders: [{urlPrefix: x, httpTimeout: soon}]`, /time: invalid duration "soon"/],
    [
      `${header}profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: ""}}]}]`,
      /decoding args for plugin DynamicResources: time: invalid duration ""/,
    ],
    [`${header}parallelism: 3\nparallelism: 4`, /already set/],
    [`${header}parallelism: many`, /parallelism/],
  ];
  for (const [text, message] of texts) await t.rejects(parseSchedulerConfiguration(text), { message }, text);
});

t.test('plugins are merged per extension point', async (t) => {
  const options = {
    plugins: new Map<string, readonly ExtensionPoint[]>([
      ['Mine', ['filter', 'score']],
      ['Sorter', ['queueSort']],
    ]),
  };
  t.strictSame(
    namesAt('score', { score: { disabled: listed('*'), enabled: listed('ImageLocality', 'NodeAffinity') } }),
    ['ImageLocality', 'NodeAffinity'],
    'a star drops all defaults of the point',
  );
  t.ok(namesAt('filter', { score: { disabled: listed('*') } }).includes('NodeAffinity'), 'of that point only');
  t.notOk(namesAt('filter', { filter: { disabled: listed('NodePorts') } }).includes('NodePorts'));
  t.ok(namesAt('preFilter', { filter: { disabled: listed('NodePorts') } }).includes('NodePorts'));
  t.strictSame(
    namesAt('score', { score: { enabled: listed('ImageLocality', 'TaintToleration') } }).slice(0, 3),
    ['ImageLocality', 'TaintToleration', 'NodeAffinity'],
    'what is listed again comes first, as listed',
  );
  t.equal(
    namesAt('filter', { filter: { enabled: listed('Mine') } }, options).at(-1),
    'Mine',
    'what is listed only there comes last',
  );
  t.ok(
    namesAt('filter', { multiPoint: { enabled: listed('Mine') } }, options).includes('Mine'),
    'or wherever it takes part',
  );
  t.equal(
    weighted({ score: { enabled: [{ name: 'NodeAffinity', weight: 9 }] } }).NodeAffinity,
    9,
    'a weight at the point',
  );
  const replaced = { multiPoint: { enabled: [{ name: 'NodeAffinity', weight: 7 }] } };
  t.equal(weighted(replaced).NodeAffinity, 7, 'a weight everywhere');
  t.strictSame(namesAt('score', replaced), namesAt('score'), 'keeps the place');
  t.equal(
    weighted({ ...replaced, score: { enabled: [{ name: 'NodeAffinity', weight: 9 }] } }).NodeAffinity,
    9,
    'the point beats everywhere',
  );
  t.equal(weighted({ score: { enabled: [{ name: 'NodeAffinity', weight: 0 }] } }).NodeAffinity, 1, 'zero is one');
  t.strictSame(
    namesAt('filter', {
      multiPoint: { disabled: listed('*'), enabled: listed('PrioritySort', 'DefaultBinder', 'NodeName') },
    }),
    ['NodeName'],
  );
  t.strictSame(
    namesAt('queueSort', { queueSort: { disabled: listed('PrioritySort'), enabled: listed('Sorter') } }, options),
    ['Sorter'],
  );

  const refused = (plugins: PluginSets): string => refusal({ profiles: [{ schedulerName: 's', plugins }] }, options);
  t.equal(
    refused({ queueSort: { enabled: listed('Sorter') } }),
    'only one queue sort plugin required for profile with scheduler name "s", but got 2',
  );
  t.equal(
    refused({ bind: { disabled: listed('*') } }),
    'at least one bind plugin is needed for profile with scheduler name "s"',
  );
  t.equal(refused({ filter: { enabled: listed('Nobody') } }), 'FilterPlugin "Nobody" does not exist');
  t.equal(refused({ multiPoint: { enabled: listed('Nobody') } }), 'PreFilterPlugin "Nobody" does not exist');
  t.equal(refused({ bind: { enabled: listed('NodeName') } }), 'plugin "NodeName" does not extend BindPlugin plugin');
  t.equal(
    refused({ filter: { enabled: listed('Mine', 'Mine') } }),
    'plugin "Mine" already registered as "FilterPlugin"',
  );
  t.equal(
    refused({ multiPoint: { enabled: listed('Mine', 'Mine') } }),
    'plugin "Mine" already registered as "FilterPlugin"',
  );
  t.equal(
    refused({ multiPoint: { enabled: listed('NodeName', 'NodeName') } }),
    'plugin "NodeName" already registered as "FilterPlugin"',
  );
});

t.test("what cannot be obeyed is refused in Kubernetes' words", async (t) => {
  const cases: readonly [SchedulerDocument, string][] = [
    [{ parallelism: 0 }, 'parallelism: Invalid value: 0: should be an integer value greater than zero'],
    [{ percentageOfNodesToScore: 101 }, 'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]'],
    [{ podInitialBackoffSeconds: 0 }, 'podInitialBackoffSeconds: Invalid value: 0: must be greater than 0'],
    [
      { podMaxBackoffSeconds: 5, podInitialBackoffSeconds: 6 },
      'podMaxBackoffSeconds: Invalid value: 5: must be greater than or equal to PodInitialBackoffSeconds',
    ],
    [
      { parallelism: -1, podInitialBackoffSeconds: -1 },
      '[parallelism: Invalid value: -1: should be an integer value greater than zero, podInitialBackoffSeconds: Invalid value: -1: must be greater than 0]',
    ],
    [{ clientConnection: { burst: -1 } }, 'clientConnection.burst: Invalid value: -1: must be non-negative'],
    [
      { leaderElection: { leaseDuration: '5s' } },
      'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
    ],
    [
      { leaderElection: { resourceLock: 'endpoints' } },
      'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
    ],
    [{ profiles: [{ schedulerName: 'a' }, {}] }, 'profiles[1].schedulerName: Required value'],
    [{ profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] }, 'profiles[1].schedulerName: Duplicate value: {}'],
    [
      { profiles: [{ percentageOfNodesToScore: -1 }] },
      'profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]',
    ],
    [
      { profiles: [{ plugins: { filter: { enabled: listed('EBSLimits') } } }] },
      'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
    ],
    [{ profiles: [{ pluginConfig: listed('X', 'X') }] }, 'profiles[0].pluginConfig[1]: Duplicate value: "X"'],
    [
      {
        profiles: [
          { schedulerName: 'a' },
          { schedulerName: 'b', plugins: { queueSort: { enabled: listed('Other') } } },
        ],
      },
      'profiles[1].plugins.queueSort: Invalid value: {"Enabled":[{"Name":"Other","Weight":0}],"Disabled":null}: must be the same for all profiles',
    ],
    [
      { extenders: [{ urlPrefix: 'x', prioritizeVerb: 'p' }] },
      'extenders[0].weight: Invalid value: 0: must have a positive weight applied to it',
    ],
    [
      {
        extenders: [
          { urlPrefix: 'x', bindVerb: 'b' },
          { urlPrefix: 'y', bindVerb: 'b' },
        ],
      },
      'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind',
    ],
    [
      { extenders: [{ urlPrefix: 'x', managedResources: listed('cpu') }] },
      'extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name',
    ],
    [
      { extenders: [{ urlPrefix: 'x', managedResources: listed('example.com/a', 'example.com/a') }] },
      'extenders[0].managedResources[1].name: Invalid value: "example.com/a": duplicate extender managed resource name',
    ],
  ];
  for (const [document, message] of cases) t.equal(refusal(document), message);
  t.equal(
    refusal({ leaderElection: { leaderElect: false, leaseDuration: '5s' } }),
    'accepted',
    'a single instance elects no leader',
  );
});

t.test('invalid plugin arguments are rejected too', async (t) => {
  const fit = (scoringStrategy: object): string => refusedArgs('NodeResourcesFit', { scoringStrategy });
  const cases: readonly [string, string][] = [
    [
      refusedArgs('DefaultPreemption', { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 }),
      '[…minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute, …minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage]',
    ],
    [
      refusedArgs('DefaultPreemption', { minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1 }),
      '[…minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100], …minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)]',
    ],
    [
      refusedArgs('InterPodAffinity', { hardPodAffinityWeight: 101 }),
      '…hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]',
    ],
    [refusedArgs('InterPodAffinity', { hardPodAffinityWeight: 0 }), 'accepted'],
    [
      refusedArgs('VolumeBinding', { bindTimeoutSeconds: -1 }),
      '…bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value',
    ],
    [
      refusedArgs('VolumeBinding', { shape: [{ utilization: 0, score: 10 }] }),
      '…shape: Invalid value: [{"Utilization":0,"Score":10}]: unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring',
    ],
    [
      refusedArgs('DynamicResources', { filterTimeout: '-1s', bindingTimeout: '500ms' }),
      '[…filterTimeout: Invalid value: "-1s": must be zero or positive, …bindingTimeout: Invalid value: "500ms": must be at least 1 second]',
    ],
    [refusedArgs('DynamicResources', { filterTimeout: '0s' }), 'accepted'],
    [
      refusedArgs('NodeResourcesBalancedAllocation', { resources: [{ name: 'cpu', weight: 2 }, { name: 'cpu' }] }),
      '[…resources[0].weight: Invalid value: 2: must be 1, …resources[1].name: Duplicate value: "cpu"]',
    ],
    [
      refusedArgs('PodTopologySpread', {
        defaultConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
      }),
      '…defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
    ],
    [
      refusedArgs('PodTopologySpread', { defaultingType: 'Some' }),
      '…defaultingType: Unsupported value: "Some": supported values: "System", "List"',
    ],
    [
      refusedArgs('PodTopologySpread', {
        defaultingType: 'List',
        defaultConstraints: [
          { maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Maybe', labelSelector: {} },
          { maxSkew: 1, topologyKey: '', whenUnsatisfiable: 'Maybe' },
        ],
      }),
      '[…defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf), …defaultConstraints[0].topologyKey: Required value: can not be empty, …defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Maybe": supported values: "DoNotSchedule", "ScheduleAnyway", …defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod, …defaultConstraints[1].topologyKey: Required value: can not be empty, …defaultConstraints[1].whenUnsatisfiable: Unsupported value: "Maybe": supported values: "DoNotSchedule", "ScheduleAnyway", …defaultConstraints[1]: Duplicate value: "{, Maybe}"]',
    ],
    [
      refusedArgs('NodeAffinity', {
        addedAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }],
          },
        },
      }),
      '…addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Near": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"',
    ],
    [
      fit({}),
      'initializing plugin "NodeResourcesFit": scoringStrategy.type: Unsupported value: "": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
    ],
    [
      fit({ type: 'MostAllocated', resources: [{ name: 'cpu', weight: 101 }] }),
      'initializing plugin "NodeResourcesFit": scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]',
    ],
    [
      fit({ type: 'RequestedToCapacityRatio' }),
      'initializing plugin "NodeResourcesFit": scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio',
    ],
    [
      fit({ type: 'RequestedToCapacityRatio', requestedToCapacityRatio: {} }),
      'initializing plugin "NodeResourcesFit": scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must be specified',
    ],
    [
      fit({
        type: 'RequestedToCapacityRatio',
        requestedToCapacityRatio: {
          shape: [
            { utilization: 5, score: 11 },
            { utilization: 5, score: 0 },
          ],
        },
      }),
      'initializing plugin "NodeResourcesFit": [scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 5: values must be sorted in increasing order, scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: 11: not in valid range [0, 10]]',
    ],
    [
      fit({ type: 'LeastAllocated', requestedToCapacityRatio: {} }),
      'initializing plugin "NodeResourcesFit": scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio',
    ],
    [
      refusedArgs('NodeResourcesFit', { ignoredResourceGroups: ['a/b'] }),
      `initializing plugin "NodeResourcesFit": ignoredResourceGroups[0]: Invalid value: "a/b": resource group name can't contain '/'`,
    ],
  ];
  for (const [actual, expected] of cases)
    t.equal(actual.replaceAll('profiles[0].pluginConfig[0].args.', '…'), expected);
});
