// The checks of the level `baseline`, which prevents known ways from a container to its node. Each is checked at the
// levels `baseline` and `restricted`, unless a check of `restricted` replaces it.
// As the baseline checks in pod-security-admission/policy/check_*.go.
import { quote } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { LifecycleHandler, Probe, SELinuxOptions } from '../../core/types/index.js';
import {
  containersWhere,
  distinctSorted,
  exceptInUserNamespace,
  namedContainers,
  plural,
  quotedNames,
  setters,
} from './check.js';
import type { CheckFunction, CheckedContainer, CheckedPod, PodCheck } from './check.js';

const appArmorProfile: CheckFunction = (pod) => {
  const typeOf = (of: { readonly appArmorProfile?: { readonly type?: string } } | undefined): string | undefined =>
    of?.appArmorProfile === undefined ? undefined : (of.appArmorProfile.type ?? '');
  const isBad = (type: string | undefined): boolean => type !== undefined && !isConfined(type);
  const podType = typeOf(pod.spec.securityContext);
  const isSetByPod = isBad(podType);
  const bad = pod.containers.filter(({ securityContext }) => isBad(typeOf(securityContext)));
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAppArmorAnnotation(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort();
  const values = [
    ...distinctSorted([
      ...(isSetByPod ? [podType ?? ''] : []),
      ...bad.map(({ securityContext }) => typeOf(securityContext) ?? ''),
    ]),
    ...annotations,
  ];
  if (values.length === 0) return undefined;
  const named = setters(isSetByPod, namesOf(bad));
  const all = [
    ...(named === '' ? [] : [named]),
    ...(annotations.length === 0 ? [] : [plural(annotations.length, 'annotation')]),
  ];
  return {
    reason: plural(values.length, 'forbidden AppArmor profile'),
    detail: `${all.join(' and ')} must not set AppArmor profile type to ${quotedNames(values)}`,
  };
};

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

function isAllowedAppArmorAnnotation(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

/** Profiles of AppArmor and of seccomp that confine a container. */
function isConfined(type: string): boolean {
  return type === 'RuntimeDefault' || type === 'Localhost';
}

const capabilitiesBaseline: CheckFunction = (pod) => {
  const forbidden = ({ securityContext }: CheckedContainer): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((each) => !defaultCapabilities.has(each));
  const bad = pod.containers.filter((container) => forbidden(container).length > 0);
  if (bad.length === 0) return undefined;
  const added = quotedNames(distinctSorted(bad.flatMap(forbidden)));
  return {
    reason: 'non-default capabilities',
    detail: `${namedContainers(namesOf(bad))} must not include ${added} in securityContext.capabilities.add`,
  };
};

/** What container runtimes grant by default. */
const defaultCapabilities: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

const hostNamespaces: CheckFunction = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
};

const hostPathVolumes: CheckFunction = ({ spec: { volumes = [] } }) => {
  const names = volumes.filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural(names.length, 'volume')} ${quotedNames(names)}` };
};

const hostPorts: CheckFunction = (pod) => {
  const used = ({ ports = [] }: CheckedContainer): readonly string[] =>
    ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [`${hostPort}`]));
  const bad = pod.containers.filter((container) => used(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = distinctSorted(bad.flatMap(used));
  const verb = plural(bad.length, 'uses', 'use');
  return {
    reason: 'hostPort',
    detail: `${namedContainers(namesOf(bad))} ${verb} ${plural(ports.length, 'hostPort')} ${ports.join(', ')}`,
  };
};

const hostProbesAndHostLifecycle: CheckFunction = (pod) => {
  const hosts = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: CheckedContainer): readonly string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hostsOf);
  const bad = pod.containers.filter((container) => hosts(container).length > 0);
  if (bad.length === 0) return undefined;
  const names = distinctSorted(namesOf(bad));
  const forbidden = distinctSorted(bad.flatMap(hosts));
  const verb = plural(names.length, 'uses', 'use');
  return {
    reason: 'probe or lifecycle host',
    detail: `${namedContainers(names)} ${verb} ${plural(forbidden.length, 'probe or lifecycle host')} ${quotedNames(forbidden)}`,
  };
};

function hostsOf(handler: Frozen<Probe> | Frozen<LifecycleHandler> | undefined): readonly string[] {
  return [handler?.httpGet?.host ?? '', handler?.tcpSocket?.host ?? ''].filter((host) => host !== '');
}

const privileged: CheckFunction = (pod) => {
  const bad = containersWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${namedContainers(bad)} must not set securityContext.privileged=true` };
};

