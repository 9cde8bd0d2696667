// One request on its way through the server: who asks, and what the answer will say besides its content. Made when the
// user is known; steps add to it, the encoder reads it.
import type { Frozen } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { ApiRequest } from '../../client/index.js';

/** A request and what is known about it. */
export class Exchange {
  readonly request: ApiRequest;
  readonly user: Frozen<UserInfo>;
  #warnings: Set<string> | undefined;
  #annotations: Map<string, string> | undefined;

  constructor(request: ApiRequest, user: Frozen<UserInfo>) {
    this.request = request;
    this.user = user;
  }

  /** Texts for Warning headers, each once; undefined where there are none, which is the usual case. */
  get warnings(): readonly string[] | undefined {
    return this.#warnings && [...this.#warnings];
  }

  /** What steps noted for the audit event. */
  get annotations(): ReadonlyMap<string, string> | undefined {
    return this.#annotations;
  }

  /** Tells the client something. */
  warn(text: string): void {
    (this.#warnings ??= new Set()).add(text);
  }

  /** Notes something for the audit event; the first note under a key stays. */
  annotate(key: string, value: string): void {
    this.#annotations ??= new Map();
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }
}
