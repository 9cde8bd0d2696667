// Indexes the roles and bindings of a server for access decisions. Nothing is read before the first request; from then
// on informers keep the index current. A decision reads the bindings of the user and its groups, those of the cluster
// first, then those of the namespace, and of each role only the rules that could match, so its cost does not depend on
// other users' bindings or on a role's other rules. As plugin/pkg/auth/authorizer/rbac/rbac.go.
import { combineLatest, filter, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { aggregateText, objectKey, onDemand } from '../../core/index.js';
import type { ApiObject, Frozen, ObjectInformers, ObjectReader, WatcherEvent } from '../../core/index.js';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  UserInfo,
} from '../../core/types/index.js';
import type { AccessAttributes, Decision } from '../authorizer.js';
import { IndexedRules } from './indexed-rules.js';
import { printMissingRole, rbacGroup } from './rbac-authorizer.js';
import type { RbacRules, RulesFound } from './rbac-authorizer.js';
import { SubjectBindings, printBound } from './subject-bindings.js';
import type { SubjectBinding } from './subject-bindings.js';

/** The sources of the index. */
export interface RbacSources {
  readonly reader: ObjectReader;
  readonly informers: ObjectInformers;
  /** Emits when the server is closed; ends the informers of the index. */
  readonly closed$: Observable<void>;
}

/** Indexes the roles and bindings of a server from the first request on, until it is closed. */
export function rbacIndex({ reader, informers, closed$ }: RbacSources): RbacRules {
  const policy = new Policy();
  const indexKind = <T extends ApiObject>(
    resource: string,
    set: (object: Frozen<T>) => void,
    remove: (object: Frozen<T>) => void,
  ): Observable<unknown> =>
    informers.of<T>({ group: rbacGroup, resource }).events$.pipe(
      tap((event: WatcherEvent<Frozen<T>>) => {
        if (event.type === 'listed' || event.type === 'applied') set(event.object);
        else if (event.type === 'deleted') remove(event.object);
      }),
      filter(({ type }) => type === 'synced'),
    );
  // After the server is closed the index keeps its last state, so it never allows more than before.
  const { whenReady } = onDemand(
    combineLatest([
      indexKind<Role>(
        'roles',
        (role) => policy.setRole(role),
        (role) => policy.deleteRole(role),
      ),
      indexKind<ClusterRole>(
        'clusterroles',
        (role) => policy.setRole(role),
        (role) => policy.deleteRole(role),
      ),
      indexKind<RoleBinding>(
        'rolebindings',
        (binding) => policy.setBinding(binding),
        (binding) => policy.deleteBinding(binding),
      ),
      indexKind<ClusterRoleBinding>(
        'clusterrolebindings',
        (binding) => policy.setBinding(binding),
        (binding) => policy.deleteBinding(binding),
      ),
    ]),
    closed$,
  );

  return {
    decide: (attributes) => whenReady(() => policy.decide(attributes)),
    rulesFor: (user, namespace) => whenReady(() => policy.rulesFor(user, namespace)),
    rulesOf: async ({ kind, name }, namespace) => {
      const role = await reader.get<Role>(
        { group: rbacGroup, resource: kind === 'Role' ? 'roles' : 'clusterroles' },
        name,
        kind === 'Role' ? namespace : '',
      );
      return role && (role.rules ?? []);
    },
  };
}

/** A role whose rules are indexed at the first decision. */
class IndexedRole {
  readonly rules: readonly Frozen<PolicyRule>[];
  #indexed: IndexedRules | undefined;

  constructor({ rules = [] }: Frozen<Role> | Frozen<ClusterRole>) {
    this.rules = rules;
  }

  allows(attributes: AccessAttributes): boolean {
    this.#indexed ??= new IndexedRules(this.rules);
    return this.#indexed.allow(attributes);
  }
}

/** The current roles and bindings. */
class Policy {
  readonly #roles = new Map<string, IndexedRole>();
  readonly #clusterBindings = new SubjectBindings('');
  readonly #bindingsByNamespace = new Map<string, SubjectBindings>();
  /** Allowing decisions by binding; a changed binding is another value. */
  readonly #decisions = new WeakMap<SubjectBinding, Decision>();

  setRole(role: Frozen<Role> | Frozen<ClusterRole>): void {
    this.#roles.set(objectKey(role), new IndexedRole(role));
  }

  deleteRole(role: Frozen<Role> | Frozen<ClusterRole>): void {
    this.#roles.delete(objectKey(role));
  }

  setBinding(binding: Frozen<RoleBinding> | Frozen<ClusterRoleBinding>): void {
    const namespace = binding.metadata?.namespace ?? '';
    let bindings = this.#bindings(namespace);
    if (bindings === undefined) this.#bindingsByNamespace.set(namespace, (bindings = new SubjectBindings(namespace)));
    bindings.set(binding);
  }

  deleteBinding({
    metadata: { name = '', namespace = '' } = {},
  }: Frozen<RoleBinding> | Frozen<ClusterRoleBinding>): void {
    const bindings = this.#bindings(namespace);
    bindings?.delete(name);
    if (namespace !== '' && bindings?.isEmpty === true) this.#bindingsByNamespace.delete(namespace);
  }

  decide(attributes: AccessAttributes): Decision {
    let missing = 0;
    const allows = ({ roleKey }: SubjectBinding): boolean => {
      const role = this.#roles.get(roleKey);
      if (role === undefined) missing += 1;
      return role?.allows(attributes) === true;
    };
    const { user, namespace } = attributes;
    const bound =
      this.#clusterBindings.find(user, allows) ??
      (namespace === '' ? undefined : this.#bindingsByNamespace.get(namespace)?.find(user, allows));
    if (bound !== undefined) return this.#allowDecision(bound);
    return missing > 0
      ? {
          decision: 'noOpinion',
          reason: `RBAC: ${aggregateText(this.rulesFor(user, namespace).missing.map(printMissingRole))}`,
        }
      : noOpinion;
  }

  rulesFor(user: Frozen<UserInfo>, namespace: string): RulesFound {
    const rules: Frozen<PolicyRule>[] = [];
    const missing: Frozen<RoleRef>[] = [];
    for (const { roleKey, binding } of [
      ...this.#clusterBindings.of(user),
      ...(namespace === '' ? [] : (this.#bindingsByNamespace.get(namespace)?.of(user) ?? [])),
    ]) {
      const role = this.#roles.get(roleKey);
      if (role === undefined) missing.push(binding.roleRef);
      else for (const rule of role.rules) rules.push(rule);
    }
    return { rules, missing };
  }

  #bindings(namespace: string): SubjectBindings | undefined {
    return namespace === '' ? this.#clusterBindings : this.#bindingsByNamespace.get(namespace);
  }

  #allowDecision(bound: SubjectBinding): Decision {
    const cached = this.#decisions.get(bound);
    if (cached !== undefined) return cached;
    const decision: Decision = Object.freeze({ decision: 'allow', reason: `RBAC: allowed by ${printBound(bound)}` });
    this.#decisions.set(bound, decision);
    return decision;
  }
}

const noOpinion: Decision = Object.freeze({ decision: 'noOpinion', reason: '' });
