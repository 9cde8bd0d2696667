// The monitor of the node lifecycle controller: every 5 s it probes all nodes, sets the conditions of silent ones to
// Unknown, marks their pods as not ready, and queues nodes that are not ready for a NoExecute taint, zone by zone. Its
// memory is that of one run; a controller that starts anew gives every node the full grace period. As
// pkg/controller/nodelifecycle, monitorNodeHealth.
//
// A pass that would find nothing new is skipped: one takes place at the next multiple of 5 s after an event of a node,
// and when the grace period of a node is over. Renewals of Leases are stamped with the pass that would have seen them.
// So a cluster without nodes has no timer, and virtual time passes quickly.
import type { Client, EventDetails, Stored } from '../../client/index.js';
import { isApiError, objectReference, podCondition, printTime } from '../../core/index.js';
import type { Clock, Frozen, RequestCause, Snapshot } from '../../core/index.js';
import type { Lease, Node, NodeCondition, Pod } from '../../core/types/index.js';
import { ignoreError } from '../ignore-error.js';
import { probeNode } from './node-health.js';
import type { GracePeriods, NodeHealth } from './node-health.js';
import { evictionTaintKey, hasEvictionTaint, withEvictionTaint } from './node-taints.js';
import type { EvictionTaintKey } from './node-taints.js';
import { EvictionQueue, assessZones, evictionRateOf, zoneKeyOf } from './zones.js';
import type { EvictionRates, ZoneState } from './zones.js';

/** What the monitor reads, and how it writes. */
export interface NodeMonitorTools extends GracePeriods, EvictionRates {
  readonly client: Client;
  readonly clock: Clock;
  readonly nodes: Snapshot<Stored<Node>>;
  readonly leases: Snapshot<Stored<Lease>>;
  readonly pods: Snapshot<Stored<Pod>, 'node'>;
  readonly record: (details: EventDetails) => void;
  readonly monitorPeriodMs: number;
}

/** A write of the monitor: a node became Unknown, or got or lost a NoExecute taint. */
export interface NodeMonitorChange {
  readonly type: 'unknown' | 'evicting' | 'reachable';
  readonly node: string;
}

/** The reconcile that a write is part of. */
export interface MonitorContext {
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
  readonly emit: (change: NodeMonitorChange) => void;
}

/** The monitor of one run. */
export class NodeMonitor {
  readonly #tools: NodeMonitorTools;
  readonly #known = new Map<string, Stored<Node>>();
  readonly #health = new Map<string, NodeHealth>();
  readonly #queues = new Map<string, EvictionQueue>();
  /** Nodes whose pods could not all be marked. */
  readonly #unmarked = new Set<string>();
  #states: ReadonlyMap<string, ZoneState> = new Map();
  /** By node: the pass that sees the newest renewal of its Lease. */
  readonly #renewalSeen = new Map<string, number>();
  /** The time of the first pass; passes are multiples of the period after it. */
  #originMs: number | undefined;
  #lastPassMs = -Infinity;
  /** The pass that looks at nodes that changed; Infinity if none did. */
  #changedMs = -Infinity;

  constructor(tools: NodeMonitorTools) {
    this.#tools = tools;
  }

  /** A node came, changed or is gone: the next pass looks at it. */
  nodeChanged(): void {
    this.#changedMs = Math.min(this.#changedMs, this.#nextPassMs());
  }

  /** The Lease of a node is gone. */
  leaseDeleted(node: string): void {
    this.#renewalSeen.delete(node);
  }

  /** The Lease of a node was created or renewed. */
  leaseRenewed(node: string): void {
    this.#renewalSeen.set(node, this.#nextPassMs());
  }

