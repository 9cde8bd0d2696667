// The `scale` subresource: how many pods a workload has and should have, in one form for all workloads (autoscaling/v1
// Scale), so that autoscalers and `kubectl scale` need not know the kind. For the server's subresource, which writes
// the workload itself: metadata of a Scale is the workload's, and only the number of replicas is taken over.
// As scaleFromDeployment and its sisters in pkg/registry/apps, and pkg/apis/autoscaling/validation, ValidateScale.
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { printLabelSelector, selectorFromLabels } from '../../objects/label-selector.js';
import { validateNonNegative, validateObjectMeta } from '../../objects/meta-validation.js';
import type { Frozen, ObjectMeta } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import { selectorFromStructured } from '../../objects/structured-selector.js';
import type { Deployment, ReplicaSet, StatefulSet } from '../../types/apps-v1.generated.js';
import type { Scale } from '../../types/autoscaling-v1.generated.js';
import type { ReplicationController } from '../../types/core-v1.generated.js';
import type { KindTable } from '../kind-table.js';
import { age, ageColumn, integerColumn, nameColumn } from '../table-cells.js';

/** The kinds that have the subresource. */
export type Scalable = Deployment | ReplicaSet | StatefulSet | ReplicationController;

/** The scale of a workload. */
export function scaleOf(object: Frozen<Scalable>): Scale {
  const { replicas = 0 } = object.spec ?? {};
  const selector = selectorText(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: identityOf(object.metadata ?? {}),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: object.status?.replicas ?? 0, ...(selector !== '' && { selector }) },
  };
}

/** The workload with another number of replicas. */
export function withReplicas<T extends Frozen<Scalable>>(object: T, replicas: number): T {
  return { ...object, spec: { ...object.spec, replicas } };
}

/** Validates a Scale that someone wrote. */
export function validateScale({ metadata = {}, spec = {} }: Frozen<Scale>): readonly FieldError[] {
  return [
    ...validateObjectMeta(metadata, { namespaced: true, nameRule: nameIsDnsSubdomain }),
    ...validateNonNegative(spec.replicas ?? 0, fieldPath('spec', 'replicas')),
  ];
}

/** How a scale is printed. */
export const scaleTable: KindTable<Scale> = {
  columns: [
    // Kubernetes does not mark this one as the row's name.
    { name: nameColumn.name, type: nameColumn.type, description: nameColumn.description },
    integerColumn('Desired', 'Pods that are wanted.'),
    integerColumn('Available', 'Pods that exist.'),
    ageColumn,
  ],
  row: (scale, now) => ({
    cells: [scale.metadata?.name ?? '', scale.spec?.replicas ?? 0, scale.status?.replicas ?? 0, age(scale, now)],
  }),
};

function identityOf({ name, namespace, uid, resourceVersion, creationTimestamp }: Frozen<ObjectMeta>): ObjectMeta {
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
  };
}

function selectorText(object: Frozen<Scalable>): string {
  if (object.kind === 'ReplicationController') return printLabelSelector(selectorFromLabels(object.spec?.selector));
  return printLabelSelector(selectorFromStructured(object.spec?.selector));
}
