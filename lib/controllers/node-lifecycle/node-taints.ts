// The taints and labels that follow from the state of a node. NoSchedule taints follow its conditions at once, and
// remove the taint that every new node has until it was seen. NoExecute taints evict pods, so that zones.ts limits the
// rate at which they are added. As pkg/controller/nodelifecycle, doNoScheduleTaintingPass, doNoExecuteTaintingPass and
// reconcileNodeLabels.
import type { Frozen } from '../../core/index.js';
import type { Node, NodeCondition, Taint } from '../../core/types/index.js';

/** The taints and labels of a node that are to be written. */
export interface NodeCorrection {
  /** All taints of the node. */
  readonly taints?: readonly Frozen<Taint>[];
  /** The labels that are added or changed. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Returns the taints and labels that a node lacks, added at `now`; undefined if it lacks none. */
export function correctNode(node: Frozen<Node>, now: string): NodeCorrection | undefined {
  const taints = nextTaints(node, now);
  const labels = nextLabels(node);
  if (taints === undefined && labels === undefined) return undefined;
  return { ...(taints && { taints }), ...(labels && { labels }) };
}

/** Returns whether a taint is NoSchedule and follows from a condition of the node. */
export function isConditionTaint({ key, effect }: Frozen<Taint>): boolean {
  return effect === 'NoSchedule' && conditionKeys.has(key);
}

/** Returns the key of the NoExecute taint for that status of the condition Ready; undefined if it is True. */
export function evictionTaintKey(status: NodeCondition['status']): EvictionTaintKey | undefined {
  if (status === 'False') return 'node.kubernetes.io/not-ready';
  return status === 'Unknown' ? 'node.kubernetes.io/unreachable' : undefined;
}

/** The keys of the NoExecute taints that this controller adds. */
export type EvictionTaintKey = 'node.kubernetes.io/not-ready' | 'node.kubernetes.io/unreachable';

/** Returns whether a node has the NoExecute taint of that key. */
export function hasEvictionTaint({ spec }: Frozen<Node>, wanted: EvictionTaintKey): boolean {
  return (spec?.taints ?? []).some(({ key, effect }) => effect === 'NoExecute' && key === wanted);
}

/** Returns the node with that NoExecute taint of the two, or with none; the same node if nothing changes. */
export function withEvictionTaint<T extends Frozen<Node>>(
  node: T,
  wanted: EvictionTaintKey | undefined,
  now: string,
): T {
  const { taints = [] } = node.spec ?? {};
  const kept = taints.filter((taint) => taint.key === wanted || !isEvictionTaint(taint));
  const isMissing = wanted !== undefined && !hasEvictionTaint(node, wanted);
  if (kept.length === taints.length && !isMissing) return node;
  const added: Taint[] = isMissing ? [{ key: wanted, effect: 'NoExecute', timeAdded: now }] : [];
  return { ...node, spec: { ...node.spec, taints: [...kept, ...added] } };
}

function isEvictionTaint({ key, effect }: Frozen<Taint>): boolean {
  return effect === 'NoExecute' && (key === evictionTaintKey('False') || key === evictionTaintKey('Unknown'));
}

/** The taints that a node should have, added at `now`; undefined where it has them. */
function nextTaints({ spec, status }: Frozen<Node>, now: string): readonly Frozen<Taint>[] | undefined {
  const { taints = [], unschedulable = false } = spec ?? {};
  const keys = [
    ...(status?.conditions ?? []).flatMap((condition) => conditionTaints[condition.type]?.[condition.status] ?? []),
    ...(unschedulable ? [unschedulableKey] : []),
  ];
  const kept = taints.filter((taint) => !isConditionTaint(taint) || keys.includes(taint.key));
  const missing = keys.filter((key) => !kept.some((taint) => taint.key === key && isConditionTaint(taint)));
  if (kept.length === taints.length && missing.length === 0) return undefined;
  return [...kept, ...missing.map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded: now }))];
}

/** The beta labels that differ from the stable ones. */
function nextLabels({ metadata }: Frozen<Node>): Readonly<Record<string, string>> | undefined {
  const { labels = {} } = metadata ?? {};
  const changed = betaLabels.flatMap(([stable, beta]): readonly (readonly [string, string])[] => {
    const value = labels[stable];
    return value === undefined || labels[beta] === value ? [] : [[beta, value]];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

const unschedulableKey = 'node.kubernetes.io/unschedulable';

/** Stable labels, and the beta labels that follow them. */
const betaLabels = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** Taints by the type of the condition and its status. */
const conditionTaints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: 'node.kubernetes.io/not-ready', Unknown: 'node.kubernetes.io/unreachable' },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};

const conditionKeys: ReadonlySet<string> = new Set([
  unschedulableKey,
  ...Object.values(conditionTaints).flatMap((byStatus) => Object.values(byStatus)),
]);
