// The settings of controllers: how many objects each reconciles at once, and its periods. One table, whose names are
// the flags of kube-controller-manager in camel case.

/** A setting: its default is kube-controller-manager's. Durations are in milliseconds. */
export interface ControllerSetting<Value> {
  readonly type: 'count' | 'duration' | 'fraction' | 'text' | 'switch';
  readonly default: Value;
  /** One line of help. */
  readonly help: string;
}

/** Values of all settings. Durations are in milliseconds. */
export interface ControllerSettings {
  readonly allocateNodeCidrs: boolean;
  readonly clusterCidr: string;
  readonly concurrentCronJobSyncs: number;
  readonly concurrentDaemonsetSyncs: number;
  readonly clusterSigningDuration: number;
  readonly concurrentDeviceTaintEvictionSyncs: number;
  readonly concurrentEndpointSyncs: number;
  readonly concurrentDeploymentSyncs: number;
  readonly concurrentEphemeralvolumeSyncs: number;
  readonly concurrentGcSyncs: number;
  readonly concurrentHorizontalPodAutoscalerSyncs: number;
  readonly concurrentJobSyncs: number;
  readonly concurrentNamespaceSyncs: number;
  readonly concurrentRcSyncs: number;
  readonly concurrentReplicasetSyncs: number;
  readonly concurrentResourceClaimSyncs: number;
  readonly concurrentResourceQuotaSyncs: number;
  readonly concurrentServiceEndpointSyncs: number;
  readonly concurrentServiceaccountTokenSyncs: number;
  readonly concurrentStatefulsetSyncs: number;
  readonly concurrentTtlAfterFinishedSyncs: number;
  readonly disableForceDetachOnTimeout: boolean;
  readonly endpointUpdatesBatchPeriod: number;
  readonly endpointsliceUpdatesBatchPeriod: number;
  readonly horizontalPodAutoscalerCpuInitializationPeriod: number;
  readonly horizontalPodAutoscalerDownscaleStabilization: number;
  readonly horizontalPodAutoscalerInitialReadinessDelay: number;
  readonly horizontalPodAutoscalerSyncPeriod: number;
  readonly horizontalPodAutoscalerTolerance: number;
  readonly largeClusterSizeThreshold: number;
  readonly legacyServiceAccountTokenCleanUpPeriod: number;
  readonly maxEndpointsPerSlice: number;
  readonly mirroringConcurrentServiceEndpointSyncs: number;
  readonly mirroringEndpointsliceUpdatesBatchPeriod: number;
  readonly mirroringMaxEndpointsPerSubset: number;
  readonly nodeCidrMaskSize: number;
  readonly nodeCidrMaskSizeIpv4: number;
  readonly nodeCidrMaskSizeIpv6: number;
  readonly nodeEvictionRate: number;
  readonly nodeMonitorGracePeriod: number;
  readonly nodeMonitorPeriod: number;
  readonly nodeStartupGracePeriod: number;
  readonly pvclaimbinderSyncPeriod: number;
  readonly resourceQuotaSyncPeriod: number;
  readonly terminatedPodGcThreshold: number;
  readonly secondaryNodeEvictionRate: number;
  readonly serviceClusterIpRange: string;
  readonly unhealthyZoneThreshold: number;
}

/** A setting for each value. */
export type ControllerSettingTable = {
  readonly [Name in keyof ControllerSettings]: ControllerSetting<ControllerSettings[Name]>;
};

