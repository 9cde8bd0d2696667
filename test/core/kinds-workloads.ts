// The workloads: defaults, preparation, validation, generations and tables of the kinds of apps, batch, autoscaling and
// policy, and of the ReplicationController. Expected texts are those of a v1.36 API server.
import t, { type Test } from 'tap';
import { isDecodeError } from '../../lib/core/schema/decode-error.js';
import { isParseError } from '../../lib/core/objects/parse-error.js';
import { parseCronSchedule } from '../../lib/core/kinds/batch/cron-schedule.js';
import { scaleOf, scaleTable, validateScale, withReplicas } from '../../lib/core/kinds/apps/scale.js';
import type { Deployment } from '../../lib/core/types/apps-v1.generated.js';
import type { ReplicationController } from '../../lib/core/types/core-v1.generated.js';
import { create, row, strategyOf, testNow, update } from '../support/strategy.js';
import { fc, runs } from '../support/properties.js';

type Loose = Record<string, unknown>;

const uid = '00000000-0000-4000-8000-000000000000';
const pods = (restartPolicy?: string): Loose => ({
  metadata: { labels: { a: 'b' } },
  spec: { ...(restartPolicy !== undefined && { restartPolicy }), containers: [{ name: 'c', image: 'i:1' }] },
});
const selector = { matchLabels: { a: 'b' } };
const named = (spec: Loose, metadata: Loose = {}): Loose => ({ metadata: { name: 'n', ...metadata }, spec });

const deployment = (spec: Loose = {}, metadata: Loose = {}): Loose =>
  named({ selector, template: pods(), ...spec }, metadata);
const statefulSet = (spec: Loose = {}): Loose => named({ selector, template: pods(), ...spec });
const job = (spec: Loose = {}, metadata: Loose = {}): Loose =>
  named({ template: pods('Never'), ...spec }, { uid, ...metadata });
const cronJob = (spec: Loose = {}, metadata: Loose = {}): Loose =>
  named({ schedule: '* * * * *', jobTemplate: { spec: { template: pods('Never') } }, ...spec }, metadata);
const autoscaler = (spec: Loose = {}): Loose =>
  named({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3, ...spec });

/** What is wrong with each of several objects, as one text a case. */
function refuses(test: Test, kind: string, cases: readonly (readonly [object: Loose, text: string])[]): void {
  for (const [object, text] of cases) test.equal(create(kind, object).text, text, `${kind} ${JSON.stringify(object)}`);
}

/** What is wrong with each of several changes to one object, which is itself as the server made it. */
function refusesChange(
  test: Test,
  kind: string,
  old: Loose,
  cases: readonly (readonly [change: Loose, text: string])[],
): void {
  const before = create(kind, old).object;
  for (const [change, text] of cases) {
    const spec = { ...(before.spec as Loose), ...change };
    test.equal(update(kind, { ...before, spec }, before).text, text, `${kind} ${JSON.stringify(change)}`);
  }
}

t.test('a workload without settings gets those of Kubernetes', async (t) => {
  t.match(create('apps/v1/Deployment', deployment()).object, {
    metadata: { generation: 1 },
    spec: {
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      template: {
        spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', containers: [{ imagePullPolicy: 'IfNotPresent' }] },
      },
    },
  });
  t.same(create('apps/v1/Deployment', deployment({ strategy: { type: 'Recreate' } })).object.spec, {
    ...(create('apps/v1/Deployment', deployment()).object.spec as Loose),
    strategy: { type: 'Recreate' },
  });
  t.match(create('apps/v1/DaemonSet', deployment()).object, {
    metadata: { annotations: { 'deprecated.daemonset.template.generation': '1' } },
    spec: {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    },
  });
  const claims = [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ];
  t.match(
    create(
      'apps/v1/StatefulSet',
      statefulSet({ volumeClaimTemplates: claims, updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }),
    ).object.spec,
    {
      podManagementPolicy: 'OrderedReady',
      serviceName: '',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: undefined } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [{ kind: 'PersistentVolumeClaim', apiVersion: 'v1', status: { phase: 'Pending' } }],
    },
  );
  t.same(
    (create('apps/v1/StatefulSet', statefulSet({ updateStrategy: { type: 'RollingUpdate' } })).object.spec as Loose)
      .updateStrategy,
    { type: 'RollingUpdate' },
  );
  t.match(create('/v1/ReplicationController', named({ template: pods() })).object, {
    metadata: { labels: { a: 'b' } },
    spec: { replicas: 1, selector: { a: 'b' } },
  });
  t.match(create('batch/v1/CronJob', cronJob()).object.spec, {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    jobTemplate: { spec: { completions: undefined, suspend: undefined, selector: undefined } },
  });
  const none = {
    matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }],
  };
  t.same((create('policy/v1/PodDisruptionBudget', named({ selector: none })).object.spec as Loose).selector, none);
  t.same(
    (create('policy/v1/PodDisruptionBudget', named({ selector: { ...selector, ...none } })).object.spec as Loose)
      .selector,
    selector,
  );
});

