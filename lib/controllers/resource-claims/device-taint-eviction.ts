// Evicts pods that use devices with NoExecute taints. The taints are those of ResourceSlices; DeviceTaintRules belong
// to a gate that v1.36 has off. When a pod is evicted follows from the time of the taint and the tolerations of its
// claims alone, so that nothing is remembered but which pods wait. As pkg/controller/devicetainteviction.
import { awaitChange, controller, requeueAfter, watching } from '../../client/index.js';
import type {
  Action,
  ControllerActivity,
  EventFailed,
  EventRecorder,
  ObjectEvent,
  Stored,
} from '../../client/index.js';
import { deepEqual, namespacedName, parseTime, printNamespacedName } from '../../core/index.js';
import type { Frozen, NamespacedName, Part } from '../../core/index.js';
import type { DeviceTaint, DeviceToleration, Pod, resourceV1, ResourceSlice } from '../../core/types/index.js';
import { informersOf } from '../controller-environment.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { evictPod } from '../evict-pod.js';
import type { PodEvicted } from '../taint-eviction.js';
import { withEvents } from '../with-events.js';
import { isClaimOf, isPodReference, isReservedForPod, podClaimsOf } from './pod-resource-claims.js';

/** The activities of the controller. */
export type DeviceTaintEvictionActivity = ControllerActivity<NamespacedName, PodEvicted> | EventFailed;

/** Creates the controller. */
export function deviceTaintEviction(environment: ControllerEnvironment): Part<DeviceTaintEvictionActivity> {
  const name = 'device-taint-eviction-controller';
  const { client, clock, concurrency = 50 } = environment;
  const shared = informersOf(environment);
  const pods = shared.kind('v1', 'Pod');
  const claims = shared.kind('resource.k8s.io/v1', 'ResourceClaim').indexedBy({ pool: poolsOfClaim });
  const slices = shared.kind('resource.k8s.io/v1', 'ResourceSlice').indexedBy({ pool: poolsOfSlice });
  const taintsOf: DeviceTaints = (pool, device) => deviceTaints(slices.by('pool', pool), device);
  const create = (recorder: EventRecorder): Part<DeviceTaintEvictionActivity> => {
    const waiting = new Map<string, string>();
    const record = (pod: NamespacedName, uid: string, message: string): void => {
      const regarding = { apiVersion: 'v1', kind: 'Pod', ...pod, uid };
      recorder.record({ regarding, type: 'Normal', reason: 'DeviceTaintManagerEviction', message });
    };
    return controller<NamespacedName, PodEvicted>({
      name,
      clock,
      steps$: environment.steps$,
      concurrency,
      watches: [
        watching(pods, (event) => (changesClaims(event) ? [namespacedName(event.object)] : [])),
        watching(claims, (event) => [...consumersOf(event.object), ...('old' in event ? consumersOf(event.old) : [])]),
        watching(slices, (event) => {
          const pools = new Set([...poolsOfSlice(event.object), ...('old' in event ? poolsOfSlice(event.old) : [])]);
          return [...pools].flatMap((pool) => claims.by('pool', pool)).flatMap(consumersOf);
        }),
      ],
      reconcile: async (item, { emit, signal, cause }): Promise<Action> => {
        const key = printNamespacedName(item);
        const pod = pods.get(key);
        const { uid = '' } = pod?.metadata ?? {};
        const atMs = pod && deviceEvictionMs(pod, (claim) => claims.get(claim), taintsOf);
        if (pod === undefined || atMs === undefined) {
          if (pod !== undefined && waiting.get(key) === uid) {
            record(item, uid, 'Cancelling deletion');
            emit({ type: 'cancelled', pod: item });
          }
          waiting.delete(key);
          return awaitChange;
        }
        if (atMs > clock.now()) {
          waiting.set(key, uid);
          return requeueAfter(atMs - clock.now());
        }
        waiting.delete(key);
        if (pod.metadata.deletionTimestamp !== undefined) return awaitChange;
        record(item, uid, 'Marking for deletion');
        await evictPod(item, disruptionTarget, { client, nowMs: clock.now(), signal, cause });
        emit({ type: 'evicted', pod: item });
        return awaitChange;
      },
    });
  };
  return withEvents({ ...environment, name, component: name, create });
}

