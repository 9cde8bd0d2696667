// Validates a configuration whose defaults are filled in, with Kubernetes' messages. As
// pkg/scheduler/apis/config/validation/validation.go.
import {
  deepEqual,
  fieldDuplicate,
  fieldErrorText,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  isExtendedResource,
  isQualifiedName,
  parseDurationMs,
} from '../../core/index.js';
import type { FieldError, FieldPath } from '../../core/index.js';
import { configurationVersion, isConfigurable } from './configuration-document.js';
import type {
  ExtenderDocument,
  LeaderElectionDocument,
  ProfileDocument,
  SchedulerDocument,
} from './configuration-document.js';
import { extensionPoints } from './extension-points.js';
import { electionDurations } from './leader-election.js';
import { completeArguments } from './plugin-arguments.js';
import { validateArguments } from './plugin-arguments-validation.js';
import type { PluginSet } from './plugin-sets.js';

/** A document with defaults for its numbers and profiles. */
export type DefaultedDocument = SchedulerDocument &
  Required<Pick<SchedulerDocument, 'parallelism' | 'podInitialBackoffSeconds' | 'podMaxBackoffSeconds' | 'profiles'>>;

/** Returns the errors of a configuration; empty if it is valid. */
export function validateConfiguration(configuration: DefaultedDocument): readonly string[] {
  const {
    parallelism,
    percentageOfNodesToScore,
    podInitialBackoffSeconds: initial,
    podMaxBackoffSeconds: max,
    profiles,
    extenders = [],
    clientConnection,
    leaderElection,
  } = configuration;
  const burst = clientConnection?.burst ?? 0;
  const path = fieldPath('profiles');
  return [
    ...texts(burst < 0 ? [fieldInvalid(fieldPath('clientConnection', 'burst'), burst, 'must be non-negative')] : []),
    ...texts(validateLeaderElection(leaderElection ?? {}, fieldPath('leaderElection'))),
    ...texts(
      parallelism <= 0
        ? [fieldInvalid(fieldPath('parallelism'), parallelism, 'should be an integer value greater than zero')]
        : [],
    ),
    ...profiles.flatMap((profile, index) => [
      ...validateProfile(profile, path.index(index)),
      // Kubernetes intends to print the path of the other profile but prints this.
      ...texts(
        profiles.findIndex(({ schedulerName = '' }) => schedulerName === (profile.schedulerName ?? '')) < index
          ? [fieldDuplicate(path.index(index).child('schedulerName'), {})]
          : [],
      ),
    ]),
    ...texts(validateQueueSort(profiles, path)),
    ...texts(validatePercentage(percentageOfNodesToScore, fieldPath('percentageOfNodesToScore'))),
    ...texts(
      initial <= 0 ? [fieldInvalid(fieldPath('podInitialBackoffSeconds'), initial, 'must be greater than 0')] : [],
    ),
    ...texts(
      max < initial
        ? [
            fieldInvalid(
              fieldPath('podMaxBackoffSeconds'),
              max,
              'must be greater than or equal to PodInitialBackoffSeconds',
            ),
          ]
        : [],
    ),
    ...texts(validateExtenders(extenders, fieldPath('extenders'))),
  ];
}

function texts(errors: readonly FieldError[]): readonly string[] {
  return errors.map(fieldErrorText);
}

/** Zero durations have their defaults: negative ones, and a lease shorter than its renewal, remain to be rejected. */
function validateLeaderElection(document: LeaderElectionDocument, path: FieldPath): readonly FieldError[] {
  const { leaderElect = true, resourceLock = 'leases' } = document;
  if (!leaderElect) return [];
  const times = electionDurations(document);
  const errors = Object.entries(times)
    .filter(([, duration]) => parseDurationMs(duration) <= 0)
    .map(([name, duration]) => fieldInvalid(path.child(name), duration, 'must be greater than zero'));
  if (parseDurationMs(times.leaseDuration) <= parseDurationMs(times.renewDeadline)) {
    errors.push(fieldInvalid(path.child('leaseDuration'), times.renewDeadline, 'must be greater than `RenewDeadline`'));
  }
  if (resourceLock !== 'leases')
    errors.push(fieldInvalid(path.child('resourceLock'), resourceLock, 'resourceLock value must be "leases"'));
  return errors;
}

function validatePercentage(percentage = 0, path: FieldPath): readonly FieldError[] {
  return percentage < 0 || percentage > 100 ? [fieldInvalid(path, percentage, 'not in valid range [0-100]')] : [];
}

