// The flags of the scheduler: of `vivarium scheduler`, which runs alone, and of the one inside `vivarium serve`.
import { FlagError, fileName, yesOrNo } from './flag-table.js';
import type { FlagTable } from './flag-table.js';

/** The flags of `vivarium scheduler`. */
export interface SchedulerFlags {
  /** Kubeconfig and context of the cluster. Default: as kubectl finds it. */
  readonly kubeconfig?: string;
  /** Path of a KubeSchedulerConfiguration. */
  readonly config?: string;
  /** True for leader election. Default: as the configuration says. */
  readonly leaderElect?: boolean;
  /** Address of metrics and health. Default: none. */
  readonly metricsAddress?: MetricsAddress;
}

/** An address to listen on. */
export interface MetricsAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
}

/** The scheduler flags of `vivarium serve`. */
export interface ServedSchedulerFlags {
  readonly enabled: boolean;
  /** Path of a KubeSchedulerConfiguration. */
  readonly config?: string;
}

/** The defaults. */
export const servedSchedulerDefaults: ServedSchedulerFlags = { enabled: true };

/** The table of flags of `vivarium scheduler`. */
export const schedulerFlags: FlagTable<SchedulerFlags> = {
  kubeconfig: {
    value: 'FILE',
    help: 'which cluster, and as whom (default: $KUBECONFIG, ~/.kube/config)',
    read: (text, said) => ({ ...said, kubeconfig: fileName('kubeconfig', text) }),
  },
  config: {
    value: 'FILE',
    help: 'a KubeSchedulerConfiguration',
    read: (text, said) => ({ ...said, config: fileName('config', text) }),
  },
  'leader-elect': {
    help: 'one of several schedules, the others wait (default: as configured, else true)',
    read: (text, said) => ({ ...said, leaderElect: yesOrNo('leader-elect', text) }),
  },
  'metrics-address': {
    value: '[HOST:]PORT',
    help: 'plain HTTP with /metrics, /healthz, /livez and /readyz (default: none; host 127.0.0.1)',
    read: (text, said) => ({ ...said, metricsAddress: hostAndPort('metrics-address', text) }),
  },
};

/** The table of scheduler flags of `vivarium serve`. */
export const servedSchedulerFlags: FlagTable<ServedSchedulerFlags> = {
  scheduler: {
    help: 'gives pods their nodes (default true)',
    read: (text, said) => ({ ...said, enabled: yesOrNo('scheduler', text) }),
  },
  'scheduler-config': {
    value: 'FILE',
    help: 'a KubeSchedulerConfiguration',
    read: (text, said) => ({ ...said, config: fileName('scheduler-config', text) }),
  },
};

/** Parses a port, or host and port; IPv6 addresses are in brackets. */
export function hostAndPort(name: string, value: string): MetricsAddress {
  const [, inBrackets, plain, port = ''] =
    /^(?:(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]\s]+)):)?([0-9]{1,5})$/.exec(value) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new FlagError(`--${name} is a port from 0 to 65535, or HOST:PORT, not ${JSON.stringify(value)}`);
  return { host: inBrackets ?? plain ?? '127.0.0.1', port: Number(port) };
}