/** Returns the NoExecute taints of a device. */
export type DeviceTaints = (pool: string, device: string) => readonly Frozen<DeviceTaint>[];

/** Returns when a pod is to be evicted because of devices; undefined if it is not. */
export function deviceEvictionMs(
  pod: Stored<Pod>,
  claimOf: (key: string) => Frozen<resourceV1.ResourceClaim> | undefined,
  taintsOf: DeviceTaints,
): number | undefined {
  if ((pod.spec?.nodeName ?? '') === '') return undefined;
  const { namespace = '' } = pod.metadata;
  const times = podClaimsOf(pod).flatMap(({ claim: name, template }) => {
    const claim = typeof name === 'string' ? claimOf(`${namespace}/${name}`) : undefined;
    if (claim === undefined || (template !== undefined && !isClaimOf(pod, claim)) || !isReservedForPod(pod, claim))
      return [];
    const { results = [] } = claim.status?.allocation?.devices ?? {};
    return results.flatMap(({ driver, pool, device, tolerations = [] }) =>
      taintsOf(`${driver}/${pool}`, device).flatMap((taint) => taintEvictionMs(taint, tolerations) ?? []),
    );
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When a taint evicts; undefined if it is tolerated without limit. */
function taintEvictionMs(
  taint: Frozen<DeviceTaint>,
  tolerations: readonly Frozen<DeviceToleration>[],
): number | undefined {
  if (taint.timeAdded === undefined) return undefined;
  const matching = tolerations.filter((each) => each.effect === 'NoExecute' && tolerates(each, taint));
  const seconds = matching.map(({ tolerationSeconds = Infinity }) => Math.max(0, tolerationSeconds));
  if (seconds.includes(Infinity)) return undefined;
  return parseTime(taint.timeAdded) + 1000 * (seconds.length === 0 ? 0 : Math.min(...seconds));
}

function tolerates({ key = '', operator, value = '' }: Frozen<DeviceToleration>, taint: Frozen<DeviceTaint>): boolean {
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}

/** The NoExecute taints of a device in the newest generation of its pool. */
function deviceTaints(slices: readonly Frozen<ResourceSlice>[], name: string): readonly Frozen<DeviceTaint>[] {
  const newest = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  const devices = slices
    .filter(({ spec }) => spec.pool.generation === newest)
    .flatMap(({ spec }) => spec.devices ?? []);
  const { taints = [] } = devices.find((device) => device.name === name) ?? {};
  return taints.filter(({ effect }) => effect === 'NoExecute');
}

function poolsOfSlice({ spec }: Frozen<ResourceSlice>): readonly string[] {
  return [`${spec.driver}/${spec.pool.name}`];
}

function poolsOfClaim({ status }: Frozen<resourceV1.ResourceClaim>): readonly string[] {
  const { results = [] } = status?.allocation?.devices ?? {};
  return [...new Set(results.map(({ driver, pool }) => `${driver}/${pool}`))];
}

function consumersOf({ metadata, status }: Stored<resourceV1.ResourceClaim>): readonly NamespacedName[] {
  const { namespace = '' } = metadata;
  return (status?.reservedFor ?? []).filter(isPodReference).map(({ name }) => ({ namespace, name }));
}

function changesClaims(event: ObjectEvent<Stored<Pod>>): boolean {
  if ((event.object.spec?.resourceClaims ?? []).length === 0) return false;
  if (!('old' in event)) return true;
  const { old, object } = event;
  if (old.metadata.uid !== object.metadata.uid || old.spec?.nodeName !== object.spec?.nodeName) return true;
  return !deepEqual(old.status?.resourceClaimStatuses ?? [], object.status?.resourceClaimStatuses ?? []);
}

const disruptionTarget = {
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
} as const;