/** Refuses every proc mount but the default one. */
export const procMount: CheckFunction = (pod) => {
  const mounts = ({ securityContext }: CheckedContainer): readonly string[] => {
    const mount = securityContext?.procMount;
    return mount === undefined || mount === 'Default' ? [] : [mount];
  };
  const bad = pod.containers.filter((container) => mounts(container).length > 0);
  if (bad.length === 0) return undefined;
  const forbidden = quotedNames(distinctSorted(bad.flatMap(mounts)));
  return {
    reason: 'procMount',
    detail: `${namedContainers(namesOf(bad))} must not set securityContext.procMount to ${forbidden}`,
  };
};

/** Refuses types of SELinux beside the allowed ones, users and roles. */
function seLinuxOptions(...allowedTypes: readonly string[]): CheckFunction {
  const badTypeOf = ({ type = '' }: Frozen<SELinuxOptions>): readonly string[] =>
    allowedTypes.includes(type) ? [] : [type];
  const isBad = (options: Frozen<SELinuxOptions> | undefined): options is Frozen<SELinuxOptions> =>
    options !== undefined &&
    (badTypeOf(options).length > 0 || (options.user ?? '') !== '' || (options.role ?? '') !== '');
  return (pod) => {
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const bad = containersWhere(pod, ({ securityContext }) => isBad(securityContext?.seLinuxOptions));
    const options = [ofPod, ...pod.containers.map(({ securityContext }) => securityContext?.seLinuxOptions)].filter(
      isBad,
    );
    if (options.length === 0) return undefined;
    const types = distinctSorted(options.flatMap(badTypeOf));
    const problems = [
      ...(types.length === 0 ? [] : [`${plural(types.length, 'type')} ${quotedNames(types)}`]),
      ...(options.some(({ user = '' }) => user !== '') ? ['user may not be set'] : []),
      ...(options.some(({ role = '' }) => role !== '') ? ['role may not be set'] : []),
    ];
    const who = setters(isBad(ofPod), bad);
    return {
      reason: 'seLinuxOptions',
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${problems.join('; ')}`,
    };
  };
}

/** Before seccomp had fields, annotations named its profiles. */
const seccompAnnotations: CheckFunction = (pod) => {
  const keys = [seccompPodKey, ...pod.containers.map(({ name }) => `${seccompContainerPrefix}${name}`)];
  const forbidden = distinctSorted(
    keys.flatMap((key) => {
      const value = Object.hasOwn(pod.annotations, key) ? pod.annotations[key] : undefined;
      return value === undefined || isAllowedSeccompAnnotation(value) ? [] : [`${key}=${quote(value)}`];
    }),
  );
  if (forbidden.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${plural(forbidden.length, 'annotation')} ${forbidden.join(', ')}`,
  };
};

const seccompPodKey = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainerPrefix = 'container.seccomp.security.alpha.kubernetes.io/';

function isAllowedSeccompAnnotation(value: string): boolean {
  return value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');
}

/** Refuses seccomp profiles that do not confine; none at all is allowed. */
export const seccompProfileBaseline: CheckFunction = (pod) => {
  const ofPod = seccompTypeOf(pod.spec.securityContext);
  const isSetByPod = ofPod !== undefined && !isConfined(ofPod);
  const bad = pod.containers.flatMap(({ name, securityContext }) => {
    const type = seccompTypeOf(securityContext);
    return type === undefined || isConfined(type) ? [] : [{ name, type }];
  });
  if (!isSetByPod && bad.length === 0) return undefined;
  const types = distinctSorted([...(isSetByPod ? [ofPod] : []), ...bad.map(({ type }) => type)]);
  const who = setters(isSetByPod, namesOf(bad));
  return {
    reason: 'seccompProfile',
    detail: `${who} must not set securityContext.seccompProfile.type to ${quotedNames(types)}`,
  };
};

/** The type of the seccomp profile that a security context sets; undefined if it sets none. */
export function seccompTypeOf(
  of: { readonly seccompProfile?: { readonly type?: string } } | undefined,
): string | undefined {
  return of?.seccompProfile === undefined ? undefined : (of.seccompProfile.type ?? '');
}

/** Refuses kernel parameters beside the allowed ones, which are namespaced and safe. */
function sysctls(...allowed: readonly string[]): CheckFunction {
  return ({ spec }: CheckedPod) => {
    const names = (spec.securityContext?.sysctls ?? [])
      .map(({ name }) => name)
      .filter((name) => !allowed.includes(name));
    return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', ') };
  };
}

