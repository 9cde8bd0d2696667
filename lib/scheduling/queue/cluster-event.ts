// Cluster events, as scheduling plugins register for them: a resource and an action. Actions are bits, so that a
// registration can combine several. An event is as narrow as possible; the general `update` means that no narrow update
// applies, and matches only registrations for all updates. Names and labels as kube-scheduler/framework/types.go;
// metrics and logs show them.

/** Actions as bits. `update` combines all updates, `all` everything. */
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

/** An event, or a plugin's registration for events. */
export interface ClusterEvent {
  /**
   * `Node`, `Pod`, `storage.k8s.io/CSINode` …, or `*` for all. Plugins register for `Pod`; events are about an
   * `AssignedPod` or an `UnschedulablePod`.
   */
  readonly resource: string;
  /** One or more of `actions`. */
  readonly action: number;
  /** The name in metrics. Default: resource and action. */
  readonly label?: string;
}

/** Names of predefined events. */
export type NamedEvent =
  | 'assignedPodAdd'
  | 'assignedPodUpdate'
  | 'assignedPodDelete'
  | 'unscheduledPodAdd'
  | 'unscheduledPodUpdate'
  | 'unscheduledPodDelete'
  | 'unschedulableTimeout'
  | 'forceActivate';

/** The predefined events. */
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

/** Whether an event moves pods regardless of their rejectors, without calling hints. */
export function isWildcard(event: ClusterEvent): boolean {
  return event.resource === '*' && event.action === actions.all;
}

/** Whether an event is equal to, or narrower than, a registration. */
export function covers(registered: ClusterEvent, event: ClusterEvent): boolean {
  return (
    isWildcard(registered) ||
    (coversResource(registered.resource, event.resource) && (registered.action & event.action) === event.action)
  );
}

/** Returns the event's name in metrics: `NodeAdd`, `AssignedPodDelete`. */
export function labelOf(event: ClusterEvent): string {
  return event.label ?? `${event.resource}${actionNames.get(event.action) ?? ''}`;
}

const actionNames: ReadonlyMap<number, string> = new Map(
  Object.entries(actions).map(([name, bits]) => [bits, name.charAt(0).toUpperCase() + name.slice(1)]),
);

function coversResource(registered: string, event: string): boolean {
  if (registered === '*' || registered === event) return true;
  return registered === 'Pod' && (event === 'AssignedPod' || event === 'UnschedulablePod');
}
