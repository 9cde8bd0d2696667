// Which plugins of Kubernetes a server runs: the default set, with plugins enabled, disabled and configured by name. As
// apiserver/pkg/server/options/admission.go.
import { errorText } from '../core/index.js';
import type { ServerTools } from '../auth/index.js';
import { checkAdmissionConfiguration } from './admission-configuration.js';
import type { AdmissionConfiguration } from './admission-configuration.js';
import { builtInPlugins } from './built-in-plugins.js';
import type { AdmissionPluginDefinition } from './built-in-plugins.js';
import type { AdmissionRule } from '../webhook/index.js';
import type { AdmissionPlugin } from './plugin.js';
import { hostRules } from './webhooks/host-rules.js';
import type { AdmissionWebhookOptions } from './webhooks/webhook-clients.js';

/** Options of the admission plugins of a server. */
export interface AdmissionOptions {
  /** Plugins to run besides the default ones, as `--enable-admission-plugins`. Their order does not matter. */
  readonly enable?: readonly string[];
  /** Default plugins not to run, as `--disable-admission-plugins`. */
  readonly disable?: readonly string[];
  /** The configuration of plugins, as `--admission-control-config-file`, but without `path`. */
  readonly configuration?: AdmissionConfiguration;
  /**
   * Plugins and rules of the host. They run after those of Kubernetes, but before ResourceQuota: first the plugins,
   * then the rules, each in this order.
   */
  readonly plugins?: readonly HostPlugin[] | ((tools: ServerTools) => readonly HostPlugin[]);
  /** How webhooks of configurations are reached. */
  readonly webhooks?: AdmissionWebhookOptions;
}

/**
 * A plugin, a function that creates it with the tools of the server, or a rule as `mutating` and `validating` of
 * `vivarium/webhook` return it.
 */
export type HostPlugin = AdmissionPlugin | AdmissionRule | ((tools: ServerTools) => AdmissionPlugin);

/**
 * Returns what creates the plugins, for `admission` of `createServer`. Throws RangeError for an unknown plugin and
 * `DecodeError` for a wrong document; what is returned throws where the configuration of a plugin is wrong.
 */
export function admissionPlugins(options: AdmissionOptions = {}): (tools: ServerTools) => readonly AdmissionPlugin[] {
  const enabled = enabledAdmissionPlugins(options);
  const configurations = configurationsOf(options.configuration);
  const { plugins = [] } = options;
  const created = ({ name, create }: AdmissionPluginDefinition, tools: ServerTools): readonly AdmissionPlugin[] => {
    if (create === undefined || !enabled.has(name)) return [];
    try {
      return [create(tools, configurations.get(name), options.webhooks)];
    } catch (error) {
      throw new Error(`couldn't init admission plugin "${name}": ${errorText(error)}`, { cause: error });
    }
  };
  // What the host refuses must not be charged to a quota.
  const last = builtInPlugins.findIndex(({ name }) => name === 'ResourceQuota');
  return (tools) => [
    ...builtInPlugins.slice(0, last).flatMap((definition) => created(definition, tools)),
    ...hostPlugins(tools, typeof plugins === 'function' ? plugins(tools) : plugins),
    ...builtInPlugins.slice(last).flatMap((definition) => created(definition, tools)),
  ];
}

function hostPlugins(tools: ServerTools, given: readonly HostPlugin[]): readonly AdmissionPlugin[] {
  const isRule = (plugin: HostPlugin): plugin is AdmissionRule => 'answer' in plugin;
  const plugins = given.flatMap((plugin): readonly AdmissionPlugin[] => {
    if (isRule(plugin)) return [];
    return [typeof plugin === 'function' ? plugin(tools) : plugin];
  });
  return [...plugins, ...hostRules(tools, given.filter(isRule))];
}

/** The names of the plugins that run. Throws RangeError for an unknown one, or one that is enabled and disabled. */
export function enabledAdmissionPlugins({ enable = [], disable = [] }: AdmissionOptions): ReadonlySet<string> {
  const known = new Set(builtInPlugins.map(({ name }) => name));
  const overlapping = enable.filter((name) => disable.includes(name)).sort();
  const problems = [
    ...unknownOf('enable', enable, known),
    ...unknownOf('disable', disable, known),
    ...(overlapping.length === 0
      ? []
      : [`[${overlapping.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]),
  ];
  if (problems.length > 0) throw new RangeError(problems.join(', '));
  return new Set(
    builtInPlugins
      .filter(({ name, isDefault }) => (isDefault || enable.includes(name)) && !disable.includes(name))
      .map(({ name }) => name),
  );
}

function unknownOf(flag: 'enable' | 'disable', names: readonly string[], known: ReadonlySet<string>): string[] {
  return names
    .filter((name) => !known.has(name))
    .map((name) => `${flag}-admission-plugins plugin ${JSON.stringify(name)} is unknown`);
}

/** By the name of the plugin. */
function configurationsOf(given: AdmissionConfiguration | undefined): ReadonlyMap<string, unknown> {
  const { plugins = [] } = given === undefined ? {} : checkAdmissionConfiguration(given);
  const byName = new Map<string, unknown>();
  for (const [index, { name, path = '', configuration }] of plugins.entries()) {
    if (configuration === undefined && path !== '')
      throw new RangeError(`plugins[${index}].path: files are read by the command line only; give the configuration`);
    if (!byName.has(name)) byName.set(name, configuration);
  }
  return byName;
}
