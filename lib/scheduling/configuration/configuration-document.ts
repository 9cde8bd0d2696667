// KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1 as written: its types and strict decoding. Defaults are
// in scheduler-configuration.ts, validation in configuration-validation.ts. As kube-scheduler/config/v1/types.go.
import {
  DecodeError,
  builtinSchema,
  decodeValue,
  errorText,
  field,
  isDecodeError,
  isJsonObject,
  isParseError,
  listOf,
  parseDuration,
  scalars,
  structType,
  typeMetaOf,
} from '../../core/index.js';
import type { Field, Shape, StructType } from '../../core/index.js';
import { extensionPoints } from './extension-points.js';
import type { ArgumentDocuments, ConfigurablePlugin } from './plugin-arguments.js';
import type { PluginSets } from './plugin-sets.js';

/** A KubeSchedulerConfiguration as written. */
export interface SchedulerDocument {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly parallelism?: number;
  readonly percentageOfNodesToScore?: number;
  readonly podInitialBackoffSeconds?: number;
  readonly podMaxBackoffSeconds?: number;
  readonly profiles?: readonly ProfileDocument[];
  readonly extenders?: readonly ExtenderDocument[];
  readonly delayCacheUntilActive?: boolean;
  readonly enableProfiling?: boolean;
  readonly enableContentionProfiling?: boolean;
  readonly clientConnection?: ClientConnectionDocument;
  readonly leaderElection?: LeaderElectionDocument;
}

/** A profile as written. */
export interface ProfileDocument {
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: PluginSets;
  readonly pluginConfig?: readonly PluginConfigDocument[];
}

/** The arguments of one plugin as written. */
export interface PluginConfigDocument {
  readonly name: string;
  readonly args?: ArgumentDocuments[ConfigurablePlugin] | Readonly<Record<string, unknown>>;
}

/** An extender as written. Durations are Go duration strings. */
export interface ExtenderDocument {
  readonly urlPrefix: string;
  readonly filterVerb?: string;
  readonly preemptVerb?: string;
  readonly prioritizeVerb?: string;
  readonly weight?: number;
  readonly bindVerb?: string;
  readonly enableHTTPS?: boolean;
  readonly tlsConfig?: ExtenderTls;
  readonly httpTimeout?: string;
  readonly nodeCacheCapable?: boolean;
  readonly managedResources?: readonly ManagedResource[];
  readonly ignorable?: boolean;
}

/** The TLS settings of an extender. Data fields are base64 of PEM. */
export interface ExtenderTls {
  readonly insecure?: boolean;
  readonly serverName?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  readonly certData?: string;
  readonly keyData?: string;
  readonly caData?: string;
}

/** A resource that an extender manages. The extender is called only for pods that request one of its resources. */
export interface ManagedResource {
  readonly name: string;
  readonly ignoredByScheduler?: boolean;
}

/** The client settings of the scheduler. Decoded and validated, but not used. */
export interface ClientConnectionDocument {
  readonly kubeconfig?: string;
  readonly acceptContentTypes?: string;
  readonly contentType?: string;
  readonly qps?: number;
  readonly burst?: number;
}

/** The leader election settings as written. Durations are Go duration strings. */
export interface LeaderElectionDocument {
  readonly leaderElect?: boolean;
  readonly leaseDuration?: string;
  readonly renewDeadline?: string;
  readonly retryPeriod?: string;
  readonly resourceLock?: string;
  readonly resourceName?: string;
  readonly resourceNamespace?: string;
}

/** The supported apiVersion. */
export const configurationVersion = 'kubescheduler.config.k8s.io/v1';

/** Checks apiVersion and kind. Throws `DecodeError`. */
export function checkConfigurationKind(value: unknown): void {
  const { apiVersion = '', kind = '' } = typeMetaOf(value);
  if (kind === '') throw new DecodeError("Object 'Kind' is missing in the scheduler configuration");
  if (apiVersion === '') throw new DecodeError("Object 'apiVersion' is missing in the scheduler configuration");
  if (kind !== 'KubeSchedulerConfiguration' || apiVersion !== configurationVersion) {
    throw new DecodeError(
      `no kind "${kind}" is registered for version "${apiVersion}": expected KubeSchedulerConfiguration of ${configurationVersion}`,
    );
  }
}

/**
 * Decodes a parsed document strictly: unknown fields, and the duplicate ones in `repeated`, are errors. Throws
 * `DecodeError`.
 */
