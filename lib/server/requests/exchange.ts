// One request on its way through the server: who asks, and what the answer will say besides its content. Made when the
// user is known; steps add to it, the encoder reads it.
import type { Authenticated } from '../../auth/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { AnswerNotes, ApiRequest, RequestBody } from '../../client/index.js';

/** Hears what a request carries, where somebody keeps a record of it. */
export interface RequestRecorder {
  /** Called with the body as it was decoded and defaulted, before anybody changes it. */
  object(object: Frozen<ApiObject>): void;
  /** Called with a patch, as it came. */
  patch(body: RequestBody | undefined): void;
}

/** A request and what is known about it. */
export class Exchange {
  readonly request: ApiRequest;
  /** Whom the credentials name, and how they say so. */
  readonly identity: Authenticated;
  /** When it came. */
  readonly receivedMs: number;
  /** Whoever keeps a record of what is asked. */
  recorder: RequestRecorder | undefined;
  /** Headers of the answer, also of a refusal: names and values in turn. */
  headers: readonly string[] | undefined;
  #user: Frozen<UserInfo>;
  #constraint = '';
  #warnings: Set<string> | undefined;
  #annotations: Map<string, string> | undefined;

  constructor(request: ApiRequest, identity: Authenticated, receivedMs: number) {
    this.request = request;
    this.identity = identity;
    this.receivedMs = receivedMs;
    this.#user = identity.user;
    if (identity.warnings !== undefined) this.#warnings = new Set(identity.warnings);
  }

  /** Whom the credentials name. */
  get requestor(): Frozen<UserInfo> {
    return this.identity.user;
  }

  /** In whose name it is done: the requestor's, unless that one impersonates somebody. */
  get user(): Frozen<UserInfo> {
    return this.#user;
  }

  /** The verb that allowed the impersonation; empty without any, or where it was plain `impersonate`. */
  get constraint(): string {
    return this.#constraint;
  }

  /** Goes on in another's name. */
  impersonate(user: Frozen<UserInfo>, constraint: string): void {
    this.#user = user;
    this.#constraint = constraint;
  }

  /** Texts for Warning headers, each once; undefined where there are none, which is the usual case. */
  get warnings(): readonly string[] | undefined {
    return this.#warnings && [...this.#warnings];
  }

  /** What every answer to this request says besides its content; undefined where that is nothing. */
  get notes(): AnswerNotes | undefined {
    const { warnings, headers } = this;
    if (warnings === undefined) return headers && { headers };
    return headers === undefined ? { warnings } : { warnings, headers };
  }

  /** What steps noted for the audit event. */
  get annotations(): ReadonlyMap<string, string> | undefined {
    return this.#annotations;
  }

  /** Tells the client something. */
  warn(text: string): void {
    (this.#warnings ??= new Set()).add(text);
  }

  /** Notes something for the audit event, where there will be one; the first note under a key stays. */
  annotate(key: string, value: string): void {
    if (this.recorder === undefined) return;
    this.#annotations ??= new Map();
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }
}
