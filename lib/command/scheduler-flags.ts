// The flags of the scheduler: those of `vivarium scheduler`, which runs alone, and of the one inside `vivarium serve`.
import { FlagError, fileName, yesOrNo } from './flag-table.js';
import type { FlagTable } from './flag-table.js';

/** What `vivarium scheduler` is to do. */
export interface SchedulerFlags {
  /** Which cluster, and as whom; without it, as kubectl finds it. */
  readonly kubeconfig?: string;
  /** A KubeSchedulerConfiguration. */
  readonly config?: string;
  /** Whether one of several schedulers is elected; without it, as the configuration says. */
  readonly leaderElect?: boolean;
  /** Where figures and health are told; nowhere without it. */
  readonly metricsAddress?: MetricsAddress;
}

/** A place to listen. */
export interface MetricsAddress {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
}

/** The scheduler of a server. */
export interface ServedSchedulerFlags {
  readonly enabled: boolean;
  /** A KubeSchedulerConfiguration. */
  readonly config?: string;
}

/** What holds where no flag says otherwise. */
export const servedSchedulerDefaults: ServedSchedulerFlags = { enabled: true };

/** The flags of `vivarium scheduler`. */
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
    read: (text, said) => ({ ...said, metricsAddress: address('metrics-address', text) }),
  },
};

/** The flags of `vivarium serve`. */
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

/** A port, or a host before it; one of IPv6 in brackets. */
function address(name: string, value: string): MetricsAddress {
  const [, inBrackets, plain, port = ''] =
    /^(?:(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]\s]+)):)?([0-9]{1,5})$/.exec(value) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new FlagError(`--${name} is a port from 0 to 65535, or HOST:PORT, not ${JSON.stringify(value)}`);
  return { host: inBrackets ?? plain ?? '127.0.0.1', port: Number(port) };
}
