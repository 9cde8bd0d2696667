/**
 * Finds out when keys were last changed, by looking at all changes of a stretch of history: every revision has at least
 * one, so it is plain when all of them were seen. Questions that come together share one look. For etcd-progress.ts,
 * with versions of etcd that cannot tell how far a watch has got.
 */
import { isStoreError, StoreError } from '../store-error.js';
import type { Revision } from '../store.js';
import { EtcdWatch, type EtcdWatchOptions } from './etcd-watch.js';

/** What was the last revision after `from`, and not after `to`, that changed a key with this prefix? */
export interface ChangeQuestion {
  readonly prefix: string;
  readonly from: Revision;
  readonly to: Revision;
}

/** What a survey works with. */
export type SurveyOptions = Pick<EtcdWatchOptions, 'client' | 'clock' | 'random' | 'signal'>;

interface Asked extends ChangeQuestion {
  last: Revision;
  readonly answer: (last: Revision | 'compacted') => void;
  readonly fail: (error: unknown) => void;
}

/** Returns questions, one look at a time. */
export class ChangeSurvey {
  readonly #options: SurveyOptions;
  #asked: Asked[] = [];
  #looking = false;

  constructor(options: SurveyOptions) {
    this.#options = options;
  }

  /** The revision; `from` where there was no change; `compacted` where that cannot be known any more. */
  lastChange(question: ChangeQuestion): Promise<Revision | 'compacted'> {
    return new Promise((answer, fail) => {
      this.#asked.push({ ...question, last: question.from, answer, fail });
      if (!this.#looking) void this.#lookWhileAsked();
    });
  }

  async #lookWhileAsked(): Promise<void> {
    this.#looking = true;
    await Promise.resolve(); // those asked in the same turn
    while (this.#asked.length > 0) {
      const asked = this.#asked;
      this.#asked = [];
      await this.#look(asked);
    }
    this.#looking = false;
  }

  async #look(asked: readonly Asked[]): Promise<void> {
    const to = Math.max(...asked.map((question) => question.to));
    const watch = new EtcdWatch({
      ...this.#options,
      range: { key: '\0', end: '\0' },
      after: Math.min(...asked.map((question) => question.from)),
      withPrevious: false,
      onEvents: (revision, events) => {
        for (const question of asked) {
          const concerns = revision > question.from && revision <= question.to;
          if (concerns && events.some(({ kv }) => kv.key.startsWith(question.prefix))) question.last = revision;
        }
        if (revision < to) return;
        watch.stop();
        for (const question of asked) question.answer(question.last);
      },
      onFailure: (error) => this.#onFailure(asked, error),
    });
    await watch.run();
    if (this.#options.signal.aborted)
      for (const question of asked) question.fail(new StoreError('closed', 'the store was closed'));
  }

  #onFailure(asked: readonly Asked[], error: unknown): void {
    const oldest = isStoreError(error, 'compacted') ? error.revision : undefined;
    for (const question of asked) {
      if (oldest === undefined) question.fail(error);
      else if (question.from < oldest) question.answer('compacted');
      else this.#asked.push(question);
    }
  }
}
