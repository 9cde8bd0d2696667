// The dependencies of the volume binder and its only writing functions. The next reconcile observes every write, so the
// work may be interrupted after any of them.
import type { Client, EventDetails, OwnWrites, Stored } from '../../client/index.js';
import { objectReference } from '../../core/index.js';
import type { FrozenClaim, Frozen, NamespacedName, Snapshot, FrozenVolume, RequestCause } from '../../core/index.js';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
  PersistentVolumePhase,
  Pod,
  StorageClass,
} from '../../core/types/index.js';

/** A stored claim. */
export type StoredClaim = Stored<PersistentVolumeClaim>;

/** A stored volume. */
export type StoredVolume = Stored<PersistentVolume>;

/** The dependencies of the binder. */
export interface Storage {
  readonly client: Client;
  /** Aborted when the binder stops; nothing is written then. */
  readonly signal: AbortSignal;
  /** Which item is reconciled: the cause of every write. */
  readonly cause: RequestCause;
  readonly claims: OwnWrites<StoredClaim>;
  readonly volumes: OwnWrites<StoredVolume>;
  readonly classes: Snapshot<Stored<StorageClass>>;
  /** Pods, by `namespace/name` of the claims that they use. */
  readonly pods: Snapshot<Stored<Pod>, 'claim'>;
  /** Records an Event. */
  readonly record: (details: EventDetails) => void;
  /** Adds a claim to the queue once more. */
  readonly requeueClaim: (claim: string) => void;
}

/** The result of reconciling a claim or a volume. */
export type StorageOutcome =
  | { readonly type: 'bound'; readonly claim: NamespacedName; readonly volume: string }
  /** The claim lost its volume. */
  | { readonly type: 'lost'; readonly claim: NamespacedName }
  /** The claim named no class and got the default one. */
  | { readonly type: 'classified'; readonly claim: NamespacedName; readonly className: string }
  /** The claim names the provisioner that it waits for. */
  | { readonly type: 'awaited'; readonly claim: NamespacedName; readonly provisioner: string }
  /** The new state of a volume. */
  | { readonly type: 'available' | 'released' | 'not-reclaimed' | 'deleted'; readonly volume: string };

/** Replaces a claim. */
export async function writeClaim(claim: FrozenClaim, { client, signal, cause, claims }: Storage): Promise<StoredClaim> {
  const written = await client.kind('v1', 'PersistentVolumeClaim').update(claim, { signal, cause });
  claims.wrote(written);
  return written;
}

/** Replaces the status of a claim. */
export async function writeClaimStatus(
  claim: StoredClaim,
  status: Frozen<PersistentVolumeClaimStatus>,
  { client, signal, cause, claims }: Storage,
): Promise<StoredClaim> {
  const written = await client
    .kind('v1', 'PersistentVolumeClaim')
    .status.update({ ...claim, status }, { signal, cause });
  claims.wrote(written);
  return written;
}

/** Replaces a volume. */
export async function writeVolume(
  volume: FrozenVolume,
  { client, signal, cause, volumes }: Storage,
): Promise<StoredVolume> {
  const written = await client.kind('v1', 'PersistentVolume').update(volume, { signal, cause });
  volumes.wrote(written);
  return written;
}

/** Writes the phase of a volume, with a message if there is one. */
export async function writeVolumePhase(
  volume: StoredVolume,
  phase: PersistentVolumePhase,
  storage: Storage,
  why = '',
): Promise<StoredVolume> {
  if (volume.status?.phase === phase) return volume;
  const { message: _formerly, ...status } = volume.status ?? {};
  const wanted = { ...volume, status: { ...status, phase, ...(why !== '' && { message: why }) } };
  const { client, signal, cause } = storage;
  const written = await client.kind('v1', 'PersistentVolume').status.update(wanted, { signal, cause });
  storage.volumes.wrote(written);
  return written;
}

/** Records an Event about a claim. */
export function recordForClaim(
  claim: StoredClaim,
  details: Omit<EventDetails, 'regarding'>,
  { record }: Storage,
): void {
  record({ regarding: objectReference({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, claim), ...details });
}

/** Records an Event about a volume. */
export function recordForVolume(
  volume: StoredVolume,
  details: Omit<EventDetails, 'regarding'>,
  { record }: Storage,
): void {
  record({ regarding: objectReference({ apiVersion: 'v1', kind: 'PersistentVolume' }, volume), ...details });
}
