// Counts in the status of workloads: none is negative, parts are no larger than the whole, collisions only add up.
// As the Validate…Status functions of pkg/apis/apps/validation/validation.go.
import { collect } from '../../errors/collect.js';
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateNonNegative } from '../../objects/meta-validation.js';

/** Counts by name; absent ones are zero. */
type Counts<Name extends string> = Readonly<Partial<Record<Name, number>>>;

/** None of the named counts is negative. */
export function validateNonNegatives<Name extends string>(
  counts: Counts<Name>,
  path: FieldPath,
  names: readonly Name[],
): readonly FieldError[] {
  return collect(names, (name) => validateNonNegative(counts[name] ?? 0, path.child(name)));
}

/** None of the named counts is larger than another, which `than` names in the message. */
export function validateNotMore<Name extends string>(
  counts: Counts<Name>,
  path: FieldPath,
  { fields, than, count }: { readonly fields: readonly Name[]; readonly than: string; readonly count: number },
): readonly FieldError[] {
  const larger = fields.filter((name) => (counts[name] ?? 0) > count);
  return collect(larger, (name) => [fieldInvalid(path.child(name), counts[name], `cannot be greater than ${than}`)]);
}

/** The counts of a ReplicaSet or a ReplicationController. */
export function validateReplicaCounts(
  status: Counts<ReplicaCount> & { readonly replicas: number },
  path: FieldPath,
): readonly FieldError[] {
  const { replicas, readyReplicas = 0 } = status;
  return [
    ...validateNonNegatives(status, path, [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ]),
    ...validateNotMore(status, path, {
      fields: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
      than: 'status.replicas',
      count: replicas,
    }),
    ...validateNotMore(status, path, { fields: ['availableReplicas'], than: 'readyReplicas', count: readyReplicas }),
  ];
}

type ReplicaCount =
  | 'replicas'
  | 'fullyLabeledReplicas'
  | 'readyReplicas'
  | 'availableReplicas'
  | 'observedGeneration'
  | 'terminatingReplicas';

/** Collisions are counted to find free names, so their number never falls, nor is it forgotten. As IsDecremented. */
export function validateCollisionCount(
  { collisionCount }: Counts<'collisionCount'>,
  { collisionCount: before }: Counts<'collisionCount'>,
  path: FieldPath,
): readonly FieldError[] {
  if (before === undefined || (collisionCount !== undefined && collisionCount >= before)) return [];
  return [fieldInvalid(path.child('collisionCount'), collisionCount ?? 0, 'cannot be decremented')];
}
