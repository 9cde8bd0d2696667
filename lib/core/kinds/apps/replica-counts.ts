// How ReplicaSets and ReplicationControllers count: their status, the field selectors may name, and their table. They
// differ only in how they say which pods are theirs.
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type { ReplicaSet } from '../../types/apps-v1.generated.js';
import type { ReplicationController } from '../../types/core-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, integerColumn, nameColumn } from '../table-cells.js';
import { validateReplicaCounts } from './status-counts.js';
import { containerCells, containerColumns, selectorColumn } from './template-cells.js';

/** The part of a strategy that is about counts. */
export type ReplicaCounting<T extends ReplicaSet | ReplicationController> = Pick<
  KindStrategy<T>,
  'changesGeneration' | 'subresources' | 'selectableFields' | 'table'
>;

/** Counting for a kind that prints its selector so. */
export function replicaCounting<T extends ReplicaSet | ReplicationController>(
  selectorCell: (object: Frozen<T>) => string,
): ReplicaCounting<T> {
  return {
    changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
    subresources: {
      status: { validateUpdate: ({ status }) => validateReplicaCounts(status ?? { replicas: 0 }, fieldPath('status')) },
    },
    selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
    table: {
      columns: [
        nameColumn,
        integerColumn('Desired', 'Pods that are wanted.'),
        integerColumn('Current', 'Pods that exist.'),
        integerColumn('Ready', 'Pods that are ready.'),
        ageColumn,
        ...containerColumns,
        selectorColumn,
      ],
      row(object, now) {
        const { metadata, spec, status } = object;
        const counts = [spec?.replicas ?? 0, status?.replicas ?? 0, status?.readyReplicas ?? 0];
        return {
          cells: [
            metadata?.name ?? '',
            ...counts,
            age(object, now),
            ...containerCells(spec?.template),
            selectorCell(object),
          ],
        };
      },
    },
  };
}
