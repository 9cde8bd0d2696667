// Who may do what: the contract of authorization. An authorizer allows, denies or has no opinion; the server asks them
// in order until one has, and what nobody allows is refused. As apiserver/pkg/authorization/authorizer/interfaces.go.
import type { ObservableInput } from 'rxjs';
import type { FieldSelector, Frozen, Selector } from '../core/index.js';
import type { NonResourceRule, ResourceRule, UserInfo } from '../core/types/index.js';

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
  /** Of list, watch and deletecollection: which objects. Absent where all are asked for. */
  readonly selectors?: AccessSelectors;
}

/** Which objects of a collection are asked for. A selector that could not be read narrows nothing. */
export interface AccessSelectors {
  readonly field?: FieldSelector;
  readonly label?: Selector;
  /** Why a selector could not be read. */
  readonly problem?: string;
}

/** The answer. */
export interface Decision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** For the refused and for the audit log. */
  readonly reason: string;
  /** What went wrong on the way. An answer that allows or denies counts all the same. */
  readonly error?: string;
}

/** What somebody may do in a namespace, as far as it can be listed. */
export interface AccessRules {
  readonly resourceRules: readonly Frozen<ResourceRule>[];
  readonly nonResourceRules: readonly Frozen<NonResourceRule>[];
  /** Whether there may be more. */
  readonly incomplete: boolean;
  /** Why, where something failed. */
  readonly error?: string;
}

/** Answers whether somebody may do something. To fail is to have no opinion, and to say so. */
export interface Authorizer {
  (attributes: AccessAttributes): ObservableInput<Decision>;
  /** Lists what it allows a user in a namespace. Without it, what it allows cannot be listed. */
  rules?(user: Frozen<UserInfo>, namespace: string): ObservableInput<AccessRules>;
}