export function readSchedulerDocument(value: unknown, repeated: readonly string[] = []): SchedulerDocument {
  const { object, problems } = decodeValue(configurationType, value);
  const document = object as SchedulerDocument; // the type that was just decoded
  const all = [...repeated, ...problems];
  const profiles = document.profiles?.map((profile, at) => ({
    ...profile,
    ...(profile.pluginConfig && {
      pluginConfig: profile.pluginConfig.map((each, index) =>
        readArguments(each, `decoding .profiles[${at}].pluginConfig[${index}]: `, all),
      ),
    }),
  }));
  if (all.length > 0) throw new DecodeError(`strict decoding error: ${all.join(', ')}`);
  checkDurations(document);
  return profiles === undefined ? document : { ...document, profiles };
}

/** Returns whether a plugin is a built-in one with arguments. */
export function isConfigurable(plugin: string): plugin is ConfigurablePlugin {
  return Object.hasOwn(argumentTypes, plugin);
}

/** Decodes the arguments of a built-in plugin; those of others are returned as they are. */
function readArguments(config: PluginConfigDocument, where: string, problems: string[]): PluginConfigDocument {
  const { name, args = {} } = config;
  if (!isConfigurable(name)) return config;
  try {
    checkArgumentsKind(name, typeMetaOf(args).kind);
    const decoded = decodeValue(argumentTypes[name], args);
    if (decoded.problems.length > 0)
      problems.push(
        `${where}strict decoding error: decoding args for plugin ${name}: strict decoding error: ${decoded.problems.join(', ')}`,
      );
    const { apiVersion: _version, kind: _kind, ...rest } = decoded.object;
    checkDurations(rest);
    return { name, args: rest };
  } catch (cause) {
    if (!isDecodeError(cause)) throw cause;
    throw new DecodeError(`${where}decoding args for plugin ${name}: ${errorText(cause)}`, { cause });
  }
}

function checkArgumentsKind(name: string, kind = ''): void {
  if (kind === '' || kind === `${name}Args`) return;
  throw new DecodeError(
    `args for plugin ${name} were not of type ${name}Args.kubescheduler.config.k8s.io, got ${kind}.kubescheduler.config.k8s.io`,
  );
}

/** Go parses durations while decoding, so an invalid one is a decoding error. */
function checkDurations(value: unknown): void {
  if (Array.isArray(value)) for (const each of value) checkDurations(each);
  if (!isJsonObject(value)) return;
  for (const [name, given] of Object.entries(value)) {
    if (!durationFields.has(name)) checkDurations(given);
    else if (typeof given === 'string') checkDuration(given);
  }
}

function checkDuration(text: string): void {
  try {
    parseDuration(text);
  } catch (cause) {
    throw isParseError(cause) ? new DecodeError(cause.message, { cause }) : cause;
  }
}

const durationFields: ReadonlySet<string> = new Set([
  'httpTimeout',
  'leaseDuration',
  'renewDeadline',
  'retryPeriod',
  'filterTimeout',
  'bindingTimeout',
]);

const text = (name: string): Field => field(name, scalars.string);
const alwaysText = (name: string): Field => field(name, scalars.string, { presence: 'always' });
const flag = (name: string): Field => field(name, scalars.bool);
/** A field whose absence differs from its zero value. */
const optional = (name: string, shape: Shape): Field => field(name, shape, { presence: 'pointer' });
const struct = (name: string, fields: () => readonly Field[]): StructType =>
  structType(`${configurationVersion}.${name}`, fields);
const argumentsOf = (name: string, fields: () => readonly Field[]): StructType =>
  struct(`${name}Args`, () => [text('apiVersion'), text('kind'), ...fields()]);

/** Returns a type of the Kubernetes API. */
function apiType(name: string): StructType {
  const type = builtinSchema.struct(name);
  if (type === undefined) throw new TypeError(`the schema lacks ${name}`);
  return type;
}

const pluginList = listOf(struct('Plugin', () => [alwaysText('name'), optional('weight', scalars.int32)]));
const pluginSet = struct('PluginSet', () => [field('enabled', pluginList), field('disabled', pluginList)]);
const shape = listOf(
  struct('UtilizationShapePoint', () =>
    ['utilization', 'score'].map((name) => field(name, scalars.int32, { presence: 'always' })),
  ),
);
const resources = field(
  'resources',
  listOf(struct('ResourceSpec', () => [alwaysText('name'), field('weight', scalars.int64)])),
);

