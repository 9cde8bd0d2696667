// What happens in a cluster, as scheduling plugins register for it: a resource and an action. Actions are bits, so that
// a plugin names several in one number. Whoever watches the cluster names an event as narrowly as it can; the general
// `update` means that no narrow update applies, and reaches only those who registered for all updates.
// Names and labels as kube-scheduler/framework/types.go, where metrics and logs show them.

/** Actions as bits. `update` is every update together, `all` everything. */
export const actions = {
  add: 1,
  delete: 2,
  updateNodeAllocatable: 4,
  updateNodeLabel: 8,
  updateNodeTaint: 16,
  updateNodeCondition: 32,
  updateNodeAnnotation: 64,
  updateNodeDeclaredFeature: 128,
  updatePodLabel: 256,
  updatePodScaleDown: 512,
  updatePodToleration: 1024,
  updatePodSchedulingGatesEliminated: 2048,
  updatePodGeneratedResourceClaim: 4096,
  update: 8188, // all but add and delete
  all: 8191,
} as const;

/** Something that happened, or that a plugin wants to hear of. */
export interface ClusterEvent {
  /**
   * `Node`, `Pod`, `storage.k8s.io/CSINode` …, or `*` for all. Plugins register for `Pod`; what happens is told of an
   * `AssignedPod` or an `UnschedulablePod`.
   */
  readonly resource: string;
  /** One or more of `actions`. */
  readonly action: number;
  /** What metrics call it; resource and action when absent. */
  readonly label?: string;
}

/** Events with a name of their own. */
export type NamedEvent =
  | 'assignedPodAdd'
  | 'assignedPodUpdate'
  | 'assignedPodDelete'
  | 'unscheduledPodAdd'
  | 'unscheduledPodUpdate'
  | 'unscheduledPodDelete'
  | 'unschedulableTimeout'
  | 'forceActivate';

/** The events that the queue itself tells or is told of by name. */
export const clusterEvents: Readonly<Record<NamedEvent, ClusterEvent>> = {
  assignedPodAdd: { resource: 'AssignedPod', action: actions.add },
  assignedPodUpdate: { resource: 'AssignedPod', action: actions.update },
  assignedPodDelete: { resource: 'AssignedPod', action: actions.delete },
  unscheduledPodAdd: { resource: 'UnschedulablePod', action: actions.add },
  unscheduledPodUpdate: { resource: 'UnschedulablePod', action: actions.update },
  unscheduledPodDelete: { resource: 'UnschedulablePod', action: actions.delete },
  unschedulableTimeout: { resource: '*', action: actions.all, label: 'UnschedulableTimeout' },
  forceActivate: { resource: '*', action: actions.all, label: 'ForceActivate' },
};

/** Whether an event stands for everything: it moves pods whatever rejected them, and no hint is asked. */
export function isWildcard(event: ClusterEvent): boolean {
  return event.resource === '*' && event.action === actions.all;
}

/** Whether something that happened is, or is narrower than, what was registered. */
export function covers(registered: ClusterEvent, happened: ClusterEvent): boolean {
  return (
    isWildcard(registered) ||
    (coversResource(registered.resource, happened.resource) &&
      (registered.action & happened.action) === happened.action)
  );
}

/** The event as metrics name it: `NodeAdd`, `AssignedPodDelete`. */
export function labelOf(event: ClusterEvent): string {
  return event.label ?? `${event.resource}${actionNames.get(event.action) ?? ''}`;
}

const actionNames: ReadonlyMap<number, string> = new Map(
  Object.entries(actions).map(([name, bits]) => [bits, name.charAt(0).toUpperCase() + name.slice(1)]),
);

function coversResource(registered: string, happened: string): boolean {
  if (registered === '*' || registered === happened) return true;
  return registered === 'Pod' && (happened === 'AssignedPod' || happened === 'UnschedulablePod');
}