t.test('a job is given a selector of its own, and labels its pods to match', async (t) => {
  const labels = {
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
    'job-name': 'n',
    'batch.kubernetes.io/job-name': 'n',
  };
  const { object, texts } = create('batch/v1/Job', job());
  t.same(texts, []);
  t.match(object, {
    metadata: { labels: { a: 'b', ...labels } },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      manualSelector: false,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels: { a: 'b', ...labels } } },
    },
  });
  t.same(create('batch/v1/Job', job({}, { labels: { mine: 'x' } })).object.metadata?.labels, { mine: 'x' });
  t.same(
    create('batch/v1/Job', job({ template: { spec: (pods('Never') as { spec: Loose }).spec } })).object.metadata
      ?.labels,
    labels,
  );
  t.same((create('batch/v1/Job', job({ manualSelector: true, selector })).object.spec as Loose).selector, selector);
  t.equal(
    (
      create('batch/v1/Job', job({ completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 })).object
        .spec as Loose
    ).backoffLimit,
    2147483647,
  );
  t.match(create('batch/v1/Job', job({ completions: 4 })).object.spec, { completions: 4, parallelism: 1 });
  t.equal((create('batch/v1/Job', job({ parallelism: 4 })).object.spec as Loose).completions, undefined);

  const wrong = {
    metadata: { labels: { a: 'b', 'job-name': 'other' } },
    spec: (pods('Never') as { spec: Loose }).spec,
  };
  t.equal(
    create('batch/v1/Job', job({ template: wrong })).texts[0],
    `spec.template.metadata.labels[job-name]: Invalid value: {"a":"b","batch.kubernetes.io/controller-uid":"${uid}",` +
      `"batch.kubernetes.io/job-name":"n","controller-uid":"${uid}","job-name":"other"}: must be 'n'`,
  );
});

t.test('workloads that run forever are refused in the words of Kubernetes', async (t) => {
  const unmatched = (labels: string): string =>
    `spec.template.metadata.labels: Invalid value: ${labels}: \`selector\` does not match template \`labels\``;
  refuses(t, 'apps/v1/Deployment', [
    [deployment(), ''],
    [deployment({ replicas: -1 }), 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [deployment({ selector: undefined }), `[spec.selector: Required value, ${unmatched('{"a":"b"}')}]`],
    [deployment({ selector: {} }), 'spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    [deployment({ selector: { matchLabels: { z: 'y', c: 'd' } } }), unmatched('{"a":"b"}')],
    [
      deployment({ selector: { matchExpressions: [{ key: 'a', operator: '<' }] } }),
      '[spec.selector.matchExpressions[0].operator: Invalid value: "\\u003c": not a valid selector operator, ' +
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"\\u003c"}]}: invalid label selector]',
    ],
    [
      deployment({ template: { ...pods('OnFailure') } }),
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
    ],
    [
      deployment({ strategy: { type: 'x' } }),
      'spec.strategy: Unsupported value: {"Type":"x","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
    [
      deployment({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      deployment({ strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: 0 } } }),
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
    [
      deployment({ strategy: { rollingUpdate: { maxSurge: '<5', maxUnavailable: '101%' } } }),
      '[spec.strategy.rollingUpdate.maxSurge: Invalid value: "\\u003c5": a valid percent string must be a numeric string followed by an ending \'%\' ' +
        "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%'), " +
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%]',
    ],
    [
      deployment({ minReadySeconds: 600 }),
      'spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds',
    ],
    [
      deployment({}, { annotations: { 'deprecated.deployment.rollback.to': '-07' } }),
      'spec.rollback.version: Invalid value: -7: must be greater than or equal to 0',
    ],
  ]);
  refuses(t, 'apps/v1/ReplicaSet', [
    [
      named({ selector: {} }),
      [
        '[spec.selector: Invalid value: {}: empty selector is invalid for deployment',
        'spec.template.spec.containers: Required value]',
      ].join(', '),
    ],
  ]);
  refuses(t, 'apps/v1/DaemonSet', [
    [deployment({ selector: undefined }), unmatched('{"a":"b"}')],
    [deployment({ selector: {} }), 'spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
    [
      deployment({ updateStrategy: { type: 'x', rollingUpdate: { maxSurge: '5%' } } }),
      'spec.updateStrategy: Unsupported value: {"Type":"x","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":"5%"}}: supported values: "RollingUpdate", "OnDelete"',
    ],
    [
      deployment({ updateStrategy: { rollingUpdate: { maxSurge: 1 } } }),
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
    [
      deployment({ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
  ]);
  refuses(t, 'apps/v1/StatefulSet', [
    [
      statefulSet({ podManagementPolicy: 'x' }),
      "spec.podManagementPolicy: Invalid value: \"x\": must be 'OrderedReady' or 'Parallel'",
    ],
    [
      statefulSet({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 2 } } }),
      'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":2,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
    ],
    [
      statefulSet({ updateStrategy: { type: 'x' } }),
      'spec.updateStrategy: Invalid value: {"Type":"x","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\'',
    ],
    [
      statefulSet({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'x' }, ordinals: { start: -1 } }),
      '[spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "x": supported values: "Retain", "Delete", ' +
        'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0]',
    ],
    [
      statefulSet({
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } }],
      }),
      'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
    ],
  ]);
  const twice = create(
    'apps/v1/StatefulSet',
    statefulSet({ template: { ...pods(), metadata: { labels: { a: 'b', 'c d': 'x' } } } }),
  );
  t.equal(twice.errors.length, 2, 'a wrong label of a StatefulSet is reported twice');
  t.match(
    create('apps/v1/StatefulSet', { ...statefulSet(), metadata: { name: 'a.b' } }).text,
    /^metadata.name: Invalid value: "a.b": must not contain dots$/,
  );
  refuses(t, '/v1/ReplicationController', [
    [named({ selector: { a: 'b' } }), 'spec.template: Required value'],
    [named({ template: { ...pods(), metadata: {} } }), 'spec.selector: Required value'],
    [
      { ...named({ template: pods() }), metadata: { name: 'x'.repeat(254) } },
      `metadata.name: Invalid value: "${'x'.repeat(254)}": must be no more than 253 bytes`,
    ],
  ]);
  refuses(t, 'apps/v1/ControllerRevision', [
    [{ metadata: { name: 'n' }, revision: 1, data: {} }, ''],
    [
      { metadata: { name: 'n' }, revision: -1 },
      '[revision: Invalid value: -1: must be greater than or equal to 0, data: Required value: data is mandatory]',
    ],
    [{ metadata: { name: 'n' }, revision: 1, data: [1] }, 'data: Required value: data must be a valid JSON object'],
  ]);
});

