// The decisions of the DaemonSet controller, from what is observed to pods to create and delete, and the status. Pure.
//
// `planNodes` gives every node that should have a pod one, and removes surplus, misplaced and stopped pods. If that has
// nothing left to do, `planUpdate` replaces pods of old revisions: without surge it deletes old pods within
// maxUnavailable, with surge it creates new pods beside available old ones within maxSurge, and deletes an old one when
// the new one is available. As pkg/controller/daemon/daemon_controller.go and update.go.
import type { Stored } from '../../client/index.js';
import { isPodAvailable, isPodReady, isPodTerminal, isTerminating, scaledValue } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { DaemonSet, DaemonSetStatus, Node, Pod } from '../../core/types/index.js';
import { byBindingAndAge, isUpdatedPod, targetNode } from './daemon-pods.js';
import type { DaemonPlacement } from './daemon-pods.js';

/** What decisions are made from. */
export interface ObservedDaemons {
  readonly set: Stored<DaemonSet>;
  readonly placement: DaemonPlacement;
  readonly nodes: readonly Stored<Node>[];
  /** The pods that belong to the set. */
  readonly pods: readonly Stored<Pod>[];
  /** The hash of the current revision. */
  readonly hash: string;
  readonly nowMs: number;
}

/** Pods to create and delete. */
export interface DaemonPlan {
  /** Names of the nodes that get a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Stored<Pod>[];
}

/** The plan for nodes, with pods that stopped apart: their deletion is recorded, and delayed if they keep failing. */
export interface NodePlan extends DaemonPlan {
  readonly stopped: readonly { readonly pod: Stored<Pod>; readonly node: string }[];
}

/** Decides which nodes get a pod and which pods do not belong. */
export function planNodes(observed: ObservedDaemons): NodePlan {
  const { placement, nodes } = observed;
  const byNode = podsByNode(observed.pods);
  const plan: MutableNodePlan = { create: [], delete: [], stopped: [] };
  for (const node of nodes) {
    const pods = byNode.get(node.metadata.name);
    if (placement.shouldRun(node) && pods === undefined) plan.create.push(node.metadata.name);
    else if (placement.mayContinue(node)) keepOnePod(observed, node, pods ?? [], plan);
    else plan.delete.push(...(pods ?? []).filter((pod) => !isTerminating(pod)));
  }
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  // The scheduler never binds them, and no other controller deletes them.
  for (const [name, pods] of byNode)
    if (!names.has(name)) plan.delete.push(...pods.filter(({ spec }) => spec?.nodeName === undefined));
  return plan;
}

/** Decides which pods of old revisions are replaced now. */
export function planUpdate(observed: ObservedDaemons): DaemonPlan {
  const { set, placement, nodes } = observed;
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return { create: [], delete: [] };
  const byNode = new Map<string, readonly Stored<Pod>[]>(podsByNode(observed.pods));
  const desired = nodes.filter((node) => placement.shouldRun(node));
  for (const { metadata } of desired) if (!byNode.has(metadata.name)) byNode.set(metadata.name, []);
  const surgeMax = scaledValue(rollingUpdate?.maxSurge ?? 0, desired.length, true);
  const unavailableMax = scaledValue(rollingUpdate?.maxUnavailable ?? 0, desired.length, true);
  const states = [...byNode].map(([name, pods]) => updateState(observed, name, pods));
  if (surgeMax > 0) return surge(observed, states, surgeMax);
  return replace(observed, states, unavailableMax === 0 && desired.length > 0 ? 1 : unavailableMax);
}

/** Returns the status. `observedGeneration` stays if the spec was not acted upon. */
export function daemonStatus(observed: ObservedDaemons, isActedUpon: boolean): Frozen<DaemonSetStatus> {
  const { set, placement, nodes, hash } = observed;
  const byNode = podsByNode(observed.pods);
  const isScheduled = ({ metadata }: Stored<Node>): boolean => byNode.has(metadata.name);
  const desired = nodes.filter((node) => placement.shouldRun(node));
  const oldest = desired.flatMap(({ metadata }) => byNode.get(metadata.name)?.toSorted(byBindingAndAge)[0] ?? []);
  const ready = oldest.filter(isPodReady);
  const available = ready.filter((pod) => isAvailable(observed, pod)).length;
  return {
    ...set.status,
    ...(isActedUpon && { observedGeneration: set.metadata.generation ?? 0 }),
    desiredNumberScheduled: desired.length,
    currentNumberScheduled: oldest.length,
    numberMisscheduled: nodes.filter((node) => isScheduled(node) && !placement.shouldRun(node)).length,
    numberReady: ready.length,
    updatedNumberScheduled: oldest.filter((pod) => isUpdatedPod(set, pod, hash)).length,
    numberAvailable: available,
    numberUnavailable: desired.length - available,
  };
}

/** Groups pods by their node, without those that are terminal and being deleted: nothing is to be done about them. */
function podsByNode(pods: readonly Stored<Pod>[]): ReadonlyMap<string, readonly Stored<Pod>[]> {
  const byNode = new Map<string, Stored<Pod>[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    if (node === undefined || (isPodTerminal(pod) && isTerminating(pod))) continue;
    const there = byNode.get(node);
    if (there === undefined) byNode.set(node, [pod]);
    else there.push(pod);
  }
  return byNode;
}

interface MutableNodePlan extends NodePlan {
  readonly create: string[];
  readonly delete: Stored<Pod>[];
  readonly stopped: { readonly pod: Stored<Pod>; readonly node: string }[];
}

function keepOnePod(
  observed: ObservedDaemons,
  node: Stored<Node>,
  pods: readonly Stored<Pod>[],
  plan: MutableNodePlan,
): void {
  const { name } = node.metadata;
  const present = pods.filter((pod) => !isTerminating(pod));
  plan.stopped.push(...present.filter(isPodTerminal).map((pod) => ({ pod, node: name })));
  const running = present.filter((pod) => !isPodTerminal(pod)).sort(byBindingAndAge);
  if (!allowsSurge(observed.set)) {
    plan.delete.push(...running.slice(1));
    return;
  }
  if (running.length <= 1) {
    // With surge a node has a pod that is not being deleted, at any time.
    if (running.length === 0 && observed.placement.shouldRun(node)) plan.create.push(name);
    return;
  }
  // Two pods stay only while the old one is ready and the new one is not available.
  const isNew = ({ metadata }: Stored<Pod>): boolean => metadata.labels?.['controller-revision-hash'] === observed.hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  plan.delete.push(...running.filter((pod) => pod !== newest && pod !== old));
  if (newest !== undefined && old !== undefined && (!isPodReady(old) || isAvailable(observed, newest)))
    plan.delete.push(old);
}

/** The pods of a node in a rolling update. */
interface UpdateState {
  readonly node: string;
  readonly newPod: Stored<Pod> | undefined;
  readonly oldPod: Stored<Pod> | undefined;
  /** More than one of a kind: `planNodes` deletes them first. */
  readonly hasSurplus: boolean;
}

function updateState({ set, hash }: ObservedDaemons, node: string, pods: readonly Stored<Pod>[]): UpdateState {
  const present = pods.filter((pod) => !isTerminating(pod));
  const updated = present.filter((pod) => isUpdatedPod(set, pod, hash));
  const old = present.filter((pod) => !isUpdatedPod(set, pod, hash));
  return { node, newPod: updated[0], oldPod: old[0], hasSurplus: updated.length > 1 || old.length > 1 };
}

/** Without surge: old pods that are not available are replaced at once, available ones within maxUnavailable. */
function replace(observed: ObservedDaemons, states: readonly UpdateState[], unavailableMax: number): DaemonPlan {
  let unavailable = 0;
  const replaced: Stored<Pod>[] = [];
  const candidates: Stored<Pod>[] = [];
  for (const { newPod, oldPod, hasSurplus } of states) {
    // A node with none or both is changed by `planNodes` first.
    const isUndecided = hasSurplus || (newPod === undefined) === (oldPod === undefined);
    const pod = oldPod ?? newPod;
    if (isUndecided || pod === undefined || !isAvailable(observed, pod)) unavailable += 1;
    if (isUndecided || oldPod === undefined) continue;
    if (isAvailable(observed, oldPod)) candidates.push(oldPod);
    else replaced.push(oldPod);
  }
  const budget = Math.max(0, unavailableMax - unavailable);
  return { create: [], delete: [...replaced, ...candidates.slice(0, budget)] };
}

/** With surge: new pods beside available old ones within maxSurge, and beside old ones that are not available. */
function surge(observed: ObservedDaemons, states: readonly UpdateState[], surgeMax: number): DaemonPlan {
  const { placement, nodes } = observed;
  const isWanted = new Map(nodes.map((node) => [node.metadata.name, placement.shouldRun(node)]));
  let surging = 0;
  let available = 0;
  const deleted: Stored<Pod>[] = [];
  const misplaced: Stored<Pod>[] = [];
  const replaced: string[] = [];
  const candidates: string[] = [];
  for (const { node, newPod, oldPod, hasSurplus } of states) {
    if (hasSurplus) {
      surging += 1;
      continue;
    }
    const serving = oldPod ?? newPod;
    if (serving !== undefined && isAvailable(observed, serving)) available += 1;
    if (oldPod === undefined) continue;
    if (newPod !== undefined) {
      if (isAvailable(observed, newPod)) deleted.push(oldPod);
      else surging += 1;
    } else if (isWanted.get(node) === true) (isAvailable(observed, oldPod) ? candidates : replaced).push(node);
    else if (isWanted.has(node)) (isAvailable(observed, oldPod) ? misplaced : deleted).push(oldPod);
  }
  // When the set moves to other nodes, a pod goes only when one on another node is available.
  const desired = [...isWanted.values()].filter(Boolean).length;
  deleted.push(...misplaced.slice(0, Math.max(0, available - desired)));
  return { create: [...replaced, ...candidates.slice(0, Math.max(0, surgeMax - surging))], delete: deleted };
}

function allowsSurge({ spec }: Frozen<DaemonSet>): boolean {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  return type === 'RollingUpdate' && scaledValue(rollingUpdate?.maxSurge ?? 0, 1, true) > 0;
}

function isAvailable({ set, nowMs }: ObservedDaemons, pod: Stored<Pod>): boolean {
  return isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs);
}
