// Pods: the strategy, piece by piece from the files beside it. As pkg/registry/core/pod/strategy.go.
import { collect } from '../../errors/collect.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Label, nameIsDnsSubdomain } from '../../objects/names.js';
import { warningsForIp } from '../../objects/ip-validation.js';
import type { OwnerReference } from '../../objects/meta.js';
import type { Pod, PodCondition, PodStatus } from '../../types/core-v1.generated.js';
import type { KindStrategy, UpdateStrategy } from '../kind-strategy.js';
import { withMembers } from '../../objects/with-members.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import { KnownPods } from './known-pods.js';
import { podEphemeralContainers } from './pod-ephemeral-containers.js';
import { semanticEqual } from './pod-equality.js';
import { preparePod } from './pod-preparation.js';
import { podResize } from './pod-resize.js';
import { validatePodStatusUpdate } from './pod-status-validation.js';
import { podTable } from './pod-table.js';
import { validatePodUpdate } from './pod-update-validation.js';
import { statusPath, validateNewPod } from './pod-validation.js';
import { appArmorWarnings, podWarnings } from './pod-warnings.js';

const podStatus: UpdateStrategy<Pod> = {
  prepareForUpdate(pod, old) {
    const { deletionTimestamp: _own, ownerReferences: _theirs, ...metadata } = pod.metadata ?? {};
    // Old node agents broke owner references; an update of the status cannot delete a pod.
    pod.metadata = {
      ...metadata,
      ...(old.metadata?.ownerReferences && { ownerReferences: old.metadata.ownerReferences as OwnerReference[] }),
    };
    pod.status = keepWhatStatusForgot(pod.status ?? {}, old.status ?? {});
  },
  validateUpdate: (pod, old) => validatePodStatusUpdate(pod, old),
  warningsOnUpdate: ({ status }) => [
    ...collect(status?.podIPs ?? [], ({ ip }, index) =>
      warningsForIp(ip, statusPath.child('podIPs').index(index).child('ip')),
    ),
    ...collect(status?.hostIPs ?? [], ({ ip }, index) =>
      warningsForIp(ip, statusPath.child('hostIPs').index(index).child('ip')),
    ),
  ],
};

/** The strategy of pods. */
export const pod: KindStrategy<Pod> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: (object, { now }) => preparePod(object, now),
  validate: (object) => validateNewPod(object),
  warningsOnCreate: (object) => [...appArmorWarnings(object), ...nameWarnings(object), ...podWarnings(object)],
  forServer: () => withKnownPods(pod),

  validateUpdate: (object, old) => validatePodUpdate(object, old),
  changesGeneration: (object, old) => !semanticEqual(object.spec, old.spec),
  subresources: { status: podStatus, resize: podResize, ephemeralcontainers: podEphemeralContainers },

  answersDeleted: true,
  gracePeriodSeconds({ spec, status }, asked) {
    // A pod that never ran or has ended needs no grace period.
    if ((spec?.nodeName ?? '') === '' || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
    const seconds = asked ?? spec?.terminationGracePeriodSeconds ?? 0;
    return seconds < 0 ? 1 : seconds;
  },

  selectableFields: {
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
    'spec.host': ({ spec }) => spec?.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec?.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec?.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec?.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec?.hostNetwork ?? false),
    'status.phase': ({ status }) => status?.phase ?? '',
    'status.podIP': ({ status }) => status?.podIPs?.[0]?.ip ?? '',
    // A selector may name it, but it never has a value.
    'status.podIPs': () => '',
    'status.nominatedNodeName': ({ status }) => status?.nominatedNodeName ?? '',
  },
  triggerFields: ['spec.nodeName'],
  table: podTable,
};

/** Returns the strategy with a memory of pods that were valid, so that replicas are validated once. */
function withKnownPods(strategy: KindStrategy<Pod>): KindStrategy<Pod> {
  const known = new KnownPods();
  return {
    ...strategy,
    prepareForCreate(object, { now }) {
      preparePod(object, now);
      known.share(object);
    },
    validate(object) {
      if (known.get(object) !== undefined) return validateFinalizerNames(object.metadata);
      const errors = validateNewPod(object);
      if (errors.length === 0) known.add(object);
      return errors;
    },
    warningsOnCreate(object) {
      const like = known.get(object);
      const { ofProfiles, ofRest } = like?.warnings ?? {
        ofProfiles: appArmorWarnings(object),
        ofRest: podWarnings(object),
      };
      if (like !== undefined) like.warnings = { ofProfiles, ofRest };
      return [...ofProfiles, ...nameWarnings(object), ...ofRest];
    },
  };
}

function nameWarnings({ metadata }: Frozen<Pod>): readonly string[] {
  const wrong = isDns1123Label(metadata?.name ?? '');
  if (wrong.length === 0) return [];
  const why = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: ${why}: [${wrong.join(' ')}]`];
}

/** Quality of service and observed generations stay when a writer leaves them out. As preserveOldObservedGeneration. */
function keepWhatStatusForgot(status: PodStatus, old: Frozen<PodStatus>): PodStatus {
  const kept: PodStatus = withMembers(status, {});
  if (kept.qosClass === undefined && old.qosClass !== undefined) kept.qosClass = old.qosClass;
  if ((kept.observedGeneration ?? 0) === 0 && old.observedGeneration !== undefined)
    kept.observedGeneration = old.observedGeneration;
  if (status.conditions !== undefined) kept.conditions = withGenerations(status.conditions, old.conditions ?? []);
  return kept;
}

/** A type may be in the list several times: the first of the new ones goes with the first of the old ones. */
function withGenerations(conditions: readonly PodCondition[], old: readonly Frozen<PodCondition>[]): PodCondition[] {
  if (old.every(({ observedGeneration = 0 }) => observedGeneration === 0)) return [...conditions];
  const generations = new Map<string, number[]>();
  for (const { type, observedGeneration = 0 } of old)
    generations.set(type, [...(generations.get(type) ?? []), observedGeneration]);
  return conditions.map((condition) => {
    const before = generations.get(condition.type)?.shift() ?? 0;
    return (condition.observedGeneration ?? 0) === 0 && before !== 0
      ? withMembers(condition, { observedGeneration: before })
      : condition;
  });
}
