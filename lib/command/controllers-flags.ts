// The flags of `vivarium controller-manager`. Names and defaults are those of kube-controller-manager; each setting of
// a controller is a flag of its own.
import { controllerSettings } from '../cluster/index.js';
import type { ControllerElection, ControllerSetting, ControllerSettings } from '../cluster/index.js';
import { resourceLocks } from '../client/index.js';
import { FlagError, commaSeparated, duration, fileName, oneOf, wholeNumber, partFlags, yesOrNo } from './flag-table.js';
import type { Flag, FlagTable } from './flag-table.js';
import { hostAndPort } from './scheduler-flags.js';
import type { MetricsAddress } from './scheduler-flags.js';

/** The flags of `vivarium controller-manager`. */
export interface ControllersFlags {
  /** Kubeconfig and context of the cluster. Default: as kubectl finds it. */
  readonly kubeconfig?: string;
  /** As `--controllers` of kube-controller-manager. */
  readonly controllers: readonly string[];
  readonly settings: Partial<ControllerSettings>;
  readonly leaderElect: boolean;
  readonly leaderElection: ControllerElection;
  /** True: each controller requests a token of its own service account. False: all use the kubeconfig's user. */
  readonly useServiceAccountCredentials: boolean;
  /** Address of metrics and health. Default: none. */
  readonly metricsAddress?: MetricsAddress;
  /** Path of the certificates that pods trust, in PEM. Default: the authority of the kubeconfig. */
  readonly rootCaFile?: string;
  /** Path of the key that signs tokens in Secrets. Without it the serviceaccount-token-controller does not run. */
  readonly serviceAccountPrivateKeyFile?: string;
  /** Paths of the authority that signs certificates. Without them requests are approved, but not signed. */
  readonly clusterSigningCertFile?: string;
  readonly clusterSigningKeyFile?: string;
}

/** The defaults. */
export const controllersDefaults: ControllersFlags = {
  controllers: ['*'],
  settings: {},
  leaderElect: true,
  leaderElection: {},
  useServiceAccountCredentials: false,
};

const placeholders: Readonly<Record<ControllerSetting<unknown>['type'], string | undefined>> = {
  count: 'N',
  duration: 'DURATION',
  fraction: 'N',
  text: 'TEXT',
  switch: undefined,
};

const readers: Readonly<
  Record<ControllerSetting<unknown>['type'], (flag: string, text: string) => boolean | number | string>
> = {
  count: (flag, text) => wholeNumber(flag, text, 999_999_999),
  duration,
  fraction: (flag, text) => {
    if (!/^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(text))
      throw new FlagError(`--${flag} is a number, not ${JSON.stringify(text)}`);
    return Number(text);
  },
  text: (_flag, text) => text,
  switch: yesOrNo,
};

/** A flag for each setting of a controller, such as `--horizontal-pod-autoscaler-sync-period`. */
export const controllerSettingFlags: FlagTable<Partial<ControllerSettings>> = Object.fromEntries(
  Object.entries<ControllerSetting<boolean | number | string>>(controllerSettings).map(([name, { type, help }]) => {
    const flag = flagOf(name);
    const value = placeholders[type];
    const read = (text: string, said: Partial<ControllerSettings>): Partial<ControllerSettings> => ({
      ...said,
      [name]: readers[type](flag, text),
    });
    return [flag, { ...(value !== undefined && { value }), help, read }];
  }),
);

/** The table of flags. */
export const controllersFlags: FlagTable<ControllersFlags> = {
  kubeconfig: {
    value: 'FILE',
    help: 'which cluster, and as whom (default: $KUBECONFIG, ~/.kube/config)',
    read: (text, said) => ({ ...said, kubeconfig: fileName('kubeconfig', text) }),
  },
  controllers: {
    value: 'NAMES',
    help: "controllers to run: names, * for all, -name for all but that one (default '*')",
    read: (text, said) => ({ ...said, controllers: commaSeparated('controllers', text) }),
  },
  'leader-elect': {
    help: 'one of several runs its controllers, the others wait (default true)',
    read: (text, said) => ({ ...said, leaderElect: yesOrNo('leader-elect', text) }),
  },
  'leader-elect-lease-duration': electionDuration('leaseDurationMs', 'after which a lease may be taken (default 15s)'),
  'leader-elect-renew-deadline': electionDuration('renewDeadlineMs', 'after which a leader gives up (default 10s)'),
  'leader-elect-retry-period': electionDuration('retryPeriodMs', 'between two tries (default 2s)'),
  'leader-elect-resource-lock': {
    value: 'KIND',
    help: 'leases, configmaps or endpoints (default leases)',
    read: (text, said) => elected(said, { resourceLock: oneOf('leader-elect-resource-lock', text, resourceLocks) }),
  },
  'leader-elect-resource-name': {
    value: 'NAME',
    help: 'the name of the lock (default kube-controller-manager)',
    read: (text, said) => elected(said, { resourceName: nonEmpty('leader-elect-resource-name', text) }),
  },
  'leader-elect-resource-namespace': {
    value: 'NAME',
    help: 'the namespace of the lock (default kube-system)',
    read: (text, said) => elected(said, { resourceNamespace: nonEmpty('leader-elect-resource-namespace', text) }),
  },
  'use-service-account-credentials': {
    help: 'each controller acts as its own service account (default false)',
    read: (text, said) => ({
      ...said,
      useServiceAccountCredentials: yesOrNo('use-service-account-credentials', text),
    }),
  },
  'metrics-address': {
    value: '[HOST:]PORT',
    help: 'plain HTTP with /metrics, /healthz, /livez and /readyz (default: none; host 127.0.0.1)',
    read: (text, said) => ({ ...said, metricsAddress: hostAndPort('metrics-address', text) }),
  },
  'root-ca-file': {
    value: 'FILE',
    help: 'the certificates that pods trust (default: those of the kubeconfig)',
    read: (text, said) => ({ ...said, rootCaFile: fileName('root-ca-file', text) }),
  },
  'service-account-private-key-file': {
    value: 'FILE',
    help: 'signs tokens in Secrets (default: none are written)',
    read: (text, said) => ({
      ...said,
      serviceAccountPrivateKeyFile: fileName('service-account-private-key-file', text),
    }),
  },
  'cluster-signing-cert-file': {
    value: 'FILE',
    help: 'the authority that signs certificates (default: none are signed)',
    read: (text, said) => ({ ...said, clusterSigningCertFile: fileName('cluster-signing-cert-file', text) }),
  },
  'cluster-signing-key-file': {
    value: 'FILE',
    help: 'its key',
    read: (text, said) => ({ ...said, clusterSigningKeyFile: fileName('cluster-signing-key-file', text) }),
  },
  ...partFlags<ControllersFlags, 'settings'>(controllerSettingFlags, 'settings'),
};

/** Returns the name of a setting as a flag: `concurrentGcSyncs` is `concurrent-gc-syncs`. */
function flagOf(setting: string): string {
  return setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function electionDuration(
  field: 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs',
  help: string,
): Flag<ControllersFlags> {
  const flag = `leader-elect-${flagOf(field.replace(/Ms$/, ''))}`;
  return {
    value: 'DURATION',
    help: `the time ${help}`,
    read: (text, said) => elected(said, { [field]: duration(flag, text) }),
  };
}

function elected(said: ControllersFlags, election: ControllerElection): ControllersFlags {
  return { ...said, leaderElection: { ...said.leaderElection, ...election } };
}

function nonEmpty(flag: string, text: string): string {
  if (text === '') throw new FlagError(`--${flag} needs a name`);
  return text;
}
