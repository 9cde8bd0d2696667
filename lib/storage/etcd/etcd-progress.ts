/**
 * Bookmarks on request: has watches confirm that they have delivered everything up to a revision.
 *
 * From etcd 3.4.31 and 3.5.13 on a watch can be asked how far it has got, and the answer comes after the events it
 * speaks of; there is none while the watch lags behind, so it is asked again. Before those versions the answer can
 * overtake events (etcd-io/etcd#15220, #17507) and is worth nothing; there the changes themselves are looked at again.
 * That costs as much as they do, needs permission to read all keys, and takes up to 100 ms, as everything in etcd that
 * reads history.
 */
import type { Revision } from '../store.js';
import type { ChangeSurvey } from './change-survey.js';
import type { EtcdClient } from './etcd-client.js';
import { isRefusal } from './etcd-errors.js';
import type { EtcdWatch } from './etcd-watch.js';
import type { GrpcSession } from './grpc-session.js';

/** A watch as progress sees it. */
export interface ProgressWatch {
  /** The prefix of its keys. */
  readonly prefix: string;
  readonly source: EtcdWatch;
  /** Emits a bookmark at the revision of its source. */
  bookmark(): void;
}

/** What progress works with. */
export interface ProgressOptions {
  readonly client: EtcdClient;
  readonly survey: ChangeSurvey;
}

/** How long to wait for an answer before asking again. */
const askEveryMs = 50;

/** Has watches emit bookmarks. */
export class EtcdProgress {
  readonly #options: ProgressOptions;
  /** Whether the member at the other end answers in order. */
  readonly #inOrder = new WeakMap<GrpcSession, Promise<boolean | undefined>>();

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /** Resolves when each watch has emitted a bookmark at the revision or after it, is beyond it, or has ended. */
  async reach(watches: readonly ProgressWatch[], revision: Revision, signal: AbortSignal): Promise<void> {
    await Promise.all(
      watches.filter(({ source }) => source.seen <= revision).map((watch) => this.#reach(watch, revision, signal)),
    );
  }

  async #reach(watch: ProgressWatch, revision: Revision, signal: AbortSignal): Promise<void> {
    const { source } = watch;
    while (source.seen < revision && !source.stopped && !signal.aborted) {
      const { session } = source;
      const inOrder = session === undefined ? undefined : await this.#answersInOrder(session);
      if (inOrder === false) {
        await this.#compareWithAllChanges(watch, revision, signal);
        continue;
      }
      if (inOrder === true) source.askProgress(session);
      await source.moved(askEveryMs);
    }
    if (source.seen >= revision && !source.stopped) watch.bookmark();
  }

  async #compareWithAllChanges(
    { prefix, source }: ProgressWatch,
    revision: Revision,
    signal: AbortSignal,
  ): Promise<void> {
    const from = source.seen;
    if (from >= revision) return; // since the version was asked for
    // The watch may come to the revision by itself before all changes were looked at.
    const last = await Promise.race([
      this.#options.survey.lastChange({ prefix, from, to: revision }),
      this.#arrival(source, revision, signal),
    ]);
    if (last === 'compacted') {
      source.restart();
      return;
    }
    await this.#arrival(source, last, signal);
    if (source.seen >= last) source.advance(revision);
  }

  /** Resolves with the revision when the watch has come to it, or will not. */
  async #arrival(source: EtcdWatch, revision: Revision, signal: AbortSignal): Promise<Revision> {
    while (source.seen < revision && !source.stopped && !signal.aborted) await source.moved(askEveryMs);
    return revision;
  }

  /** Undefined where the member did not say what version it is. */
  #answersInOrder(session: GrpcSession): Promise<boolean | undefined> {
    const known = this.#inOrder.get(session);
    if (known !== undefined) return known;
    const asked = this.#options.client.version(session).then(isProgressInOrder, (error: unknown) => {
      if (isRefusal(error, 'permissionDenied')) return true; // only from 3.6 on is the version a secret
      this.#inOrder.delete(session);
      return undefined;
    });
    this.#inOrder.set(session, asked);
    return asked;
  }
}

/** As apiserver/pkg/storage/feature/feature_support_checker.go, endpointSupportsRequestWatchProgress. */
function isProgressInOrder(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
