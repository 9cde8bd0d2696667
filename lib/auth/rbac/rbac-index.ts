// Indexes the roles and bindings of a server for access decisions. Nothing is read before the first request; from then
// on informers keep the index current. A decision reads the bindings of the user and its groups, those of the cluster
// first, then those of the namespace, and of each role only the rules that could match, so its cost does not depend on
// other users' bindings or on a role's other rules. As plugin/pkg/auth/authorizer/rbac/rbac.go.
import { combineLatest, filter, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { aggregateText, objectKey, onDemand, quote } from '../../core/index.js';
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
import type { RbacRules, RulesFound } from './rbac-rules.js';
import { SubjectBindings, printBound } from './subject-bindings.js';
import type { SubjectBinding } from './subject-bindings.js';

/** The group of roles and bindings. */
export const rbacGroup = 'rbac.authorization.k8s.io';

/** What the index reads. */
export interface RbacSources {
  readonly reader: ObjectReader;
  readonly informers: ObjectInformers;
  /** Emits when the server is closed: the index then stops following changes. */
  readonly closed$: Observable<void>;
}

/** Follows the roles and bindings of a server from the first request on, until it is closed. */
export function rbacIndex({ reader, informers, closed$ }: RbacSources): RbacRules {
  const policy = new Policy();
  const follow = <T extends ApiObject>(
    resource: string,
    known: (object: Frozen<T>) => void,
    gone: (object: Frozen<T>) => void,
  ): Observable<unknown> =>
    informers.of<T>({ group: rbacGroup, resource }).events$.pipe(
      tap((event: WatcherEvent<Frozen<T>>) => {
        if (event.type === 'listed' || event.type === 'applied') known(event.object);
        else if (event.type === 'deleted') gone(event.object);
      }),
      filter(({ type }) => type === 'synced'),
    );
  // After the server is closed the index answers with what it knows, which allows nothing more.
  const { whenReady } = onDemand(
    combineLatest([
      follow<Role>(
        'roles',
        (role) => policy.setRole(role),
        (role) => policy.deleteRole(role),
      ),
      follow<ClusterRole>(
        'clusterroles',
        (role) => policy.setRole(role),
        (role) => policy.deleteRole(role),
      ),
      follow<RoleBinding>(
        'rolebindings',
        (binding) => policy.setBinding(binding),
        (binding) => policy.deleteBinding(binding),
      ),
      follow<ClusterRoleBinding>(
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

/** A reference to a role that is missing, as the listers of Kubernetes tell it. */
export function printMissingRole({ kind, name }: Frozen<RoleRef>): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') return `unsupported role reference kind: ${quote(kind)}`;
  return `${kind.toLowerCase()}.${rbacGroup} ${quote(name)} not found`;
}

/** A role whose rules are filed when they are first asked for. */
class KnownRole {
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

/** What is known at the moment. */
class Policy {
  readonly #roles = new Map<string, KnownRole>();
  readonly #ofCluster = new SubjectBindings('');
  readonly #ofNamespace = new Map<string, SubjectBindings>();
  /** What bindings that allowed something said, until they change. */
  readonly #allowed = new WeakMap<SubjectBinding, Decision>();

  setRole(role: Frozen<Role> | Frozen<ClusterRole>): void {
    this.#roles.set(objectKey(role), new KnownRole(role));
  }

  deleteRole(role: Frozen<Role> | Frozen<ClusterRole>): void {
    this.#roles.delete(objectKey(role));
  }

  setBinding(binding: Frozen<RoleBinding> | Frozen<ClusterRoleBinding>): void {
    const namespace = binding.metadata?.namespace ?? '';
    let bindings = this.#bindings(namespace);
    if (bindings === undefined) this.#ofNamespace.set(namespace, (bindings = new SubjectBindings(namespace)));
    bindings.set(binding);
  }

  deleteBinding({
    metadata: { name = '', namespace = '' } = {},
  }: Frozen<RoleBinding> | Frozen<ClusterRoleBinding>): void {
    const bindings = this.#bindings(namespace);
    bindings?.delete(name);
    if (namespace !== '' && bindings?.isEmpty === true) this.#ofNamespace.delete(namespace);
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
      this.#ofCluster.find(user, allows) ??
      (namespace === '' ? undefined : this.#ofNamespace.get(namespace)?.find(user, allows));
    if (bound !== undefined) return this.#allowedBy(bound);
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
      ...this.#ofCluster.of(user),
      ...(namespace === '' ? [] : (this.#ofNamespace.get(namespace)?.of(user) ?? [])),
    ]) {
      const role = this.#roles.get(roleKey);
      if (role === undefined) missing.push(binding.roleRef);
      else for (const rule of role.rules) rules.push(rule);
    }
    return { rules, missing };
  }

  #bindings(namespace: string): SubjectBindings | undefined {
    return namespace === '' ? this.#ofCluster : this.#ofNamespace.get(namespace);
  }

  #allowedBy(bound: SubjectBinding): Decision {
    const known = this.#allowed.get(bound);
    if (known !== undefined) return known;
    const decision: Decision = Object.freeze({ decision: 'allow', reason: `RBAC: allowed by ${printBound(bound)}` });
    this.#allowed.set(bound, decision);
    return decision;
  }
}

const noOpinion: Decision = Object.freeze({ decision: 'noOpinion', reason: '' });
