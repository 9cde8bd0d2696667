// RoleBindings and ClusterRoleBindings: who has a role. The role is fixed for the life of the binding.
// As pkg/registry/rbac/{rolebinding,clusterrolebinding}/strategy.go, pkg/apis/rbac/validation/validation.go and
// pkg/apis/rbac/v1/defaults.go.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isPathSegment, nameIsDnsSubdomain } from '../../objects/names.js';
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from '../../types/rbac-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { TableCells, TableColumn } from '../kind-table.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { rbacName } from './rbac-name.js';

/** The strategy of RoleBindings. */
export const roleBinding: KindStrategy<RoleBinding> = {
  nameRule: rbacName,
  validate: (object) => validate(object, true),
  validateUpdate: (object, old) => [...validate(object, true), ...validateSameRole(object.roleRef, old.roleRef)],
  createsOnUpdate: true,
  table: { columns: columns(), row },
};

/** The strategy of ClusterRoleBindings. */
export const clusterRoleBinding: KindStrategy<ClusterRoleBinding> = {
  nameRule: rbacName,
  validate: (object) => validate(object, false),
  validateUpdate: (object, old) => [...validate(object, false), ...validateSameRole(object.roleRef, old.roleRef)],
  createsOnUpdate: true,
  table: { columns: columns(), row },
};

/** Roles, users and groups belong to this API group unless they say otherwise. */
export function bindingDefaults({ roleRef, subjects = [] }: Binding): void {
  if (roleRef.apiGroup === '') roleRef.apiGroup = rbacGroup;
  for (const subject of subjects) {
    if ((subject.apiGroup ?? '') === '' && (subject.kind === 'User' || subject.kind === 'Group'))
      subject.apiGroup = rbacGroup;
  }
}

const rbacGroup = 'rbac.authorization.k8s.io';

type Binding = RoleBinding | ClusterRoleBinding;

function columns(): readonly TableColumn[] {
  return [
    nameColumn,
    textColumn('Role', 'The role that is given.'),
    ageColumn,
    textColumn('Users', 'The users it is given to.', 1),
    textColumn('Groups', 'The groups it is given to.', 1),
    textColumn('ServiceAccounts', 'The service accounts it is given to.', 1),
  ];
}

function row(object: Frozen<Binding>, now: number): TableCells {
  const { metadata, roleRef, subjects = [] } = object;
  const named = (kind: string, text: (subject: Frozen<Subject>) => string): string =>
    subjects
      .filter((subject) => subject.kind === kind)
      .map(text)
      .join(', ');
  return {
    cells: [
      metadata?.name ?? '',
      `${roleRef.kind}/${roleRef.name}`,
      age(object, now),
      named('User', ({ name }) => name),
      named('Group', ({ name }) => name),
      named('ServiceAccount', ({ name, namespace = '' }) => `${namespace}/${name}`),
    ],
  };
}

function validate({ roleRef, subjects = [] }: Frozen<Binding>, namespaced: boolean): readonly FieldError[] {
  return [
    ...validateRoleRef(roleRef, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']),
    ...collect(subjects, (subject, index) => validateSubject(subject, namespaced, fieldPath('subjects').index(index))),
  ];
}

function validateRoleRef({ apiGroup, kind, name }: Frozen<RoleRef>, kinds: readonly string[]): readonly FieldError[] {
  const path = fieldPath('roleRef');
  return [
    ...(apiGroup === rbacGroup ? [] : [fieldNotSupported(path.child('apiGroup'), apiGroup, [rbacGroup])]),
    ...(kinds.includes(kind) ? [] : [fieldNotSupported(path.child('kind'), kind, kinds)]),
    ...(name === '' ? [fieldRequired(path.child('name'))] : invalidEach(path.child('name'), name, isPathSegment(name))),
  ];
}

function validateSameRole(roleRef: Frozen<RoleRef>, old: Frozen<RoleRef>): readonly FieldError[] {
  const { apiGroup, kind, name } = roleRef;
  if (apiGroup === old.apiGroup && kind === old.kind && name === old.name) return [];
  return [fieldInvalid(fieldPath('roleRef'), { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')];
}

function validateSubject(subject: Frozen<Subject>, namespaced: boolean, path: FieldPath): readonly FieldError[] {
  const { kind, name, apiGroup = '', namespace = '' } = subject;
  const errors = name === '' ? [fieldRequired(path.child('name'))] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...invalidEach(path.child('name'), name, nameIsDnsSubdomain(name, false)));
      if (apiGroup !== '') errors.push(fieldNotSupported(path.child('apiGroup'), apiGroup, ['']));
      if (!namespaced && namespace === '') errors.push(fieldRequired(path.child('namespace')));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) errors.push(fieldNotSupported(path.child('apiGroup'), apiGroup, [rbacGroup]));
      break;
    default:
      errors.push(fieldNotSupported(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}
