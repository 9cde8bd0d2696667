// The command line as a value. What it does not say has a default; what it says wrongly is a FlagError, whose message
// is meant to be read by a person and ends the command with exit code 2.
import { authenticationDefaults, authenticationFlags } from './authentication-flags.js';
import type { AuthenticationFlags } from './authentication-flags.js';
import { authorizationDefaults, authorizationFlags } from './authorization-flags.js';
import type { AuthorizationFlags } from './authorization-flags.js';
import { schedulerFlags, servedSchedulerDefaults, servedSchedulerFlags } from './scheduler-flags.js';
import type { SchedulerFlags, ServedSchedulerFlags } from './scheduler-flags.js';
import { FlagError, fileName, folderName, helpLines, readFlags, wholeNumber, yesOrNo } from './flag-table.js';
import type { Flag, FlagTable } from './flag-table.js';

/** What `vivarium serve` is to do. */
export interface ServeFlags {
  readonly port: number;
  /** Plain HTTP instead of HTTPS. */
  readonly http: boolean;
  /** Where the authority and the keys that the server made are kept; without it each start makes new ones. */
  readonly certDir?: string;
  readonly authentication: AuthenticationFlags;
  readonly authorization: AuthorizationFlags;
  readonly scheduler: ServedSchedulerFlags;
  /** How many nodes are registered at the start. */
  readonly nodes: number;
  readonly storage: StorageFlag;
  readonly kubeconfigOut?: string;
  readonly readyFile?: string;
}

/** Where objects are kept. */
export type StorageFlag =
  | { readonly type: 'memory' }
  | { readonly type: 'sqlite'; readonly path: string }
  | { readonly type: 'etcd'; readonly endpoints: readonly string[] };

/** A command line. */
export type CommandLine =
  | { readonly command: 'serve'; readonly flags: ServeFlags }
  | { readonly command: 'scheduler'; readonly flags: SchedulerFlags }
  | { readonly command: 'help' | 'version' };

/** Reads the arguments after the program's name. Throws FlagError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [command, ...rest] = args;
  if (command === undefined || command === 'help' || command === '--help' || command === '-h')
    return { command: 'help' };
  if (command === 'version' || command === '--version') return { command: 'version' };
  if (command !== 'serve' && command !== 'scheduler')
    throw new FlagError(
      `unknown command ${JSON.stringify(command)}; the commands are serve, scheduler, help and version`,
    );
  if (rest.includes('--help') || rest.includes('-h')) return { command: 'help' };
  if (rest.includes('--version')) return { command: 'version' };
  return command === 'serve'
    ? { command, flags: readFlags(flags, rest, defaults) }
    : { command, flags: readFlags<SchedulerFlags>(schedulerFlags, rest, {}) };
}

const defaults: ServeFlags = {
  port: 6443,
  http: false,
  authentication: authenticationDefaults,
  authorization: authorizationDefaults,
  scheduler: servedSchedulerDefaults,
  nodes: 0,
  storage: { type: 'memory' },
};

const generalFlags: FlagTable<ServeFlags> = {
  port: {
    value: 'PORT',
    help: 'the port to listen on at 127.0.0.1; 0 takes any that is free (default 6443)',
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
    help: 'nodes to register; they take pods, but nobody runs those yet (default 0)',
    read: (text, said) => ({ ...said, nodes: wholeNumber('nodes', text, 100_000) }),
  },
  storage: {
    value: 'WHERE',
    help: 'memory, sqlite:FILE or etcd:URL[,URL] (default memory)',
    read: (text, said) => ({ ...said, storage: storage(text) }),
  },
  'kubeconfig-out': {
    value: 'FILE',
    help: 'where to write a kubeconfig (default: a temporary file)',
    read: (text, said) => ({ ...said, kubeconfigOut: fileName('kubeconfig-out', text) }),
  },
  'ready-file': {
    value: 'FILE',
    help: 'written when requests are served, removed at the end',
    read: (text, said) => ({ ...said, readyFile: fileName('ready-file', text) }),
  },
};

const flags: FlagTable<ServeFlags> = {
  ...generalFlags,
  ...within(authenticationFlags, 'authentication'),
  ...within(authorizationFlags, 'authorization'),
  ...within(servedSchedulerFlags, 'scheduler'),
};

/** What `--help` prints. */
export const usage: string = [
  'Usage: vivarium serve [flags]\n\nServes a Kubernetes API (v1.36) from this process.\n\n',
  helpLines({ ...generalFlags, help: { help: 'print this' }, version: { help: 'print the version' } }),
  '\nWho is believed:\n',
  helpLines(authenticationFlags),
  '\nWho may do what:\n',
  helpLines(authorizationFlags),
  '\nWho gives pods their nodes:\n',
  helpLines(servedSchedulerFlags),
  '\nUsage: vivarium scheduler [flags]\n\nGives the pods of any cluster their nodes, until it is stopped.\n\n',
  helpLines(schedulerFlags),
].join('');

/** The flags of a part as flags of the whole. */
function within<Part extends 'authentication' | 'authorization' | 'scheduler'>(
  table: FlagTable<ServeFlags[Part]>,
  part: Part,
): FlagTable<ServeFlags> {
  const entries = Object.entries<Flag<ServeFlags[Part]>>(table).map(([name, flag]) => [
    name,
    { ...flag, read: (text: string, said: ServeFlags) => ({ ...said, [part]: flag.read(text, said[part]) }) },
  ]);
  return Object.fromEntries(entries) as FlagTable<ServeFlags>;
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
