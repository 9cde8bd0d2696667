// The attach/detach controller: keeps VolumeAttachments for the volumes of CSI drivers that pods need, and
// `status.volumesAttached` of nodes. The driver's external attacher, or `csiAttacher`, attaches what a VolumeAttachment
// requests. The item of the work queue is a volume, by its unique name; volumes are reconciled one after the other,
// since several of them share the status of a node. As pkg/controller/volume/attachdetach.
import { controller, watching } from '../../client/index.js';
import type { ControllerActivity, EventFailed, EventRecorder, ObjectEvent, Stored } from '../../client/index.js';
import { deepEqual } from '../../core/index.js';
import type { Part } from '../../core/index.js';
import type { Node, PersistentVolume, VolumeAttachment } from '../../core/types/index.js';
import { informersOf } from '../controller-environment.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { nodeNamesOf } from '../node-lifecycle/node-lifecycle.js';
import { withEvents } from '../with-events.js';
import { WriteBarrier } from '../workloads/write-barrier.js';
import { claimKeysOfPod, uniqueNameOf, volumesOfClaim, volumesOfPod } from './attachable-volumes.js';
import { AttachmentSync } from './attachment-sync.js';
import type { VolumeMoved } from './attachment-sync.js';

/** Options of the controller. */
export interface AttachDetachOptions extends ControllerEnvironment {
  /** True if a volume is never detached from a node that does not confirm it. Default false: after six minutes. */
  readonly isForceDetachDisabled?: boolean;
}

/** A volume, by its unique name. */
export interface AttachableVolume {
  readonly volume: string;
}

/** The activities of the controller. */
export type AttachDetachActivity = ControllerActivity<AttachableVolume, VolumeMoved> | EventFailed;

/** Creates the controller. */
export function attachDetach(options: AttachDetachOptions): Part<AttachDetachActivity> {
  const name = 'persistentvolume-attach-detach-controller';
  const { isForceDetachDisabled = false, ...environment } = options;
  const { client, clock } = environment;
  const shared = informersOf(environment);
  const sources = {
    pods: shared.kind('v1', 'Pod').indexedBy({ claim: claimKeysOfPod, node: nodeNamesOf }),
    claims: shared.kind('v1', 'PersistentVolumeClaim'),
    volumes: shared.kind('v1', 'PersistentVolume').indexedBy({ unique: uniqueNamesOf }),
    drivers: shared.kind('storage.k8s.io/v1', 'CSIDriver'),
    attachments: shared
      .kind('storage.k8s.io/v1', 'VolumeAttachment')
      .indexedBy({ volume: volumeNamesOf, node: ({ spec }) => [spec.nodeName] }),
    nodes: shared.kind('v1', 'Node'),
  };
  const { pods, claims, volumes, drivers, attachments, nodes } = sources;
  const itemsOf = (names: readonly string[]): readonly AttachableVolume[] => names.map((volume) => ({ volume }));
  const create = (recorder: EventRecorder): Part<AttachDetachActivity> => {
    const barrier = new WriteBarrier({ attachments });
    const forcedAfterMs = isForceDetachDisabled ? Infinity : 360_000;
    const now = (): number => clock.now();
    const sync = new AttachmentSync({ ...sources, client, recorder, barrier, now, forcedAfterMs });
    const volumesOfAttachment = (attachment: Stored<VolumeAttachment>): readonly string[] =>
      volumeNamesOf(attachment)
        .flatMap((each) => volumes.get(each) ?? [])
        .flatMap(uniqueNamesOf);
    const volumesOfNode = (node: Stored<Node>): readonly string[] => [
      ...sync.volumesOfNode(node),
      ...attachments.by('node', node.metadata.name).flatMap(volumesOfAttachment),
      ...pods.by('node', node.metadata.name).flatMap((pod) => volumesOfPod(pod, sources)),
    ];
    return controller<AttachableVolume, VolumeMoved>({
      name,
      clock,
      steps$: environment.steps$,
      keyOf: ({ volume }) => volume,
      watches: [
        watching(nodes, (event) => {
          const affected = changesVolumes(event) ? volumesOfNode(event.object) : [];
          if (event.type === 'deleted') sync.nodeDeleted(event.object.metadata.name);
          return itemsOf(affected);
        }),
        watching(pods, ({ object }) => itemsOf(volumesOfPod(object, sources))),
        watching(claims, ({ object }) => itemsOf(volumesOfClaim(object, sources))),
        watching(volumes, ({ object }) => itemsOf(uniqueNamesOf(object))),
        watching(attachments, ({ object }) => [
          ...itemsOf(volumesOfAttachment(object)),
          ...itemsOf(sync.volumesOfAttachment(object.metadata.name)),
          ...barrier.released().map((owner) => ({ volume: owner.name })),
        ]),
        watching(drivers, ({ object }) => {
          const ofDriver = volumes.list().filter(({ spec }) => spec?.csi?.driver === object.metadata.name);
          return itemsOf(ofDriver.flatMap(uniqueNamesOf));
        }),
      ],
      reconcile: ({ volume }, { emit, signal, cause }) => sync.sync(volume, { emit, signal, cause }),
    });
  };
  return withEvents({ ...environment, name, component: 'attachdetach-controller', create });
}

function uniqueNamesOf(volume: Stored<PersistentVolume>): readonly string[] {
  const unique = uniqueNameOf(volume);
  return unique === undefined ? [] : [unique];
}

/** The name of the PersistentVolume of an attachment. */
function volumeNamesOf({ spec }: Stored<VolumeAttachment>): readonly string[] {
  return spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName];
}

/** Returns whether an event of a node may change which volumes are attached to it. A heartbeat does not. */
function changesVolumes(event: ObjectEvent<Stored<Node>>): boolean {
  if (event.type === 'deleted' || !('old' in event)) return true;
  const facts = ({ metadata, spec, status }: Stored<Node>): unknown => [
    metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach'],
    spec?.taints,
    status?.volumesInUse,
    status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  ];
  return !deepEqual(facts(event.old), facts(event.object));
}
