// ServiceCIDRs: the ranges that addresses of Services come from, at most one of each family.
// As pkg/registry/networking/servicecidr/strategy.go and pkg/apis/networking/validation, ValidateServiceCIDR.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { parseCidr } from '../../objects/ip-address.js';
import { validateCidr } from '../../objects/ip-validation.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { ServiceCIDR } from '../../types/networking-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { keepMetadata } from '../status-metadata.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

const table: KindTable<ServiceCIDR> = {
  columns: [nameColumn, textColumn('CIDRs', 'The ranges of addresses.'), ageColumn],
  row: (object, now) => ({
    cells: [object.metadata?.name ?? '', (object.spec?.cidrs ?? []).join(','), age(object, now)],
  }),
};

/** The strategy of ServiceCIDRs. */
export const serviceCidr: KindStrategy<ServiceCIDR> = {
  nameRule: nameIsDnsSubdomain,
  validate: ({ spec }) => validateCidrs(spec?.cidrs ?? []),
  validateUpdate: ({ spec }, old) => validateCidrsUpdate(spec?.cidrs ?? [], old.spec?.cidrs ?? []),
  subresources: { status: { prepareForUpdate: keepMetadata } },
  table,
};

const path = fieldPath('spec', 'cidrs');
const cidrsMax = 2;
const immutable = 'field is immutable';

function validateCidrs(cidrs: readonly string[]): readonly FieldError[] {
  if (cidrs.length === 0) return [fieldRequired(path, 'at least one CIDR required')];
  if (cidrs.length > cidrsMax) return [fieldInvalid(path, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const errors = collect(cidrs, (cidr, index) => validateCidr(cidr, path.index(index)));
  const families = cidrs.map((cidr) => parseCidr(cidr)?.address.family);
  if (cidrs.length < 2 || families[0] === undefined || families[0] !== families[1]) return errors;
  const sentence = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [...errors, fieldInvalid(path, cidrs, sentence)];
}

/** Nothing may change, but a second family may come in. */
function validateCidrsUpdate(cidrs: readonly string[], old: readonly string[]): readonly FieldError[] {
  const changed = collect(old, (cidr, index) =>
    cidr === cidrs[index] ? [] : [fieldInvalid(path.index(index), cidrs[index], immutable)],
  );
  if (old.length === cidrs.length) return changed;
  if (old.length === 1 && cidrs.length === cidrsMax) return [...changed, ...validateCidrs(cidrs)];
  return [fieldInvalid(path, cidrs.length === 0 ? null : cidrs, immutable)];
}
