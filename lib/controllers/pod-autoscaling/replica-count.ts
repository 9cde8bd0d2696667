// How many replicas follow from a metric: the present number, times the ratio of the measured value to the target,
// unless the ratio is within the tolerance. Pods without a measurement, and pods that are starting, are assumed to hold
// the number back: they count as idle when it would grow, and as fully used when it would shrink; if that turns the
// direction round, the number stays. Values are in thousandths; sums are exact. Pure. As
// pkg/controller/podautoscaler/replica_calculator.go and metrics/utilization.go.
import {
  aggregateContainers,
  isPodReady,
  isTerminating,
  milliValue,
  parseQuantity,
  parseTime,
  podCondition,
  quantityToMilli,
} from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Container, Pod } from '../../core/types/index.js';

/** A measurement of a pod. */
export interface PodMeasurement {
  readonly milli: number;
  /** The end of the time in which it was measured, and its length. */
  readonly atMs: number;
  readonly windowMs: number;
}

/** Measurements by the names of pods. */
export type Measurements = ReadonlyMap<string, PodMeasurement>;

/** Up to which ratio to the target nothing is changed: from `1 - down` to `1 + up`. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/** What is known about the target of an autoscaler. */
export interface ScaledPods {
  /** The pods that the selector of the scale matches. */
  readonly pods: readonly Frozen<Pod>[];
  /** `spec.replicas` of the scale. */
  readonly replicas: number;
  readonly tolerances: Tolerances;
  readonly nowMs: number;
  /** For how long after its start the CPU usage of a pod that is not ready, or was not for long, is left out. */
  readonly cpuInitializationMs: number;
  /** A pod that became unready within that time after its start has never been ready. */
  readonly initialReadinessDelayMs: number;
}

/** The number of replicas that a metric proposes, and the value that it is based on. */
export interface ReplicaProposal {
  readonly replicas: number;
  /** The average over pods, or the total, in thousandths. */
  readonly milli: number;
  /** The average usage as a percentage of the requests, of targets that are percentages. */
  readonly utilization?: number;
}

/** A resource whose usage is measured; of one container, or of all of a pod. */
export interface MeasuredResource {
  readonly name: string;
  readonly container?: string;
}

/** Proposes replicas for a usage that is a percentage of what pods request. Throws Error if requests are missing. */
export function replicasForUtilization(
  measurements: Measurements,
  targetPercent: number,
  resource: MeasuredResource,
  target: ScaledPods,
): ReplicaProposal {
  const groups = groupPods(measurements, resource.name, target);
  const requests = new Map(target.pods.map((pod) => [pod.metadata?.name ?? '', requestOf(pod, resource)]));
  const usageOf = (values: ReadonlyMap<string, number>): Usage => {
    const known = [...values].filter(([name]) => requests.has(name));
    const used = total(known.map(([, milli]) => milli));
    const requested = total(known.map(([name]) => requests.get(name) ?? 0));
    if (requested === 0n) throw new Error('no metrics returned matched known pods');
    const utilization = Number((used * 100n) / requested);
    return { ratio: utilization / targetPercent, utilization, milli: Number(used / BigInt(known.length)) };
  };
  // Pods without a measurement use all that they request, or the target if that is more.
  const fullMilli = (name: string): number =>
    Math.trunc(((requests.get(name) ?? 0) * Math.max(100, targetPercent)) / 100);
  return proposeReplicas(groups, usageOf, fullMilli, target);
}

/** Proposes replicas for an average value over pods. `resource` is empty for metrics that are not a resource. */
export function replicasForAverage(
  measurements: Measurements,
  targetMilli: number,
  resource: string,
  target: ScaledPods,
): ReplicaProposal {
  const groups = groupPods(measurements, resource, target);
  const usageOf = (values: ReadonlyMap<string, number>): Usage => {
    const milli = Number(total([...values.values()]) / BigInt(values.size));
    return { ratio: milli / targetMilli, milli };
  };
  return proposeReplicas(groups, usageOf, () => targetMilli, target);
}

