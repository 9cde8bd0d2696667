// How many pods a PodDisruptionBudget expects, and how many of them must be healthy. Percentages and maxUnavailable are
// relative to the sum of the scales of the pods' controllers, each counted once; a whole minAvailable is relative to
// the pods that exist. As pkg/controller/disruption, getExpectedPodCount.
import type { Client, Stored } from '../../client/index.js';
import {
  controllerOf,
  isApiError,
  parseGroupVersion,
  printGroupResource,
  quote,
  scaledValue,
} from '../../core/index.js';
import type { Frozen, IntOrString, OwnerReference, Snapshot } from '../../core/index.js';
import type {
  Deployment,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '../../core/types/index.js';
import { replicasOf } from '../workloads/replicas.js';

/** Where the scales of controllers are read. */
export interface ScaleSources {
  readonly client: Client;
  readonly replicationControllers: Snapshot<Stored<ReplicationController>>;
  readonly replicaSets: Snapshot<Stored<ReplicaSet>>;
  readonly deployments: Snapshot<Stored<Deployment>>;
  readonly statefulSets: Snapshot<Stored<StatefulSet>>;
}

/** The result of counting. */
export interface ExpectedPods {
  readonly expected: number;
  readonly desiredHealthy: number;
  /** Whether the count is relative to controllers although some pods have none. */
  readonly hasUnmanaged: boolean;
}

/** Counts what a budget expects of its pods. Rejects if the scale of a controller cannot be found. */
export async function expectedPods(
  { spec }: Frozen<PodDisruptionBudget>,
  pods: readonly Stored<Pod>[],
  sources: ScaleSources,
  signal: AbortSignal,
): Promise<ExpectedPods> {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable === undefined && minAvailable === undefined)
    return { expected: 0, desiredHealthy: 0, hasUnmanaged: false };
  if (maxUnavailable === undefined && typeof minAvailable === 'number')
    return { expected: pods.length, desiredHealthy: minAvailable, hasUnmanaged: false };
  const scales = new Map<string, number>();
  let hasUnmanaged = false;
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) hasUnmanaged = true;
    else if (!scales.has(owner.uid)) {
      const found = await scaleOf(owner, pod.metadata.namespace ?? '', sources, signal);
      if (found === undefined) throw new Error(`found no controllers for pod ${quote(pod.metadata.name)}`);
      scales.set(found.uid, found.replicas);
    }
  }
  const expected = [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  return { expected, desiredHealthy: desiredOf(expected, minAvailable, maxUnavailable), hasUnmanaged };
}

function desiredOf(expected: number, minAvailable?: IntOrString, maxUnavailable?: IntOrString): number {
  return maxUnavailable === undefined
    ? scaledValue(minAvailable, expected, true)
    : Math.max(0, expected - scaledValue(maxUnavailable, expected, true));
}

/** A controller of pods, and how many it should have. */
interface Scaled {
  readonly uid: string;
  readonly replicas: number;
}

async function scaleOf(
  owner: Frozen<OwnerReference>,
  namespace: string,
  sources: ScaleSources,
  signal: AbortSignal,
): Promise<Scaled | undefined> {
  return cachedScale(owner, namespace, sources) ?? liveScale(owner, namespace, sources.client, signal);
}

/** The scale of a controller of a kind that informers have. A ReplicaSet of a Deployment counts as the Deployment. */
function cachedScale(
  owner: Frozen<OwnerReference>,
  namespace: string,
  { replicationControllers, replicaSets, deployments, statefulSets }: ScaleSources,
): Scaled | undefined {
  const { group } = parseGroupVersion(owner.apiVersion);
  const isApps = group === 'apps' || group === 'extensions';
  const named = `${namespace}/${owner.name}`;
  if (owner.kind === 'ReplicationController' && group === '') return scaled(replicationControllers.get(named), owner);
  if (owner.kind === 'StatefulSet' && group === 'apps') return scaled(statefulSets.get(named), owner);
  if (owner.kind !== 'ReplicaSet' || !isApps) return undefined;
  const set = replicaSets.get(named);
  const deployment = set && controllerOf(set);
  if (set?.metadata.uid !== owner.uid || deployment?.kind !== 'Deployment') return scaled(set, owner);
  const isOfApps = ['apps', 'extensions'].includes(parseGroupVersion(deployment.apiVersion).group);
  return isOfApps ? scaled(deployments.get(`${namespace}/${deployment.name}`), deployment) : undefined;
}

type Replicated = Stored<Deployment> | Stored<ReplicaSet> | Stored<ReplicationController> | Stored<StatefulSet>;

function scaled(object: Replicated | undefined, { uid }: Frozen<OwnerReference>): Scaled | undefined {
  return object?.metadata.uid === uid ? { uid, replicas: replicasOf(object) } : undefined;
}

/** The scale of a controller of any kind, read from its scale subresource. */
async function liveScale(
  { apiVersion, kind, name, uid }: Frozen<OwnerReference>,
  namespace: string,
  client: Client,
  signal: AbortSignal,
): Promise<Scaled | undefined> {
  try {
    const { metadata, spec } = await client.resource({ apiVersion, kind }).in(namespace).scale.get(name, { signal });
    return metadata.uid === uid ? { uid, replicas: spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  // There is no such object, or its kind has no scale.
  const { resources } = await client.discover({ signal });
  const { group, version } = parseGroupVersion(apiVersion);
  const entry = resources.find((each) => each.group === group && each.version === version && each.kind === kind);
  if (entry?.subresources.some((each) => each.name === 'scale') !== true)
    throw new Error(`${printGroupResource(entry ?? { group, resource: '' })} does not implement the scale subresource`);
  return undefined;
}