const argumentTypes: Readonly<Record<ConfigurablePlugin, StructType>> = {
  DefaultPreemption: argumentsOf('DefaultPreemption', () =>
    ['minCandidateNodesPercentage', 'minCandidateNodesAbsolute'].map((name) => optional(name, scalars.int32)),
  ),
  DynamicResources: argumentsOf('DynamicResources', () =>
    ['filterTimeout', 'bindingTimeout'].map((name) => optional(name, scalars.string)),
  ),
  InterPodAffinity: argumentsOf('InterPodAffinity', () => [
    optional('hardPodAffinityWeight', scalars.int32),
    flag('ignorePreferredTermsOfExistingPods'),
  ]),
  NodeAffinity: argumentsOf('NodeAffinity', () => [field('addedAffinity', apiType('core/v1.NodeAffinity'))]),
  NodeResourcesBalancedAllocation: argumentsOf('NodeResourcesBalancedAllocation', () => [resources]),
  NodeResourcesFit: argumentsOf('NodeResourcesFit', () => [
    field('ignoredResources', listOf(scalars.string)),
    field('ignoredResourceGroups', listOf(scalars.string)),
    field(
      'scoringStrategy',
      struct('ScoringStrategy', () => [
        text('type'),
        resources,
        field(
          'requestedToCapacityRatio',
          struct('RequestedToCapacityRatioParam', () => [field('shape', shape)]),
        ),
      ]),
    ),
  ]),
  PodTopologySpread: argumentsOf('PodTopologySpread', () => [
    field('defaultConstraints', listOf(apiType('core/v1.TopologySpreadConstraint'))),
    text('defaultingType'),
  ]),
  VolumeBinding: argumentsOf('VolumeBinding', () => [
    optional('bindTimeoutSeconds', scalars.int64),
    field('shape', shape),
  ]),
};

const profileType = struct('KubeSchedulerProfile', () => [
  optional('schedulerName', scalars.string),
  optional('percentageOfNodesToScore', scalars.int32),
  field(
    'plugins',
    struct('Plugins', () => [...extensionPoints, 'multiPoint'].map((point) => field(point, pluginSet))),
  ),
  field('pluginConfig', listOf(struct('PluginConfig', () => [alwaysText('name'), field('args', scalars.json)]))),
]);

const extenderType = struct('Extender', () => [
  alwaysText('urlPrefix'),
  ...['filterVerb', 'preemptVerb', 'prioritizeVerb', 'bindVerb', 'httpTimeout'].map(text),
  field('weight', scalars.int64),
  ...['enableHTTPS', 'nodeCacheCapable', 'ignorable'].map(flag),
  field(
    'tlsConfig',
    struct('ExtenderTLSConfig', () => [
      flag('insecure'),
      ...['serverName', 'certFile', 'keyFile', 'caFile'].map(text),
      ...['certData', 'keyData', 'caData'].map((name) => field(name, scalars.bytes)),
    ]),
  ),
  field(
    'managedResources',
    listOf(struct('ExtenderManagedResource', () => [alwaysText('name'), flag('ignoredByScheduler')])),
  ),
]);

const configurationType = struct('KubeSchedulerConfiguration', () => [
  text('apiVersion'),
  text('kind'),
  optional('parallelism', scalars.int32),
  optional('percentageOfNodesToScore', scalars.int32),
  optional('podInitialBackoffSeconds', scalars.int64),
  optional('podMaxBackoffSeconds', scalars.int64),
  field('profiles', listOf(profileType)),
  field('extenders', listOf(extenderType)),
  flag('delayCacheUntilActive'),
  optional('enableProfiling', scalars.bool),
  optional('enableContentionProfiling', scalars.bool),
  field(
    'clientConnection',
    struct('ClientConnectionConfiguration', () => [
      ...['kubeconfig', 'acceptContentTypes', 'contentType'].map(text),
      field('qps', scalars.double),
      field('burst', scalars.int32),
    ]),
  ),
  field(
    'leaderElection',
    struct('LeaderElectionConfiguration', () => [
      optional('leaderElect', scalars.bool),
      ...['leaseDuration', 'renewDeadline', 'retryPeriod', 'resourceLock', 'resourceName', 'resourceNamespace'].map(
        text,
      ),
    ]),
  ),
]);
