// What an update means to pods that wait: each aspect that changed is an event of its own, so that only those hear of
// it who registered for that aspect. What no aspect covers, such as a heartbeat, is no event of a node, and the general
// update of a pod. As pkg/scheduler/framework/events.go.
import { deepEqual } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, NodeCondition, Pod } from '../../core/types/index.js';
import { podFacts } from '../pod/pod-facts.js';
import { mayBeResized } from '../pod/requests.js';
import type { ResourceAmounts } from '../pod/resource-amounts.js';
import { actions } from '../queue/cluster-event.js';
import type { ClusterEvent } from '../queue/cluster-event.js';

/** The events of an update of a node, none if nothing changed that counts. To become schedulable is told as a taint. */
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
 * The events of an update of a pod, at least one: of an assigned pod where it now has a node, else of a waiting one.
 */
export function podEvents(old: Frozen<Pod>, pod: Frozen<Pod>): readonly ClusterEvent[] {
  const updates = (pod.spec?.nodeName ?? '') === '' ? waitingPodUpdates : assignedPodUpdates;
  const events: ClusterEvent[] = [];
  if (!same(old.metadata?.labels, pod.metadata?.labels)) events.push(updates.labels);
  if (isScaledDown(old, pod)) events.push(updates.scaleDown);
  if (old.spec !== pod.spec) {
    if (count(old.spec?.schedulingGates) > 0 && count(pod.spec?.schedulingGates) === 0)
      events.push(updates.gatesEliminated);
    // Tolerations can only be added.
    if (count(old.spec?.tolerations) !== count(pod.spec?.tolerations)) events.push(updates.tolerations);
  }
  if (!sameClaims(old, pod)) events.push(updates.generatedClaims);
  return events.length === 0 ? updates.general : events;
}

/** The event of something that came, changed or went. Events that are the same are the same object. */
export function objectEvent(resource: string, old: unknown, current: unknown): ClusterEvent {
  let known = objectEvents.get(resource);
  if (known === undefined)
    objectEvents.set(
      resource,
      (known = {
        came: { resource, action: actions.add },
        changed: { resource, action: actions.update },
        went: { resource, action: actions.delete },
      }),
    );
  return old === undefined ? known.came : current === undefined ? known.went : known.changed;
}

/** Resources are named by code, so there are few of them. */
const objectEvents = new Map<string, Readonly<Record<'came' | 'changed' | 'went', ClusterEvent>>>();

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
  /** Alone, where nothing narrower applies. */
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

/** Only the statuses count: heartbeats change the rest all the time. */
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

/** Whether the pod takes less of anything than it did. */
function isScaledDown(old: Frozen<Pod>, pod: Frozen<Pod>): boolean {
  if (old.spec === pod.spec && !mayBeResized(old) && !mayBeResized(pod)) return false;
  const [before, after] = [podFacts(old).held, podFacts(pod).held];
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

/** An absent map is an empty one. */
function same(old: object = nothing, current: object = nothing): boolean {
  return deepEqual(old, current);
}

/** An absent list is an empty one. */
function sameList(old: readonly unknown[] = none, current: readonly unknown[] = none): boolean {
  return deepEqual(old, current);
}

function count(list: readonly unknown[] | undefined): number {
  return list?.length ?? 0;
}

const nothing: object = {};
const none: readonly unknown[] = [];
