// The framework of one profile: its plugins, made with what they need, and what runs them. Plugins are made before
// anything runs; the filters they are handed work on whatever cycle they are given.
import type { SchedulerProfile } from '../configuration/scheduler-configuration.js';
import type { PluginDefinition } from './plugin-definition.js';
import type { PluginTools } from './plugin-tools.js';
import { profileFilters } from './profile-filters.js';
import { profilePlugins } from './profile-plugins.js';
import type { ProfilePlugins } from './profile-plugins.js';

/** A profile that can be obeyed. */
export interface Framework {
  readonly profile: SchedulerProfile;
  readonly plugins: ProfilePlugins;
}

/** What plugins of all profiles are made with. Each gets a stream of chance of its own name. */
export type SharedTools = Omit<PluginTools, 'profile' | 'filters'>;

/** Makes the frameworks of all profiles, by schedulerName. */
export function frameworksOf(
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
