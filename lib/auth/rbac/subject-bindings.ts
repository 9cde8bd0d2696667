// Indexes bindings by subject, for the cluster or for one namespace. A service account is indexed as its user. Users
// without bindings cost nothing. If several bindings allow a request, the first by name is reported; Kubernetes has no
// defined order.
import { quote } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { ClusterRoleBinding, RoleBinding, UserInfo, rbacV1 } from '../../core/types/index.js';

/** A RoleBinding or ClusterRoleBinding. */
export type AnyRoleBinding = Frozen<RoleBinding> | Frozen<ClusterRoleBinding>;

/** A binding as indexed under one of its subjects. */
export interface SubjectBinding {
  readonly name: string;
  readonly binding: AnyRoleBinding;
  /** The first subject of the binding that is indexed there. */
  readonly subject: number;
  /** Key of the role, as `objectKey` returns it. */
  readonly roleKey: string;
}

/** The bindings of the cluster or of one namespace. */
export class SubjectBindings {
  readonly #namespace: string;
  readonly #users = new Map<string, SubjectBinding[]>();
  readonly #groups = new Map<string, SubjectBinding[]>();
  readonly #known = new Map<string, AnyRoleBinding>();

  /** `namespace` is empty for the bindings of the cluster. */
  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** Adds a binding, replacing one of the same name. */
  set(binding: AnyRoleBinding): void {
    const name = nameOf(binding);
    this.delete(name);
    this.#known.set(name, binding);
    const roleKey = roleKeyOf(binding, this.#namespace);
    const seen = new Set<string>();
    for (const [subject, { index, key }] of this.#filingOf(binding).entries()) {
      if (index === undefined || seen.has(`${index}/${key}`)) continue;
      seen.add(`${index}/${key}`);
      insert(this.#indexOf(index), key, { name, binding, subject, roleKey });
    }
  }

  delete(name: string): void {
    const binding = this.#known.get(name);
    if (binding === undefined) return;
    this.#known.delete(name);
    for (const { index, key } of this.#filingOf(binding))
      if (index !== undefined) remove(this.#indexOf(index), key, name);
  }

  /**
   * Returns the user's first binding, by name, whose role `allows`, with the first of its subjects that matches the
   * user.
   */
  find(
    { username = '', groups = [] }: Frozen<UserInfo>,
    willDo: (bound: SubjectBinding) => boolean,
  ): SubjectBinding | undefined {
    let best = firstOf(this.#users.get(username), undefined, willDo);
    for (const group of groups) best = firstOf(this.#groups.get(group), best, willDo);
    return best;
  }

  /** Returns all bindings of a user, by name, without duplicates. */
  of({ username = '', groups = [] }: Frozen<UserInfo>): readonly SubjectBinding[] {
    const found = new Map<string, SubjectBinding>();
    for (const filed of [this.#users.get(username), ...groups.map((group) => this.#groups.get(group))]) {
      for (const bound of filed ?? []) found.set(bound.name, bound);
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #indexOf(index: 'users' | 'groups'): Map<string, SubjectBinding[]> {
    return index === 'users' ? this.#users : this.#groups;
  }

  /** Returns the index keys of each subject. */
  #filingOf({
    subjects = [],
  }: AnyRoleBinding): readonly { readonly index?: 'users' | 'groups'; readonly key: string }[] {
    return subjects.map(({ kind, name, namespace = '' }) => {
      if (kind === 'User') return { index: 'users', key: name };
      if (kind === 'Group') return { index: 'groups', key: name };
      const home = namespace === '' ? this.#namespace : namespace;
      return kind === 'ServiceAccount' && home !== ''
        ? { index: 'users', key: `system:serviceaccount:${home}:${name}` }
        : { key: '' };
    });
  }
}

/** Prints a binding as in Kubernetes' reasons: `RoleBinding "b/ns" of Role "r" to User "u"`. */
export function printBound({ name, binding, subject }: SubjectBinding): string {
  const { kind, name: role } = binding.roleRef;
  const namespace = binding.metadata?.namespace ?? '';
  const own = namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`;
  const to = binding.subjects?.[subject];
  return `${own} of ${kind} ${quote(role)} to ${to === undefined ? '' : printSubject(to, namespace)}`;
}

function printSubject({ kind, name, namespace = '' }: Frozen<rbacV1.Subject>, home: string): string {
  return `${kind} ${quote(kind === 'ServiceAccount' ? `${name}/${namespace === '' ? home : namespace}` : name)}`;
}

function nameOf({ metadata }: AnyRoleBinding): string {
  return metadata?.name ?? '';
}

/** Returns a key that no object has for a Role without namespace and for unknown kinds of roles. */
function roleKeyOf({ roleRef: { kind, name } }: AnyRoleBinding, namespace: string): string {
  if (kind === 'ClusterRole') return name;
  return kind === 'Role' ? `${namespace}/${name}` : '';
}

/**
 * Returns the better of the best binding so far and the first of these that matches. They are sorted, so those after
 * the best are skipped.
 */
function firstOf(
  filed: readonly SubjectBinding[] | undefined,
  best: SubjectBinding | undefined,
  willDo: (bound: SubjectBinding) => boolean,
): SubjectBinding | undefined {
  if (filed === undefined) return best;
  for (const bound of filed) {
    if (best !== undefined && bound.name > best.name) return best;
    if (best?.name === bound.name) return bound.subject < best.subject ? bound : best;
    if (willDo(bound)) return bound;
  }
  return best;
}

function insert(index: Map<string, SubjectBinding[]>, key: string, bound: SubjectBinding): void {
  const filed = index.get(key);
  if (filed === undefined) index.set(key, [bound]);
  else filed.splice(placeOf(filed, bound.name), 0, bound);
}

// Removes subjects without bindings, so that the index does not grow without limit.
function remove(index: Map<string, SubjectBinding[]>, key: string, name: string): void {
  const filed = index.get(key);
  if (filed === undefined) return;
  const place = placeOf(filed, name);
  if (filed[place]?.name === name) filed.splice(place, 1);
  if (filed.length === 0) index.delete(key);
}

/** Returns the index of a name, or the index at which it would be inserted. */
function placeOf(filed: readonly SubjectBinding[], name: string): number {
  let [from, to] = [0, filed.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((filed[middle]?.name ?? '') < name) from = middle + 1;
    else to = middle;
  }
  return from;
}