t.test('jobs and their policies are refused in the words of Kubernetes', async (t) => {
  const rule = (more: Loose): Loose => job({ podFailurePolicy: { rules: [{ action: 'FailJob', ...more }] } });
  const path = 'spec.podFailurePolicy.rules[0]';
  const indexed = (rules: readonly Loose[], more: Loose = {}): Loose =>
    job({ completionMode: 'Indexed', completions: 5, successPolicy: { rules }, ...more });
  refuses(t, 'batch/v1/Job', [
    [job({ template: pods() }), 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    [
      job({ completionMode: 'x' }),
      'spec.completionMode: Unsupported value: "x": supported values: "NonIndexed", "Indexed"',
    ],
    [
      job({ maxFailedIndexes: 1 }),
      '[spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified, spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode]',
    ],
    [
      job({ completionMode: 'Indexed', completions: 100_001, parallelism: 100_001, backoffLimitPerIndex: 1 }),
      '[spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed, ' +
        'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000, ' +
        'spec.parallelism: Invalid value: 100001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index]',
    ],
    [
      job({ managedBy: 'x' }),
      'spec.managedBy: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      job({ managedBy: `a.b/${'x '.repeat(40)}` }),
      `[spec.managedBy: Invalid value: "${'x '.repeat(40)}": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+'), ` +
        'spec.managedBy: Too long: may not be more than 63 bytes]',
    ],
    [
      { ...job({ completionMode: 'Indexed', completions: 11 }), metadata: { name: 'x'.repeat(61), uid } },
      `metadata.name: Invalid value: "${'x'.repeat(61)}": will not able to create pod with invalid DNS label: ${'x'.repeat(61)}-10`,
    ],
    [rule({}), `${path}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`],
    [
      rule({ action: '', onExitCodes: { operator: '', containerName: 'z', values: [3, 0, 0] } }),
      `[${path}.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"], ` +
        `${path}.onExitCodes.operator: Required value: valid values: ["In" "NotIn"], ` +
        `${path}.onExitCodes.containerName: Invalid value: "z": must be one of the container or initContainer names in the pod template, ` +
        `${path}.onExitCodes.values[2]: Duplicate value: 0, ${path}.onExitCodes.values: Invalid value: [3,0,0]: must be ordered]`,
    ],
    [
      rule({ action: 'FailIndex', onPodConditions: [{ type: 'a b', status: 'x' }] }),
      `[${path}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set, ` +
        `${path}.onPodConditions[0].type: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', ` +
        "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " +
        "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), " +
        `${path}.onPodConditions[0].status: Unsupported value: "x": supported values: "False", "True", "Unknown"]`,
    ],
    [
      job({
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'x' }] }] },
        podReplacementPolicy: 'TerminatingOrFailed',
        template: pods('OnFailure'),
      }),
      '[spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed", ' +
        'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified]',
    ],
    [
      job({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
    ],
    [
      indexed([]),
      'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
    ],
    [
      indexed([
        {},
        { succeededIndexes: '1,3-2' },
        { succeededIndexes: '0-9' },
        { succeededIndexes: '2,x' },
        { succeededIndexes: '1-2-3' },
        { succeededIndexes: '0-1', succeededCount: 3 },
      ]),
      '[spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified, ' +
        'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "1,3-2": error parsing succeededIndexes: non-increasing order, previous: 3, current: 2, ' +
        'spec.successPolicy.rules[2].succeededIndexes: Invalid value: "0-9": error parsing succeededIndexes: too large index: "9", ' +
        'spec.successPolicy.rules[3].succeededIndexes: Invalid value: "2,x": error parsing succeededIndexes: cannot convert string to integer for index: "x", ' +
        'spec.successPolicy.rules[4].succeededIndexes: Invalid value: "1-2-3": error parsing succeededIndexes: the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\', ' +
        'spec.successPolicy.rules[5].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)]',
    ],
  ]);
  refuses(t, 'batch/v1/CronJob', [
    [cronJob({ schedule: '' }), 'spec.schedule: Required value'],
    [
      cronJob({ schedule: '60 * * * *' }),
      'spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60',
    ],
    [
      cronJob({ schedule: 'TZ=UTC * * * * *' }),
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    [
      cronJob({ timeZone: 'Mars/Olympus' }),
      'spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus',
    ],
    [
      cronJob({ timeZone: 'europe/berlin' }),
      'spec.timeZone: Invalid value: "europe/berlin": unknown time zone europe/berlin',
    ],
    [cronJob({ timeZone: '../etc' }), 'spec.timeZone: Invalid value: "../etc": unknown time zone ../etc'],
    [cronJob({ timeZone: '' }), 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    [
      cronJob({ timeZone: 'Local' }),
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
    [cronJob({ timeZone: 'Asia/Kolkata' }), ''],
    [
      cronJob({ concurrencyPolicy: 'x' }),
      'spec.concurrencyPolicy: Unsupported value: "x": supported values: "Allow", "Forbid", "Replace"',
    ],
    [
      cronJob({ jobTemplate: { spec: { template: pods('Never'), selector, manualSelector: true } } }),
      '[spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated, ' +
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"]',
    ],
    [
      cronJob({}, { name: 'x'.repeat(53) }),
      `metadata.name: Invalid value: "${'x'.repeat(53)}": must be no more than 52 characters`,
    ],
  ]);
});

t.test('a schedule is read as cron reads it', async (t) => {
  const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  t.same(parseCronSchedule('*/20 1-3,22 1 FEB mon-fri'), {
    minutes: { values: [0, 20, 40], any: false },
    hours: { values: [1, 2, 3, 22], any: false },
    daysOfMonth: { values: [1], any: false },
    months: { values: [2], any: false },
    daysOfWeek: { values: [1, 2, 3, 4, 5], any: false },
  });
  t.same(parseCronSchedule('CRON_TZ=Europe/Berlin 5/25 ? * */1 *'), {
    minutes: { values: [5, 30, 55], any: false },
    hours: { values: range(0, 23), any: true },
    daysOfMonth: { values: range(1, 31), any: true },
    months: { values: range(1, 12), any: true },
    daysOfWeek: { values: range(0, 6), any: true },
    timeZone: 'Europe/Berlin',
  });
  t.same(parseCronSchedule('@weekly'), parseCronSchedule('0 0 * * 0'));
  t.same(parseCronSchedule('@every 1h30m10.7s'), { everySeconds: 5410 });
  t.same(parseCronSchedule('@every -3s'), { everySeconds: 1 });
  const refusals = [
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['TZ=UTC', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
    ['TZ=../x * * * * *', 'provided bad location ../x: time: invalid location name'],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
    ['@every 1d', 'failed to parse duration @every 1d: time: unknown unit "d" in duration "1d"'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    [
      '99999999999999999999 * * * *',
      'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
    ],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['*/-1 * * * *', 'negative number (-1) not allowed: -1'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ] as const;
  for (const [text, message] of refusals) t.throws(() => parseCronSchedule(text), { name: 'ParseError', message });
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('0', '1', '59', '*', '?', '-', '/', ',', '@', ' ', 'TZ=', 'jan'),
        maxLength: 30,
      }),
      (text) => {
        try {
          parseCronSchedule(text);
        } catch (error) {
          if (!isParseError(error)) throw error;
        }
      },
    ),
  );
});