function validateProfile(
  { schedulerName = '', percentageOfNodesToScore, plugins = {}, pluginConfig = [] }: ProfileDocument,
  path: FieldPath,
): readonly string[] {
  return [
    ...texts(schedulerName === '' ? [fieldRequired(path.child('schedulerName'))] : []),
    ...texts(validatePercentage(percentageOfNodesToScore, path.child('percentageOfNodesToScore'))),
    ...extensionPoints.flatMap((point) =>
      (plugins[point]?.enabled ?? []).flatMap(({ name }, index) =>
        texts(removedPlugin(name, path.child('plugins').child(point).child('enabled').index(index))),
      ),
    ),
    ...pluginConfig.flatMap(({ name, args }, index) => {
      const at = path.child('pluginConfig').index(index);
      return [
        ...texts(pluginConfig.findIndex((other) => other.name === name) < index ? [fieldDuplicate(at, name)] : []),
        ...texts(removedPlugin(name, at)),
        // Those of NodeResourcesFit are validated when the plugin is created.
        ...(isConfigurable(name) && name !== 'NodeResourcesFit'
          ? validateArguments(name, completeArguments({ [name]: args }), at.child('args'))
          : []),
      ];
    }),
  ];
}

const removedPlugins: ReadonlySet<string> = new Set(['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits']);

function removedPlugin(name: string, path: FieldPath): readonly FieldError[] {
  if (!removedPlugins.has(name)) return [];
  return [
    fieldInvalid(
      path,
      name,
      `was invalid in version "v1" (KubeSchedulerConfiguration is version "${configurationVersion}")`,
    ),
  ];
}

/** All profiles share one queue and must have the same QueueSort plugin. */
function validateQueueSort(profiles: readonly ProfileDocument[], path: FieldPath): readonly FieldError[] {
  const [first = {}, ...others] = profiles;
  const canon = first.plugins?.queueSort ?? {};
  const sorter = canon.enabled?.[0]?.name;
  const argsOf = ({ pluginConfig = [] }: ProfileDocument): unknown =>
    sorter === undefined ? undefined : pluginConfig.find(({ name }) => name === sorter)?.args;
  const count = canon.enabled?.length ?? 0;
  return [
    ...(count > 1
      ? [
          fieldInvalid(
            path.index(0).child('plugins').child('queueSort').child('Enabled'),
            count,
            'only one queue sort plugin can be enabled',
          ),
        ]
      : []),
    ...others.flatMap((profile, index) => {
      const at = path.index(index + 1);
      const set = profile.plugins?.queueSort ?? {};
      const args = argsOf(profile);
      return [
        ...(deepEqual(printedSet(set), printedSet(canon))
          ? []
          : [
              fieldInvalid(
                at.child('plugins').child('queueSort'),
                printedSet(set),
                'must be the same for all profiles',
              ),
            ]),
        ...(args === undefined || deepEqual(args, argsOf(first))
          ? []
          : [
              fieldInvalid(at.child('pluginConfig').child('args'), args, 'queueSort must be the same for all profiles'),
            ]),
      ];
    }),
  ];
}

/** Returns the set as Go prints its internal type. */
function printedSet({ enabled = [], disabled = [] }: PluginSet): object {
  const printed = (plugins: NonNullable<PluginSet['enabled']>): object | null =>
    plugins.length === 0 ? null : plugins.map(({ name, weight = 0 }) => ({ Name: name, Weight: weight }));
  return { Enabled: printed(enabled), Disabled: printed(disabled) };
}

function validateExtenders(extenders: readonly ExtenderDocument[], path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const managed = new Set<string>();
  for (const [index, { prioritizeVerb = '', weight = 0, managedResources = [] }] of extenders.entries()) {
    if (prioritizeVerb !== '' && weight <= 0)
      errors.push(fieldInvalid(path.index(index).child('weight'), weight, 'must have a positive weight applied to it'));
    for (const [at, { name }] of managedResources.entries()) {
      const namePath = path.index(index).child('managedResources').index(at).child('name');
      errors.push(...validateManagedName(name, namePath));
      if (managed.has(name)) errors.push(fieldInvalid(namePath, name, 'duplicate extender managed resource name'));
      managed.add(name);
    }
  }
  const binders = extenders.filter(({ bindVerb = '' }) => bindVerb !== '').length;
  if (binders > 1)
    errors.push(
      fieldInvalid(path, `found ${binders} extenders implementing bind`, 'only one extender can implement bind'),
    );
  return errors;
}

function validateManagedName(name: string, path: FieldPath): readonly FieldError[] {
  const wrong = isQualifiedName(name);
  if (wrong.length > 0) return wrong.map((sentence) => fieldInvalid(path, name, sentence));
  return isExtendedResource(name) ? [] : [fieldInvalid(path, name, 'is an invalid extended resource name')];
}
