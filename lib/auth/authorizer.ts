// Who may do what: the contract of authorization. An authorizer allows, denies or has no opinion; the server asks them
// in order until one has, and what nobody allows is refused.
import type { ObservableInput } from 'rxjs';
import type { Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';

/** What is asked for. Absent parts are empty texts. */
export interface AccessAttributes {
  readonly user: Frozen<UserInfo>;
  /** One of the verbs of the API, or the method in lower case for paths that are no resource. */
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The answer. */
export interface Decision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** For the refused and for the audit log. */
  readonly reason: string;
}

/** Answers whether somebody may do something. */
export type Authorizer = (attributes: AccessAttributes) => ObservableInput<Decision>;

/** Allows everything, as `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = () => allowed;

const allowed: readonly Decision[] = Object.freeze([Object.freeze({ decision: 'allow', reason: '' })]);