t.test('autoscalers and budgets are refused in the words of Kubernetes', async (t) => {
  const metric = (more: Loose): Loose => autoscaler({ metrics: [more] });
  refuses(t, 'autoscaling/v2/HorizontalPodAutoscaler', [
    [autoscaler(), ''],
    [
      autoscaler({ minReplicas: 0 }),
      '[spec.minReplicas: Invalid value: 0: must be greater than or equal to 1, spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas]',
    ],
    [
      autoscaler({ maxReplicas: 0 }),
      '[spec.maxReplicas: Required value: must be set and greater than 0, spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`]',
    ],
    [
      autoscaler({ scaleTargetRef: { kind: 'Foo', name: 'a/b' } }),
      '[spec.scaleTargetRef.name: Invalid value: "a/b": may not contain \'/\', spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group]',
    ],
    [autoscaler({ scaleTargetRef: { kind: 'ReplicationController', name: 'a' } }), ''],
    [
      autoscaler({ scaleTargetRef: { kind: 'Foo', name: 'a', apiVersion: 'a/b/c' } }),
      'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
    [
      metric({ type: 'x' }),
      'spec.metrics[0].type: Unsupported value: "x": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ],
    [
      metric({ type: 'Pods' }),
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
    ],
    [
      metric({
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'x', averageValue: '-1', averageUtilization: 0 } },
      }),
      '[spec.metrics[0].resource.target.type: Invalid value: "x": must be either Utilization, Value, or AverageValue, ' +
        'spec.metrics[0].resource.target.averageValue: Invalid value: "-1": must be positive, ' +
        'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0, ' +
        'spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization]',
    ],
    [
      metric({ type: 'External', external: { metric: { name: '' }, target: { type: 'Value' } }, pods: {} }),
      '[spec.metrics[0].external.metric.name: Required value: must specify a metric name, ' +
        'spec.metrics[0].external.target.averageValue: Required value: must set either a target value for metric or a per-pod target, ' +
        'spec.metrics[0].pods: Forbidden: must populate the given metric source only]',
    ],
    [
      metric({
        type: 'ContainerResource',
        containerResource: { name: 'foo', container: 'A', target: { type: 'Utilization', averageUtilization: 5 } },
      }),
      '[spec.metrics[0].containerResource.name: Invalid value: "foo": must be a standard resource type or fully qualified, ' +
        'spec.metrics[0].containerResource.name: Invalid value: "foo": must be a standard resource for containers, ' +
        'spec.metrics[0].containerResource.container: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', ' +
        "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')]",
    ],
    [
      autoscaler({
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 3601,
            selectPolicy: 'x',
            policies: [{ type: 'x', value: 0, periodSeconds: 1801 }],
            tolerance: '-1',
          },
        },
      }),
      '[spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600, ' +
        'spec.behavior.scaleUp.selectPolicy: Unsupported value: "x": supported values: "Disabled", "Max", "Min", ' +
        'spec.behavior.scaleUp.policies[0].type: Unsupported value: "x": supported values: "Percent", "Pods", ' +
        'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero, ' +
        'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800, ' +
        'spec.behavior.scaleUp.tolerance: Invalid value: "-1": must be greater than or equal to 0]',
    ],
  ]);
  t.equal(
    update(
      'autoscaling/v2/HorizontalPodAutoscaler',
      autoscaler({ scaleTargetRef: { kind: 'Foo', name: 'b' } }),
      autoscaler({ scaleTargetRef: { kind: 'Foo', name: 'a' } }),
    ).text,
    '',
    'a target that was wrong before may stay',
  );
  t.equal(
    create('autoscaling/v1/HorizontalPodAutoscaler', autoscaler({ maxReplicas: -1 })).texts[0],
    'spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1',
  );
  refuses(t, 'policy/v1/PodDisruptionBudget', [
    [{ metadata: { name: 'A_b:c' }, spec: { minAvailable: '50%', selector } }, ''],
    [
      named({ minAvailable: 1, maxUnavailable: '101%', selector, unhealthyPodEvictionPolicy: 'x' }),
      '[spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":"101%","UnhealthyPodEvictionPolicy":"x"}: minAvailable and maxUnavailable cannot be both set, ' +
        'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%, ' +
        'spec.unhealthyPodEvictionPolicy: Unsupported value: "x": supported values: "AlwaysAllow", "IfHealthyBudget"]',
    ],
  ]);
});

