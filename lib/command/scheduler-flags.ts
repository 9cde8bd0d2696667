// The flags of the scheduler: those of `vivarium scheduler`, which runs alone, and of the one inside `vivarium serve`.
import { fileName, yesOrNo } from './flag-table.js';
import type { FlagTable } from './flag-table.js';

/** What `vivarium scheduler` is to do. */
export interface SchedulerFlags {
  /** Which cluster, and as whom; without it, as kubectl finds it. */
  readonly kubeconfig?: string;
  /** A KubeSchedulerConfiguration. */
  readonly config?: string;
  /** Whether one of several schedulers is elected; without it, as the configuration says. */
  readonly leaderElect?: boolean;
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
  kubeconfig: { value: 'FILE', help: 'which cluster, and as whom (default: $KUBECONFIG, ~/.kube/config)', read: (text, said) => ({ ...said, kubeconfig: fileName('kubeconfig', text) }) },
  config: { value: 'FILE', help: 'a KubeSchedulerConfiguration', read: (text, said) => ({ ...said, config: fileName('config', text) }) },
  'leader-elect': { help: 'one of several schedules, the others wait (default: as configured, else true)', read: (text, said) => ({ ...said, leaderElect: yesOrNo('leader-elect', text) }) },
};

/** The flags of `vivarium serve`. */
export const servedSchedulerFlags: FlagTable<ServedSchedulerFlags> = {
  scheduler: { help: 'gives pods their nodes (default true)', read: (text, said) => ({ ...said, enabled: yesOrNo('scheduler', text) }) },
  'scheduler-config': { value: 'FILE', help: 'a KubeSchedulerConfiguration', read: (text, said) => ({ ...said, config: fileName('scheduler-config', text) }) },
};
