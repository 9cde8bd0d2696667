// The checks of the level `restricted`, which follows current practice of hardening pods: besides what `baseline`
// refuses, pods must give up what they do not need. As the restricted checks of
// pod-security-admission/policy/check_*.go.
import type { Frozen } from '../../core/index.js';
import type { Volume } from '../../core/types/index.js';
import { procMount, seccompProfileBaseline, seccompTypeOf } from './baseline-checks.js';
import {
  containersWhere,
  distinctSorted,
  exceptInUserNamespace,
  exceptOnWindows,
  namedContainers,
  plural,
  quotedNames,
  setters,
} from './check.js';
import type { CheckFunction, CheckedContainer, PodCheck } from './check.js';

const allowPrivilegeEscalation: CheckFunction = (pod) => {
  const bad = containersWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${namedContainers(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilitiesRestricted: CheckFunction = (pod) => {
  const added = ({ securityContext }: CheckedContainer): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((each) => each !== 'NET_BIND_SERVICE');
  const keeping = containersWhere(pod, ({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'));
  const adding = pod.containers.filter((container) => added(container).length > 0);
  const details = [
    ...(keeping.length === 0 ? [] : [`${namedContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [
          `${namedContainers(adding.map(({ name }) => name))} must not include ${quotedNames(
            distinctSorted(adding.flatMap(added)),
          )} in securityContext.capabilities.add`,
        ]),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const restrictedVolumes: CheckFunction = ({ spec: { volumes = [] } }) => {
  const bad = volumes.filter((volume) => !allowedVolumes.some((type) => volume[type] !== undefined));
  if (bad.length === 0) return undefined;
  const types = distinctSorted(bad.map(typeOfVolume));
  const names = quotedNames(bad.map(({ name }) => name));
  const verb = plural(bad.length, 'uses', 'use');
  const noun = plural(types.length, 'restricted volume type');
  return {
    reason: 'restricted volume types',
    detail: `${plural(bad.length, 'volume')} ${names} ${verb} ${noun} ${quotedNames(types)}`,
  };
};

/** The first type of the list that a volume has; one that is not in the list is unknown. */
function typeOfVolume(volume: Frozen<Volume>): string {
  return refusedVolumes.find((type) => volume[type] !== undefined) ?? 'unknown';
}

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const;

const refusedVolumes = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const;

const runAsNonRoot: CheckFunction = (pod) => {
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const who = setters(
    ofPod === false,
    containersWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false),
  );
  const reason = 'runAsNonRoot != true';
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const missing = containersWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (missing.length === 0) return undefined;
  return { reason, detail: `pod or ${namedContainers(missing)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: CheckFunction = (pod) => {
  const who = setters(
    pod.spec.securityContext?.runAsUser === 0,
    containersWhere(pod, ({ securityContext }) => securityContext?.runAsUser === 0),
  );
  return who === '' ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
};

/** Refuses seccomp profiles that do not confine, and containers that have none. */
const seccompProfileRestricted: CheckFunction = (pod) => {
  const violation = seccompProfileBaseline(pod);
  if (violation !== undefined || seccompTypeOf(pod.spec.securityContext) !== undefined) return violation;
  const missing = containersWhere(pod, ({ securityContext }) => seccompTypeOf(securityContext) === undefined);
  if (missing.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${namedContainers(missing)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

/** The checks, in the order of their ids. */
export const restrictedChecks: readonly PodCheck[] = [
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    versions: [
      { sinceMinor: 8, check: allowPrivilegeEscalation },
      { sinceMinor: 25, check: exceptOnWindows(allowPrivilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    replaces: ['capabilities_baseline'],
    versions: [
      { sinceMinor: 22, check: capabilitiesRestricted },
      { sinceMinor: 25, check: exceptOnWindows(capabilitiesRestricted) },
    ],
  },
  {
    id: 'procMount_restricted',
    level: 'restricted',
    replaces: ['procMount'],
    versions: [{ sinceMinor: 35, check: procMount }],
  },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    replaces: ['hostPathVolumes'],
    versions: [{ sinceMinor: 0, check: restrictedVolumes }],
  },
  {
    id: 'runAsNonRoot',
    level: 'restricted',
    versions: [
      { sinceMinor: 0, check: runAsNonRoot },
      { sinceMinor: 35, check: exceptInUserNamespace(runAsNonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    level: 'restricted',
    versions: [
      { sinceMinor: 23, check: runAsUser },
      { sinceMinor: 35, check: exceptInUserNamespace(runAsUser) },
    ],
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    replaces: ['seccompProfile_baseline'],
    versions: [
      { sinceMinor: 19, check: seccompProfileRestricted },
      { sinceMinor: 25, check: exceptOnWindows(seccompProfileRestricted) },
    ],
  },
];
