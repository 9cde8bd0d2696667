// A configuration that can be obeyed: read, completed with Kubernetes' defaults, checked, frozen. It can only be had by
// completing a document, so whoever holds one need not check it again. As pkg/scheduler/apis/config/v1/defaults.go and
// pkg/scheduler/framework/runtime, NewFramework.
import { FieldPath, aggregateText, deepFreeze, parseDurationMs, parseYaml } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import { checkConfigurationKind, isConfigurable, readSchedulerDocument } from './configuration-document.js';
import type { ExtenderDocument, ProfileDocument, SchedulerDocument } from './configuration-document.js';
import { SchedulerConfigurationError } from './configuration-error.js';
import { validateConfiguration } from './configuration-validation.js';
import { builtinPlugins } from './extension-points.js';
import type { PluginRegistry } from './extension-points.js';
import { completeLeaderElection } from './leader-election.js';
import type { LeaderElectionSettings } from './leader-election.js';
import { completeArguments } from './plugin-arguments.js';
import type { PluginArguments } from './plugin-arguments.js';
import { validateArguments } from './plugin-arguments-validation.js';
import { enabledPlugins } from './plugin-sets.js';
import type { EnabledPlugins } from './plugin-sets.js';

/** How the scheduler decides. */
export interface SchedulerConfiguration {
  /** Default 16. */
  readonly parallelism: number;
  /** Default 1. */
  readonly podInitialBackoffSeconds: number;
  /** Default 10. */
  readonly podMaxBackoffSeconds: number;
  /** By the schedulerName that pods ask for; at least one. */
  readonly profiles: ReadonlyMap<string, SchedulerProfile>;
  /** Asked by every profile, in this order. */
  readonly extenders: readonly Extender[];
  readonly delayCacheUntilActive: boolean;
  /** Requests a second and at once: default 50 and 100. */
  readonly clientConnection: { readonly qps: number; readonly burst: number };
  /** For whoever runs the scheduler: it does not elect by itself. */
  readonly leaderElection: LeaderElectionSettings;
}

/** How pods of one schedulerName are placed. */
export interface SchedulerProfile {
  readonly schedulerName: string;
  /**
   * The profile's own, even if 0, else that of the configuration. 0 leaves it to the number of nodes, as Kubernetes
   * does where nothing is said; here all nodes are looked at then.
   */
  readonly percentageOfNodesToScore: number;
  readonly plugins: EnabledPlugins;
  readonly args: Frozen<PluginArguments>;
  /** Arguments of plugins that are not built in, as given. */
  readonly foreignArgs: ReadonlyMap<string, unknown>;
}

/** A service beside the scheduler, with its defaults. */
export interface Extender extends Omit<ExtenderDocument, 'httpTimeout' | 'weight'> {
  readonly weight: number;
  /** Default 5 s. */
  readonly httpTimeoutMs: number;
}

/** What completing a document needs besides it. */
export interface ConfigurationOptions {
  /** Plugins beside the built-in ones, and the points they implement. */
  readonly plugins?: PluginRegistry;
}

/** Reads the text of a file, YAML or JSON. Rejects with `DecodeError` or `SchedulerConfigurationError`. */
export async function parseSchedulerConfiguration(
  text: string,
  options: ConfigurationOptions = {},
): Promise<SchedulerConfiguration> {
  const { value, problems } = await parseYaml(text);
  checkConfigurationKind(value);
  return complete(readSchedulerDocument(value, problems), options);
}

/** Completes a document; without one, the configuration of a scheduler that was told nothing. Throws as the above. */
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
        leavingOut(managedByExtenders(extenders), completeProfile(profile, percentageOfNodesToScore, registry)),
      ]),
    ),
    extenders: deepFreeze(extenders.map(completeExtender)),
    delayCacheUntilActive,
    // Zero is the same as nothing here.
    clientConnection: Object.freeze({ qps: clientConnection?.qps ?? 50, burst: clientConnection?.burst ?? 100 }),
    leaderElection: Object.freeze(completeLeaderElection(leaderElection)),
  });
}

/** A name is assumed only where there is a single profile: of several, each must have its own. */
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
  // Kubernetes looks at these only when it makes the plugin, and says so.
  const misfit = validateArguments('NodeResourcesFit', args, FieldPath.nil);
  if (misfit.length > 0)
    throw new SchedulerConfigurationError([`initializing plugin "NodeResourcesFit": ${aggregateText(misfit)}`]);
  return Object.freeze({
    schedulerName,
    percentageOfNodesToScore: percentageOfNodesToScore ?? otherwise,
    plugins: enabledPlugins(schedulerName, plugins, registry),
    args: deepFreeze(args),
    foreignArgs: new Map(
      pluginConfig.filter(({ name }) => !isConfigurable(name)).map(({ name, args: given }) => [name, given]),
    ),
  });
}

/** The resources that extenders count in place of the scheduler. */
function managedByExtenders(extenders: readonly ExtenderDocument[]): readonly string[] {
  return extenders.flatMap(({ managedResources = [] }) =>
    managedResources.filter(({ ignoredByScheduler = false }) => ignoredByScheduler).map(({ name }) => name),
  );
}

/** The profile without these resources, which take the place of what it left out by itself. */
function leavingOut(resources: readonly string[], profile: SchedulerProfile): SchedulerProfile {
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