const windowsHostProcess: CheckFunction = (pod) => {
  const isSetByPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = containersWhere(pod, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!isSetByPod && bad.length === 0) return undefined;
  return {
    reason: 'hostProcess',
    detail: `${setters(isSetByPod, bad)} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

function namesOf(containers: readonly { readonly name: string }[]): readonly string[] {
  return containers.map(({ name }) => name);
}

const [seLinuxTypes, sysctls0, sysctls27, sysctls29] = [
  ['', 'container_t', 'container_init_t', 'container_kvm_t'],
  [
    'kernel.shm_rmid_forced',
    'net.ipv4.ip_local_port_range',
    'net.ipv4.tcp_syncookies',
    'net.ipv4.ping_group_range',
    'net.ipv4.ip_unprivileged_port_start',
  ],
  ['net.ipv4.ip_local_reserved_ports'],
  [
    'net.ipv4.tcp_keepalive_time',
    'net.ipv4.tcp_fin_timeout',
    'net.ipv4.tcp_keepalive_intvl',
    'net.ipv4.tcp_keepalive_probes',
  ],
];

/** The checks, in the order of their ids. */
export const baselineChecks: readonly PodCheck[] = [
  { id: 'appArmorProfile', level: 'baseline', versions: [{ sinceMinor: 0, check: appArmorProfile }] },
  { id: 'capabilities_baseline', level: 'baseline', versions: [{ sinceMinor: 0, check: capabilitiesBaseline }] },
  { id: 'hostNamespaces', level: 'baseline', versions: [{ sinceMinor: 0, check: hostNamespaces }] },
  { id: 'hostPathVolumes', level: 'baseline', versions: [{ sinceMinor: 0, check: hostPathVolumes }] },
  { id: 'hostPorts', level: 'baseline', versions: [{ sinceMinor: 0, check: hostPorts }] },
  {
    id: 'hostProbesAndHostLifecycle',
    level: 'baseline',
    versions: [{ sinceMinor: 34, check: hostProbesAndHostLifecycle }],
  },
  { id: 'privileged', level: 'baseline', versions: [{ sinceMinor: 0, check: privileged }] },
  {
    id: 'procMount',
    level: 'baseline',
    versions: [
      { sinceMinor: 0, check: procMount },
      { sinceMinor: 35, check: exceptInUserNamespace(procMount) },
    ],
  },
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    versions: [
      { sinceMinor: 0, check: seLinuxOptions(...seLinuxTypes) },
      { sinceMinor: 31, check: seLinuxOptions(...seLinuxTypes, 'container_engine_t') },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    versions: [
      { sinceMinor: 0, check: seccompAnnotations },
      { sinceMinor: 19, check: seccompProfileBaseline },
    ],
  },
  {
    id: 'sysctls',
    level: 'baseline',
    versions: [
      { sinceMinor: 0, check: sysctls(...sysctls0) },
      { sinceMinor: 27, check: sysctls(...sysctls0, ...sysctls27) },
      { sinceMinor: 29, check: sysctls(...sysctls0, ...sysctls27, ...sysctls29) },
      {
        sinceMinor: 32,
        check: sysctls(...sysctls0, ...sysctls27, ...sysctls29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'),
      },
    ],
  },
  { id: 'windowsHostProcess', level: 'baseline', versions: [{ sinceMinor: 0, check: windowsHostProcess }] },
];
