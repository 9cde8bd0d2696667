// What the binder of claims and volumes reads, and the only functions with which it writes. The next sync finds the
// result of every write, so the work may end after any of them.
import type { Client, EventNote, OwnWrites, RequestCause, Stored } from '../../client/index.js';
import { objectReference } from '../../core/index.js';
import type { FrozenClaim, Frozen, NamespacedName, Snapshot, FrozenVolume } from '../../core/index.js';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
  PersistentVolumePhase,
  Pod,
  StorageClass,
} from '../../core/types/index.js';

/** A claim as the server has it. */
export type StoredClaim = Stored<PersistentVolumeClaim>;

/** A volume as the server has it. */
export type StoredVolume = Stored<PersistentVolume>;

/** What the binder reads and writes with. */
export interface Storage {
  readonly client: Client;
  /** Aborted when the binder stops: then nothing more is written. */
  readonly signal: AbortSignal;
  /** Which item is reconciled: the cause of every write. */
  readonly cause: RequestCause;
  readonly claims: OwnWrites<StoredClaim>;
  readonly volumes: OwnWrites<StoredVolume>;
  readonly classes: Snapshot<Stored<StorageClass>>;
  /** Pods, by `namespace/name` of the claims that they use. */
  readonly pods: Snapshot<Stored<Pod>, 'claim'>;
  /** Records an Event. */
  readonly record: (note: EventNote) => void;
  /** Adds a claim to the queue once more. */
  readonly requeueClaim: (claim: string) => void;
}

/** The result of reconciling a claim or a volume. */
export type StorageOutcome =
  | { readonly type: 'bound'; readonly claim: NamespacedName; readonly volume: string }
  /** The claim had a volume that is no longer its own. */
  | { readonly type: 'lost'; readonly claim: NamespacedName }
  /** The claim named no class, and was given the default one. */
  | { readonly type: 'classified'; readonly claim: NamespacedName; readonly className: string }
  /** The claim says who shall make a volume for it. */
  | { readonly type: 'awaited'; readonly claim: NamespacedName; readonly provisioner: string }
  /** What became of a volume. */
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

/** Gives a volume another phase, and says why where there is something to say. */
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

/** Tells people about a claim. */
export function tellOfClaim(claim: StoredClaim, note: Omit<EventNote, 'about'>, { record }: Storage): void {
  record({ about: objectReference({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, claim), ...note });
}

/** Tells people about a volume. */
export function tellOfVolume(volume: StoredVolume, note: Omit<EventNote, 'about'>, { record }: Storage): void {
  record({ about: objectReference({ apiVersion: 'v1', kind: 'PersistentVolume' }, volume), ...note });
}
