// Parses the command line. Absent flags have defaults; invalid ones throw a FlagError, whose message is shown to the
// user and which ends the command with exit code 2.
import type { ControllerSettings } from '../cluster/index.js';
import { admissionDefaults, admissionFlags } from './admission-flags.js';
import type { AdmissionFlags } from './admission-flags.js';
import { authenticationDefaults, authenticationFlags } from './authentication-flags.js';
import type { AuthenticationFlags } from './authentication-flags.js';
import { authorizationDefaults, authorizationFlags } from './authorization-flags.js';
import type { AuthorizationFlags } from './authorization-flags.js';
import { controllerSettingFlags, controllersDefaults, controllersFlags } from './controllers-flags.js';
import type { ControllersFlags } from './controllers-flags.js';
import { schedulerFlags, servedSchedulerDefaults, servedSchedulerFlags } from './scheduler-flags.js';
import type { SchedulerFlags, ServedSchedulerFlags } from './scheduler-flags.js';
import {
  FlagError,
  commaSeparated,
  duration,
  fileName,
  folderName,
  helpLines,
  listenAddress,
  oneOf,
  portRange,
  readFlags,
  wholeNumber,
  partFlags,
  yesOrNo,
} from './flag-table.js';
import type { FlagTable } from './flag-table.js';

/** The flags of `vivarium serve`. */
export interface ServeFlags {
  /** The address to listen on. Default: 127.0.0.1. */
  readonly bindAddress?: string;
  readonly port: number;
  /** True to serve plain HTTP instead of HTTPS. */
  readonly http: boolean;
  /** Folder in which the certificate authority and keys are stored; without it, each start creates new ones. */
  readonly certDir?: string;
  readonly authentication: AuthenticationFlags;
  readonly authorization: AuthorizationFlags;
  readonly admission: AdmissionFlags;
  readonly scheduler: ServedSchedulerFlags;
  /** Number of nodes that are registered at start. */
  readonly nodes: number;
  /** As `--controllers` of kube-controller-manager. */
  readonly controllers: readonly string[];
  /** Concurrency and periods of controllers, with the flags of kube-controller-manager. */
  readonly controllerSettings: Partial<ControllerSettings>;
  readonly storage: StorageFlag;
  /** Time between two compactions of the store; 0 for none. Default: five minutes. */
  readonly compactionIntervalMs?: number;
  /** Ranges of Service addresses: one, or one of each family. Default: 10.96.0.0/16. */
  readonly serviceRanges?: readonly [string] | readonly [string, string];
  /** First and last node port. Default: 30000 to 32767. */
  readonly nodePorts?: readonly [first: number, last: number];
  /** How long requests are still accepted after a signal to stop, while /readyz already fails. */
  readonly shutdownDelayMs: number;
  readonly kubeconfigOut?: string;
  /** True to add the cluster to the kubeconfig of the user while the server runs. */
  readonly mergeKubeconfig: boolean;
  readonly logFormat: LogFormat;
  readonly readyFile?: string;
}

/** The format of what a command prints. */
export type LogFormat = 'text' | 'json';

/** The storage backend. */
export type StorageFlag =
  | { readonly type: 'memory' }
  | { readonly type: 'sqlite'; readonly path: string }
  | { readonly type: 'etcd'; readonly endpoints: readonly string[] };

/** A parsed command line. */
export type CommandLine =
  | { readonly command: 'serve'; readonly flags: ServeFlags }
  | { readonly command: 'scheduler'; readonly flags: SchedulerFlags }
  | { readonly command: 'controller-manager'; readonly flags: ControllersFlags }
  | { readonly command: 'types'; readonly files: readonly string[] }
  | { readonly command: 'help' | 'version' };

