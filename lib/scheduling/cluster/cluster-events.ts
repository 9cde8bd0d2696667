// Maps the update of a node or a pod to cluster events, one for each aspect that changed, so that only pods rejected by
// a plugin registered for that aspect are requeued. Other changes, such as heartbeats, are no event for a node, and the
// general update event for a pod. As pkg/scheduler/framework/events.go.
import { deepEqual } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, NodeCondition, Pod } from '../../core/types/index.js';
import { podFacts } from '../pod/pod-facts.js';
import { mayBeResized } from '../pod/requests.js';
import type { ResourceAmounts } from '../pod/resource-amounts.js';
import { actions } from '../queue/cluster-event.js';
import type { ClusterEvent } from '../queue/cluster-event.js';

/** Returns the events of a node update; none if no relevant aspect changed. Becoming schedulable is a taint event. */
export function nodeEvents(old: Frozen<Node>, node: Frozen<Node>): readonly ClusterEvent[] {
  const events: ClusterEvent[] = [];
  if (!same(old.status?.allocatable, node.status?.allocatable)) events.push(nodeUpdates.allocatable);
  if (!same(old.metadata?.labels, node.metadata?.labels)) events.push(nodeUpdates.labels);
  if (becameSchedulable(old, node) || !sameList(old.spec?.taints, node.spec?.taints)) events.push(nodeUpdates.taints);
  if (!sameStatuses(old.status?.conditions, node.status?.conditions)) events.push(nodeUpdates.conditions);
  if (!same(old.metadata?.annotations, node.metadata?.annotations)) events.push(nodeUpdates.annotations);
  if (!sameList(old.status?.declaredFeatures, node.status?.declaredFeatures)) events.push(nodeUpdates.declaredFeatures);
  return events;
}

/**
 * Returns the events of a pod update, at least one: AssignedPod events if the pod has a node, else UnschedulablePod
 * events.
 */
export function podEvents(old: Frozen<Pod>, pod: Frozen<Pod>): readonly ClusterEvent[] {
  const updates = (pod.spec?.nodeName ?? '') === '' ? waitingPodUpdates : assignedPodUpdates;
  const events: ClusterEvent[] = [];
  if (!same(old.metadata?.labels, pod.metadata?.labels)) events.push(updates.labels);
  if (isScaledDown(old, pod)) events.push(updates.scaleDown);
  if (old.spec !== pod.spec) {
    if (count(old.spec?.schedulingGates) > 0 && count(pod.spec?.schedulingGates) === 0)
      events.push(updates.gatesEliminated);
    // The API allows only additions.
    if (count(old.spec?.tolerations) !== count(pod.spec?.tolerations)) events.push(updates.tolerations);
  }
  if (!sameClaims(old, pod)) events.push(updates.generatedClaims);
  return events.length === 0 ? updates.general : events;
}

/** Returns the event of an object that was added, updated or deleted. Equal events are the same object. */
export function objectEvent(resource: string, old: unknown, current: unknown): ClusterEvent {
  let events = objectEvents.get(resource);
  if (events === undefined)
    objectEvents.set(
      resource,
      (events = {
        added: { resource, action: actions.add },
        updated: { resource, action: actions.update },
        deleted: { resource, action: actions.delete },
      }),
    );
  return old === undefined ? events.added : current === undefined ? events.deleted : events.updated;
}

/** Resource names are constants of the code, so the map is small. */
const objectEvents = new Map<string, Readonly<Record<'added' | 'updated' | 'deleted', ClusterEvent>>>();

const nodeUpdates = {
  allocatable: { resource: 'Node', action: actions.updateNodeAllocatable },
  labels: { resource: 'Node', action: actions.updateNodeLabel },
  taints: { resource: 'Node', action: actions.updateNodeTaint },
  conditions: { resource: 'Node', action: actions.updateNodeCondition },
  annotations: { resource: 'Node', action: actions.updateNodeAnnotation },
  declaredFeatures: { resource: 'Node', action: actions.updateNodeDeclaredFeature },
};

interface PodUpdates {
  readonly labels: ClusterEvent;
  readonly scaleDown: ClusterEvent;
  readonly gatesEliminated: ClusterEvent;
  readonly tolerations: ClusterEvent;
  readonly generatedClaims: ClusterEvent;
  /** Used alone, if no narrower event applies. */
  readonly general: readonly ClusterEvent[];
}

const assignedPodUpdates = podUpdates('AssignedPod');
const waitingPodUpdates = podUpdates('UnschedulablePod');

function podUpdates(resource: string): PodUpdates {
  return {
    labels: { resource, action: actions.updatePodLabel },
    scaleDown: { resource, action: actions.updatePodScaleDown },
    gatesEliminated: { resource, action: actions.updatePodSchedulingGatesEliminated },
    tolerations: { resource, action: actions.updatePodToleration },
    generatedClaims: { resource, action: actions.updatePodGeneratedResourceClaim },
    general: [{ resource, action: actions.update }],
  };
}

function becameSchedulable(old: Frozen<Node>, node: Frozen<Node>): boolean {
  return old.spec?.unschedulable === true && node.spec?.unschedulable !== true;
}

/** Compares statuses only: heartbeats change the other fields. */
function sameStatuses(
  old: readonly Frozen<NodeCondition>[] = [],
  conditions: readonly Frozen<NodeCondition>[] = [],
): boolean {
  if (old === conditions) return true;
  const before = new Map(old.map(({ type, status }) => [type, status]));
  const after = new Map(conditions.map(({ type, status }) => [type, status]));
  if (before.size !== after.size) return false;
  for (const [type, status] of after) if (before.get(type) !== status) return false;
  return true;
}

/** Whether the pod requests less of any resource than before. */
function isScaledDown(old: Frozen<Pod>, pod: Frozen<Pod>): boolean {
  if (old.spec === pod.spec && !mayBeResized(old) && !mayBeResized(pod)) return false;
  const [before, after] = [podFacts(old).requestsOnNode, podFacts(pod).requestsOnNode];
  return (
    before.milliCpu > after.milliCpu ||
    before.memory > after.memory ||
    before.ephemeralStorage > after.ephemeralStorage ||
    hasLess(before, after)
  );
}

function hasLess(before: ResourceAmounts, after: ResourceAmounts): boolean {
  for (const [name, amount] of before.scalars) if (amount > (after.scalars.get(name) ?? 0)) return true;
  return false;
}

function sameClaims({ status: old }: Frozen<Pod>, { status }: Frozen<Pod>): boolean {
  if (old === status) return true;
  return (
    sameList(old?.resourceClaimStatuses, status?.resourceClaimStatuses) &&
    deepEqual(old?.extendedResourceClaimStatus, status?.extendedResourceClaimStatus)
  );
}

/** An absent map equals an empty one. */
function same(old: object = nothing, current: object = nothing): boolean {
  return deepEqual(old, current);
}

/** An absent list equals an empty one. */
function sameList(old: readonly unknown[] = none, current: readonly unknown[] = none): boolean {
  return deepEqual(old, current);
}

function count(list: readonly unknown[] | undefined): number {
  return list?.length ?? 0;
}

const nothing: object = {};
const none: readonly unknown[] = [];