t.test('what may not change is refused', async (t) => {
  const immutable = 'Invalid value: {"matchLabels":{"c":"d"}}: field is immutable';
  const other = { selector: { matchLabels: { c: 'd' } }, template: { ...pods(), metadata: { labels: { c: 'd' } } } };
  for (const kind of ['apps/v1/Deployment', 'apps/v1/ReplicaSet', 'apps/v1/DaemonSet']) {
    refusesChange(t, kind, deployment(), [
      [other, `spec.selector: ${immutable}`],
      [{ minReadySeconds: 4 }, ''],
    ]);
  }
  refusesChange(t, 'apps/v1/StatefulSet', statefulSet({ serviceName: 's' }), [
    [
      {
        replicas: 5,
        minReadySeconds: 1,
        revisionHistoryLimit: 3,
        ordinals: { start: 2 },
        updateStrategy: { type: 'OnDelete' },
      },
      '',
    ],
    [
      { serviceName: 'x' },
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', " +
        "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  ]);
  const revision = { metadata: { name: 'n' }, revision: 1, data: { a: 1 } };
  t.equal(update('apps/v1/ControllerRevision', { ...revision, revision: 2 }, revision).text, '');
  t.equal(
    update('apps/v1/ControllerRevision', { ...revision, data: { a: 2 } }, revision).text,
    'data: Invalid value: {"a":2}: field is immutable',
  );

  const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
  refusesChange(t, 'batch/v1/Job', job(), [
    [{ parallelism: 3, suspend: true, ttlSecondsAfterFinished: 5 }, ''],
    [{ completions: 3 }, 'spec.completions: Invalid value: 3: field is immutable'],
    [indexed, 'spec.completionMode: Invalid value: "Indexed": field is immutable'],
    [{ managedBy: 'a.b/c' }, 'spec.managedBy: Invalid value: "a.b/c": field is immutable'],
  ]);
  refusesChange(t, 'batch/v1/Job', job(indexed), [
    [{ completions: 4, parallelism: 4 }, ''],
    [{ completions: 4 }, 'spec.completions: Invalid value: 4: can only be modified in tandem with spec.parallelism'],
    [{ backoffLimitPerIndex: 1 }, 'spec.backoffLimitPerIndex: Invalid value: 1: field is immutable'],
    [
      { successPolicy: { rules: [{ succeededCount: 1 }] } },
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: field is immutable',
    ],
  ]);
});

t.test(
  'the template of a job is fixed, but for where pods run and what they ask for while it is suspended',
  async (t) => {
    const template = (object: Loose): { metadata: Loose; spec: Loose } =>
      (object.spec as { template: { metadata: Loose; spec: Loose } }).template;
    const changed = (before: Loose, change: (template: { metadata: Loose; spec: Loose }) => void): string => {
      const next = structuredClone(before);
      change(template(next));
      return update('batch/v1/Job', next, before).text;
    };
    const containers = (more: Loose): Loose[] => [{ name: 'c', image: 'i:1', ...more }];

    const running = create('batch/v1/Job', job()).object;
    const refusal = changed(running, ({ spec }) => (spec.containers = containers({ image: '<x>' })));
    t.match(refusal, /^spec\.template: Invalid value: \{"labels":\{"a":"b","batch\.kubernetes\.io\/controller-uid":/);
    t.match(
      refusal,
      '"Spec":{"Volumes":null,"InitContainers":null,"Containers":[{"Name":"c","Image":"\\u003cx\\u003e","Command":null,',
    );
    t.match(refusal, '"SecurityContext":{"HostNetwork":false,"HostPID":false,');
    t.match(refusal, /"SchedulingGroup":null\}\}: field is immutable$/);
    t.match(
      changed(running, ({ spec }) => (spec.nodeSelector = { x: 'y' })),
      /field is immutable$/,
    );

    const suspended = create('batch/v1/Job', job({ suspend: true })).object;
    t.equal(
      changed(suspended, ({ spec }) => (spec.nodeSelector = { x: 'y' })),
      '',
    );
    t.equal(
      changed(suspended, ({ spec }) => (spec.containers = containers({ resources: { limits: { cpu: '1' } } }))),
      '',
    );
    t.equal(
      changed(suspended, ({ spec }) => (spec.affinity = { nodeAffinity: {} })),
      '',
    );
    t.equal(
      changed(suspended, ({ metadata }) => (metadata.annotations = { x: 'y' })),
      '',
    );
    t.match(
      changed(suspended, ({ spec }) => (spec.containers = containers({ image: 'x' }))),
      /^spec\.template\.spec: Invalid value: \{"Volumes":null,/,
    );
    t.match(
      changed({ ...suspended, status: { active: 1 } }, ({ spec }) => (spec.nodeSelector = { x: 'y' })),
      /^spec\.template: /,
    );
  },
);

t.test('counts of a status agree with each other', async (t) => {
  const status = (kind: string, object: Loose, next: Loose, before: Loose = {}): string =>
    update(kind, { ...object, status: next }, { ...object, status: before }, 'status').text;
  t.equal(
    status(
      'apps/v1/Deployment',
      deployment(),
      { replicas: 1, updatedReplicas: 2, availableReplicas: 1, collisionCount: 1 },
      { collisionCount: 2 },
    ),
    '[status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas, ' +
      'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas, status.collisionCount: Invalid value: 1: cannot be decremented]',
  );
  t.equal(
    status('apps/v1/ReplicaSet', deployment(), { fullyLabeledReplicas: -1 }),
    'status.fullyLabeledReplicas: Invalid value: -1: must be greater than or equal to 0',
  );
  t.equal(
    status('/v1/ReplicationController', named({ template: pods() }), { replicas: 1, readyReplicas: 2 }),
    'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
  );
  t.equal(
    status('apps/v1/DaemonSet', deployment(), {}, { collisionCount: 3 }),
    'status.collisionCount: Invalid value: 0: cannot be decremented',
  );
  t.equal(
    status('apps/v1/StatefulSet', statefulSet(), { replicas: 2, availableReplicas: 1 }),
    'status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas',
  );
  t.equal(
    status('autoscaling/v2/HorizontalPodAutoscaler', autoscaler(), { desiredReplicas: -1 }),
    'status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0',
  );
  t.equal(
    status('policy/v1/PodDisruptionBudget', named({}), { expectedPods: -1 }),
    'status.expectedPods: Invalid value: -1: must be greater than or equal to 0',
  );

  const kept = update(
    'apps/v1/Deployment',
    { ...deployment(), metadata: { name: 'n', labels: { x: 'y' } } },
    deployment(),
    'status',
  );
  t.equal(kept.object.metadata?.labels, undefined, 'labels of a Deployment do not change with its status');
});

t.test('the status of a job moves forward only', async (t) => {
  const start = '2026-01-01T00:00:00Z';
  const end = '2026-01-01T01:00:00Z';
  const conditions = (...types: string[]): Loose[] => types.map((type) => ({ type, status: 'True' }));
  const status = (next: Loose, before: Loose = { startTime: start }, spec: Loose = {}): string => {
    const object = create('batch/v1/Job', job(spec)).object;
    return update('batch/v1/Job', { ...object, status: next }, { ...object, status: before }, 'status').text;
  };
  const indexed = { completionMode: 'Indexed', completions: 4, backoffLimitPerIndex: 1 };
  const done = { startTime: start, completionTime: end, conditions: conditions('SuccessCriteriaMet', 'Complete') };
  t.equal(status(done), '');
  t.equal(status({ startTime: start, conditions: conditions('FailureTarget', 'Failed') }), '');
  t.equal(
    status({ startTime: start, conditions: conditions('Failed') }),
    'status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition',
  );
  t.equal(
    status({ ...done, completionTime: undefined, active: 1, uncountedTerminatedPods: { succeeded: ['u', 'u'] } }),
    '[status.uncountedTerminatedPods.succeeded[1]: Duplicate value: "u", status.completionTime: Required value: completionTime is required for Complete jobs, ' +
      'status.active: Invalid value: 1: active>0 is invalid for finished job, ' +
      'status.uncountedTerminatedPods: Invalid value: {"Succeeded":["u","u"],"Failed":null}: must be empty for finished job]',
  );
  t.equal(
    status({ startTime: start, completionTime: end }),
    `status.completionTime: Invalid value: "${end}": cannot set completionTime when there is no Complete=True condition`,
  );
  t.equal(
    status({ startTime: start }, done),
    '[status.conditions: Invalid value: cannot disable the terminal Complete=True condition, status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition]',
  );
  t.equal(
    status({ startTime: end }),
    `status.startTime: Invalid value: "${end}": field is immutable for unsuspended job once set`,
  );
  t.equal(status({}), 'status.startTime: Invalid value: null: field is immutable for unsuspended job once set');
  t.equal(status({}, { startTime: start }, { suspend: true }), '');
  t.equal(
    status({ startTime: start, completedIndexes: '0-2', failedIndexes: '2-3' }, { startTime: start }, indexed),
    'status.failedIndexes: Invalid value: "2-3": failedIndexes and completedIndexes overlap at index: 2',
  );
  t.equal(
    status({ startTime: start, completedIndexes: '9' }, { startTime: start, succeeded: 1 }, indexed),
    '[status.completedIndexes: Invalid value: "9": error parsing completedIndexes: too large index: "9", status.succeeded: Invalid value: 0: cannot decrease the succeeded counter]',
  );
  t.equal(
    status({ startTime: start, completedIndexes: '0' }),
    'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
  );
  t.equal(
    status({ startTime: start, ready: 1 }),
    'status.ready: Invalid value: 1: cannot set more ready pods than active',
  );
});

t.test('a change of the specification is a new generation', async (t) => {
  const generation = (kind: string, object: Loose, change: Loose): number | undefined => {
    const before = create(kind, object).object;
    return update(kind, { ...before, ...change }, before).object.metadata?.generation;
  };
  const { spec } = deployment() as { spec: Loose };
  t.equal(generation('apps/v1/Deployment', deployment(), {}), 1);
  t.equal(generation('apps/v1/Deployment', deployment(), { spec: { ...spec, replicas: 4 } }), 2);
  t.equal(generation('apps/v1/Deployment', deployment(), { metadata: { name: 'n', annotations: { x: 'y' } } }), 2);
  t.equal(generation('apps/v1/ReplicaSet', deployment(), { metadata: { name: 'n', annotations: { x: 'y' } } }), 1);
  t.equal(
    generation('batch/v1/CronJob', cronJob(), { spec: { ...(cronJob() as { spec: Loose }).spec, suspend: true } }),
    2,
  );
  t.equal(
    generation('autoscaling/v2/HorizontalPodAutoscaler', autoscaler(), {
      spec: (autoscaler({ maxReplicas: 9 }) as { spec: Loose }).spec,
    }),
    undefined,
  );

  const before = create(
    'apps/v1/DaemonSet',
    deployment({}, { annotations: { 'deprecated.daemonset.template.generation': '7' } }),
  ).object;
  const annotation = (object: Loose): unknown =>
    (object.metadata as { annotations: Loose }).annotations['deprecated.daemonset.template.generation'];
  t.equal(annotation(before), '7');
  t.equal(annotation(update('apps/v1/DaemonSet', deployment({ minReadySeconds: 1 }), before).object), '7');
  t.equal(
    annotation(
      update(
        'apps/v1/DaemonSet',
        deployment({ template: { ...pods(), spec: { containers: [{ name: 'c', image: 'j' }] } } }),
        before,
      ).object,
    ),
    '8',
  );
  t.equal(annotation(update('apps/v1/DaemonSet', deployment(), before, 'status').object), '7');
});

t.test('authors are warned', async (t) => {
  const dotted = { name: 'a.b', uid };
  for (const [kind, object] of Object.entries({
    'apps/v1/Deployment': deployment({}, dotted),
    'batch/v1/Job': job({}, dotted),
    'batch/v1/CronJob': cronJob({}, dotted),
  })) {
    t.match(
      create(kind, object).warnings,
      [
        'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
      ],
      kind,
    );
  }
  const claim = (storage: string): Loose => ({
    metadata: { name: 'd' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' }, limits: { storage } } },
  });
  const set = statefulSet({ revisionHistoryLimit: -1, volumeClaimTemplates: [claim('1500m')] });
  const history =
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
  t.same(create('apps/v1/StatefulSet', set).warnings, [
    'spec.volumeClaimTemplates[0].resources.limits[storage]: fractional byte value "1500m" is invalid, must be an integer',
    history,
  ]);
  t.same(update('apps/v1/StatefulSet', set, set).warnings, [
    'spec.volumeClaimTemplates[0].Spec.resources.limits[storage]: fractional byte value "1500m" is invalid, must be an integer',
    history,
  ]);
  t.match(
    create('batch/v1/Job', job({ completionMode: 'Indexed', completions: 100_001, parallelism: 10_001 })).warnings,
    [/^spec: In Indexed Jobs with a number of completions higher than 10\^5/],
  );
});

t.test('rows say what kubectl shows', async (t) => {
  const metadata = { name: 'n', creationTimestamp: '2026-01-02T03:03:05Z' };
  const cells = (kind: string, object: Loose): readonly unknown[] | undefined => {
    const result = row(kind, { ...object, metadata: { ...(object.metadata as Loose), ...metadata } })?.cells;
    t.equal(result?.length, strategyOf(kind).table?.columns.length, kind);
    return result;
  };
  t.same(
    cells('apps/v1/Deployment', { ...deployment({ replicas: 3 }), status: { readyReplicas: 2, updatedReplicas: 1 } }),
    ['n', '2/3', 1, 0, '60s', 'c', 'i:1', 'a=b'],
  );
  t.same(cells('apps/v1/ReplicaSet', { ...deployment(), status: { replicas: 2, readyReplicas: 1 } }), [
    'n',
    1,
    2,
    1,
    '60s',
    'c',
    'i:1',
    'a=b',
  ]);
  t.same(cells('apps/v1/StatefulSet', statefulSet()), ['n', '0/1', '60s', 'c', 'i:1']);
  t.same(
    cells('apps/v1/DaemonSet', {
      ...deployment(),
      status: { desiredNumberScheduled: 3, currentNumberScheduled: 2, numberReady: 1 },
    }),
    ['n', 3, 2, 1, 0, 0, '<none>', '60s', 'c', 'i:1', 'a=b'],
  );
  t.same(cells('/v1/ReplicationController', named({ template: pods() })), ['n', 1, 0, 0, '60s', 'c', 'i:1', 'a=b']);
  const owner = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', uid, controller: true }];
  t.same(cells('apps/v1/ControllerRevision', { metadata: { ownerReferences: owner }, revision: 4, data: {} }), [
    'n',
    'statefulset.apps/s',
    4,
    '60s',
  ]);
  t.same(cells('apps/v1/ControllerRevision', { metadata: {}, revision: 4, data: {} }), ['n', '<none>', 4, '60s']);
  t.same(
    cells('batch/v1/Job', {
      ...job({ parallelism: 2 }),
      status: { startTime: '2026-01-02T03:03:35Z', succeeded: 1, conditions: [{ type: 'Suspended', status: 'True' }] },
    }),
    ['n', 'Suspended', '1/1 of 2', '30s', '60s', 'c', 'i:1', '<none>'],
  );
  t.same(cells('batch/v1/CronJob', cronJob({ timeZone: 'UTC' })), [
    'n',
    '* * * * *',
    'UTC',
    'False',
    0,
    '<none>',
    '60s',
    'c',
    'i:1',
    '<none>',
  ]);
  const metrics = [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
    { type: 'Pods', pods: { metric: { name: 'p' }, target: { type: 'AverageValue', averageValue: '5' } } },
    { type: 'External', external: { metric: { name: 'e' }, target: { type: 'Value', value: '5' } } },
  ];
  const currentMetrics = [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 10 } } }];
  t.same(
    cells('autoscaling/v2/HorizontalPodAutoscaler', {
      ...autoscaler({ metrics }),
      status: { currentMetrics, currentReplicas: 2 },
    }),
    ['n', 'Deployment/d', 'cpu: 10%/80%, <unknown>/5 + 1 more...', '1', 3, 2, '60s'],
  );
  t.same(cells('policy/v1/PodDisruptionBudget', named({ minAvailable: '50%' })), ['n', '50%', 'N/A', 0, '60s']);
});

t.test('a workload is scaled through its scale', async (t) => {
  const object = create('apps/v1/Deployment', deployment({ replicas: 2 }, { uid, labels: { x: 'y' } }))
    .object as Deployment;
  const scale = scaleOf(object);
  t.same(scale, {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'n', namespace: 'default', uid },
    spec: { replicas: 2 },
    status: { replicas: 0, selector: 'a=b' },
  });
  t.same(withReplicas(object, 7), { ...object, spec: { ...object.spec, replicas: 7 } });
  t.same(scaleOf(withReplicas(object, 0)).spec, {});
  const controller = create('/v1/ReplicationController', named({ template: pods() })).object as ReplicationController;
  t.equal(scaleOf(controller).status?.selector, 'a=b');
  t.same(validateScale(scale), []);
  t.match(validateScale({ ...scale, spec: { replicas: -1 } }), [
    { field: 'spec.replicas', message: 'Invalid value: -1: must be greater than or equal to 0' },
  ]);
  t.same(scaleTable.row(scale, testNow).cells, ['n', 2, 0, '<unknown>']);
});

t.test('the rest of what is particular to a kind', async (t) => {
  t.equal(strategyOf('batch/v1/Job').propagation, 'Orphan');
  t.equal(strategyOf('/v1/ReplicationController').propagation, 'Orphan');
  t.equal(strategyOf('batch/v1/CronJob').propagation, undefined);
  t.equal(strategyOf('policy/v1/PodDisruptionBudget').requiresResourceVersion, true);
  const field = (kind: string, name: string, object: Loose): string | undefined =>
    strategyOf(kind).selectableFields?.[name]?.(object);
  t.equal(field('apps/v1/ReplicaSet', 'status.replicas', { status: { replicas: 3 } }), '3');
  t.equal(field('/v1/ReplicationController', 'status.replicas', {}), '0');
  t.equal(field('batch/v1/Job', 'status.successful', { status: { succeeded: 2 } }), '2');

  const annotated = (name: string, value: string): Loose => deployment({}, { annotations: { [name]: value } });
  t.throws(() => create('apps/v1/DaemonSet', annotated('deprecated.daemonset.template.generation', 'x')), {
    message: 'strconv.ParseInt: parsing "x": invalid syntax',
  });
  t.throws(() => create('apps/v1/Deployment', annotated('deprecated.deployment.rollback.to', '9'.repeat(30))), {
    name: 'DecodeError',
    message: `failed to parse annotation[deprecated.deployment.rollback.to]=${'9'.repeat(30)} as int64: strconv.ParseInt: parsing "${'9'.repeat(30)}": value out of range`,
  });
});

t.test('no object, however odd, breaks a strategy', async (t) => {
  const kinds = [
    'apps/v1/Deployment',
    'apps/v1/StatefulSet',
    'apps/v1/DaemonSet',
    'batch/v1/Job',
    'batch/v1/CronJob',
    'policy/v1/PodDisruptionBudget',
  ];
  const leaf = fc.oneof(
    fc.constantFrom('', 'x', '__proto__', '5%', 'Indexed', 'RollingUpdate', 'In'),
    fc.integer({ min: -3, max: 200_000 }),
    fc.boolean(),
    fc.constant(null),
  );
  const names = [
    'selector',
    'template',
    'spec',
    'metadata',
    'labels',
    'strategy',
    'updateStrategy',
    'rollingUpdate',
    'type',
    'rules',
    'podFailurePolicy',
    'successPolicy',
    'completions',
    'completionMode',
    'jobTemplate',
    'schedule',
    'matchLabels',
    'matchExpressions',
    'volumeClaimTemplates',
    'minAvailable',
    'constructor',
    '__proto__',
  ];
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 4 }),
      fc.array(tie('tree'), { maxLength: 2 }),
    ),
  }));
  fc.assert(
    fc.property(fc.constantFrom(...kinds), tree, tree, (kind, first, second) => {
      const attempt = (run: () => unknown): void => {
        try {
          run();
        } catch (error) {
          if (!isDecodeError(error)) throw error;
        }
      };
      attempt(() => create(kind, { metadata: { name: 'n' }, spec: first }));
      attempt(() => update(kind, { metadata: { name: 'n' }, spec: first }, { metadata: { name: 'n' }, spec: second }));
      attempt(() => row(kind, { metadata: { name: 'n' }, spec: first, status: second }));
    }),
    { numRuns: runs(300) },
  );
  t.pass('nothing but refusals');
});
