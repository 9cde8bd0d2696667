// One reconcile of the attach/detach controller: observes a volume on all nodes that it concerns, decides, and writes
// VolumeAttachments and `volumesAttached` of nodes. A node stops reporting a volume as attached before its
// VolumeAttachment is deleted, so that its kubelet does not mount the volume meanwhile.
import { awaitChange, requeueAfter } from '../../client/index.js';
import type { Action, Client, EventRecorder, Stored } from '../../client/index.js';
import { isApiError, objectReference, quote } from '../../core/index.js';
import type { NamespacedName, RequestCause } from '../../core/index.js';
import type { Node, PersistentVolume, Pod, VolumeAttachment } from '../../core/types/index.js';
import { ignoreError } from '../ignore-error.js';
import type { WriteBarrier } from '../workloads/write-barrier.js';
import { attachmentName, isAttachRequired, isShared, parseUniqueName, podsByNode } from './attachable-volumes.js';
import type { CsiVolume, VolumeSources } from './attachable-volumes.js';
import { decideAttachments } from './attachment-decision.js';
import type { AttachmentStep, VolumeOnNode } from './attachment-decision.js';

/** A volume was attached to a node, or detached from it. */
export interface VolumeMoved {
  readonly type: 'attached' | 'detached';
  /** The unique name of the volume. */
  readonly volume: string;
  readonly node: string;
}

/** The dependencies of the controller. */
export interface AttachmentTools extends VolumeSources {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly barrier: WriteBarrier<'attachments'>;
  readonly now: () => number;
  /** How long a node that is not ready may keep a volume in use. */
  readonly forcedAfterMs: number;
}

/** The reconcile that a write is part of. */
export interface AttachmentContext {
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
  readonly emit: (change: VolumeMoved) => void;
}

/** The attachments of one run of the controller. */
export class AttachmentSync {
  readonly #tools: AttachmentTools;
  /** The volumes that nodes report as attached, from their status when they were first seen. */
  readonly #reported = new Map<string, Set<string>>();
  /** Nodes whose status has other volumes than `#reported`. */
  readonly #unwritten = new Set<string>();
  /** Per volume, the nodes that it was seen on. */
  readonly #nodes = new Map<string, Set<string>>();
  /** The volumes of VolumeAttachments, by their name. */
  readonly #volumes = new Map<string, string>();
  /** By volume and node: since when the volume is not wanted there. */
  readonly #unwantedSince = new Map<string, number>();
  /** By volume and node: what was last recorded as a failure to attach, and when an attachment was requested. */
  readonly #recorded = new Map<string, string>();
  readonly #requestedAt = new Map<string, number>();

  constructor(tools: AttachmentTools) {
    this.#tools = tools;
  }

  /** Returns the volumes that concern a node, and remembers what it reports as attached. */
  volumesOfNode(node: Stored<Node>): readonly string[] {
    const { name } = node.metadata;
    let reported = this.#reported.get(name);
    if (reported === undefined) {
      reported = new Set((node.status?.volumesAttached ?? []).map((each) => each.name));
      this.#reported.set(name, reported);
      for (const volume of reported) this.#remember(volume, name);
    }
    return [...reported];
  }

  /** Returns the volume of a VolumeAttachment whose PersistentVolume may be gone. */
  volumesOfAttachment(name: string): readonly string[] {
    const volume = this.#volumes.get(name);
    return volume === undefined ? [] : [volume];
  }

  /** Forgets what a deleted node reported. */
  nodeDeleted(name: string): void {
    this.#reported.delete(name);
    this.#unwritten.delete(name);
  }

