// The framework of one profile: its plugin instances by extension point. Plugins are created before the scheduler runs;
// `profileFilters`, which they receive, works on any cycle.
import type { SchedulerProfile } from '../configuration/scheduler-configuration.js';
import type { PluginDefinition } from './plugin-definition.js';
import type { PluginTools } from './plugin-tools.js';
import { profileFilters } from './profile-filters.js';
import { profilePlugins } from './profile-plugins.js';
import type { ProfilePlugins } from './profile-plugins.js';

/** A profile and its plugin instances. */
export interface Framework {
  readonly profile: SchedulerProfile;
  readonly plugins: ProfilePlugins;
}

/** The tools that the plugins of all profiles share. Each plugin gets a random stream of its own name. */
export type SharedTools = Omit<PluginTools, 'profile' | 'filters'>;

/** Creates the frameworks of all profiles, by schedulerName. */
export function createFrameworks(
  profiles: ReadonlyMap<string, SchedulerProfile>,
  definitions: Iterable<PluginDefinition>,
  tools: SharedTools,
): ReadonlyMap<string, Framework> {
  const byName = new Map(Array.from(definitions, (definition) => [definition.name, definition]));
  return new Map(
    Array.from(profiles, ([schedulerName, profile]) => {
      const toolsFor = (plugin: string): PluginTools => ({
        ...tools,
        random: tools.random.stream(`${schedulerName}/${plugin}`),
        profile,
        filters: profileFilters,
      });
      return [schedulerName, { profile, plugins: profilePlugins(profile, byName, toolsFor) }];
    }),
  );
}
