// The checks of the Pod Security Standards: for each, a pod that it allows and pods that it refuses, at both levels and
// at the oldest, a middle and the latest version, with the words of Kubernetes.
import t from 'tap';
import type { CheckedTemplate } from '../../lib/admission/pod-security/check.js';
import { baselineChecks } from '../../lib/admission/pod-security/baseline-checks.js';
import { checksAt, newestMinor, podEvaluator, violationsText } from '../../lib/admission/pod-security/evaluation.js';
import { restrictedChecks } from '../../lib/admission/pod-security/restricted-checks.js';
import type { Container, PodSpec } from '../../lib/core/types/index.js';

type SecurityContext = NonNullable<Container['securityContext']>;
type Level = 'baseline' | 'restricted';

/** What a check answers at the two levels: at v1.0, v1.24 and latest. Empty: the pod is allowed. */
type Answers = Readonly<Record<Level, readonly [oldest: string, middle: string, latest: string]>>;

interface Case {
  readonly id: string;
  /** Violates nothing at any level and version. */
  readonly allowed: CheckedTemplate;
  readonly denied: CheckedTemplate;
  readonly answers: Answers;
}

const versions = ['v1.0', 'v1.24', 'latest'] as const;
const evaluate = podEvaluator();

/** A container that violates nothing but what is given. */
function container(name: string, securityContext: SecurityContext = {}, rest: Partial<Container> = {}): Container {
  return {
    name,
    image: 'image',
    ...rest,
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, ...securityContext },
  };
}

/** A pod that violates nothing but what is given. */
function pod(
  spec: Partial<PodSpec>,
  securityContext: PodSpec['securityContext'] = {},
  annotations: Record<string, string> = {},
): CheckedTemplate {
  return {
    metadata: { name: 'p', annotations },
    spec: {
      containers: [container('a')],
      ...spec,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' }, ...securityContext },
    },
  };
}

const always = (text: string): readonly [string, string, string] => [text, text, text];
const both = (answers: readonly [string, string, string]): Answers => ({ baseline: answers, restricted: answers });
const restrictedOnly = (...answers: readonly [string, string, string]): Answers => ({
  baseline: always(''),
  restricted: answers,
});

/** Three containers, of which one is of each sort: all of them are checked, in this order. */
function three(securityContext: SecurityContext): Partial<PodSpec> {
  return {
    initContainers: [container('init', securityContext)],
    containers: [container('a', securityContext), container('b')],
    ephemeralContainers: [container('debug', securityContext)],
  };
}

