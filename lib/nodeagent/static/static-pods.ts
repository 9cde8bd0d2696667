// The static pods of one node and their mirrors. Each pod of the source is run; one that changed waits until the pod it
// replaces has ended. The mirror of a pod is created, and created again after it was deleted or the pod changed;
// deleting a mirror does not stop its pod. Work on one name is done one step after the other.
import type { KindClient } from '../../client/index.js';
import { isApiError, isTerminating, objectKey } from '../../core/index.js';
import type { Clock, Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import { Alarm } from '../alarms.js';
import type { Alarms } from '../alarms.js';
import type { PodWorker } from '../pod/pod-worker.js';
import { isMirrorOf, mirrorPodOf, staticPodOf } from './static-pod.js';

/** The dependencies of static pods. */
export interface StaticPodsOptions {
  /** The name of the node. */
  readonly node: string;
  /** The client of the node. */
  readonly pods: KindClient<'v1', 'Pod'>;
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly signal: AbortSignal;
  /** Returns the Node object; undefined before it is registered. */
  readonly nodeObject: () => Frozen<Node> | undefined;
  /** Starts the worker of a static pod; undefined where the node runs nothing. */
  readonly start: (pod: Frozen<Pod>) => PodWorker | undefined;
  readonly onFailed: (pod: string, error: unknown) => void;
}

/** What is known about one name. */
interface StaticEntry {
  /** The pod of the source; undefined once it is gone from there. */
  wanted: Frozen<Pod> | undefined;
  worker: PodWorker | undefined;
  mirror: Frozen<Pod> | undefined;
  work: Promise<void>;
  readonly retry: Alarm;
}

const retryMs = 10_000;

/** The static pods of a node. */
export class StaticPods {
  readonly #options: StaticPodsOptions;
  readonly #entries = new Map<string, StaticEntry>();

  constructor(options: StaticPodsOptions) {
    this.#options = options;
  }

  /** Sets all pods of the source. Invalid ones are reported and left out. */
  set(manifests: readonly Frozen<Pod>[], source: string): void {
    const { node, clock, onFailed } = this.#options;
    const wanted = new Map<string, Frozen<Pod>>();
    for (const manifest of manifests)
      try {
        const pod = staticPodOf(manifest, { node, source, seenAtMs: clock.now() });
        wanted.set(objectKey(pod), pod);
      } catch (error) {
        onFailed(objectKey(manifest), error);
      }
    for (const [key, entry] of this.#entries)
      if (!wanted.has(key) && entry.wanted !== undefined) {
        entry.wanted = undefined;
        entry.worker?.remove();
        this.#reconcile(key, entry);
      }
    for (const [key, pod] of wanted) {
      const entry = this.#entryOf(key);
      if (entry.wanted?.metadata?.uid === pod.metadata?.uid) continue;
      entry.wanted = pod;
      if (entry.worker === undefined) this.#start(entry);
      else if (entry.worker.pod.metadata?.uid !== pod.metadata?.uid) entry.worker.remove();
      this.#reconcile(key, entry);
    }
  }

  /** Creates the mirrors again that could not be created before the node existed. */
  nodeRegistered(): void {
    for (const [key, entry] of this.#entries) this.#reconcile(key, entry);
  }

  /** A mirror pod of this node is in the API. */
  applyMirror(mirror: Frozen<Pod>): void {
    const key = objectKey(mirror);
    const entry = this.#entryOf(key);
    entry.mirror = mirror;
    this.#reconcile(key, entry);
  }

  /** An object is gone from the API. Returns whether it was a mirror. */
  removeMirror(uid: string): boolean {
    for (const [key, entry] of this.#entries) {
      if (entry.mirror?.metadata?.uid !== uid) continue;
      entry.mirror = undefined;
      entry.worker?.setMirror(undefined);
      this.#reconcile(key, entry);
      return true;
    }
    return false;
  }

  /** Removes the mirrors whose UIDs are not among these. */
  retainMirrors(uids: ReadonlySet<string>): void {
    for (const { mirror } of [...this.#entries.values()]) {
      const uid = mirror?.metadata?.uid;
      if (uid !== undefined && !uids.has(uid)) this.removeMirror(uid);
    }
  }

  /** Nothing is left of the pod that ran: the one that replaces it may start. */
  workerRemoved(podUid: string): void {
    for (const [key, entry] of this.#entries) {
      if (entry.worker?.pod.metadata?.uid !== podUid) continue;
      entry.worker = undefined;
      if (entry.wanted !== undefined) this.#start(entry);
      this.#reconcile(key, entry);
    }
  }

  #entryOf(key: string): StaticEntry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const retry = new Alarm(() => this.#reconcile(key, entry));
    const entry: StaticEntry = {
      wanted: undefined,
      worker: undefined,
      mirror: undefined,
      work: Promise.resolve(),
      retry,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #start(entry: StaticEntry): void {
    if (entry.wanted === undefined) return;
    entry.worker = this.#options.start(entry.wanted);
    if (entry.mirror !== undefined && isMirrorOf(entry.mirror, entry.wanted)) entry.worker?.setMirror(entry.mirror);
  }

  /** Makes the mirror follow the pod, after the steps before it. */
  #reconcile(key: string, entry: StaticEntry): void {
    const { alarms, clock, signal, onFailed } = this.#options;
    const step = async (): Promise<void> => {
      const { aborted } = signal;
      if (aborted) return;
      try {
        await this.#step(entry);
        if (entry.wanted === undefined && entry.worker === undefined && entry.mirror === undefined)
          this.#entries.delete(key);
      } catch (error) {
        if (signal.aborted) return;
        onFailed(key, error);
        alarms.set(entry.retry, clock.now() + retryMs);
      }
    };
    entry.work = entry.work.then(step);
  }

  async #step(entry: StaticEntry): Promise<void> {
    const { pods, nodeObject } = this.#options;
    const { wanted, mirror } = entry;
    if (mirror !== undefined && (wanted === undefined || isTerminating(mirror) || !isMirrorOf(mirror, wanted))) {
      const { name = '', namespace = '', uid = '' } = mirror.metadata ?? {};
      entry.mirror = undefined;
      entry.worker?.setMirror(undefined);
      await deleteMirror(pods, { namespace, name }, uid);
    }
    const node = nodeObject();
    if (wanted === undefined || node === undefined) return;
    if (entry.mirror === undefined) {
      try {
        entry.mirror = await pods.in(wanted.metadata?.namespace ?? '').create(mirrorPodOf(wanted, node));
      } catch (error) {
        // One of an earlier run of the agent: the watch shows it.
        if (!isApiError(error, 'AlreadyExists')) throw error;
        return;
      }
    }
    if (entry.worker?.pod.metadata?.uid === wanted.metadata?.uid) entry.worker?.setMirror(entry.mirror);
  }
}

async function deleteMirror(
  pods: KindClient<'v1', 'Pod'>,
  name: { readonly namespace: string; readonly name: string },
  uid: string,
): Promise<void> {
  try {
    await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error;
  }
}
