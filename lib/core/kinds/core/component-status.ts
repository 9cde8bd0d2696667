// ComponentStatuses: only ever read. As printComponentStatus in pkg/printers/internalversion/printers.go.
import { nameIsPathSegment } from '../../objects/names.js';
import type { ComponentStatus } from '../../types/core-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { nameColumn, textColumn } from '../table-cells.js';

/** The strategy of ComponentStatuses. */
export const componentStatus: KindStrategy<ComponentStatus> = {
  nameRule: nameIsPathSegment,
  table: {
    columns: [
      nameColumn,
      textColumn('Status', 'Whether the component is healthy.'),
      textColumn('Message', 'What the component says.'),
      textColumn('Error', 'What is wrong with the component.'),
    ],
    row: ({ metadata, conditions = [] }) => {
      const healthy = conditions.find(({ type }) => type === 'Healthy');
      const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
      return { cells: [metadata?.name ?? '', status, healthy?.message ?? '', healthy?.error ?? ''] };
    },
  },
};