/** Proposes replicas for a value that is shared by all pods: proportional to those that are ready. */
export function replicasForTotal(milli: number, targetMilli: number, target: ScaledPods): ReplicaProposal {
  const ratio = milli / targetMilli;
  const { replicas, tolerances, pods } = target;
  if (replicas === 0) return { replicas: wholeReplicas(ratio), milli };
  if (isTolerated(ratio, tolerances)) return { replicas, milli };
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${noPods}`);
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod)).length;
  return { replicas: wholeReplicas(ratio * ready), milli };
}

/** Proposes replicas for a value of which each pod is to have `targetMilli`, for `statusReplicas` pods. */
export function replicasForShare(
  milli: number,
  targetMilli: number,
  statusReplicas: number,
  tolerances: Tolerances,
): ReplicaProposal {
  const isKept = isTolerated(milli / (targetMilli * statusReplicas), tolerances);
  return {
    replicas: isKept ? statusReplicas : wholeReplicas(milli / targetMilli),
    milli: statusReplicas === 0 ? milli : Math.ceil(milli / statusReplicas),
  };
}

/** A value over pods, and its ratio to the target. */
interface Usage extends Omit<ReplicaProposal, 'replicas'> {
  readonly ratio: number;
}

/** The pods of a target by what is known about them. */
interface PodGroups {
  /** The measured values of pods that count. */
  readonly values: ReadonlyMap<string, number>;
  readonly readyCount: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
}

function proposeReplicas(
  { values, readyCount, unready, missing }: PodGroups,
  usageOf: (values: ReadonlyMap<string, number>) => Usage,
  fullMilli: (name: string) => number,
  { replicas: current, tolerances }: ScaledPods,
): ReplicaProposal {
  const { ratio, ...measured } = usageOf(values);
  const proposal = (replicas: number): ReplicaProposal => ({ ...measured, replicas });
  const growsWithUnready = unready.length > 0 && ratio > 1;
  if (!growsWithUnready && missing.length === 0)
    return proposal(isTolerated(ratio, tolerances) ? current : wholeReplicas(ratio * readyCount));
  const assumed = new Map(values);
  // A ratio of exactly 1 has no direction: nothing is assumed about the missing ones.
  if (ratio !== 1) for (const name of missing) assumed.set(name, ratio < 1 ? fullMilli(name) : 0);
  if (growsWithUnready) for (const name of unready) assumed.set(name, 0);
  const { ratio: corrected } = usageOf(assumed);
  const isTurned = (ratio < 1 && corrected > 1) || (ratio > 1 && corrected < 1);
  if (isTolerated(corrected, tolerances) || isTurned) return proposal(current);
  const next = wholeReplicas(corrected * assumed.size);
  return proposal((corrected < 1 && next > current) || (corrected > 1 && next < current) ? current : next);
}

/** Throws Error if no pod counts. */
function groupPods(measurements: Measurements, resource: string, target: ScaledPods): PodGroups {
  const { pods } = target;
  if (pods.length === 0) throw new Error(noPods);
  const values = new Map([...measurements].map(([name, { milli }]) => [name, milli]));
  const unready: string[] = [];
  const missing: string[] = [];
  let readyCount = 0;
  for (const pod of pods) {
    const name = pod.metadata?.name ?? '';
    const measurement = measurements.get(name);
    if (isTerminating(pod) || pod.status?.phase === 'Failed') values.delete(name);
    else if (pod.status?.phase === 'Pending') unready.push(name);
    else if (measurement === undefined) missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, measurement, target)) unready.push(name);
    else readyCount += 1;
  }
  for (const name of unready) values.delete(name);
  if (values.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  return { values, readyCount, unready, missing };
}

/** Returns whether the CPU usage of a pod says nothing about its load yet. */
function isStarting(
  pod: Frozen<Pod>,
  { atMs, windowMs }: PodMeasurement,
  { nowMs, cpuInitializationMs, initialReadinessDelayMs }: ScaledPods,
): boolean {
  const ready = podCondition(pod, 'Ready');
  const { startTime } = pod.status ?? {};
  if (ready === undefined || startTime === undefined) return true;
  const startedMs = parseTime(startTime);
  const changedMs = ready.lastTransitionTime === undefined ? -Infinity : parseTime(ready.lastTransitionTime);
  if (startedMs + cpuInitializationMs > nowMs) return ready.status === 'False' || atMs < changedMs + windowMs;
  return ready.status === 'False' && startedMs + initialReadinessDelayMs > changedMs;
}

/** Returns what a pod requests of a resource, in thousandths. Throws Error if it does not say. */
function requestOf(pod: Frozen<Pod>, { name: resource, container: only }: MeasuredResource): number {
  const { spec, metadata } = pod;
  const podName = metadata?.name ?? '';
  const isPodLevel = Object.keys(spec?.resources?.requests ?? {}).some(isPodLevelResource);
  if (only === undefined && isPodLevel) return podLevelRequestOf(pod, resource);
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const containers: readonly Frozen<Container>[] = [...(spec?.containers ?? []), ...sidecars];
  const counted = only === undefined ? containers : containers.filter(({ name }) => name === only);
  if (only !== undefined && counted.length === 0) throw new Error(`container ${only} not found in Pod ${podName}`);
  return counted
    .map(({ name, resources }) => {
      const request = resources?.requests?.[resource];
      if (request === undefined)
        throw new Error(`missing request for ${resource} in container ${name} of Pod ${podName}`);
      return milliValue(request);
    })
    .reduce((sum, milli) => sum + milli, 0);
}

/** Requests of the pod as a whole come before those of its containers. */
function podLevelRequestOf({ metadata, spec }: Frozen<Pod>, resource: string): number {
  const ofPod = isPodLevelResource(resource) ? spec?.resources?.requests?.[resource] : undefined;
  const request =
    ofPod === undefined ? aggregateContainers(spec ?? {}, 'requests').get(resource) : parseQuantity(ofPod);
  const overhead = spec?.overhead?.[resource];
  if (request === undefined && overhead === undefined)
    throw new Error(`missing pod-level request for ${resource} in Pod ${metadata?.name ?? ''}`);
  const requestMilli = request === undefined ? 0 : Number(quantityToMilli(request));
  return requestMilli + (overhead === undefined ? 0 : milliValue(overhead));
}

/** Which resources a pod may request as a whole. */
function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

function isTolerated(ratio: number, { down, up }: Tolerances): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

function wholeReplicas(count: number): number {
  return Math.min(Math.ceil(count), int32Max);
}

function total(values: readonly number[]): bigint {
  return values.reduce((sum, value) => sum + BigInt(value), 0n);
}

const int32Max = 2 ** 31 - 1;
const noPods = 'no pods returned by selector while calculating replica count';
