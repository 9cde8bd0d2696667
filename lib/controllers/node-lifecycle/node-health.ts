// Whether a node is alive, as far as the API shows. A sign of life is a new renewTime of its Lease or a new
// lastHeartbeatTime of its condition Ready. The time of a sign is when this controller saw it: clocks of nodes are
// never compared with its own. A node without a sign for the grace period has its conditions set to Unknown. As
// pkg/controller/nodelifecycle, tryUpdateNodeHealth.
import { parseTime, printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Lease, Node, NodeCondition } from '../../core/types/index.js';

/** What is remembered of a node between two probes. */
export interface NodeHealth {
  /** When the last sign of life was seen. */
  readonly probeMs: number;
  /** The condition Ready as it was seen. */
  readonly ready: Frozen<NodeCondition> | undefined;
  /** The renewTime of its Lease as it was seen. */
  readonly renewedMs: number | undefined;
}

/** How long a node may be without a sign of life. */
export interface GracePeriods {
  /** `--node-monitor-grace-period`: a node that has a condition Ready. */
  readonly monitorGraceMs: number;
  /** `--node-startup-grace-period`: a node that has none yet, counted from its creation. */
  readonly startupGraceMs: number;
}

/** The time of a probe. */
export interface ProbeTime {
  readonly nowMs: number;
  /** When the newest renewal of the Lease was seen, or would have been. */
  readonly renewalSeenMs: number;
}

/** The outcome of a probe. */
export interface NodeProbe {
  readonly health: NodeHealth;
  /** The condition Ready that applies from now on; undefined if the node has none yet. */
  readonly ready: Frozen<NodeCondition> | undefined;
  /** Whether the node was ready before the probe. */
  readonly wasReady: boolean;
  /** The conditions to write, if the node has just become overdue. */
  readonly conditions?: readonly Frozen<NodeCondition>[];
}

/** Returns the health of a node now, and the conditions that follow. */
export function probeNode(
  node: Frozen<Node>,
  lease: Frozen<Lease> | undefined,
  known: NodeHealth | undefined,
  { nowMs, renewalSeenMs, ...grace }: GracePeriods & ProbeTime,
): NodeProbe {
  const ready = nodeConditionOf(node, 'Ready');
  const wasReady = ready?.status === 'True';
  const health = nextHealth(node, { ready, lease, known, nowMs, renewalSeenMs });
  const graceMs = ready === undefined ? grace.startupGraceMs : grace.monitorGraceMs;
  // Kubernetes requires more than the grace period, but its period of 5 s is measured between passes, so that the tenth
  // pass after a sign comes a little after 50 s. Virtual time makes it exactly 50 s.
  if (nowMs < health.probeMs + graceMs || ready?.status === 'Unknown') return { health, ready, wasReady };
  const conditions = unknownConditions(node, printTime(nowMs));
  const unknown = conditions.find(({ type }) => type === 'Ready');
  return { health: { ...health, ready: unknown }, ready: unknown, wasReady, conditions };
}

/** Returns the condition of that type. */
function nodeConditionOf({ status }: Frozen<Node>, wanted: string): Frozen<NodeCondition> | undefined {
  return status?.conditions?.find(({ type }) => type === wanted);
}

interface Signs extends ProbeTime {
  readonly ready: Frozen<NodeCondition> | undefined;
  readonly lease: Frozen<Lease> | undefined;
  readonly known: NodeHealth | undefined;
}

function nextHealth({ metadata }: Frozen<Node>, signs: Signs): NodeHealth {
  const { ready, lease, known, nowMs, renewalSeenMs } = signs;
  const renewTime = lease?.spec?.renewTime;
  const renewedMs = renewTime === undefined ? undefined : parseTime(renewTime);
  const isRenewed = renewedMs !== undefined && (known?.renewedMs === undefined || known.renewedMs < renewedMs);
  const hasReported =
    ready !== undefined && (known?.ready === undefined || ready.lastHeartbeatTime !== known.ready.lastHeartbeatTime);
  const creation = metadata?.creationTimestamp;
  const sinceMs = known?.probeMs ?? (creation === undefined ? nowMs : parseTime(creation));
  const seenMs = isRenewed ? Math.max(sinceMs, Math.min(nowMs, renewalSeenMs)) : sinceMs;
  return {
    probeMs: hasReported ? nowMs : seenMs,
    ready,
    renewedMs: isRenewed ? renewedMs : known?.renewedMs,
  };
}

/** The conditions of a node that stopped, or never started, to report them. */
function unknownConditions({ metadata, status }: Frozen<Node>, now: string): readonly Frozen<NodeCondition>[] {
  const { conditions = [] } = status ?? {};
  const creation = metadata?.creationTimestamp;
  const changed = conditions.map((condition): Frozen<NodeCondition> =>
    reported.includes(condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        }
      : condition,
  );
  const missing = reported.filter((wanted) => !conditions.some(({ type }) => type === wanted));
  return [
    ...changed,
    ...missing.map((type): NodeCondition => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      ...(creation !== undefined && { lastHeartbeatTime: creation }),
      lastTransitionTime: now,
    })),
  ];
}

/** The conditions that a kubelet reports; NetworkUnavailable is the network provider's. */
const reported: readonly string[] = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];
