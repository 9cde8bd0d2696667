// What the parts of an agent share: one value per node.
import type { Activity, Clock, Frozen } from '../core/index.js';
import type { Client } from '../client/index.js';
import type { Pod } from '../core/types/index.js';
import type { Alarms } from './alarms.js';
import type { ImagePuller } from './images/image-puller.js';
import type { ContainerSort } from './pod/pod-knowledge.js';
import type { ContainerRuntime } from './runtime/container-runtime.js';
import type { MountedVolumes } from './volumes/mounted-volumes.js';
import type { PodObjects } from './volumes/pod-objects.js';

/** The dependencies of everything that works for one node. */
export interface NodeTools {
  /** The name of the node. */
  readonly node: string;
  /** The addresses of the node, the main one first. */
  readonly hostIps: readonly string[];
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  /** Acts as the node: `system:node:<name>` of the group system:nodes. */
  readonly client: Client;
  /** Reads the ConfigMaps and Secrets that pods refer to. */
  readonly objects: PodObjects;
  readonly images: ImagePuller;
  /** Volumes of storage drivers. */
  readonly mounts: MountedVolumes;
  /** Returns the identifiers of the volumes that are attached to the node. */
  readonly attached: () => readonly string[];
  readonly alarms: Alarms;
  /** Records an Event about a pod or one of its containers. */
  readonly record: (event: NodePodEvent) => void;
  readonly emit: (activity: NodeActivity) => void;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
}

/** An Event about a pod. */
export interface NodePodEvent {
  readonly pod: Frozen<Pod>;
  readonly container?: { readonly sort: ContainerSort; readonly name: string };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** An activity of a node. */
export type NodeActivity = NodeRegistered | HeartbeatFailed | PodStatusWritten | PodDeleted | PodWorkFailed;

/** A node exists in the API. */
export interface NodeRegistered extends Activity {
  readonly type: 'node-registered';
  readonly node: string;
}

/** A Lease or a status of a node could not be written; it is tried again. */
export interface HeartbeatFailed extends Activity {
  readonly type: 'heartbeat-failed';
  readonly node: string;
  readonly error: unknown;
}

/** The status of a pod was written. */
export interface PodStatusWritten extends Activity {
  readonly type: 'pod-status-written';
  readonly node: string;
  readonly pod: string;
  readonly phase: string;
}

/** A pod that ended was deleted. */
export interface PodDeleted extends Activity {
  readonly type: 'pod-deleted';
  readonly node: string;
  readonly pod: string;
}

/** A step of the work on a pod failed; it is tried again. */
export interface PodWorkFailed extends Activity {
  readonly type: 'pod-work-failed';
  readonly node: string;
  readonly pod: string;
  readonly error: unknown;
}
