// The signs of life of a node: the Lease every 10 s, and the status of the Node every 5 min, or within 10 s after
// something of it changed. Registers the node first. As pkg/kubelet/kubelet_node_status.go and
// component-helpers/apimachinery/lease.
//
// The times of a fleet are spread: the first renewal comes after a random part of the interval.
import type { Client } from '../../client/index.js';
import {
  backoffLadders,
  backoffStep,
  deepEqual,
  isApiError,
  ownerReference,
  printMicroTime,
} from '../../core/index.js';
import type { BackoffState, Clock, Frozen, Random } from '../../core/index.js';
import type { Lease, Node, NodeCondition, NodeStatus, NodeSystemInfo } from '../../core/types/index.js';
import { Alarm } from '../alarms.js';
import type { Alarms } from '../alarms.js';
import type { NodeActivity } from '../node-tools.js';
import type { RuntimeImage } from '../runtime/runtime-state.js';
import { nodeObject, nodeStatus } from './node-object.js';
import type { AgentHealth } from './node-object.js';
import type { NodeSettings } from './node-settings.js';

/** The rhythm of heartbeats, in milliseconds. Defaults as kubelet's. */
export interface HeartbeatTimes {
  /** How long a Lease is valid. Default 40 s. */
  readonly leaseMs: number;
  /** Default a quarter of `leaseMs`. */
  readonly renewMs: number;
  /** How often a change of the status is published. Default 10 s. */
  readonly statusMs: number;
  /** How often an unchanged status is published. Default 5 min. */
  readonly reportMs: number;
}

/** The rhythm of a kubelet. */
export const defaultHeartbeat: HeartbeatTimes = {
  leaseMs: 40_000,
  renewMs: 10_000,
  statusMs: 10_000,
  reportMs: 300_000,
};

/** The dependencies of a heartbeat. */
export interface HeartbeatOptions {
  readonly settings: NodeSettings;
  /** Undefined: the node is registered and its status published when it changed, nothing else. */
  readonly times: HeartbeatTimes | undefined;
  /** Acts as the node. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly alarms: Alarms;
  readonly signal: AbortSignal;
  readonly emit: (activity: NodeActivity) => void;
  /** Returns the health of the node and its images. */
  observe(): Promise<{ readonly health: AgentHealth; readonly images: readonly RuntimeImage[] }>;
}

/** The share of the interval that is added to renewals at random. */
const renewJitter = 0.04;

