// What the author of a pod or of a pod template should know: fields that are deprecated, do nothing, or hide others.
// As pkg/api/pod/warnings.go.
import { collect } from '../../errors/collect.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { deepEqual } from '../../objects/json.js';
import { warningsForIp } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isLabelValue } from '../../objects/names.js';
import type { NodeSelectorTerm, PodSpec, PodTemplateSpec } from '../../types/core-v1.generated.js';
import { nodeLabelDeprecation } from '../deprecated-node-labels.js';
import { containerWarnings, portWarnings } from './container-warnings.js';
import { fractionalBytes } from './fractional-bytes.js';
import { containersOf } from './pod-containers.js';
import type { DescribedPod } from './pod-validation-options.js';
import {
  appArmorAnnotationPrefix,
  appArmorProfileOf,
  seccompContainerAnnotationPrefix,
  seccompPodAnnotation,
} from './security-profile-validation.js';
import { volumeWarnings } from './volume-warnings.js';

/** Warnings about a new pod. As GetWarningsForPod. */
export function podWarnings(pod: DescribedPod): readonly string[] {
  return warnings(pod, { spec: fieldPath('spec'), annotations: annotationsPath }, false);
}

/**
 * Warnings about AppArmor annotations of a new pod. Valid ones have become fields by now (pod-preparation.ts), so that
 * it is unknown whether the field was set as well, for which Kubernetes would not warn.
 * As pkg/registry/core/pod/strategy.go, applyAppArmorVersionSkew.
 */
export function appArmorWarnings({ metadata, spec }: DescribedPod): readonly string[] {
  const annotations = metadata?.annotations ?? {};
  const ofPod = spec?.securityContext?.appArmorProfile;
  if (spec === undefined || spec.os?.name === 'windows') return [];
  return collect(containersOf(spec, annotationsPath), ({ container }) => {
    const key = `${appArmorAnnotationPrefix}${container.name}`;
    const annotation = annotations[key];
    if (annotation === undefined) return [];
    const meant = appArmorProfileOf(annotation);
    const own = container.securityContext?.appArmorProfile;
    const isOnlyPlace = own === undefined ? ofPod === undefined || !deepEqual(ofPod, meant) : deepEqual(own, meant);
    return isOnlyPlace ? [`${annotationsPath.key(key).toString()}: ${appArmorDeprecation}`] : [];
  });
}

/** Warnings about a pod template at `path`. The one it replaces does not matter. As GetWarningsForPodTemplate. */
export function podTemplateWarnings(
  template: Frozen<PodTemplateSpec>,
  path: FieldPath,
  _old?: Frozen<PodTemplateSpec>,
): readonly string[] {
  return warnings(
    template,
    { spec: path.child('spec'), annotations: path.child('metadata').child('annotations') },
    true,
  );
}

const annotationsPath: FieldPath = fieldPath('metadata', 'annotations');
const appArmorDeprecation = 'deprecated since v1.30; use the "appArmorProfile" field instead';

interface Places {
  readonly spec: FieldPath;
  readonly annotations: FieldPath;
}

function warnings({ metadata, spec }: DescribedPod, places: Places, isTemplate: boolean): readonly string[] {
  if (spec === undefined) return [];
  const annotations = metadata?.annotations ?? {};
  const { spec: path } = places;
  return [
    ...nodeWarnings(spec, path),
    ...annotationWarnings(annotations, places.annotations),
    ...volumeWarnings(spec.volumes ?? [], path.child('volumes')),
    ...duplicates(
      (spec.hostAliases ?? []).map(({ ip }) => ip),
      'ip',
      path.child('hostAliases'),
    ),
    ...duplicates(
      (spec.imagePullSecrets ?? []).map(({ name = '' }) => name),
      'name',
      path.child('imagePullSecrets'),
    ),
    ...emptySecretNames(spec, path.child('imagePullSecrets')),
    ...fractionalBytes(spec.overhead?.memory, path.child('overhead').key('memory')),
    ...fractionalBytes(spec.overhead?.['ephemeral-storage'], path.child('overhead').key('ephemeral-storage')),
    ...profileWarnings(spec, annotations, { isTemplate, ...places }),
    ...portWarnings(spec, path),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${path.child('terminationGracePeriodSeconds').toString()}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec, path.child('affinity')),
    ...collect(spec.dnsConfig?.nameservers ?? [], (server, index) =>
      warningsForIp(server, path.child('dnsConfig').child('nameservers').index(index)),
    ),
    ...collect(spec.hostAliases ?? [], ({ ip }, index) =>
      warningsForIp(ip, path.child('hostAliases').index(index).child('ip')),
    ),
  ];
}

