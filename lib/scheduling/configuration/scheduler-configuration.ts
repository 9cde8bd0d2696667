// A completed scheduler configuration: decoded, with Kubernetes' defaults, validated and frozen. It is created only
// from a document, so it need not be validated again. As pkg/scheduler/apis/config/v1/defaults.go and
// pkg/scheduler/framework/runtime, NewFramework.
import { FieldPath, aggregateText, deepFreeze, parseDurationMs, parseYaml } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import { checkConfigurationKind, isConfigurable, readSchedulerDocument } from './configuration-document.js';
import type { ExtenderDocument, ProfileDocument, SchedulerDocument } from './configuration-document.js';
import { SchedulerConfigurationError, enabledPlugins } from './plugin-sets.js';
import { validateConfiguration } from './configuration-validation.js';
import { builtinPlugins } from './extension-points.js';
import type { PluginRegistry } from './extension-points.js';
import { completeLeaderElection } from './leader-election.js';
import type { LeaderElectionSettings } from './leader-election.js';
import { completeArguments } from './plugin-arguments.js';
import type { PluginArguments } from './plugin-arguments.js';
import { validateArguments } from './plugin-arguments-validation.js';
import type { EnabledPlugins } from './plugin-sets.js';

/** A completed, validated and frozen configuration. */
export interface SchedulerConfiguration {
  /** Default 16. */
  readonly parallelism: number;
  /** Default 1. */
  readonly podInitialBackoffSeconds: number;
  /** Default 10. */
  readonly podMaxBackoffSeconds: number;
  /** Profiles by schedulerName; at least one. */
  readonly profiles: ReadonlyMap<string, SchedulerProfile>;
  /** Extenders of all profiles, in call order. */
  readonly extenders: readonly Extender[];
  readonly delayCacheUntilActive: boolean;
  /** Client rate limits: default 50 queries per second and bursts of 100. */
  readonly clientConnection: { readonly qps: number; readonly burst: number };
  /** For the host: the scheduler itself does not elect. */
  readonly leaderElection: LeaderElectionSettings;
}

/** A completed profile: how pods of one schedulerName are scheduled. */
export interface SchedulerProfile {
  readonly schedulerName: string;
  /**
   * The percentage of feasible nodes to find. The profile's value, even if 0, else that of the configuration. 0 uses
   * Kubernetes' formula by cluster size. Default 100, unlike Kubernetes: all nodes are evaluated.
   */
  readonly percentageOfNodesToScore: number;
  readonly plugins: EnabledPlugins;
  readonly args: Frozen<PluginArguments>;
  /** The arguments of custom plugins, as given. */
  readonly customArgs: ReadonlyMap<string, unknown>;
}

/** An extender with defaults filled in. */
export interface Extender extends Omit<ExtenderDocument, 'httpTimeout' | 'weight'> {
  readonly weight: number;
  /** Default 5 s. */
  readonly httpTimeoutMs: number;
}

/** Options of reading a configuration. */
export interface ConfigurationOptions {
  /** Custom plugins and their extension points; see `registryOf`. */
  readonly plugins?: PluginRegistry;
}

/** Parses a configuration file, YAML or JSON. Rejects with `DecodeError` or `SchedulerConfigurationError`. */
export async function parseSchedulerConfiguration(
  text: string,
  options: ConfigurationOptions = {},
): Promise<SchedulerConfiguration> {
  const { value, problems } = await parseYaml(text);
  checkConfigurationKind(value);
  return complete(readSchedulerDocument(value, problems), options);
}

/**
 * Completes a document; without one, returns Kubernetes' default configuration. Throws `DecodeError` or
 * `SchedulerConfigurationError`.
 */
export function schedulerConfiguration(
  document: SchedulerDocument = {},
  options: ConfigurationOptions = {},
): SchedulerConfiguration {
  return complete(readSchedulerDocument(document), options);
}

