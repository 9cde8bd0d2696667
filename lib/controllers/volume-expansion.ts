// The expand controller. Volumes of CSI drivers are expanded by the external-resizer of the driver: this controller
// only records that it waits for one, and names the driver that replaces a removed in-tree plugin. No plugin of v1.36
// that is still in tree can be expanded without a machine. As pkg/controller/volume/expand.
import { awaitChange, controller, watching } from '../client/index.js';
import type { ControllerActivity, EventFailed, EventRecorder, ObjectEvent, Stored } from '../client/index.js';
import {
  compareQuantities,
  driverInPlaceOf,
  isClaimedBy,
  namespacedName,
  objectReference,
  parseQuantity,
  printNamespacedName,
} from '../core/index.js';
import type { Frozen, NamespacedName, Part } from '../core/index.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../core/types/index.js';
import { informersOf } from './controller-environment.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { ignoreError } from './ignore-error.js';
import { withEvents } from './with-events.js';

/** A claim waits for an external resizer. */
export interface ExpansionAwaited {
  readonly type: 'awaited';
  readonly claim: NamespacedName;
}

/** The activities of the controller. */
export type VolumeExpansionActivity = ControllerActivity<NamespacedName, ExpansionAwaited> | EventFailed;

/** Creates the controller. */
export function volumeExpansion(environment: ControllerEnvironment): Part<VolumeExpansionActivity> {
  const name = 'persistentvolume-expander-controller';
  const { client, clock, concurrency = 10 } = environment;
  const claims = informersOf(environment).kind('v1', 'PersistentVolumeClaim');
  const create = (recorder: EventRecorder): Part<VolumeExpansionActivity> =>
    controller<NamespacedName, ExpansionAwaited>({
      name,
      clock,
      steps$: environment.steps$,
      concurrency,
      watches: [watching(claims, (event) => (mayExpand(event) ? [namespacedName(event.object)] : []))],
      reconcile: async (item, { emit, signal, cause }) => {
        const key = printNamespacedName(item);
        const claim = claims.get(key);
        if (claim === undefined || compareSizes(requestOf(claim), capacityOf(claim)) <= 0) return awaitChange;
        const { volumeName = '' } = claim.spec ?? {};
        const volume = await client.kind('v1', 'PersistentVolume').get(volumeName, { signal });
        if (!isClaimedBy(volume, claim))
          throw new Error(`persistent Volume is not bound to PVC being updated : ${key}`);
        const plugin = inTreePluginOf(volume);
        const driver = plugin && driverInPlaceOf(plugin);
        recorder.record({
          regarding: objectReference({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, claim),
          type: 'Normal',
          reason: 'ExternalExpanding',
          message:
            plugin === undefined
              ? 'waiting for an external controller to expand this PVC'
              : `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`,
        });
        if (driver !== undefined && claim.metadata.annotations?.[resizerAnnotation] !== driver) {
          const strategic = { metadata: { annotations: { [resizerAnnotation]: driver } } };
          const writable = client.kind('v1', 'PersistentVolumeClaim').in(item.namespace);
          await ignoreError('NotFound', writable.status.patch(item.name, { strategic }, { signal, cause }));
        }
        emit({ type: 'awaited', claim: item });
        return awaitChange;
      },
    });
  return withEvents({ ...environment, name, component: 'volume_expand', create });
}

/** Returns whether a bound claim was found, or requests or has more than before. */
function mayExpand(event: ObjectEvent<Stored<PersistentVolumeClaim>>): boolean {
  const { type, object } = event;
  if (type === 'deleted' || object.status?.phase !== 'Bound') return false;
  if (!('old' in event)) return true;
  return (
    compareSizes(requestOf(object), requestOf(event.old)) > 0 ||
    compareSizes(capacityOf(object), capacityOf(event.old)) > 0
  );
}

function requestOf({ spec }: Frozen<PersistentVolumeClaim>): string {
  return spec?.resources?.requests?.storage ?? '0';
}

function capacityOf({ status }: Frozen<PersistentVolumeClaim>): string {
  return status?.capacity?.storage ?? '0';
}

function compareSizes(one: string, other: string): number {
  return compareQuantities(parseQuantity(one), parseQuantity(other));
}

/** The removed plugin of a volume; undefined for other volumes. */
function inTreePluginOf({ spec }: Frozen<PersistentVolume>): string | undefined {
  const [found] = inTreeSources.filter(([field]) => spec?.[field] !== undefined);
  return found?.[1];
}

const inTreeSources = [
  ['awsElasticBlockStore', 'kubernetes.io/aws-ebs'],
  ['gcePersistentDisk', 'kubernetes.io/gce-pd'],
  ['cinder', 'kubernetes.io/cinder'],
  ['azureDisk', 'kubernetes.io/azure-disk'],
  ['azureFile', 'kubernetes.io/azure-file'],
  ['vsphereVolume', 'kubernetes.io/vsphere-volume'],
  ['portworxVolume', 'kubernetes.io/portworx-volume'],
] as const;

/** Names the driver whose resizer expands a claim. */
const resizerAnnotation = 'volume.kubernetes.io/storage-resizer';
