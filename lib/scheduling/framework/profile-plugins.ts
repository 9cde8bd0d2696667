// The plugin instances of one profile by extension point. A plugin that is enabled at a point without a function for it
// is left out; the configuration has already rejected that case.
import type { EnabledPlugin } from '../configuration/plugin-sets.js';
import type { SchedulerProfile } from '../configuration/scheduler-configuration.js';
import type { PluginDefinition } from './plugin-definition.js';
import type { SchedulingPlugin } from './plugin.js';
import type { PluginTools } from './plugin-tools.js';
import { timedPlugin } from './timed-plugin.js';

/** A plugin that has these functions. */
export type Implementing<P extends keyof SchedulingPlugin> = SchedulingPlugin & Required<Pick<SchedulingPlugin, P>>;

/** A score plugin and its weight. */
export interface WeightedPlugin {
  readonly plugin: Implementing<'score'>;
  readonly weight: number;
}

/** Plugins by extension point, in execution order. */
export interface ProfilePlugins {
  readonly all: ReadonlyMap<string, SchedulingPlugin>;
  readonly preEnqueue: readonly Implementing<'preEnqueue'>[];
  readonly queueSort: readonly Implementing<'compare'>[];
  readonly preFilter: readonly Implementing<'preFilter'>[];
  readonly filter: readonly Implementing<'filter'>[];
  readonly postFilter: readonly Implementing<'postFilter'>[];
  readonly preScore: readonly Implementing<'preScore'>[];
  readonly score: readonly WeightedPlugin[];
  /** Plugins with `reserve`, `unreserve` or both. */
  readonly reserve: readonly SchedulingPlugin[];
  readonly permit: readonly Implementing<'permit'>[];
  readonly preBind: readonly Implementing<'preBind'>[];
  readonly bind: readonly Implementing<'bind'>[];
  readonly postBind: readonly Implementing<'postBind'>[];
}

/**
 * Creates the plugins of a profile. `toolsFor` is called once per plugin. Throws if an enabled plugin has no
 * definition.
 */
export function profilePlugins(
  profile: SchedulerProfile,
  definitions: ReadonlyMap<string, PluginDefinition>,
  toolsFor: (plugin: string) => PluginTools,
): ProfilePlugins {
  const all = new Map<string, SchedulingPlugin>();
  const made = ({ name }: EnabledPlugin): SchedulingPlugin => {
    const known = all.get(name);
    if (known !== undefined) return known;
    const definition = definitions.get(name);
    if (definition === undefined) throw new Error(`scheduling plugin ${name} is enabled but not defined`);
    const plugin = timedPlugin(definition.create(toolsFor(name), argumentsFor(profile, name)));
    all.set(name, plugin);
    return plugin;
  };
  const { plugins } = profile;
  const at = <P extends keyof SchedulingPlugin>(
    enabled: readonly EnabledPlugin[],
    name: P,
  ): readonly Implementing<P>[] =>
    enabled.map(made).filter((plugin): plugin is Implementing<P> => plugin[name] !== undefined);
  return {
    all,
    preEnqueue: at(plugins.preEnqueue, 'preEnqueue'),
    queueSort: at(plugins.queueSort, 'compare'),
    preFilter: at(plugins.preFilter, 'preFilter'),
    filter: at(plugins.filter, 'filter'),
    postFilter: at(plugins.postFilter, 'postFilter'),
    preScore: at(plugins.preScore, 'preScore'),
    score: at(plugins.score, 'score').map((plugin) => ({
      plugin,
      weight: plugins.score.find(({ name }) => name === plugin.name)?.weight ?? 1,
    })),
    reserve: plugins.reserve.map(made),
    permit: at(plugins.permit, 'permit'),
    preBind: at(plugins.preBind, 'preBind'),
    bind: at(plugins.bind, 'bind'),
    postBind: at(plugins.postBind, 'postBind'),
  };
}

/** Returns the profile's arguments for a plugin: completed for built-in plugins, as given for others. */
function argumentsFor({ args, customArgs }: SchedulerProfile, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name as keyof typeof args] : customArgs.get(name);
}