  /** Probes all nodes if that is due, and taints those that may be. Returns when it is to be called again. */
  async advance(context: MonitorContext): Promise<number> {
    const { clock } = this.#tools;
    const nowMs = clock.now();
    this.#originMs ??= nowMs;
    if (nowMs >= this.#dueMs()) {
      this.#changedMs = Infinity;
      this.#lastPassMs = nowMs;
      try {
        await this.#pass(context);
      } catch (error) {
        this.nodeChanged();
        throw error;
      }
    }
    for (const queue of this.#queues.values()) await this.#taintQueued(queue, context);
    return Math.min(this.#dueMs(), ...Array.from(this.#queues.values(), (queue) => queue.dueMs));
  }

  /** When the next pass takes place; Infinity if it waits for an event. */
  #dueMs(): number {
    if (this.#changedMs < Infinity) return this.#changedMs;
    const { monitorGraceMs, startupGraceMs } = this.#tools;
    let dueMs = Infinity;
    for (const [name, { probeMs, ready }] of this.#health) {
      if (ready?.status === 'Unknown') continue;
      const seenMs = Math.max(probeMs, this.#renewalSeen.get(name) ?? -Infinity);
      dueMs = Math.min(dueMs, seenMs + (ready === undefined ? startupGraceMs : monitorGraceMs));
    }
    return dueMs < Infinity ? this.#passAfter(dueMs) : Infinity;
  }

  /** The next pass, now or in the future. */
  #nextPassMs(): number {
    return this.#passAfter(Math.max(this.#tools.clock.now(), this.#lastPassMs + 1));
  }

  /** The first pass at that time or after it. */
  #passAfter(ms: number): number {
    const { monitorPeriodMs } = this.#tools;
    const originMs = this.#originMs ?? ms;
    return originMs + Math.ceil((ms - originMs) / monitorPeriodMs) * monitorPeriodMs;
  }

  /** Marks a pod as not ready that was bound to a node which is not. */
  async podBound(pod: Stored<Pod>, context: MonitorContext): Promise<void> {
    const status = this.#health.get(pod.spec?.nodeName ?? '')?.ready?.status;
    if (status !== undefined && status !== 'True') await this.#markPod(pod, context);
  }

  async #pass(context: MonitorContext): Promise<void> {
    const nodes = this.#tools.nodes.list();
    await this.#classify(nodes, context);
    const readyByZone = new Map<string, boolean[]>();
    const failures: unknown[] = [];
    for (let at = 0; at < nodes.length; at += probedAtOnceMax) {
      const probing = nodes.slice(at, at + probedAtOnceMax).map(async (node) => {
        const isReady = await this.#probe(node, context);
        if (isReady === undefined || node.metadata.labels?.[exclusionLabel] !== undefined) return;
        const zone = zoneKeyOf(node);
        readyByZone.set(zone, [...(readyByZone.get(zone) ?? []), isReady]);
      });
      for (const outcome of await Promise.allSettled(probing))
        if (outcome.status === 'rejected') failures.push(outcome.reason);
    }
    await this.#assessDisruption(nodes, readyByZone, context);
    if (failures.length > 0) throw failures[0];
  }

