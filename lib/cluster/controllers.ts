// The table of controllers of a cluster, by the names that kube-controller-manager gives them. Each runs with the
// rights of its own service account, as with `--use-service-account-credentials`. A row is all that a controller needs
// to be part of clusters, of `vivarium controller-manager` and of the selection by name.
import { allAuthenticated, serviceAccountGroups } from '../auth/index.js';
import type { Observable } from 'rxjs';
import type { Client, Informers } from '../client/index.js';
import {
  attributesClassProtection,
  bootstrapSigner,
  bootstrapTokenCleanup,
  certificateRequestApproval,
  certificateRequestCleanup,
  certificateRequestSigning,
  claimProtection,
  clusterRoleAggregation,
  cronJobs,
  daemonSets,
  defaultServiceAccounts,
  disruption,
  endpointSliceMirroring,
  endpointSlices,
  deployments,
  ephemeralVolumes,
  garbageCollector,
  jobs,
  legacyTokenCleanup,
  namespaceDeletion,
  nodeTtl,
  persistentVolumes,
  podAutoscaling,
  podGarbageCollection,
  policyTypeChecking,
  replicaSets,
  replicationControllers,
  rootCaPublisher,
  resourceQuotaStatus,
  serviceAccountSecrets,
  serviceCidrs,
  serviceEndpoints,
  statefulSets,
  ttlAfterFinished,
  volumeProtection,
} from '../controllers/index.js';
import type { ControllerEnvironment, MetricsSource } from '../controllers/index.js';
import type { Clock, Part, Random } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { ControllerSettings } from './controller-settings.js';
import type { ControllerCredentials } from './credentials.js';
import { nodeControllers } from './node-controllers.js';
import type { NodeControllerName } from './node-controllers.js';

/** What controllers are created with. */
export interface ControllerTools {
  /** Returns a client of the user that the controller runs as. */
  readonly as: (user: UserInfo) => Client;
  /** Informers that all controllers share. */
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly credentials: {
    load(): Promise<ControllerCredentials>;
    /** Resolves when they are loaded, without loading them. */
    readonly loaded: Promise<ControllerCredentials>;
  };
  readonly settings: ControllerSettings;
  /** Where the pod autoscaler reads metrics. Default: the APIs of metrics. */
  readonly metrics?: MetricsSource;
  /** Emits when the server may serve other resources; undefined if that is unknown. */
  readonly resourceChanges$?: Observable<unknown>;
}

/** The name of a controller, as in kube-controller-manager. */
export type ControllerName =
  | NodeControllerName
  | 'bootstrap-signer-controller'
  | 'certificatesigningrequest-approving-controller'
  | 'certificatesigningrequest-cleaner-controller'
  | 'certificatesigningrequest-signing-controller'
  | 'clusterrole-aggregation-controller'
  | 'cronjob-controller'
  | 'daemonset-controller'
  | 'deployment-controller'
  | 'disruption-controller'
  | 'endpoints-controller'
  | 'endpointslice-controller'
  | 'endpointslice-mirroring-controller'
  | 'ephemeral-volume-controller'
  | 'garbage-collector-controller'
  | 'horizontal-pod-autoscaler-controller'
  | 'job-controller'
  | 'legacy-serviceaccount-token-cleaner-controller'
  | 'namespace-controller'
  | 'persistentvolume-binder-controller'
  | 'persistentvolume-protection-controller'
  | 'persistentvolumeclaim-protection-controller'
  | 'pod-garbage-collector-controller'
  | 'replicaset-controller'
  | 'replicationcontroller-controller'
  | 'resourcequota-controller'
  | 'root-ca-certificate-publisher-controller'
  | 'service-cidr-controller'
  | 'serviceaccount-controller'
  | 'serviceaccount-token-controller'
  | 'statefulset-controller'
  | 'token-cleaner-controller'
  | 'ttl-after-finished-controller'
  | 'ttl-controller'
  | 'validatingadmissionpolicy-status-controller'
  | 'volumeattributesclass-protection-controller';

