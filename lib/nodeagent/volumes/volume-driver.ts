// The port to storage: the node's side of a driver, in the shape of the node service of CSI. The agent calls it for
// volumes of claims and for inline CSI volumes whose driver has this name.
//
// Order per volume: stage once per node, publish once per pod; unpublish when the pod has ended, unstage after the last
// pod. Every call may be repeated after a failure or a restart of the agent and must be idempotent.

/** The node's side of a storage driver. */
export interface VolumeDriver {
  /** As PersistentVolumes and pods name it, such as `csi.example.com`. */
  readonly name: string;
  /** Whether the node waits until the volume is attached: in `volumesAttached` of its status. Default false. */
  readonly needsAttachment?: boolean;
  /** Prepares a volume for this node, as NodeStageVolume. */
  stage?(volume: StagedVolume): Promise<void>;
  /** Makes a volume available to a pod, as NodePublishVolume. Resolves with its path on the node. */
  publish(volume: PublishedVolume): Promise<string>;
  /** Undoes `publish`, as NodeUnpublishVolume. */
  unpublish(volume: PublishedVolume): Promise<void>;
  /** Undoes `stage`, as NodeUnstageVolume. */
  unstage?(volume: StagedVolume): Promise<void>;
}

/** A volume on a node. */
export interface StagedVolume {
  readonly node: string;
  /** The identifier that the driver gave it. */
  readonly volumeHandle: string;
  /** The attributes of the PersistentVolume, or of the inline volume. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly fsType: string;
}

/** A volume of a pod. */
export interface PublishedVolume extends StagedVolume {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The name of the volume in the pod. */
  readonly volume: string;
  readonly isReadOnly: boolean;
  /** Whether the volume lives and dies with the pod: an inline CSI volume. */
  readonly isEphemeral: boolean;
}
