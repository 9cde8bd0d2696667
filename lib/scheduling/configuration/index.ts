// How the scheduler is told to decide: KubeSchedulerConfiguration.
export { SchedulerConfigurationError } from './configuration-error.js';
export type {
  ClientConnectionDocument,
  ExtenderDocument,
  ExtenderTls,
  LeaderElectionDocument,
  ManagedResource,
  PluginConfigDocument,
  ProfileDocument,
  SchedulerDocument,
} from './configuration-document.js';
export type { ExtensionPoint, PluginReference, PluginRegistry } from './extension-points.js';
export { builtinPlugins, defaultPlugins, extensionPoints } from './extension-points.js';
export type { ArgumentDocuments, ConfigurablePlugin, PluginArguments, ResourceWeight, ScoringStrategy, ShapePoint } from './plugin-arguments.js';
export type { EnabledPlugin, EnabledPlugins, PluginSet, PluginSets } from './plugin-sets.js';
export type { ConfigurationOptions, Extender, SchedulerConfiguration, SchedulerProfile } from './scheduler-configuration.js';
export { parseSchedulerConfiguration, schedulerConfiguration } from './scheduler-configuration.js';