/** How a controller is created, and as which user it runs. */
export interface ControllerDefinition {
  readonly user: UserInfo;
  readonly create: (environment: ControllerEnvironment, tools: ControllerTools) => Part;
  /** The name that kube-controller-manager had for it before v1.29. */
  readonly alias?: string;
  /** True if `*` does not select it, only its name. */
  readonly isOffByDefault?: boolean;
}

const controllerManager: UserInfo = { username: 'system:kube-controller-manager', groups: [allAuthenticated] };

/** How each controller is created, in the order in which they start. */
export const controllerDefinitions: Readonly<Record<ControllerName, ControllerDefinition>> = {
  'serviceaccount-controller': {
    user: account('service-account-controller'),
    alias: 'serviceaccount',
    create: defaultServiceAccounts,
  },
  'root-ca-certificate-publisher-controller': {
    user: account('root-ca-cert-publisher'),
    alias: 'root-ca-cert-publisher',
    create: (environment, { credentials }) =>
      rootCaPublisher({ ...environment, rootCa: async () => (await credentials.loaded).rootCa }),
  },
  ...nodeControllers(account),
  'disruption-controller': {
    user: account('disruption-controller'),
    alias: 'disruption',
    create: disruption,
  },
  'clusterrole-aggregation-controller': {
    user: account('clusterrole-aggregation-controller'),
    alias: 'clusterrole-aggregation',
    create: clusterRoleAggregation,
  },
  'validatingadmissionpolicy-status-controller': {
    user: account('validatingadmissionpolicy-status-controller'),
    alias: 'validatingadmissionpolicy-status',
    create: policyTypeChecking,
  },
  'serviceaccount-token-controller': {
    user: controllerManager,
    alias: 'serviceaccount-token',
    create: (environment, { credentials, settings }) =>
      serviceAccountSecrets({
        ...environment,
        concurrency: settings.concurrentServiceaccountTokenSyncs,
        rootCa: async () => (await credentials.load()).rootCa,
        sign: async (secret, serviceAccount) => (await credentials.load()).legacyToken(secret, serviceAccount),
      }),
  },
  'persistentvolume-binder-controller': {
    user: account('persistent-volume-binder'),
    alias: 'persistentvolume-binder',
    create: (environment, { settings }) =>
      persistentVolumes({ ...environment, syncPeriodMs: settings.pvclaimbinderSyncPeriod }),
  },
  'ephemeral-volume-controller': {
    user: account('ephemeral-volume-controller'),
    alias: 'ephemeral-volume',
    create: (environment, { settings }) =>
      ephemeralVolumes({ ...environment, concurrency: settings.concurrentEphemeralvolumeSyncs }),
  },
  'persistentvolumeclaim-protection-controller': {
    user: account('pvc-protection-controller'),
    alias: 'pvc-protection',
    create: claimProtection,
  },
  'persistentvolume-protection-controller': {
    user: account('pv-protection-controller'),
    alias: 'pv-protection',
    create: volumeProtection,
  },
  'volumeattributesclass-protection-controller': {
    user: account('volumeattributesclass-protection-controller'),
    create: attributesClassProtection,
  },
  'certificatesigningrequest-signing-controller': {
    user: account('certificate-controller'),
    alias: 'csrsigning',
    create: (environment, { credentials, settings }) =>
      certificateRequestSigning({
        ...environment,
        validMaxMs: settings.clusterSigningDuration,
        sign: async (certificate) => (await credentials.load()).signCertificate?.(certificate),
      }),
  },
  'certificatesigningrequest-approving-controller': {
    user: account('certificate-controller'),
    alias: 'csrapproving',
    create: certificateRequestApproval,
  },
  'certificatesigningrequest-cleaner-controller': {
    user: account('certificate-controller'),
    alias: 'csrcleaner',
    create: certificateRequestCleanup,
  },
  'service-cidr-controller': { user: account('service-cidrs-controller'), create: serviceCidrs },
  'legacy-serviceaccount-token-cleaner-controller': {
    user: account('legacy-service-account-token-cleaner'),
    alias: 'legacy-service-account-token-cleaner',
    create: (environment, { settings }) =>
      legacyTokenCleanup({ ...environment, cleanUpPeriodMs: settings.legacyServiceAccountTokenCleanUpPeriod }),
  },
  'bootstrap-signer-controller': {
    user: account('bootstrap-signer'),
    alias: 'bootstrapsigner',
    isOffByDefault: true,
    create: bootstrapSigner,
  },
  'token-cleaner-controller': {
    user: account('token-cleaner'),
    alias: 'tokencleaner',
    isOffByDefault: true,
    create: bootstrapTokenCleanup,
  },
  'endpoints-controller': {
    user: account('endpoint-controller'),
    alias: 'endpoint',
    create: (environment, { settings }) =>
      serviceEndpoints({
        ...environment,
        concurrency: settings.concurrentEndpointSyncs,
        batchPeriodMs: settings.endpointUpdatesBatchPeriod,
      }),
  },
  'endpointslice-controller': {
    user: account('endpointslice-controller'),
    alias: 'endpointslice',
    create: (environment, { settings }) =>
      endpointSlices({
        ...environment,
        concurrency: settings.concurrentServiceEndpointSyncs,
        endpointsPerSliceMax: settings.maxEndpointsPerSlice,
        batchPeriodMs: settings.endpointsliceUpdatesBatchPeriod,
      }),
  },
  'endpointslice-mirroring-controller': {
    user: account('endpointslicemirroring-controller'),
    alias: 'endpointslicemirroring',
    create: (environment, { settings }) =>
      endpointSliceMirroring({
        ...environment,
        concurrency: settings.mirroringConcurrentServiceEndpointSyncs,
        addressesPerSubsetMax: settings.mirroringMaxEndpointsPerSubset,
        batchPeriodMs: settings.mirroringEndpointsliceUpdatesBatchPeriod,
      }),
  },
  'cronjob-controller': {
    user: account('cronjob-controller'),
    alias: 'cronjob',
    create: (environment, { settings }) => cronJobs({ ...environment, concurrency: settings.concurrentCronJobSyncs }),
  },
  'ttl-after-finished-controller': {
    user: account('ttl-after-finished-controller'),
    alias: 'ttl-after-finished',
    create: (environment, { settings }) =>
      ttlAfterFinished({ ...environment, concurrency: settings.concurrentTtlAfterFinishedSyncs }),
  },
  'horizontal-pod-autoscaler-controller': {
    user: account('horizontal-pod-autoscaler'),
    alias: 'horizontalpodautoscaling',
    create: (environment, { settings, metrics }) =>
      podAutoscaling({
        ...environment,
        concurrency: settings.concurrentHorizontalPodAutoscalerSyncs,
        syncPeriodMs: settings.horizontalPodAutoscalerSyncPeriod,
        downscaleStabilizationMs: settings.horizontalPodAutoscalerDownscaleStabilization,
        tolerance: settings.horizontalPodAutoscalerTolerance,
        cpuInitializationPeriodMs: settings.horizontalPodAutoscalerCpuInitializationPeriod,
        initialReadinessDelayMs: settings.horizontalPodAutoscalerInitialReadinessDelay,
        ...(metrics !== undefined && { metrics }),
      }),
  },
  'pod-garbage-collector-controller': {
    user: account('pod-garbage-collector'),
    alias: 'podgc',
    create: (environment, { settings }) =>
      podGarbageCollection({ ...environment, terminatedMax: settings.terminatedPodGcThreshold }),
  },
  'ttl-controller': { user: account('ttl-controller'), alias: 'ttl', create: nodeTtl },
  'job-controller': {
    user: account('job-controller'),
    alias: 'job',
    create: (environment, { settings }) => jobs({ ...environment, concurrency: settings.concurrentJobSyncs }),
  },
  'daemonset-controller': {
    user: account('daemon-set-controller'),
    alias: 'daemonset',
    create: (environment, { settings }) =>
      daemonSets({ ...environment, concurrency: settings.concurrentDaemonsetSyncs }),
  },
  'statefulset-controller': {
    user: account('statefulset-controller'),
    alias: 'statefulset',
    create: (environment, { settings }) =>
      statefulSets({ ...environment, concurrency: settings.concurrentStatefulsetSyncs }),
  },
  'resourcequota-controller': {
    user: account('resourcequota-controller'),
    alias: 'resourcequota',
    create: (environment, { settings }) =>
      resourceQuotaStatus({
        ...environment,
        concurrency: settings.concurrentResourceQuotaSyncs,
        syncPeriodMs: settings.resourceQuotaSyncPeriod,
      }),
  },
  'namespace-controller': {
    user: account('namespace-controller'),
    alias: 'namespace',
    create: (environment, { settings }) =>
      namespaceDeletion({ ...environment, concurrency: settings.concurrentNamespaceSyncs }),
  },
  'replicaset-controller': {
    user: account('replicaset-controller'),
    alias: 'replicaset',
    create: (environment, { settings }) =>
      replicaSets({ ...environment, concurrency: settings.concurrentReplicasetSyncs }),
  },
  'replicationcontroller-controller': {
    user: account('replication-controller'),
    alias: 'replicationcontroller',
    create: (environment, { settings }) =>
      replicationControllers({ ...environment, concurrency: settings.concurrentRcSyncs }),
  },
  'garbage-collector-controller': {
    user: account('generic-garbage-collector'),
    alias: 'garbagecollector',
    create: (environment, { settings, resourceChanges$ }) =>
      garbageCollector({
        ...environment,
        concurrency: settings.concurrentGcSyncs,
        ...(resourceChanges$ !== undefined && { resourceChanges$ }),
      }),
  },
  'deployment-controller': {
    user: account('deployment-controller'),
    alias: 'deployment',
    create: (environment, { settings }) =>
      deployments({ ...environment, concurrency: settings.concurrentDeploymentSyncs }),
  },
};

