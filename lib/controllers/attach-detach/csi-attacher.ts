// An attacher of a CSI driver: performs what VolumeAttachments request and writes their status, as the
// external-attacher beside a driver does. Clusters do not run one by themselves. Without functions of its own it
// attaches everything, which is enough for tests of pods with volumes. As kubernetes-csi/external-attacher.
import { addFinalizer, awaitChange, controller, removeFinalizer, watching } from '../../client/index.js';
import type { ControllerActivity, Stored } from '../../client/index.js';
import { errorText, namespacedName, printTime } from '../../core/index.js';
import type { Frozen, NamespacedName, Part } from '../../core/index.js';
import type { VolumeAttachment, VolumeAttachmentStatus } from '../../core/types/index.js';
import { informersOf } from '../controller-environment.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { ignoreError } from '../ignore-error.js';

/** Options of an attacher. */
export interface CsiAttacherOptions extends ControllerEnvironment {
  /** The name of the driver. */
  readonly driver: string;
  /** Attaches a volume and returns metadata for the node. A rejection is written as `attachError` and retried. */
  readonly attach?: (attachment: Frozen<VolumeAttachment>) => Promise<Record<string, string> | undefined>;
  /** Detaches a volume. A rejection is written as `detachError` and retried. */
  readonly detach?: (attachment: Frozen<VolumeAttachment>) => Promise<void>;
}

/** A VolumeAttachment was attached or detached. */
export interface CsiAttached {
  readonly type: 'attached' | 'detached';
  readonly attachment: string;
}

/** Creates the attacher. */
export function csiAttacher({
  driver,
  attach = () => Promise.resolve(undefined),
  detach = () => Promise.resolve(),
  ...environment
}: CsiAttacherOptions): Part<ControllerActivity<NamespacedName, CsiAttached>> {
  const { client, clock, concurrency = 10 } = environment;
  const attachments = informersOf(environment).kind('storage.k8s.io/v1', 'VolumeAttachment');
  const writable = client.kind('storage.k8s.io/v1', 'VolumeAttachment');
  const finalizer = `external-attacher/${driver.replaceAll(/[^A-Za-z0-9-]/g, '-')}`;
  return controller<NamespacedName, CsiAttached>({
    name: `csi-attacher/${driver}`,
    clock,
    steps$: environment.steps$,
    concurrency,
    watches: [
      watching(attachments, ({ type, object }) =>
        type === 'deleted' || object.spec.attacher !== driver ? [] : [namespacedName(object)],
      ),
    ],
    reconcile: async ({ name }, { emit, signal, cause }) => {
      const found = attachments.get(name);
      const options = { signal, cause };
      const write = (status: VolumeAttachmentStatus): Promise<Stored<VolumeAttachment> | undefined> => {
        const merge = { status: { attachError: null, detachError: null, ...status } };
        return ignoreError('NotFound', writable.status.patch(name, { merge }, options));
      };
      const problem = (error: unknown) => ({ time: printTime(clock.now()), message: errorText(error) });
      const isAttached = found?.status?.attached ?? false;
      if (found === undefined) return awaitChange;
      if (found.metadata.deletionTimestamp === undefined) {
        if (isAttached) return awaitChange;
        await writable.modify(name, (newest) => addFinalizer(newest, finalizer), options);
        try {
          const attachmentMetadata = await attach(found);
          await write({ attached: true, ...(attachmentMetadata && { attachmentMetadata }) });
        } catch (error) {
          await write({ attached: false, attachError: problem(error) });
          throw error;
        }
        emit({ type: 'attached', attachment: name });
      } else if ((found.metadata.finalizers ?? []).includes(finalizer)) {
        try {
          await detach(found);
        } catch (error) {
          await write({ attached: isAttached, detachError: problem(error) });
          throw error;
        }
        const removed = writable.modify(name, (newest) => removeFinalizer(newest, finalizer), options);
        await ignoreError('NotFound', removed);
        emit({ type: 'detached', attachment: name });
      }
      return awaitChange;
    },
  });
}
