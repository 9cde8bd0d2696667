// FlowSchemas: which requests belong to which priority level.
// As pkg/registry/flowcontrol/flowschema/strategy.go and the printer of its table.
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { FlowSchema } from '../../types/flowcontrol-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { keepMetadata } from '../status-metadata.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateConditionTypes } from './condition-types.js';
import { validateFlowSchema } from './flow-schema-validation.js';

const table: KindTable<FlowSchema> = {
  columns: [
    nameColumn,
    textColumn('PriorityLevel', 'The level its requests have.'),
    textColumn('MatchingPrecedence', 'The lower, the earlier it is asked.'),
    textColumn('DistinguisherMethod', 'How its requests are assigned to flows.'),
    ageColumn,
    textColumn('MissingPL', 'Whether the level does not exist.'),
  ],
  row: (object, now) => {
    const { metadata, spec, status } = object;
    const dangling = (status?.conditions ?? []).find(({ type }) => type === 'Dangling');
    return {
      cells: [
        metadata?.name ?? '',
        spec?.priorityLevelConfiguration.name ?? '',
        spec?.matchingPrecedence ?? 0,
        spec?.distinguisherMethod?.type ?? '<none>',
        age(object, now),
        dangling === undefined ? '?' : (dangling.status ?? ''),
      ],
    };
  },
  // In the order in which they are asked.
  order: (a, b) =>
    (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0) ||
    ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1),
};

/** The strategy of FlowSchemas. */
export const flowSchema: KindStrategy<FlowSchema> = {
  nameRule: nameIsDnsSubdomain,
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  validate: validateFlowSchema,
  validateUpdate: validateFlowSchema,
  subresources: {
    status: {
      prepareForUpdate: keepMetadata,
      validateUpdate: ({ status }) =>
        validateConditionTypes(status?.conditions ?? [], fieldPath('status', 'conditions')),
    },
  },
  table,
};

/** Zero is no precedence; it is always printed, so the schema cannot say this. */
export function flowSchemaDefaults({ spec }: FlowSchema): void {
  if (spec?.matchingPrecedence === 0) spec.matchingPrecedence = 1000;
}