const cases: readonly Case[] = [
  {
    id: 'appArmorProfile',
    allowed: pod(
      { containers: [container('a', { appArmorProfile: { type: 'Localhost', localhostProfile: 'p' } })] },
      { appArmorProfile: { type: 'RuntimeDefault' } },
      {
        'container.apparmor.security.beta.kubernetes.io/a': 'localhost/p',
        'container.apparmor.security.beta.kubernetes.io/b': 'runtime/default',
        'container.apparmor.security.beta.kubernetes.io/c': '',
      },
    ),
    denied: pod(
      { containers: [container('a', { appArmorProfile: { type: 'Unconfined' } })] },
      { appArmorProfile: { type: 'Unconfined' } },
      { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined' },
    ),
    answers: both(
      always(
        'forbidden AppArmor profiles (pod and container "a" and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/a="unconfined"")',
      ),
    ),
  },
  {
    id: 'capabilities_baseline',
    allowed: pod({ containers: [container('a', { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } })] }),
    denied: pod({
      containers: [
        container('a', { capabilities: { drop: ['ALL'], add: ['SYS_TIME', 'CHOWN'] } }),
        container('b', { capabilities: { drop: ['ALL'], add: ['NET_RAW', 'SYS_TIME'] } }),
      ],
    }),
    answers: {
      baseline: always(
        'non-default capabilities (containers "a", "b" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
      ),
      restricted: [
        'non-default capabilities (containers "a", "b" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
        'unrestricted capabilities (containers "a", "b" must not include "CHOWN", "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
        'unrestricted capabilities (containers "a", "b" must not include "CHOWN", "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
      ],
    },
  },
  {
    id: 'hostNamespaces',
    allowed: pod({ hostNetwork: false }),
    denied: pod({ hostNetwork: true, hostPID: true, hostIPC: true }),
    answers: both(always('host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)')),
  },
  {
    id: 'hostPathVolumes',
    allowed: pod({ volumes: [{ name: 'v', emptyDir: {} }] }),
    denied: pod({ volumes: [{ name: 'v', hostPath: { path: '/' } }] }),
    answers: {
      baseline: always('hostPath volumes (volume "v")'),
      restricted: always('restricted volume types (volume "v" uses restricted volume type "hostPath")'),
    },
  },
  {
    id: 'hostPorts',
    allowed: pod({ containers: [container('a', {}, { ports: [{ containerPort: 80 }] })] }),
    denied: pod({
      containers: [
        container('a', {}, { ports: [{ containerPort: 80, hostPort: 9 }, { containerPort: 81 }] }),
        container('b', {}, { ports: [{ containerPort: 80, hostPort: 80 }] }),
      ],
    }),
    // Ports are sorted as texts.
    answers: both(always('hostPort (containers "a", "b" use hostPorts 80, 9)')),
  },
  {
    id: 'hostProbesAndHostLifecycle',
    allowed: pod({ containers: [container('a', {}, { livenessProbe: { httpGet: { port: 80 } } })] }),
    denied: pod({
      containers: [
        container(
          'z',
          {},
          {
            livenessProbe: { httpGet: { port: 80, host: 'h2' } },
            readinessProbe: { tcpSocket: { port: 1, host: 'h1' } },
          },
        ),
        container(
          'b',
          {},
          {
            startupProbe: { tcpSocket: { port: 1, host: 'h1' } },
            lifecycle: {
              postStart: { httpGet: { port: 1, host: 'h3' } },
              preStop: { tcpSocket: { port: 1, host: 'h4' } },
            },
          },
        ),
      ],
    }),
    answers: both([
      '',
      '',
      'probe or lifecycle host (containers "b", "z" use probe or lifecycle hosts "h1", "h2", "h3", "h4")',
    ]),
  },
  {
    id: 'privileged',
    allowed: pod({ containers: [container('a', { privileged: false })] }),
    denied: pod(three({ privileged: true })),
    answers: both(always('privileged (containers "init", "a", "debug" must not set securityContext.privileged=true)')),
  },
  {
    id: 'procMount',
    allowed: pod({ containers: [container('a', { procMount: 'Default' })] }),
    denied: pod({ containers: [container('a', { procMount: 'Unmasked' })] }),
    answers: both(always('procMount (container "a" must not set securityContext.procMount to "Unmasked")')),
  },
  {
    id: 'procMount_restricted',
    allowed: pod({ hostUsers: false }),
    denied: pod({ hostUsers: false, containers: [container('a', { procMount: 'Unmasked' })] }),
    answers: {
      baseline: [
        'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
        'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
        '',
      ],
      restricted: always('procMount (container "a" must not set securityContext.procMount to "Unmasked")'),
    },
  },
  {
    id: 'seLinuxOptions',
    allowed: pod(
      { containers: [container('a', { seLinuxOptions: { type: 'container_kvm_t' } })] },
      { seLinuxOptions: { level: 's0' } },
    ),
    denied: pod(
      {
        containers: [
          container('a', { seLinuxOptions: { type: 'spc_t', user: 'u' } }),
          container('b', { seLinuxOptions: { role: 'r' } }),
        ],
      },
      { seLinuxOptions: { type: 'container_engine_t' } },
    ),
    answers: both([
      'seLinuxOptions (pod and containers "a", "b" set forbidden securityContext.seLinuxOptions: types "container_engine_t", "spc_t"; user may not be set; role may not be set)',
      'seLinuxOptions (pod and containers "a", "b" set forbidden securityContext.seLinuxOptions: types "container_engine_t", "spc_t"; user may not be set; role may not be set)',
      'seLinuxOptions (containers "a", "b" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
    ]),
  },
  {
    id: 'seccompProfile_baseline',
    allowed: pod(
      {},
      {},
      {
        'seccomp.security.alpha.kubernetes.io/pod': 'docker/default',
        'container.seccomp.security.alpha.kubernetes.io/a': 'localhost/p',
      },
    ),
    denied: pod(
      { containers: [container('a', { seccompProfile: { type: 'Unconfined' } }), container('b')] },
      { seccompProfile: { type: 'Unconfined' } },
      {
        'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
        'container.seccomp.security.alpha.kubernetes.io/a': '',
        'container.seccomp.security.alpha.kubernetes.io/other': 'unconfined',
      },
    ),
    answers: both([
      'seccompProfile (forbidden annotations container.seccomp.security.alpha.kubernetes.io/a="", seccomp.security.alpha.kubernetes.io/pod="unconfined")',
      'seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
      'seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ]),
  },
  {
    id: 'sysctls',
    allowed: pod({}, { sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }] }),
    denied: pod(
      {},
      {
        sysctls: ['net.ipv4.tcp_rmem', 'kernel.msgmax', 'net.ipv4.tcp_fin_timeout'].map((name) => ({
          name,
          value: '0',
        })),
      },
    ),
    answers: both([
      'forbidden sysctls (net.ipv4.tcp_rmem, kernel.msgmax, net.ipv4.tcp_fin_timeout)',
      'forbidden sysctls (net.ipv4.tcp_rmem, kernel.msgmax, net.ipv4.tcp_fin_timeout)',
      'forbidden sysctls (kernel.msgmax)',
    ]),
  },
  {
    id: 'windowsHostProcess',
    allowed: pod({}, { windowsOptions: { hostProcess: false } }),
    denied: pod(
      { containers: [container('a', { windowsOptions: { hostProcess: true } })] },
      { windowsOptions: { hostProcess: true } },
    ),
    answers: both(
      always('hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true)'),
    ),
  },
  {
    id: 'allowPrivilegeEscalation',
    allowed: pod({ containers: [container('a', { allowPrivilegeEscalation: false })] }),
    denied: pod({
      containers: [
        container('a', { allowPrivilegeEscalation: true }),
        { name: 'b', securityContext: { capabilities: { drop: ['ALL'] } } },
      ],
    }),
    answers: restrictedOnly(
      '',
      'allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false)',
      'allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false)',
    ),
  },
  {
    id: 'capabilities_restricted',
    allowed: pod({ containers: [container('a', { capabilities: { drop: ['KILL', 'ALL'] } })] }),
    denied: pod({
      containers: [
        container('a', { capabilities: { drop: ['KILL'], add: ['CHOWN'] } }),
        container('b', { capabilities: {} }),
      ],
    }),
    answers: restrictedOnly(
      '',
      'unrestricted capabilities (containers "a", "b" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN" in securityContext.capabilities.add)',
      'unrestricted capabilities (containers "a", "b" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN" in securityContext.capabilities.add)',
    ),
  },
  {
    id: 'restrictedVolumes',
    allowed: pod({
      volumes: [
        { name: 'a', configMap: { name: 'c' } },
        { name: 'b', csi: { driver: 'd' } },
        { name: 'c', downwardAPI: {} },
        { name: 'd', ephemeral: {} },
        { name: 'e', image: { reference: 'r' } },
        { name: 'f', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'g', projected: {} },
        { name: 'h', secret: { secretName: 's' } },
      ],
    }),
    denied: pod({
      volumes: [
        { name: 'n', nfs: { server: 's', path: '/' } },
        { name: 'm', nfs: { server: 's', path: '/' } },
        { name: 'g', gitRepo: { repository: 'r' } },
        { name: 'x' },
      ],
    }),
    answers: restrictedOnly(
      ...always(
        'restricted volume types (volumes "n", "m", "g", "x" use restricted volume types "gitRepo", "nfs", "unknown")',
      ),
    ),
  },
  {
    id: 'runAsNonRoot',
    allowed: pod({ containers: [container('a', { runAsNonRoot: true })] }),
    denied: pod({ containers: [container('a', { runAsNonRoot: false }), container('b')] }, { runAsNonRoot: false }),
    answers: restrictedOnly(
      ...always('runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false)'),
    ),
  },
  {
    id: 'runAsUser',
    allowed: pod({}, { runAsUser: 1 }),
    denied: pod({ containers: [container('a', { runAsUser: 0 }), container('b', { runAsUser: 0 })] }, { runAsUser: 0 }),
    answers: restrictedOnly(
      '',
      'runAsUser=0 (pod and containers "a", "b" must not set runAsUser=0)',
      'runAsUser=0 (pod and containers "a", "b" must not set runAsUser=0)',
    ),
  },
  {
    id: 'seccompProfile_restricted',
    allowed: pod({ containers: [container('a', { seccompProfile: { type: 'Localhost', localhostProfile: 'p' } })] }),
    denied: {
      spec: {
        securityContext: { runAsNonRoot: true },
        containers: [container('a'), container('b', { seccompProfile: { type: 'RuntimeDefault' } }), container('c')],
      },
    },
    answers: restrictedOnly(
      '',
      'seccompProfile (pod or containers "a", "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      'seccompProfile (pod or containers "a", "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ),
  },
];

void t.test(
  'every check allows and refuses pods in the words of Kubernetes, at both levels and three versions',
  (test) => {
    const ids = [...baselineChecks, ...restrictedChecks].map(({ id }) => id);
    test.strictSame(cases.map(({ id }) => id).sort(), [...ids].sort(), 'the table has every check');
    for (const { id, allowed, denied, answers } of cases) {
      for (const level of ['baseline', 'restricted'] as const) {
        for (const [index, version] of versions.entries()) {
          const at = { level, version };
          test.equal(violationsText(evaluate(allowed, at)), '', `${id} allows at ${level}:${version}`);
          test.equal(
            violationsText(evaluate(denied, at)),
            answers[level][index],
            `${id} refuses at ${level}:${version}`,
          );
        }
      }
      test.strictSame(evaluate(denied, { level: 'privileged', version: 'latest' }), [], 'privileged allows everything');
    }
    test.end();
  },
);

/** Pods that are answered differently from the named version on: what each change of a check is about. */
const changes: readonly (readonly [id: string, minor: number, pod: CheckedTemplate, before: string, after: string])[] =
  [
    [
      'allowPrivilegeEscalation',
      8,
      pod({ containers: [container('a', { allowPrivilegeEscalation: true })] }),
      '',
      'allowPrivilegeEscalation != false',
    ],
    ['seccompProfile_baseline', 19, pod({}, { seccompProfile: { type: 'Unconfined' } }), '', 'seccompProfile'],
    [
      'capabilities_restricted',
      22,
      pod({ containers: [container('a', { capabilities: {} })] }),
      '',
      'unrestricted capabilities',
    ],
    ['runAsUser', 23, pod({}, { runAsUser: 0 }), '', 'runAsUser=0'],
    [
      'the checks of Linux',
      25,
      { spec: { os: { name: 'windows' }, securityContext: { runAsNonRoot: true }, containers: [{ name: 'a' }] } },
      'allowPrivilegeEscalation != false, unrestricted capabilities, seccompProfile',
      '',
    ],
    [
      'sysctls',
      27,
      pod({}, { sysctls: [{ name: 'net.ipv4.ip_local_reserved_ports', value: '1' }] }),
      'forbidden sysctls',
      '',
    ],
    [
      'sysctls',
      29,
      pod({}, { sysctls: [{ name: 'net.ipv4.tcp_keepalive_probes', value: '1' }] }),
      'forbidden sysctls',
      '',
    ],
    ['seLinuxOptions', 31, pod({}, { seLinuxOptions: { type: 'container_engine_t' } }), 'seLinuxOptions', ''],
    ['sysctls', 32, pod({}, { sysctls: [{ name: 'net.ipv4.tcp_wmem', value: '1' }] }), 'forbidden sysctls', ''],
    [
      'hostProbesAndHostLifecycle',
      34,
      pod({ containers: [container('a', {}, { startupProbe: { tcpSocket: { port: 1, host: 'h' } } })] }),
      '',
      'probe or lifecycle host',
    ],
    [
      'user namespaces',
      35,
      {
        spec: {
          ...pod({ hostUsers: false }).spec,
          containers: [container('a', { runAsUser: 0, runAsNonRoot: false })],
        },
      },
      'runAsNonRoot != true, runAsUser=0',
      '',
    ],
  ];

void t.test('a check changes at its version and not before', (test) => {
  const reasons = (template: CheckedTemplate, minor: number): string =>
    evaluate(template, { level: 'restricted', version: `v1.${minor}` })
      .map(({ reason }) => reason)
      .join(', ');
  for (const [what, minor, template, before, after] of changes) {
    test.equal(reasons(template, minor - 1), before, `${what} at v1.${minor - 1}`);
    test.equal(reasons(template, minor), after, `${what} at v1.${minor}`);
  }
  const changed = new Set(changes.map(([, minor]) => minor));
  const all = [...baselineChecks, ...restrictedChecks].flatMap(({ versions: each }) => each);
  for (const { sinceMinor } of all) test.ok(sinceMinor === 0 || changed.has(sinceMinor), `v1.${sinceMinor} is tested`);
  test.end();
});

void t.test('the results of baseline come first, each level in the order of ids', (test) => {
  for (let minor = 0; minor <= newestMinor; minor += 1) {
    const [baseline, restricted] = (['baseline', 'restricted'] as const).map((level) =>
      checksAt(level, minor).map(({ id }) => id),
    );
    test.strictSame(baseline, [...(baseline ?? [])].sort());
    const own = new Set(restrictedChecks.map(({ id }) => id));
    const [fromBaseline, ofRestricted] = [
      restricted?.filter((id) => !own.has(id)) ?? [],
      restricted?.filter((id) => own.has(id)) ?? [],
    ];
    test.strictSame(restricted, [...fromBaseline.sort(), ...ofRestricted.sort()]);
  }
  test.strictSame(
    evaluate(pod({ hostPID: true }), { level: 'baseline', version: 'v1.999' }),
    evaluate(pod({ hostPID: true }), { level: 'baseline', version: 'latest' }),
    'a version of the future is the newest known',
  );
  test.end();
});