/** All settings, by name. The flag of `concurrentGcSyncs` is `--concurrent-gc-syncs`. */
export const controllerSettings: ControllerSettingTable = {
  allocateNodeCidrs: onOrOff(false, 'whether nodes get ranges of pod addresses'),
  clusterCidr: text('', 'the ranges that those of nodes are part of: one, or one of each family'),
  concurrentCronJobSyncs: count(5, 'CronJobs'),
  concurrentDaemonsetSyncs: count(2, 'daemon sets'),
  clusterSigningDuration: duration(31_536_000_000, 'the longest validity of certificates that are signed'),
  concurrentDeviceTaintEvictionSyncs: count(50, 'pods with tainted devices'),
  concurrentEndpointSyncs: count(5, 'Endpoints'),
  concurrentDeploymentSyncs: count(5, 'deployments'),
  concurrentEphemeralvolumeSyncs: count(5, 'generic ephemeral volumes'),
  concurrentGcSyncs: count(20, 'objects that may be garbage'),
  concurrentHorizontalPodAutoscalerSyncs: count(5, 'horizontal pod autoscalers'),
  concurrentJobSyncs: count(5, 'Jobs'),
  concurrentNamespaceSyncs: count(10, 'terminating namespaces'),
  concurrentRcSyncs: count(5, 'replication controllers'),
  concurrentReplicasetSyncs: count(5, 'replica sets'),
  concurrentResourceClaimSyncs: count(50, 'resource claims and their pods'),
  concurrentResourceQuotaSyncs: count(5, 'resource quotas'),
  concurrentServiceEndpointSyncs: count(5, 'Services whose EndpointSlices are written,'),
  concurrentServiceaccountTokenSyncs: count(5, 'tokens of service accounts in Secrets'),
  concurrentStatefulsetSyncs: count(5, 'stateful sets'),
  concurrentTtlAfterFinishedSyncs: count(5, 'finished Jobs with a time to live'),
  disableForceDetachOnTimeout: onOrOff(false, 'whether a node that does not confirm it keeps its volumes for ever'),
  endpointUpdatesBatchPeriod: duration(0, 'the delay of Endpoints after a change of pods'),
  endpointsliceUpdatesBatchPeriod: duration(0, 'the delay of EndpointSlices after a change of pods'),
  horizontalPodAutoscalerCpuInitializationPeriod: duration(
    300_000,
    'how long after the start of a pod its CPU usage may be left out',
  ),
  horizontalPodAutoscalerDownscaleStabilization: duration(
    300_000,
    'how long proposals of more replicas hold scaling down',
  ),
  horizontalPodAutoscalerInitialReadinessDelay: duration(
    30_000,
    'how long after its start a pod that is not ready is taken never to have been',
  ),
  horizontalPodAutoscalerSyncPeriod: duration(15_000, 'how often each horizontal pod autoscaler is reconciled'),
  horizontalPodAutoscalerTolerance: fraction(0.1, 'the deviation of a metric from its target that is tolerated'),
  largeClusterSizeThreshold: number(50, 'the nodes of a zone above which evictions slow down instead of stopping'),
  legacyServiceAccountTokenCleanUpPeriod: duration(
    31_536_000_000,
    'how long tokens in Secrets are unused before they are marked invalid, and then deleted',
  ),
  maxEndpointsPerSlice: number(100, 'the most endpoints of an EndpointSlice'),
  mirroringConcurrentServiceEndpointSyncs: count(5, 'Endpoints that are mirrored,'),
  mirroringEndpointsliceUpdatesBatchPeriod: duration(0, 'the delay of mirrored EndpointSlices after a change'),
  mirroringMaxEndpointsPerSubset: number(1000, 'the most addresses of a subset that are mirrored'),
  nodeCidrMaskSize: number(0, 'the prefix length of the ranges of nodes, for one family; 0 for 24 or 64'),
  nodeCidrMaskSizeIpv4: number(0, 'the prefix length of the IPv4 ranges of nodes; 0 for 24'),
  nodeCidrMaskSizeIpv6: number(0, 'the prefix length of the IPv6 ranges of nodes; 0 for 64'),
  nodeEvictionRate: fraction(0.1, 'the nodes per second of a healthy zone whose pods are evicted'),
  nodeMonitorGracePeriod: duration(50_000, 'how long a node may be silent before it counts as unhealthy'),
  nodeMonitorPeriod: duration(5_000, 'how often the health of nodes is checked'),
  nodeStartupGracePeriod: duration(60_000, 'how long a new node may be silent before it counts as unhealthy'),
  pvclaimbinderSyncPeriod: duration(15_000, 'how often claims and volumes are reconciled without a change'),
  resourceQuotaSyncPeriod: duration(300_000, 'how often the usage of quotas is recalculated without a change'),
  terminatedPodGcThreshold: number(12_500, 'how many terminated pods are kept; 0 keeps all'),
  secondaryNodeEvictionRate: fraction(0.01, 'the nodes per second of an unhealthy large zone whose pods are evicted'),
  serviceClusterIpRange: text('', 'the ranges of Services, which nodes do not get'),
  unhealthyZoneThreshold: fraction(0.55, 'the part of nodes that are not ready from which a zone is unhealthy'),
};

/** Fills in defaults and validates numbers. Throws RangeError. */
export function completeControllerSettings(given: Partial<ControllerSettings> = {}): ControllerSettings {
  const entries = Object.entries<ControllerSetting<boolean | number | string>>({ ...controllerSettings }).map(
    ([name, { type, default: fallback }]) => {
      const value = Object.hasOwn(given, name) ? (given[name as keyof ControllerSettings] ?? fallback) : fallback;
      if (typeof value === 'number') checkNumber(name, type, value);
      return [name, value];
    },
  );
  return Object.fromEntries(entries) as ControllerSettings;
}

function checkNumber(name: string, type: ControllerSetting<number>['type'], value: number): void {
  if (!(value >= 0) || value > settingMax || (type !== 'fraction' && !Number.isSafeInteger(value)))
    throw new RangeError(`${name} is a number from 0 to ${settingMax}, not ${value}`);
}

/** More is assumed to be a mistake; as a duration it is 31 years. */
const settingMax = 1e12;

function count(fallback: number, what: string): ControllerSetting<number> {
  return { type: 'count', default: fallback, help: `${what} that are reconciled at once (default ${fallback})` };
}

function duration(fallback: number, what: string): ControllerSetting<number> {
  const seconds = fallback / 1000;
  const text = seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
  return { type: 'duration', default: fallback, help: `${what} (default ${text})` };
}

function number(fallback: number, what: string): ControllerSetting<number> {
  return { type: 'count', default: fallback, help: `${what} (default ${fallback})` };
}

function fraction(fallback: number, what: string): ControllerSetting<number> {
  return { type: 'fraction', default: fallback, help: `${what} (default ${fallback})` };
}

function text(fallback: string, what: string): ControllerSetting<string> {
  return { type: 'text', default: fallback, help: fallback === '' ? what : `${what} (default ${fallback})` };
}

function onOrOff(fallback: boolean, what: string): ControllerSetting<boolean> {
  return { type: 'switch', default: fallback, help: `${what} (default ${String(fallback)})` };
}
