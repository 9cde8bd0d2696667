// Validates plugin arguments, with Kubernetes' messages. As
// pkg/scheduler/apis/config/validation/validation_pluginargs.go.
import {
  compileNodeTerms,
  compilePreferredTerms,
  fieldDuplicate,
  fieldErrorText,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  isQualifiedName,
  printDuration,
} from '../../core/index.js';
import type { FieldError, FieldPath } from '../../core/index.js';
import type { ConfigurablePlugin, PluginArguments, ResourceWeight, ShapePoint } from './plugin-arguments.js';

/** Returns the errors in the arguments of one plugin. */
export function validateArguments(
  plugin: ConfigurablePlugin,
  all: PluginArguments,
  path: FieldPath,
): readonly string[] {
  switch (plugin) {
    case 'DefaultPreemption':
      return texts(validatePreemption(all.DefaultPreemption, path));
    case 'DynamicResources':
      return texts(validateDevices(all.DynamicResources, path));
    case 'InterPodAffinity':
      return texts(inRange(path.child('hardPodAffinityWeight'), all.InterPodAffinity.hardPodAffinityWeight, 100));
    case 'NodeAffinity':
      return validateAddedAffinity(all.NodeAffinity, path.child('addedAffinity'));
    case 'NodeResourcesBalancedAllocation':
      return texts(validateBalanced(all.NodeResourcesBalancedAllocation.resources, path.child('resources')));
    case 'NodeResourcesFit':
      return texts(validateFit(all.NodeResourcesFit, path));
    case 'PodTopologySpread':
      return texts(validateSpread(all.PodTopologySpread, path));
    case 'VolumeBinding':
      return texts(validateVolumes(all.VolumeBinding, path));
  }
}

function texts(errors: readonly FieldError[]): readonly string[] {
  return errors.map(fieldErrorText);
}

function inRange(path: FieldPath, value: number, max: number): FieldError[] {
  return value < 0 || value > max ? [fieldInvalid(path, value, `not in valid range [0, ${max}]`)] : [];
}

function validatePreemption(
  {
    minCandidateNodesPercentage: percentage,
    minCandidateNodesAbsolute: absolute,
  }: PluginArguments['DefaultPreemption'],
  path: FieldPath,
): FieldError[] {
  const percentagePath = path.child('minCandidateNodesPercentage');
  const absolutePath = path.child('minCandidateNodesAbsolute');
  const errors = inRange(percentagePath, percentage, 100);
  if (absolute < 0) errors.push(fieldInvalid(absolutePath, absolute, 'not in valid range [0, inf)'));
  if (percentage === 0 && absolute === 0) {
    errors.push(
      fieldInvalid(percentagePath, percentage, 'cannot be zero at the same time as minCandidateNodesAbsolute'),
    );
    errors.push(fieldInvalid(absolutePath, absolute, 'cannot be zero at the same time as minCandidateNodesPercentage'));
  }
  return errors;
}

function validateDevices(
  { filterTimeoutMs, bindingTimeoutMs }: PluginArguments['DynamicResources'],
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (filterTimeoutMs < 0)
    errors.push(fieldInvalid(path.child('filterTimeout'), durationText(filterTimeoutMs), 'must be zero or positive'));
  if (bindingTimeoutMs < 1000)
    errors.push(
      fieldInvalid(path.child('bindingTimeout'), durationText(bindingTimeoutMs), 'must be at least 1 second'),
    );
  return errors;
}

function validateAddedAffinity({ addedAffinity }: PluginArguments['NodeAffinity'], path: FieldPath): readonly string[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = addedAffinity ?? {};
  const requiredPath = path.child('requiredDuringSchedulingIgnoredDuringExecution').child('nodeSelectorTerms');
  return [
    ...compileNodeTerms(required?.nodeSelectorTerms ?? [], requiredPath).problems,
    ...compilePreferredTerms(preferred, path.child('preferredDuringSchedulingIgnoredDuringExecution')).problems,
  ];
}

function validateBalanced(resources: readonly ResourceWeight[], path: FieldPath): readonly FieldError[] {
  return resources.flatMap(({ name, weight }, index) => [
    ...(resources.findIndex((other) => other.name === name) < index
      ? [fieldDuplicate(path.index(index).child('name'), name)]
      : []),
    ...(weight === 1 ? [] : [fieldInvalid(path.index(index).child('weight'), weight, 'must be 1')]),
  ]);
}