  /** Remembers that a volume has an attachment on a node. */
  #remember(volume: string, node: string): void {
    this.#nodes.set(volume, (this.#nodes.get(volume) ?? new Set()).add(node));
  }

  /** Reconciles a volume. */
  async sync(unique: string, context: AttachmentContext): Promise<Action> {
    const csi = parseUniqueName(unique);
    if (csi === undefined) return awaitChange;
    if (!this.#tools.barrier.isReached(ownerOf(unique))) return requeueAfter(lagRecheckMs);
    const [volume] = this.#tools.volumes.by('unique', unique);
    const pods = volume && isAttachRequired(csi.driver, this.#tools) ? podsByNode(volume, this.#tools) : noPods;
    const observed = this.#observe({ unique, csi, volume, pods });
    for (const each of observed) if (each.isWanted) await this.#follow(unique, csi, each, { volume, pods, context });
    const { now: nowOf, forcedAfterMs } = this.#tools;
    const rules = { isShared: volume === undefined || isShared(volume), nowMs: nowOf(), forcedAfterMs };
    const { steps, againAtMs = Infinity } = decideAttachments(observed, rules);
    for (const step of steps) await this.#perform(step, { unique, csi, volume, pods }, context);
    for (const node of this.#nodes.get(unique) ?? []) await this.#writeReported(node, context);
    const dueMs = Math.min(againAtMs, ...observed.map(({ node }) => this.#timeoutOf(unique, node)));
    return dueMs < Infinity ? requeueAfter(Math.max(0, dueMs - nowOf())) : awaitChange;
  }

  #observe({ unique, csi, volume, pods }: SyncedVolume): readonly VolumeOnNode[] {
    const { attachments, nodes, now } = this.#tools;
    for (const { spec } of volume ? attachments.by('volume', volume.metadata.name) : [])
      if (spec.attacher === csi.driver) this.#remember(unique, spec.nodeName);
    for (const node of pods.keys()) this.#remember(unique, node);
    const observed: VolumeOnNode[] = [];
    for (const node of this.#nodes.get(unique) ?? []) {
      const key = `${unique}@${node}`;
      const found = nodes.get(node);
      const name = attachmentName(csi, node);
      const attachment = stateOf(attachments.get(name));
      const isWanted = pods.has(node) && isManaged(found);
      if (isWanted) this.#unwantedSince.delete(key);
      else if (!this.#unwantedSince.has(key)) this.#unwantedSince.set(key, now());
      const isReported = this.#reported.get(node)?.has(unique) === true;
      if (!isWanted && attachment === 'none' && !isReported) {
        this.#forget(unique, node);
        this.#volumes.delete(name);
        continue;
      }
      this.#volumes.set(name, unique);
      observed.push({
        node,
        isWanted,
        // What a node reports without a VolumeAttachment was detached while this controller did not run.
        attachment: attachment === 'none' && !isWanted ? 'attached' : attachment,
        isMounted: (found?.status?.volumesInUse ?? []).includes(unique),
        isHealthy:
          found?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
        isOutOfService: (found?.spec?.taints ?? []).some((taint) => taint.key === outOfServiceTaint),
        unwantedSinceMs: this.#unwantedSince.get(key),
      });
    }
    return observed;
  }

  #forget(unique: string, node: string): void {
    const key = `${unique}@${node}`;
    for (const memory of [this.#unwantedSince, this.#recorded, this.#requestedAt]) memory.delete(key);
    const nodes = this.#nodes.get(unique);
    nodes?.delete(node);
    if (nodes?.size === 0) this.#nodes.delete(unique);
  }

  /** Reports an attachment that succeeded, or records that it did not. */
  async #follow(unique: string, csi: CsiVolume, { node, attachment }: VolumeOnNode, synced: Followed): Promise<void> {
    const { volume, pods, context } = synced;
    const key = `${unique}@${node}`;
    const record = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
      this.#record(pods.get(node) ?? [], { type, reason, message });
    const name = quote(volume?.metadata.name ?? '');
    if (attachment === 'attached') {
      this.#requestedAt.delete(key);
      this.#recorded.delete(key);
      const reported = this.#reported.get(node) ?? new Set();
      if (reported.has(unique)) return;
      this.#reported.set(node, reported.add(unique));
      this.#unwritten.add(node);
      record('Normal', 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume ${name} `);
      context.emit({ type: 'attached', volume: unique, node });
      await this.#writeReported(node, context);
      return;
    }
    if (attachment !== 'attaching') return;
    const { attachError } = this.#tools.attachments.get(attachmentName(csi, node))?.status ?? {};
    const { now } = this.#tools;
    const isLate = now() >= this.#timeoutOf(unique, node);
    if (!this.#requestedAt.has(key) || isLate) this.#requestedAt.set(key, now());
    const timeout = `timed out waiting for external-attacher of ${csi.driver} CSI driver to attach volume ${csi.handle}`;
    const problem = attachError === undefined ? (isLate ? timeout : undefined) : (attachError.message ?? '');
    const recorded = `${attachError?.time ?? String(now())} ${problem ?? ''}`;
    if (problem === undefined || this.#recorded.get(key) === recorded) return;
    this.#recorded.set(key, recorded);
    record('Warning', 'FailedAttachVolume', `AttachVolume.Attach failed for volume ${name} : ${problem}`);
  }

  #timeoutOf(unique: string, node: string): number {
    return (this.#requestedAt.get(`${unique}@${node}`) ?? Infinity) + attachTimeoutMs;
  }

  async #perform(step: AttachmentStep, synced: SyncedVolume, context: AttachmentContext): Promise<void> {
    if (step.type === 'attach') await this.#attach(step.node, synced, context);
    else if (step.type === 'detach') await this.#detach(step, synced, context);
    else this.#recordConflict(step.node, step.others, synced);
  }

  async #attach(node: string, { unique, csi, volume }: SyncedVolume, context: AttachmentContext): Promise<void> {
    const { client, barrier, now } = this.#tools;
    const { signal, cause } = context;
    this.#requestedAt.set(`${unique}@${node}`, now());
    const source = { persistentVolumeName: volume?.metadata.name ?? '' };
    const spec = { attacher: csi.driver, nodeName: node, source };
    const attachments = client.kind('storage.k8s.io/v1', 'VolumeAttachment');
    try {
      const name = attachmentName(csi, node);
      barrier.wrote(
        ownerOf(unique),
        'attachments',
        await attachments.create({ metadata: { name }, spec }, { signal, cause }),
      );
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
  }

  async #detach(
    { node, isForced }: { readonly node: string; readonly isForced: boolean },
    { unique, csi }: SyncedVolume,
    context: AttachmentContext,
  ): Promise<void> {
    const { client } = this.#tools;
    const { signal, cause, emit } = context;
    if (this.#reported.get(node)?.delete(unique) === true) this.#unwritten.add(node);
    await this.#writeReported(node, context);
    if (!isForced) {
      const live = await ignoreError('NotFound', client.kind('v1', 'Node').get(node, { signal }));
      if ((live?.status?.volumesInUse ?? []).includes(unique))
        throw new Error(`volume ${unique} is still in use by node ${node}, according to its status`);
    }
    const attachments = client.kind('storage.k8s.io/v1', 'VolumeAttachment');
    await ignoreError('NotFound', attachments.delete(attachmentName(csi, node), { signal, cause }));
    emit({ type: 'detached', volume: unique, node });
  }

  #recordConflict(node: string, others: readonly string[], { unique, volume, pods }: SyncedVolume): void {
    const key = `${unique}@${node}`;
    if (this.#recorded.get(key) === 'conflict') return;
    this.#recorded.set(key, 'conflict');
    const users = others.flatMap((other) => pods.get(other) ?? []);
    for (const pod of pods.get(node) ?? []) {
      const message = `Multi-Attach error for volume ${quote(volume?.metadata.name ?? '')} ${conflictText(pod, users)}`;
      this.#record([pod], { type: 'Warning', reason: 'FailedAttachVolume', message });
    }
  }

  #record(pods: readonly Stored<Pod>[], details: Omit<Parameters<EventRecorder['record']>[0], 'regarding'>): void {
    for (const pod of pods)
      this.#tools.recorder.record({ regarding: objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod), ...details });
  }

  /** Writes the volumes that a node reports as attached, if they changed. */
  async #writeReported(node: string, { signal, cause }: AttachmentContext): Promise<void> {
    if (!this.#unwritten.has(node)) return;
    const volumesAttached = [...(this.#reported.get(node) ?? [])].map((name) => ({ name, devicePath: '' }));
    const merge = { status: { volumesAttached: volumesAttached.length === 0 ? null : volumesAttached } };
    const patched = this.#tools.client.kind('v1', 'Node').status.patch(node, { merge }, { signal, cause });
    await ignoreError('NotFound', patched);
    this.#unwritten.delete(node);
  }
}

interface SyncedVolume {
  readonly unique: string;
  readonly csi: CsiVolume;
  readonly volume: Stored<PersistentVolume> | undefined;
  readonly pods: ReadonlyMap<string, readonly Stored<Pod>[]>;
}

interface Followed extends Pick<SyncedVolume, 'volume' | 'pods'> {
  readonly context: AttachmentContext;
}

function conflictText({ metadata }: Stored<Pod>, users: readonly Stored<Pod>[]): string {
  if (users.length === 0) return "Volume is already exclusively attached to one node and can't be attached to another";
  const local = users
    .filter((user) => user.metadata.namespace === metadata.namespace)
    .map((user) => user.metadata.name);
  const elsewhere = users.length - local.length;
  if (local.length === 0) return `Volume is already used by ${elsewhere} pod(s) in different namespaces`;
  const text = `Volume is already used by pod(s) ${local.join(', ')}`;
  return elsewhere === 0 ? text : `${text} and ${elsewhere} pod(s) in different namespaces`;
}

function stateOf(attachment: Stored<VolumeAttachment> | undefined): VolumeOnNode['attachment'] {
  if (attachment === undefined) return 'none';
  if (attachment.metadata.deletionTimestamp !== undefined) return 'detaching';
  return attachment.status?.attached === true ? 'attached' : 'attaching';
}

/** Nodes of kubelets that attach volumes themselves are left alone. */
function isManaged(node: Stored<Node> | undefined): boolean {
  return node?.metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach'] !== undefined;
}

function ownerOf(unique: string): NamespacedName {
  return { namespace: '', name: unique };
}

const noPods: ReadonlyMap<string, readonly Stored<Pod>[]> = new Map();
const outOfServiceTaint = 'node.kubernetes.io/out-of-service';
/** As the CSI plugin's. */
const attachTimeoutMs = 120_000;
const lagRecheckMs = 1_000;