/** Parses the arguments after the program's name. Throws FlagError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [command, ...rest] = args;
  if (command === undefined || command === 'help' || command === '--help' || command === '-h')
    return { command: 'help' };
  if (command === 'version' || command === '--version') return { command: 'version' };
  if (command !== 'serve' && command !== 'scheduler' && command !== 'controller-manager' && command !== 'types')
    throw new FlagError(
      `unknown command ${JSON.stringify(command)}; the commands are serve, scheduler, controller-manager, types, help and version`,
    );
  if (rest.includes('--help') || rest.includes('-h')) return { command: 'help' };
  if (command === 'types') {
    const flag = rest.find((word) => word.startsWith('-'));
    if (flag !== undefined) throw new FlagError(`unknown flag ${flag}: types takes files only`);
    if (rest.length === 0) throw new FlagError('types needs the name of a file with CustomResourceDefinitions');
    return { command, files: rest };
  }
  if (rest.includes('--version')) return { command: 'version' };
  if (command === 'controller-manager')
    return { command, flags: readFlags(controllersFlags, rest, controllersDefaults) };
  return command === 'serve'
    ? { command, flags: readFlags(flags, rest, defaults) }
    : { command, flags: readFlags<SchedulerFlags>(schedulerFlags, rest, {}) };
}

const defaults: ServeFlags = {
  port: 6443,
  http: false,
  authentication: authenticationDefaults,
  authorization: authorizationDefaults,
  admission: admissionDefaults,
  scheduler: servedSchedulerDefaults,
  nodes: 0,
  controllers: ['*'],
  controllerSettings: {},
  storage: { type: 'memory' },
  mergeKubeconfig: false,
  logFormat: 'text',
  shutdownDelayMs: 0,
};

const generalFlags: FlagTable<ServeFlags> = {
  'bind-address': {
    value: 'ADDRESS',
    help: 'the IP address to listen on; 0.0.0.0 or :: for all (default 127.0.0.1)',
    read: (text, said) => ({ ...said, bindAddress: listenAddress('bind-address', text) }),
  },
  port: {
    value: 'PORT',
    help: 'the port to listen on; 0 takes any that is free (default 6443)',
    read: (text, said) => ({ ...said, port: wholeNumber('port', text, 65_535) }),
  },
  http: { help: 'plain HTTP instead of HTTPS', read: (text, said) => ({ ...said, http: yesOrNo('http', text) }) },
  'cert-dir': {
    value: 'DIR',
    help: 'keeps the authority and keys that are made (default: new ones each time)',
    read: (text, said) => ({ ...said, certDir: folderName('cert-dir', text) }),
  },
  nodes: {
    value: 'N',
    help: 'nodes that run pods in a simulation (default 0)',
    read: (text, said) => ({ ...said, nodes: wholeNumber('nodes', text, 100_000) }),
  },
  controllers: {
    value: 'NAMES',
    help: "controllers to run: names, * for all, -name for all but that one (default '*')",
    read: (text, said) => ({ ...said, controllers: commaSeparated('controllers', text) }),
  },
  storage: {
    value: 'WHERE',
    help: 'memory, sqlite:FILE or etcd:URL[,URL] (default memory)',
    read: (text, said) => ({ ...said, storage: storage(text) }),
  },
  'etcd-compaction-interval': {
    value: 'DURATION',
    help: 'how often old history of the store is dropped, also of sqlite; 0 for never (default 5m)',
    read: (text, said) => ({ ...said, compactionIntervalMs: duration('etcd-compaction-interval', text) }),
  },
  'service-cluster-ip-range': {
    value: 'CIDR[,CIDR]',
    help: 'the addresses of Services: one range, or one of IPv4 and one of IPv6 (default 10.96.0.0/16)',
    read: (text, said) => ({ ...said, serviceRanges: serviceRanges(text) }),
  },
  'service-node-port-range': {
    value: 'FIRST-LAST',
    help: 'the node ports of Services (default 30000-32767)',
    read: (text, said) => ({ ...said, nodePorts: portRange('service-node-port-range', text) }),
  },
  'kubeconfig-out': {
    value: 'FILE',
    help: 'where to write a kubeconfig (default: a private folder that is removed at the end)',
    read: (text, said) => ({ ...said, kubeconfigOut: fileName('kubeconfig-out', text) }),
  },
  'merge-kubeconfig': {
    help: 'add a context to $KUBECONFIG or ~/.kube/config and select it, until the server stops',
    read: (text, said) => ({ ...said, mergeKubeconfig: yesOrNo('merge-kubeconfig', text) }),
  },
  'log-format': {
    value: 'FORMAT',
    help: 'of what is printed: text, or json for one object per line (default text)',
    read: (text, said) => ({ ...said, logFormat: oneOf('log-format', text, ['text', 'json']) }),
  },
  'shutdown-delay-duration': {
    value: 'DURATION',
    help: 'how long requests are still accepted after SIGTERM, while /readyz already fails (default 0s)',
    read: (text, said) => ({ ...said, shutdownDelayMs: duration('shutdown-delay-duration', text) }),
  },
  'ready-file': {
    value: 'FILE',
    help: 'written when requests are served, removed at the end',
    read: (text, said) => ({ ...said, readyFile: fileName('ready-file', text) }),
  },
};

const flags: FlagTable<ServeFlags> = {
  // The general flags follow: `--service-cluster-ip-range` is one of the server.
  ...partFlags<ServeFlags, 'controllerSettings'>(controllerSettingFlags, 'controllerSettings'),
  ...generalFlags,
  ...partFlags<ServeFlags, 'authentication'>(authenticationFlags, 'authentication'),
  ...partFlags<ServeFlags, 'authorization'>(authorizationFlags, 'authorization'),
  ...partFlags<ServeFlags, 'admission'>(admissionFlags, 'admission'),
  ...partFlags<ServeFlags, 'scheduler'>(servedSchedulerFlags, 'scheduler'),
};

/** The text of `--help`. */
export const usage: string = [
  'Usage: vivarium serve [flags]\n\nServes a Kubernetes API (v1.36) from this process.\n\n',
  helpLines({ ...generalFlags, help: { help: 'print this' }, version: { help: 'print the version' } }),
  '\nWho is believed:\n',
  helpLines(authenticationFlags),
  '\nWho may do what:\n',
  helpLines(authorizationFlags),
  '\nWhat objects have to be like:\n',
  helpLines(admissionFlags),
  '\nWho gives pods their nodes:\n',
  helpLines(servedSchedulerFlags),
  '\nHow controllers work: --horizontal-pod-autoscaler-sync-period and the other periods, limits and concurrent syncs\nof vivarium controller-manager, below.\n',
  '\nUsage: vivarium scheduler [flags]\n\nGives the pods of any cluster their nodes, until it is stopped.\n\n',
  helpLines(schedulerFlags),
  '\nUsage: vivarium controller-manager [flags]\n\nRuns the controllers of any cluster, until it is stopped.\n\n',
  helpLines(controllersFlags),
  '\nUsage: vivarium types FILE...\n\nPrints TypeScript types of the CustomResourceDefinitions in YAML or JSON files.\n',
].join('');

function serviceRanges(value: string): readonly [string] | readonly [string, string] {
  const [first = '', second, ...more] = commaSeparated('service-cluster-ip-range', value);
  if (more.length > 0) throw new FlagError('--service-cluster-ip-range has at most two ranges, one of each family');
  return second === undefined ? [first] : [first, second];
}

function storage(value: string): StorageFlag {
  const [, type, where = ''] = /^([^:]*)(?::([^]*))?$/.exec(value) ?? [];
  if (value === 'memory') return { type: 'memory' };
  if (type === 'sqlite' && where !== '') return { type, path: where };
  if (type === 'etcd' && where !== '') return { type, endpoints: where.split(',').map(endpoint) };
  throw new FlagError(`--storage is memory, sqlite:FILE or etcd:URL, not ${JSON.stringify(value)}`);
}

function endpoint(text: string): string {
  if (!/^https?:\/\/./.test(text) || !URL.canParse(text))
    throw new FlagError(`--storage: ${JSON.stringify(text)} is no URL of etcd such as http://127.0.0.1:2379`);
  return text;
}
