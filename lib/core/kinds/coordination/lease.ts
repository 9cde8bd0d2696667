// Leases: who holds something, since when and until when. Nodes, controllers and servers beat their hearts here.
// As pkg/registry/coordination/lease/strategy.go and pkg/apis/coordination/validation, ValidateLease. The fields of
// coordinated leader election are dropped: that is off by default.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { Lease } from '../../types/coordination-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

/** The strategy of Leases. */
export const lease: KindStrategy<Lease> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: ({ spec }) => {
    delete spec?.strategy;
    delete spec?.preferredHolder;
  },
  prepareForUpdate: ({ spec }, old) => {
    if (old.spec?.strategy === undefined) delete spec?.strategy;
    if (old.spec?.preferredHolder === undefined) delete spec?.preferredHolder;
  },
  validate,
  validateUpdate: validate,
  createsOnUpdate: true,
  requiresResourceVersion: true,
  table: {
    columns: [nameColumn, textColumn('Holder', 'Who holds the lease.'), ageColumn],
    row: (object, now) => ({
      cells: [object.metadata?.name ?? '', object.spec?.holderIdentity ?? '', age(object, now)],
    }),
  },
};

function validate({ spec = {} }: Frozen<Lease>): readonly FieldError[] {
  const { leaseDurationSeconds, leaseTransitions } = spec;
  const path = fieldPath('spec');
  return [
    ...(leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0
      ? [fieldInvalid(path.child('leaseDurationSeconds'), leaseDurationSeconds, 'must be greater than 0')]
      : []),
    ...(leaseTransitions !== undefined && leaseTransitions < 0
      ? [fieldInvalid(path.child('leaseTransitions'), leaseTransitions, 'must be greater than or equal to 0')]
      : []),
  ];
}
