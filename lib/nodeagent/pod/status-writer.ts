// Writes the status of one pod to the API. Each computed status is a version; while one is written, later ones replace
// each other, so the API gets the newest and never an older one after it. Only differences are sent, as a strategic
// merge patch that names the UID: a pod of the same name is not written to. As pkg/kubelet/status/status_manager.go.
import type { KindClient } from '../../client/index.js';
import { deepEqual, isApiError, isOlderVersion, withMembers } from '../../core/index.js';
import type { Frozen, JsonValue } from '../../core/index.js';
import type { Pod, PodCondition, PodStatus } from '../../core/types/index.js';

/** The dependencies of a writer. */
export interface StatusWriterOptions {
  /** The client of the node. */
  readonly pods: KindClient<'v1', 'Pod'>;
  /** Called after a write. */
  onWritten(phase: string): void;
  /** Called after a write failed that should be repeated. */
  onFailed(error: unknown): void;
}

/** The writer of one pod. */
export class StatusPublisher {
  readonly #options: StatusWriterOptions;
  /** The pod in the API: for a static pod its mirror. */
  #target: Frozen<Pod> | undefined;
  #latest: PodStatus | undefined;
  #version = 0;
  #writtenVersion = 0;
  #writing: Promise<void> | undefined;
  #isGone = false;

  constructor(target: Frozen<Pod> | undefined, options: StatusWriterOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** The newest status that was set. */
  get latest(): PodStatus | undefined {
    return this.#latest;
  }

  /** Sets the object that is written to. An older version of the same object is ignored. */
  setTarget(pod: Frozen<Pod> | undefined): void {
    const known = this.#target;
    if (
      pod !== undefined &&
      known?.metadata?.uid === pod.metadata?.uid &&
      known !== undefined &&
      isOlderVersion(pod, known)
    )
      return;
    if (pod?.metadata?.uid !== known?.metadata?.uid) this.#isGone = false;
    this.#target = pod;
  }

  /** Writes no more: the object is gone. */
  abandon(): void {
    this.#isGone = true;
  }

  /** Sets the status to write. Nothing happens if it is equal to the one before. */
  set(status: PodStatus): void {
    if (this.#latest !== undefined && deepEqual(this.#latest, status)) return;
    this.#latest = status;
    this.#version += 1;
    this.write();
  }

  /** Starts to write what has not been written. */
  write(): void {
    if (this.#target === undefined || this.#isGone) return;
    if (this.#writing === undefined && this.#writtenVersion < this.#version) this.#writing = this.#pump();
  }

  /** Resolves when everything that was set is written, with whether that succeeded. */
  async flushed(): Promise<boolean> {
    while (this.#writing !== undefined) await this.#writing;
    return this.#isGone || this.#writtenVersion === this.#version;
  }

  /** Returns whether the API shows another status than the newest, because of another writer. */
  hasDrifted(): boolean {
    if (this.#latest === undefined || this.#target === undefined || this.#writing !== undefined) return false;
    return (
      this.#writtenVersion === this.#version && statusChanges(this.#target.status ?? {}, this.#latest) !== undefined
    );
  }

  /** Writes the newest status again. */
  rewrite(): void {
    this.#version += 1;
    this.write();
  }

  async #pump(): Promise<void> {
    try {
      while (this.#writtenVersion < this.#version && !this.#isGone) {
        const version = this.#version;
        await this.#writeOnce();
        this.#writtenVersion = version;
      }
    } catch (error) {
      this.#options.onFailed(error);
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeOnce(): Promise<void> {
    const target = this.#target;
    const status = this.#latest;
    if (target === undefined || status === undefined) return;
    const changes = statusChanges(target.status ?? {}, status);
    if (changes === undefined) return;
    const { name = '', namespace = '', uid = '' } = target.metadata ?? {};
    try {
      const strategic = { metadata: { uid }, status: changes };
      const written = await this.#options.pods.status.patch({ namespace, name }, { strategic });
      this.setTarget(written);
      this.#options.onWritten(status.phase ?? '');
    } catch (error) {
      if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error;
      // Deleted, or replaced by another pod of this name.
      this.#isGone = true;
    }
  }
}

type StatusPatch = Readonly<Record<string, JsonValue>>;

/** The fields whose lists have keys: a patch replaces them as a whole. */
const replacedLists: ReadonlySet<string> = new Set(['podIPs', 'hostIPs']);

/** Returns what a patch has to change; undefined for nothing. Conditions of other writers are left alone. */
export function statusChanges(from: Frozen<PodStatus>, to: Frozen<PodStatus>): StatusPatch | undefined {
  const changes: Record<string, JsonValue> = {};
  let hasChanges = false;
  const before = from as Readonly<Record<string, JsonValue>>;
  for (const [key, value] of Object.entries(to) as [string, JsonValue][]) {
    if (key === 'conditions' || deepEqual(before[key], value)) continue;
    hasChanges = true;
    const list: readonly JsonValue[] | undefined = Array.isArray(value) ? value : undefined;
    const isReplaced = replacedLists.has(key) && before[key] !== undefined;
    changes[key] = isReplaced && list !== undefined ? [...list, { $patch: 'replace' }] : value;
  }
  for (const key of ['reason', 'message'] as const) {
    if (from[key] === undefined || to[key] !== undefined) continue;
    hasChanges = true;
    changes[key] = null;
  }
  const conditions = changedConditions(from.conditions ?? [], to.conditions ?? []);
  if (conditions.length > 0) {
    hasChanges = true;
    changes.conditions = conditions;
    changes['$setElementOrder/conditions'] = orderOf(from.conditions ?? [], to.conditions ?? []);
  }
  return hasChanges ? changes : undefined;
}

function changedConditions(from: readonly Frozen<PodCondition>[], to: readonly Frozen<PodCondition>[]): JsonValue[] {
  return to.flatMap((condition): JsonValue[] => {
    const old = from.find(({ type }) => type === condition.type);
    if (old === undefined) return [withMembers(condition, { lastProbeTime: null })];
    if (isSameCondition(old, condition)) return [];
    const cleared: Record<string, null> = {};
    if (old.reason !== undefined && condition.reason === undefined) cleared.reason = null;
    if (old.message !== undefined && condition.message === undefined) cleared.message = null;
    return [withMembers(condition, cleared)];
  });
}

function isSameCondition(one: Frozen<PodCondition>, other: Frozen<PodCondition>): boolean {
  return (
    one.status === other.status &&
    one.reason === other.reason &&
    one.message === other.message &&
    one.observedGeneration === other.observedGeneration &&
    one.lastTransitionTime === other.lastTransitionTime
  );
}

/** The conditions of the node in their order, then those of other writers. */
function orderOf(from: readonly Frozen<PodCondition>[], to: readonly Frozen<PodCondition>[]): JsonValue[] {
  const own = to.map(({ type }) => type);
  return [...own, ...from.map(({ type }) => type).filter((type) => !own.includes(type))].map((type) => ({ type }));
}