/** All controllers, in the order in which they start. */
export const controllerNames: readonly ControllerName[] = Object.keys(controllerDefinitions) as ControllerName[];

/** Creates a controller. */
export function createController(name: ControllerName, tools: ControllerTools): Part {
  const { user, create } = controllerDefinitions[name];
  const { as, informers, clock, random } = tools;
  return create({ client: as(user), informers, clock, random: random.stream(name) }, tools);
}

/**
 * Returns the controllers that a list of names, `*` and `-name` selects: the first entry of a name decides, and `*`
 * stands for names without an entry. Throws RangeError for an unknown name. As k8s.io/controller-manager/app,
 * IsControllerEnabled.
 */
export function selectControllers(given: readonly string[]): ReadonlySet<ControllerName> {
  const known: readonly string[] = controllerNames;
  const selected = given.map((each) => {
    const isExcluded = each.startsWith('-');
    const name = isExcluded ? each.slice(1) : each;
    const canonical = controllerNames.find((one) => controllerDefinitions[one].alias === name) ?? name;
    if (each !== '*' && !known.includes(canonical))
      throw new RangeError(`${JSON.stringify(name)} is not in the list of known controllers: ${known.join(', ')}`);
    return isExcluded ? `-${canonical}` : canonical;
  });
  const isSelected = (name: ControllerName): boolean => {
    const named = selected.find((each) => each === name || each === `-${name}`);
    if (named !== undefined) return named === name;
    return selected.includes('*') && controllerDefinitions[name].isOffByDefault !== true;
  };
  return new Set(controllerNames.filter(isSelected));
}

function account(name: string): UserInfo {
  return {
    username: `system:serviceaccount:kube-system:${name}`,
    groups: [...serviceAccountGroups('kube-system'), allAuthenticated],
  };
}
