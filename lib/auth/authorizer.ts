// The contract of authorization. An authorizer allows, denies or has no opinion. The server calls authorizers in order
// until one allows or denies; if none does, the request is denied. As
// apiserver/pkg/authorization/authorizer/interfaces.go.
import type { ObservableInput } from 'rxjs';
import type { FieldSelector, Frozen, Selector } from '../core/index.js';
import type { NonResourceRule, ResourceRule, UserInfo } from '../core/types/index.js';

/** Attributes of a request that authorization decides on. Absent ones are empty strings. */
export interface AccessAttributes {
  readonly user: Frozen<UserInfo>;
  /** An API verb, or the HTTP method in lower case for non-resource paths. */
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Selectors of list, watch and deletecollection; absent if the request selects all objects. */
  readonly selectors?: AccessSelectors;
}

/** Selectors of a request. A selector that cannot be parsed does not restrict the request. */
export interface AccessSelectors {
  readonly field?: FieldSelector;
  readonly label?: Selector;
  /** Why a selector could not be parsed. */
  readonly problem?: string;
}

/** The result of an authorizer. */
export interface Decision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** Reason, for the error response and the audit log. */
  readonly reason: string;
  /** An error that occurred during evaluation. A decision to allow or deny is valid nevertheless. */
  readonly error?: string;
}

/** The rules that apply to a user in a namespace. */
export interface AccessRules {
  readonly resourceRules: readonly Frozen<ResourceRule>[];
  readonly nonResourceRules: readonly Frozen<NonResourceRule>[];
  /** True if there may be further rules. */
  readonly incomplete: boolean;
  /** Why the rules are incomplete. */
  readonly error?: string;
}

/** Decides whether a user may perform a request. A thrown or rejected error counts as no opinion and is reported. */
export interface Authorizer {
  (attributes: AccessAttributes): ObservableInput<Decision>;
  /** Lists the rules of a user in a namespace. An authorizer without it makes every listing incomplete. */
  rules?(user: Frozen<UserInfo>, namespace: string): ObservableInput<AccessRules>;
}
