// What roles and bindings say: the contract between the index that keeps them and those who ask. Kept in step with the
// server's objects; the first question waits until all of them are known. As pkg/registry/rbac/validation/rule.go,
// AuthorizationRuleResolver.
import type { Frozen } from '../../core/index.js';
import type { PolicyRule, RoleRef, UserInfo } from '../../core/types/index.js';
import type { AccessAttributes, Decision } from '../authorizer.js';

/** The rules that apply to somebody, and what could not be found out. */
export interface RulesFound {
  readonly rules: readonly Frozen<PolicyRule>[];
  /** Roles that bindings name and nobody made, in the words of Kubernetes. */
  readonly problems: readonly string[];
}

/** What roles and bindings say. Answers at once once they are known. */
export interface RbacRules {
  /** Allow with the binding that says so, or no opinion. */
  decide(attributes: AccessAttributes): Decision | Promise<Decision>;
  /** All rules of a user: those of ClusterRoleBindings, and of the RoleBindings of the namespace if one is given. */
  rulesFor(user: Frozen<UserInfo>, namespace: string): RulesFound | Promise<RulesFound>;
  /** The rules of a role. Rejects with ApiError 404 where it is missing. */
  rulesOf(ref: Frozen<RoleRef>, namespace: string): Promise<readonly Frozen<PolicyRule>[]>;
}