  /** Records nodes that came and went. */
  async #classify(nodes: readonly Stored<Node>[], context: MonitorContext): Promise<void> {
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const node of nodes) {
      const { name } = node.metadata;
      if (this.#known.has(name)) continue;
      this.#recordOf(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
      this.#known.set(name, node);
      await this.#markReachable(node, context);
    }
    for (const [name, node] of this.#known) {
      if (names.has(name)) continue;
      this.#recordOf(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
      this.#known.delete(name);
      this.#health.delete(name);
      this.#renewalSeen.delete(name);
      this.#unmarked.delete(name);
      this.#queueOf(node).remove(name);
    }
  }

  /** Returns whether the node is ready; undefined if it could not be found out. */
  async #probe(listed: Stored<Node>, context: MonitorContext): Promise<boolean | undefined> {
    const { name } = listed.metadata;
    const probed = await this.#probeAndWrite(listed, context);
    if (probed === undefined) return undefined;
    const { node, ready, wasReady, health } = probed;
    this.#health.set(name, health);
    if (ready === undefined) return false;
    await this.#followReady(node, ready, context);
    const isReady = ready.status === 'True';
    const isLost = wasReady && !isReady;
    if (isLost) this.#recordOf(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
    if (isLost || (this.#unmarked.has(name) && !wasReady)) {
      this.#unmarked.add(name);
      for (const pod of this.#tools.pods.by('node', name)) await this.#markPod(pod, context);
    }
    this.#unmarked.delete(name);
    return isReady;
  }

  /** Probes a node and writes its conditions, again with the newest object after a conflict. */
  async #probeAndWrite(
    listed: Stored<Node>,
    context: MonitorContext,
  ): Promise<(ReturnType<typeof probeNode> & { readonly node: Stored<Node> }) | undefined> {
    const { client, clock, leases } = this.#tools;
    const { emit, ...options } = context;
    const { name } = listed.metadata;
    let node = listed;
    for (let tries = 1; ; tries += 1) {
      const probe = probeNode(node, leases.get(`kube-node-lease/${name}`), this.#health.get(name), {
        ...this.#tools,
        nowMs: clock.now(),
        renewalSeenMs: this.#renewalSeen.get(name) ?? clock.now(),
      });
      if (probe.conditions === undefined) return { ...probe, node };
      const next = { ...node, status: { ...node.status, conditions: probe.conditions } };
      try {
        node = await client.kind('v1', 'Node').status.update(next, options);
        emit({ type: 'unknown', node: name });
        return { ...probe, node };
      } catch (error) {
        if (isApiError(error, 'NotFound')) return undefined;
        if (!isApiError(error, 'Conflict') || tries === updatesMax) throw error;
      }
      const newest = await ignoreError('NotFound', client.kind('v1', 'Node').get(name, { signal: context.signal }));
      if (newest === undefined) return undefined;
      node = newest;
    }
  }

  /** Removes the NoExecute taints of a ready node, replaces the wrong one, or queues the node for one. */
  async #followReady(node: Stored<Node>, { status }: Frozen<NodeCondition>, context: MonitorContext): Promise<void> {
    const wanted = evictionTaintKey(status);
    if (wanted === undefined) return this.#markReachable(node, context);
    const other = evictionTaintKey(status === 'False' ? 'Unknown' : 'False');
    if (other !== undefined && hasEvictionTaint(node, other)) await this.#setTaint(node.metadata.name, wanted, context);
    else if (!hasEvictionTaint(node, wanted)) this.#queueOf(node).add(node.metadata.name);
  }

  async #markReachable(node: Stored<Node>, context: MonitorContext): Promise<void> {
    const { name } = node.metadata;
    this.#queueOf(node).remove(name);
    if (withEvictionTaint(node, undefined, '') === node) return;
    await this.#setTaint(name, undefined, context);
  }

  async #setTaint(name: string, wanted: EvictionTaintKey | undefined, context: MonitorContext): Promise<void> {
    const { client, clock } = this.#tools;
    const { emit, ...options } = context;
    const now = printTime(clock.now());
    const change = (node: Stored<Node>): Stored<Node> => withEvictionTaint(node, wanted, now);
    await ignoreError('NotFound', client.kind('v1', 'Node').modify(name, change, options));
    emit({ type: wanted === undefined ? 'reachable' : 'evicting', node: name });
  }

  async #taintQueued(queue: EvictionQueue, context: MonitorContext): Promise<void> {
    const { clock } = this.#tools;
    for (let name = queue.take(clock.now()); name !== undefined; name = queue.take(clock.now())) {
      const status = this.#health.get(name)?.ready?.status;
      const wanted = status && evictionTaintKey(status);
      if (wanted !== undefined) await this.#setTaint(name, wanted, context);
      queue.remove(name);
    }
  }

  /** Changes the rates of zones whose state changed. */
  async #assessDisruption(
    nodes: readonly Stored<Node>[],
    readyByZone: ReadonlyMap<string, readonly boolean[]>,
    context: MonitorContext,
  ): Promise<void> {
    const nowMs = this.#tools.clock.now();
    const before = this.#states;
    const change = assessZones(before, readyByZone, this.#tools.unhealthyZoneThreshold);
    const { states, areAllDisrupted, wereAllDisrupted } = change;
    this.#states = states;
    if (areAllDisrupted && wereAllDisrupted) return;
    if (areAllDisrupted) {
      for (const node of nodes) await this.#markReachable(this.#tools.nodes.get(node.metadata.name) ?? node, context);
      for (const zone of states.keys()) this.#queues.get(zone)?.setRate(0, nowMs);
      return;
    }
    // Nodes get time to report again after the controller, or all of them, were cut off.
    if (wereAllDisrupted)
      for (const [name, health] of this.#health) this.#health.set(name, { ...health, probeMs: nowMs });
    for (const [zone, state] of states) {
      if (!wereAllDisrupted && before.get(zone) === state) continue;
      const rate = evictionRateOf(state, readyByZone.get(zone)?.length ?? 0, this.#tools);
      this.#queues.get(zone)?.setRate(rate, nowMs);
    }
  }

  /** Sets the condition Ready of a pod to False. A pod without the condition stays as it is. */
  async #markPod(pod: Stored<Pod>, { signal, cause }: MonitorContext): Promise<void> {
    const { client, clock, record } = this.#tools;
    const ready = podCondition(pod, 'Ready');
    if (ready === undefined || ready.status === 'False') return;
    const unready = { ...ready, status: 'False' as const, lastTransitionTime: printTime(clock.now()) };
    const conditions = (pod.status?.conditions ?? []).map((each) => (each === ready ? unready : each));
    const next = { ...pod, status: { ...pod.status, conditions } };
    const { namespace = '' } = pod.metadata;
    const updated = client.kind('v1', 'Pod').in(namespace).status.update(next, { signal, cause });
    const written = await ignoreError('NotFound', updated);
    if (written === undefined) return;
    const regarding = objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod);
    record({ regarding, type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  }

  #queueOf(node: Frozen<Node>): EvictionQueue {
    const zone = zoneKeyOf(node);
    const queue = this.#queues.get(zone) ?? new EvictionQueue(this.#tools.evictionRate);
    this.#queues.set(zone, queue);
    return queue;
  }

  #recordOf({ metadata: { name, uid } }: Stored<Node>, reason: string, message: string): void {
    const regarding = { apiVersion: 'v1', kind: 'Node', name, uid };
    this.#tools.record({ regarding, type: 'Normal', reason, message });
  }
}

/** As nodeUpdateWorkerSize. */
const probedAtOnceMax = 8;
const updatesMax = 5;
/** Nodes with this label do not count in the state of their zone. */
const exclusionLabel = 'node.kubernetes.io/exclude-disruption';
