// The command line as a value. What it does not say has a default; what it says wrongly is a FlagError, whose message is
// meant to be read by a person and ends the command with exit code 2. Flags are written `--name value` or `--name=value`.

/** What `vivarium serve` is to do. */
export interface ServeFlags {
  readonly port: number;
  /** Plain HTTP instead of HTTPS. */
  readonly http: boolean;
  readonly tokenAuthFile?: string;
  readonly authorizationModes: readonly string[];
  readonly nodes: number;
  readonly storage: StorageFlag;
  readonly kubeconfigOut?: string;
  readonly readyFile?: string;
}

/** Where objects are kept. */
export type StorageFlag = { readonly type: 'memory' } | { readonly type: 'sqlite'; readonly path: string } | { readonly type: 'etcd'; readonly endpoints: readonly string[] };

/** A command line. */
export type CommandLine = { readonly command: 'serve'; readonly flags: ServeFlags } | { readonly command: 'help' | 'version' };

/** A command line that makes no sense. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** Reads the arguments after the program's name. Throws FlagError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [command, ...rest] = args;
  if (command === undefined || command === 'help' || command === '--help' || command === '-h') return { command: 'help' };
  if (command === 'version' || command === '--version') return { command: 'version' };
  if (command !== 'serve') throw new FlagError(`unknown command ${JSON.stringify(command)}; the commands are serve, help and version`);
  return parseServe(rest);
}

/** What `--help` prints. */
export const usage = `Usage: vivarium serve [flags]

Serves a Kubernetes API (v1.36) from this process.

Flags:
  --port PORT                 the port to listen on at 127.0.0.1; 0 takes any that is free (default 6443)
  --http                      plain HTTP instead of HTTPS with a certificate made on the spot
  --token-auth-file FILE      users by bearer token: lines of token,user,uid,"group1,group2"
  --authorization-mode MODES  comma-separated, of AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node (default AlwaysAllow)
  --nodes N                   simulated nodes to start (default 0)
  --storage WHERE             memory, sqlite:FILE or etcd:URL[,URL] (default memory)
  --kubeconfig-out FILE       where to write a kubeconfig (default: a file in the folder for temporary files)
  --ready-file FILE           written when requests are served, removed at the end
  --help                      print this
  --version                   print the version
`;

interface Flag {
  /** Whether a value follows. */
  readonly takes: boolean;
  /** What it says about the whole. Throws FlagError. */
  readonly read: (value: string) => Partial<ServeFlags>;
}

const flags: ReadonlyMap<string, Flag> = new Map<string, Flag>([
  ['port', { takes: true, read: (value) => ({ port: whole('port', value, 65_535) }) }],
  ['http', { takes: false, read: () => ({ http: true }) }],
  ['token-auth-file', { takes: true, read: (value) => ({ tokenAuthFile: named('token-auth-file', value) }) }],
  ['authorization-mode', { takes: true, read: (value) => ({ authorizationModes: modes(value) }) }],
  ['nodes', { takes: true, read: (value) => ({ nodes: whole('nodes', value, 100_000) }) }],
  ['storage', { takes: true, read: (value) => ({ storage: storage(value) }) }],
  ['kubeconfig-out', { takes: true, read: (value) => ({ kubeconfigOut: named('kubeconfig-out', value) }) }],
  ['ready-file', { takes: true, read: (value) => ({ readyFile: named('ready-file', value) }) }],
]);

const defaults: ServeFlags = { port: 6443, http: false, authorizationModes: ['AlwaysAllow'], nodes: 0, storage: { type: 'memory' } };
const knownModes: readonly string[] = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'];

function parseServe(args: readonly string[]): CommandLine {
  let said: ServeFlags = defaults;
  const seen = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--help' || arg === '-h') return { command: 'help' };
    if (arg === '--version') return { command: 'version' };
    const [, name = '', , attached] = /^--([^=]+)(=([^]*))?$/.exec(arg) ?? [];
    const flag = flags.get(name);
    if (flag === undefined) throw new FlagError(arg.startsWith('-') ? `unknown flag ${arg.replace(/=[^]*$/, '')}` : `unexpected argument ${JSON.stringify(arg)}`);
    if (seen.has(name)) throw new FlagError(`--${name} is given twice`);
    seen.add(name);
    if (!flag.takes && attached !== undefined) throw new FlagError(`--${name} takes no value`);
    if (flag.takes && attached === undefined) at++;
    const value = attached ?? (flag.takes ? args[at] : '');
    if (value === undefined) throw new FlagError(`--${name} needs a value`);
    said = { ...said, ...flag.read(value) };
  }
  return { command: 'serve', flags: said };
}

function whole(name: string, value: string, max: number): number {
  if (!/^[0-9]{1,9}$/.test(value) || Number(value) > max) throw new FlagError(`--${name} is a whole number from 0 to ${max}, not ${JSON.stringify(value)}`);
  return Number(value);
}

function named(name: string, value: string): string {
  if (value === '') throw new FlagError(`--${name} needs the name of a file`);
  return value;
}

function modes(value: string): readonly string[] {
  const list = value.split(',');
  for (const mode of list) {
    if (!knownModes.includes(mode)) throw new FlagError(`--authorization-mode: ${JSON.stringify(mode)} is not a valid mode; valid are ${knownModes.join(', ')}`);
    if (list.indexOf(mode) !== list.lastIndexOf(mode)) throw new FlagError(`--authorization-mode: ${JSON.stringify(mode)} is given twice`);
  }
  return list;
}

function storage(value: string): StorageFlag {
  const [, type, where = ''] = /^([^:]*)(?::([^]*))?$/.exec(value) ?? [];
  if (value === 'memory') return { type: 'memory' };
  if (type === 'sqlite' && where !== '') return { type, path: where };
  if (type === 'etcd' && where !== '') return { type, endpoints: where.split(',').map(endpoint) };
  throw new FlagError(`--storage is memory, sqlite:FILE or etcd:URL, not ${JSON.stringify(value)}`);
}

function endpoint(text: string): string {
  if (!/^https?:\/\/./.test(text) || !URL.canParse(text)) throw new FlagError(`--storage: ${JSON.stringify(text)} is no URL of etcd such as http://127.0.0.1:2379`);
  return text;
}