function complete(document: SchedulerDocument, { plugins = noPlugins }: ConfigurationOptions): SchedulerConfiguration {
  const registry = new Map([...builtinPlugins, ...plugins]);
  const {
    parallelism = 16,
    percentageOfNodesToScore = 100,
    podInitialBackoffSeconds = 1,
    podMaxBackoffSeconds = 10,
    extenders = [],
    delayCacheUntilActive = false,
    clientConnection,
    leaderElection = {},
  } = document;
  const profiles = namedProfiles(document.profiles);
  const problems = validateConfiguration({
    ...document,
    parallelism,
    podInitialBackoffSeconds,
    podMaxBackoffSeconds,
    profiles,
  });
  if (problems.length > 0) throw new SchedulerConfigurationError(problems);
  return Object.freeze({
    parallelism,
    podInitialBackoffSeconds,
    podMaxBackoffSeconds,
    profiles: new Map(
      profiles.map((profile) => [
        profile.schedulerName ?? '',
        withIgnoredResources(
          managedByExtenders(extenders),
          completeProfile(profile, percentageOfNodesToScore, registry),
        ),
      ]),
    ),
    extenders: deepFreeze(extenders.map(completeExtender)),
    delayCacheUntilActive,
    // Zero means the default.
    clientConnection: Object.freeze({ qps: clientConnection?.qps ?? 50, burst: clientConnection?.burst ?? 100 }),
    leaderElection: Object.freeze(completeLeaderElection(leaderElection)),
  });
}

/** A single profile is named default-scheduler by default; of several, each needs a name. */
function namedProfiles(profiles: readonly ProfileDocument[] = []): readonly ProfileDocument[] {
  const [first = {}, ...others] = profiles;
  return others.length > 0 ? profiles : [{ ...first, schedulerName: first.schedulerName ?? 'default-scheduler' }];
}

function completeProfile(
  { schedulerName = '', percentageOfNodesToScore, plugins = {}, pluginConfig = [] }: ProfileDocument,
  otherwise: number,
  registry: PluginRegistry,
): SchedulerProfile {
  const known = pluginConfig.filter(({ name }) => isConfigurable(name));
  const args = completeArguments(Object.fromEntries(known.map((each) => [each.name, each.args])));
  // Kubernetes validates these when it creates the plugin, which its message says.
  const misfit = validateArguments('NodeResourcesFit', args, FieldPath.nil);
  if (misfit.length > 0)
    throw new SchedulerConfigurationError([`initializing plugin "NodeResourcesFit": ${aggregateText(misfit)}`]);
  return Object.freeze({
    schedulerName,
    percentageOfNodesToScore: percentageOfNodesToScore ?? otherwise,
    plugins: enabledPlugins(schedulerName, plugins, registry),
    args: deepFreeze(args),
    customArgs: new Map(
      pluginConfig.filter(({ name }) => !isConfigurable(name)).map(({ name, args: given }) => [name, given]),
    ),
  });
}

/** Returns the resources that extenders manage and the scheduler ignores. */
function managedByExtenders(extenders: readonly ExtenderDocument[]): readonly string[] {
  return extenders.flatMap(({ managedResources = [] }) =>
    managedResources.filter(({ ignoredByScheduler = false }) => ignoredByScheduler).map(({ name }) => name),
  );
}

/** Returns the profile with these resources as its ignored ones, which replaces its own list. */
function withIgnoredResources(resources: readonly string[], profile: SchedulerProfile): SchedulerProfile {
  if (resources.length === 0) return profile;
  const { args } = profile;
  return Object.freeze({
    ...profile,
    args: deepFreeze({ ...args, NodeResourcesFit: { ...args.NodeResourcesFit, ignoredResources: [...resources] } }),
  });
}

function completeExtender({ httpTimeout = '0s', weight = 0, ...rest }: ExtenderDocument): Extender {
  const timeoutMs = parseDurationMs(httpTimeout);
  return { ...rest, weight, httpTimeoutMs: timeoutMs === 0 ? 5000 : timeoutMs };
}

const noPlugins: PluginRegistry = new Map();
