// What roles and bindings say: the contract between the index that keeps them and those who ask. Kept in step with the
// server's objects; the first question waits until all of them are known. As pkg/registry/rbac/validation/rule.go,
// AuthorizationRuleResolver.
import type { Frozen } from '../../core/index.js';
import type { PolicyRule, RoleRef, UserInfo } from '../../core/types/index.js';
import type { AccessAttributes, Decision } from '../authorizer.js';

/** The rules that apply to somebody, and what could not be found out. */
export interface RulesFound {
  /** In the order of their bindings; what several bindings give is there several times. */
  readonly rules: readonly Frozen<PolicyRule>[];
  /** Roles that bindings name and nobody made. */
  readonly missing: readonly Frozen<RoleRef>[];
}

/** What roles and bindings say. Answers at once once they are known. */
export interface RbacRules {
  /** Allow with the binding that says so, or no opinion. */
  decide(attributes: AccessAttributes): Decision | Promise<Decision>;
  /** All rules of a user: those of ClusterRoleBindings, and of the RoleBindings of the namespace if one is given. */
  rulesFor(user: Frozen<UserInfo>, namespace: string): RulesFound | Promise<RulesFound>;
  /** The rules of the role that a binding of the namespace refers to, as it is now; undefined where there is none. */
  rulesOf(ref: Frozen<RoleRef>, namespace: string): Promise<readonly Frozen<PolicyRule>[] | undefined>;
}