function validateFit(
  { ignoredResources, ignoredResourceGroups, scoringStrategy }: PluginArguments['NodeResourcesFit'],
  path: FieldPath,
): readonly FieldError[] {
  const { type, resources, requestedToCapacityRatio: ratio } = scoringStrategy;
  const strategyPath = path.child('scoringStrategy');
  const ratioPath = strategyPath.child('requestedToCapacityRatio');
  const errors = [
    ...ignoredResources.flatMap((name, index) => labelName(name, path.child('ignoredResources').index(index))),
    ...ignoredResourceGroups.flatMap((group, index) => {
      const at = path.child('ignoredResourceGroups').index(index);
      return [
        ...(group.includes('/') ? [fieldInvalid(at, group, "resource group name can't contain '/'")] : []),
        ...labelName(group, at),
      ];
    }),
  ];
  if (!strategyTypes.includes(type)) errors.push(fieldNotSupported(strategyPath.child('type'), type, strategyTypes));
  for (const [index, { name, weight }] of resources.entries()) {
    if (weight <= 0 || weight > 100)
      errors.push(
        fieldInvalid(
          strategyPath.child('resources').index(index).child('weight'),
          weight,
          `resource weight of ${name} not in valid range (0, 100]`,
        ),
      );
  }
  if (type !== 'RequestedToCapacityRatio') {
    return ratio === undefined
      ? errors
      : [...errors, fieldForbidden(ratioPath, 'must be nil when type is not RequestedToCapacityRatio')];
  }
  if (ratio === undefined)
    return [...errors, fieldRequired(ratioPath, 'must be specified when type is RequestedToCapacityRatio')];
  return [...errors, ...validateShape(ratio.shape, ratioPath.child('shape'))];
}

const strategyTypes: readonly string[] = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];

function validateShape(shape: readonly ShapePoint[], path: FieldPath): readonly FieldError[] {
  if (shape.length === 0) return [fieldRequired(path, 'at least one point must be specified')];
  const unsorted = shape.findIndex(
    ({ utilization }, index) => index > 0 && (shape[index - 1]?.utilization ?? -1) >= utilization,
  );
  return [
    ...(unsorted < 0
      ? []
      : [
          fieldInvalid(
            path.index(unsorted).child('utilization'),
            shape[unsorted]?.utilization,
            'values must be sorted in increasing order',
          ),
        ]),
    ...shape.flatMap(({ utilization, score }, index) => [
      ...inRange(path.index(index).child('utilization'), utilization, 100),
      ...inRange(path.index(index).child('score'), score, 10),
    ]),
  ];
}

function validateSpread(
  { defaultingType, defaultConstraints }: PluginArguments['PodTopologySpread'],
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const typePath = path.child('defaultingType');
  if (defaultingType !== 'System' && defaultingType !== 'List')
    errors.push(fieldNotSupported(typePath, defaultingType, ['System', 'List']));
  else if (defaultingType === 'System' && defaultConstraints.length > 0)
    errors.push(fieldInvalid(typePath, defaultingType, 'when .defaultConstraints are not empty'));
  for (const [
    index,
    { maxSkew, topologyKey, whenUnsatisfiable: action, labelSelector },
  ] of defaultConstraints.entries()) {
    const at = path.child('defaultConstraints').index(index);
    if (maxSkew <= 0) errors.push(fieldInvalid(at.child('maxSkew'), maxSkew, 'not in valid range (0, inf)'));
    errors.push(
      ...(topologyKey === ''
        ? [fieldRequired(at.child('topologyKey'), 'can not be empty')]
        : labelName(topologyKey, at.child('topologyKey'))),
    );
    errors.push(...validateAction(action, at.child('whenUnsatisfiable')));
    if (labelSelector !== undefined)
      errors.push(
        fieldForbidden(
          at.child('labelSelector'),
          'constraint must not define a selector, as they deduced for each pod',
        ),
      );
    const first = defaultConstraints.findIndex(
      (other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === action,
    );
    if (first < index) errors.push(fieldDuplicate(at, `{${topologyKey}, ${action}}`));
  }
  return errors;
}

function validateAction(action: string, path: FieldPath): readonly FieldError[] {
  if (action === '') return [fieldRequired(path, 'can not be empty')];
  const known = ['DoNotSchedule', 'ScheduleAnyway'];
  return known.includes(action) ? [] : [fieldNotSupported(path, action, known)];
}

function validateVolumes(
  { bindTimeoutSeconds, shape }: PluginArguments['VolumeBinding'],
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (bindTimeoutSeconds < 0)
    errors.push(
      fieldInvalid(
        path.child('bindTimeoutSeconds'),
        bindTimeoutSeconds,
        'invalid BindTimeoutSeconds, should not be a negative value',
      ),
    );
  if (shape !== undefined) {
    const printed = shape.map(({ utilization, score }) => ({ Utilization: utilization, Score: score }));
    errors.push(
      fieldInvalid(
        path.child('shape'),
        printed,
        'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring',
      ),
    );
  }
  return errors;
}

function labelName(name: string, path: FieldPath): readonly FieldError[] {
  return isQualifiedName(name).map((sentence) => fieldInvalid(path, name, sentence));
}

function durationText(ms: number): string {
  return printDuration(BigInt(Math.round(ms * 1e6)));
}