/** Old names of labels, values no label has, and selectors that select nothing. */
function nodeWarnings(spec: Frozen<PodSpec>, path: FieldPath): readonly string[] {
  const found: string[] = [];
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const message = nodeLabelDeprecation(key);
    if (message !== undefined) found.push(`${path.child('nodeSelector').key(key).toString()}: ${message}`);
  }
  const nodeAffinity = spec.affinity?.nodeAffinity;
  const at = path.child('affinity').child('nodeAffinity');
  const must: Partial<Frozen<{ nodeSelectorTerms: NodeSelectorTerm[] }>> =
    nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const terms = at.child('requiredDuringSchedulingIgnoredDuringExecution').child('nodeSelectorTerms');
  must.nodeSelectorTerms?.forEach((term, index) => found.push(...termWarnings(term, terms.index(index), false)));
  const preferences = at.child('preferredDuringSchedulingIgnoredDuringExecution');
  nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ preference }, index) => {
    found.push(...termWarnings(preference, preferences.index(index).child('preference'), true));
  });
  spec.topologySpreadConstraints?.forEach(({ topologyKey, labelSelector }, index) => {
    const constraint = path.child('topologySpreadConstraints').index(index);
    const message = nodeLabelDeprecation(topologyKey);
    if (message !== undefined)
      found.push(`${constraint.child('topologyKey').toString()}: ${topologyKey} is ${message}`);
    if (labelSelector === undefined) found.push(`${constraint.child('labelSelector').toString()}: ${nullSelector}`);
  });
  return found;
}

const nullSelector = 'a null labelSelector results in matching no pod';

function termWarnings(
  { matchExpressions = [] }: Frozen<NodeSelectorTerm>,
  path: FieldPath,
  checkValues: boolean,
): readonly string[] {
  return collect(matchExpressions, ({ key, values = [] }, index) => {
    const at = path.child('matchExpressions').index(index);
    const message = nodeLabelDeprecation(key);
    const deprecated = message === undefined ? [] : [`${at.child('key').toString()}: ${key} is ${message}`];
    if (!checkValues) return deprecated;
    const wrong = collect(values, (value, place) =>
      isLabelValue(value).map(
        (sentence) => `${at.child('values').index(place).toString()}: ${value} is invalid, ${sentence}`,
      ),
    );
    return [...deprecated, ...wrong];
  });
}

const deadAnnotations: readonly (readonly [string, string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

type Annotations = Readonly<Record<string, string>>;

function annotationWarnings(annotations: Annotations, path: FieldPath): readonly string[] {
  return deadAnnotations
    .filter(([key]) => Object.hasOwn(annotations, key))
    .map(([key, message]) => `${path.key(key).toString()}: ${message}`);
}

function duplicates(values: readonly string[], field: string, path: FieldPath): readonly string[] {
  const seen = new Set<string>();
  return collect(values, (value, index) => {
    if (seen.has(value)) return [`${path.index(index).child(field).toString()}: duplicate ${field} ${quote(value)}`];
    seen.add(value);
    return [];
  });
}

function emptySecretNames({ imagePullSecrets = [] }: Frozen<PodSpec>, path: FieldPath): readonly string[] {
  return collect(imagePullSecrets, ({ name = '' }, index) =>
    name === '' ? [`${path.index(index).child('name').toString()}: invalid empty name ""`] : [],
  );
}

/** Profiles in annotations where a field should be, then what else there is to say of each container. */
function profileWarnings(
  spec: Frozen<PodSpec>,
  annotations: Annotations,
  places: Places & { readonly isTemplate: boolean },
): readonly string[] {
  const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  const { appArmorProfile: podProfile, seccompProfile } = spec.securityContext ?? {};
  const warning = (key: string, message: string): string[] =>
    Object.hasOwn(annotations, key) ? [`${places.annotations.key(key).toString()}: ${message}`] : [];
  return [
    ...(seccompProfile === undefined ? warning(seccompPodAnnotation, seccomp) : []),
    ...collect(containersOf(spec, places.spec), ({ container, at }) => {
      const { name, securityContext } = container;
      const key = `${appArmorAnnotationPrefix}${name}`;
      const differs = podProfile === undefined || !deepEqual(podProfile, appArmorProfileOf(annotations[key] ?? ''));
      const unprofiled = places.isTemplate && securityContext?.appArmorProfile === undefined && differs;
      return [
        ...(securityContext?.seccompProfile === undefined
          ? warning(`${seccompContainerAnnotationPrefix}${name}`, seccomp)
          : []),
        ...(unprofiled ? warning(key, appArmorDeprecation) : []),
        ...containerWarnings(container, at),
      ];
    }),
  ];
}

function affinityWarnings({ affinity }: Frozen<PodSpec>, path: FieldPath): readonly string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((field) => {
    const terms = affinity?.[field];
    const must = path.child(field).child('requiredDuringSchedulingIgnoredDuringExecution');
    const should = path.child(field).child('preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...collect(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? [], ({ labelSelector }, index) =>
        labelSelector === undefined ? [`${must.index(index).child('labelSelector').toString()}: ${nullSelector}`] : [],
      ),
      ...collect(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? [], ({ podAffinityTerm }, index) =>
        podAffinityTerm.labelSelector === undefined
          ? [`${should.index(index).child('podAffinityTerm').child('labelSelector').toString()}: ${nullSelector}`]
          : [],
      ),
    ];
  });
}