/** The heartbeat of one node. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #leaseAlarm = new Alarm(() => void this.#guarded(() => this.#renew(), this.#leaseAlarm));
  readonly #statusAlarm = new Alarm(() => void this.#guarded(() => this.#publish(), this.#statusAlarm));
  #lease: Frozen<Lease> | undefined;
  #node: Frozen<Node> | undefined;
  #publishedAtMs = 0;
  #failures: BackoffState | undefined;
  /** Counts calls of `changed`: one during a publication needs another. */
  #changes = 0;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** The registered node. */
  get node(): Frozen<Node> | undefined {
    return this.#node;
  }

  /** Registers the node and starts the heartbeat; after failures again and again. */
  async start(): Promise<void> {
    const { alarms, clock, settings, emit } = this.#options;
    await this.#guarded(
      async () => {
        this.#node = await this.#register();
        emit({ type: 'node-registered', node: settings.name });
        const { times } = this.#options;
        if (times === undefined) return;
        alarms.set(this.#statusAlarm, clock.now() + Math.ceil(times.reportMs * (0.5 + this.#options.random.next())));
        alarms.set(this.#leaseAlarm, clock.now());
      },
      new Alarm(() => void this.start()),
    );
  }

  /** The status may have changed: it is published within 10 s. */
  changed(): void {
    this.#changes += 1;
    if (this.#node === undefined) return;
    const { alarms, clock, times = defaultHeartbeat } = this.#options;
    const atMs = Math.max(clock.now(), this.#publishedAtMs + times.statusMs);
    if (atMs < this.#statusAlarm.atMs) alarms.set(this.#statusAlarm, atMs);
  }

  /** Publishes the status now, if it changed. */
  async publish(): Promise<void> {
    if (this.#node !== undefined) await this.#guarded(() => this.#publish(), this.#statusAlarm);
  }

  /** Stops until `start`. */
  stop(): void {
    const { alarms } = this.#options;
    for (const alarm of [this.#leaseAlarm, this.#statusAlarm]) alarms.set(alarm, Infinity);
  }

  /** Runs work; a failure is reported and the alarm set for another attempt. */
  async #guarded(work: () => Promise<void>, alarm: Alarm): Promise<void> {
    const { alarms, clock, random, signal, settings, emit } = this.#options;
    const { aborted } = signal;
    if (aborted) return;
    try {
      await work();
      this.#failures = undefined;
    } catch (error) {
      if (signal.aborted) return;
      emit({ type: 'heartbeat-failed', node: settings.name, error });
      const { delayMs, state } = backoffStep(backoffLadders.leaseCreation, this.#failures, {
        nowMs: clock.now(),
        random,
      });
      this.#failures = state;
      alarms.set(alarm, clock.now() + delayMs);
    }
  }

  async #register(): Promise<Frozen<Node>> {
    const { client, settings, clock } = this.#options;
    const nodes = client.kind('v1', 'Node');
    const { name, labels } = settings;
    const observed = await this.#options.observe();
    this.#publishedAtMs = clock.now();
    const status = nodeStatus(settings, { nowMs: clock.now(), ...observed });
    try {
      return await nodes.create(nodeObject(settings, status));
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists') && !isApiError(error, 'Forbidden')) throw error;
    }
    const known = await nodes.get(name);
    const missing = Object.entries(labels).filter(([key, value]) => known.metadata.labels?.[key] !== value);
    if (missing.length > 0) await nodes.patch(name, { merge: { metadata: { labels: Object.fromEntries(missing) } } });
    return this.#write(known, nodeStatus(settings, { nowMs: clock.now(), ...observed }, known.status?.conditions));
  }

  /** Publishes the status if it changed or is due. */
  async #publish(): Promise<void> {
    const { alarms, clock, settings } = this.#options;
    const { reportMs, statusMs } = this.#options.times ?? { ...defaultHeartbeat, reportMs: Infinity };
    const nowMs = clock.now();
    const changes = this.#changes;
    const observed = await this.#options.observe();
    const before = this.#node ?? (await this.#options.client.kind('v1', 'Node').get(settings.name));
    const status = nodeStatus(settings, { nowMs, ...observed }, before.status?.conditions);
    if (nowMs - this.#publishedAtMs >= reportMs || hasChanged(before.status ?? {}, status)) {
      this.#publishedAtMs = nowMs;
      this.#node = await this.#write(before, status);
    }
    const nextMs = changes === this.#changes ? this.#publishedAtMs + reportMs : 0;
    alarms.set(this.#statusAlarm, Math.max(nextMs, nowMs + statusMs));
  }

  async #write(before: Frozen<Node>, status: NodeStatus): Promise<Frozen<Node>> {
    const { client, settings } = this.#options;
    const { images, conditions = [], capacity, allocatable, nodeInfo, addresses = [] } = status;
    const old = before.status ?? {};
    const strategic = {
      status: {
        conditions: conditions.map((condition) => ({ ...condition })),
        ...(images !== undefined &&
          !deepEqual(old.images, images) && { images: images.map((image) => ({ ...image })) }),
        ...(capacity !== undefined && !deepEqual(old.capacity, capacity) && { capacity }),
        ...(allocatable !== undefined && !deepEqual(old.allocatable, allocatable) && { allocatable }),
        ...(nodeInfo !== undefined && !deepEqual(old.nodeInfo, nodeInfo) && { nodeInfo: withoutSwap(nodeInfo) }),
        ...(!deepEqual(old.addresses, addresses) && {
          addresses: [...addresses.map((each) => ({ ...each })), { $patch: 'replace' }],
        }),
      },
    };
    return client.kind('v1', 'Node').status.patch(settings.name, { strategic });
  }

  async #renew(): Promise<void> {
    const { alarms, clock, client, random, settings, times = defaultHeartbeat } = this.#options;
    const leases = client.kind('coordination.k8s.io/v1', 'Lease').in('kube-node-lease');
    const spec = {
      holderIdentity: settings.name,
      leaseDurationSeconds: Math.round(times.leaseMs / 1000),
      renewTime: printMicroTime(clock.now()),
    };
    const isFirst = this.#lease === undefined;
    this.#lease ??= await leases.find(settings.name);
    if (this.#lease === undefined) {
      const node = this.#node;
      const owner = node && ownerReference({ apiVersion: 'v1', kind: 'Node', ...node }, {});
      const metadata = { name: settings.name, ...(owner && { ownerReferences: [owner] }) };
      this.#lease = await leases.create({ metadata, spec });
    } else {
      try {
        this.#lease = await leases.update({ ...this.#lease, spec: { ...this.#lease.spec, ...spec } });
      } catch (error) {
        // It was changed or deleted by another client: the next attempt reads it anew.
        this.#lease = undefined;
        throw error;
      }
    }
    const share = isFirst ? random.next() : 1 + renewJitter * random.next();
    alarms.set(this.#leaseAlarm, clock.now() + Math.ceil(times.renewMs * share));
  }
}

function withoutSwap({ swap: _swap, ...info }: NodeSystemInfo): Omit<NodeSystemInfo, 'swap'> {
  return info;
}

/** Whether anything but the times of heartbeats differs. */
function hasChanged(before: Frozen<NodeStatus>, status: NodeStatus): boolean {
  const verdicts = (conditions: readonly Frozen<NodeCondition>[] = []): unknown =>
    conditions.map(({ type, status: value, reason, message }) => ({ type, value, reason, message }));
  return (
    !deepEqual(before.images ?? [], status.images ?? []) ||
    !deepEqual(before.capacity ?? {}, status.capacity ?? {}) ||
    !deepEqual(before.allocatable ?? {}, status.allocatable ?? {}) ||
    !deepEqual(
      verdicts(before.conditions?.filter(({ type }) => type !== 'NetworkUnavailable')),
      verdicts(status.conditions),
    )
  );
}
