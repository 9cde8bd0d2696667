// IPAddresses: which object holds an address of the service range; the name is the address.
// As pkg/registry/networking/ipaddress/strategy.go and pkg/apis/networking/validation, ValidateIPAddress.
import { fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { printGroupResource } from '../../objects/gvk.js';
import { isCanonicalIp } from '../../objects/ip-validation.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import { isDns1123Subdomain, isPathSegment } from '../../objects/names.js';
import type { IPAddress, IPAddressSpec } from '../../types/networking-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import type { Loose } from '../loose.js';
import { age, nameColumn, textColumn } from '../table-cells.js';
import { validateRequiredSegment } from './required-segment.js';

const table: KindTable<IPAddress> = {
  columns: [nameColumn, textColumn('ParentRef', 'The object that holds the address.')],
  // Rows have an age that no column announces, as Kubernetes prints them.
  row: (object, now) => ({ cells: [object.metadata?.name ?? '', parent(object.spec), age(object, now)] }),
};

/** The strategy of IPAddresses. */
export const ipAddress: KindStrategy<IPAddress> = {
  nameRule: (name) => isCanonicalIp(name),
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }, old) => [
    ...validateSpec(spec),
    ...(old.spec.parentRef === spec.parentRef
      ? []
      : validateImmutable(printed(spec), printed(old.spec), fieldPath('spec', 'parentRef'))),
  ],
  table,
};

function validateSpec({ parentRef }: Loose<IPAddressSpec>): readonly FieldError[] {
  const path = fieldPath('spec', 'parentRef');
  if (parentRef === undefined) return [fieldRequired(path)];
  const { group = '', resource = '', name = '', namespace = '' } = parentRef;
  return [
    ...(group === '' ? [] : invalidEach(path.child('group'), group, isDns1123Subdomain(group))),
    ...validateRequiredSegment(resource, path.child('resource')),
    ...validateRequiredSegment(name, path.child('name')),
    ...(namespace === '' ? [] : invalidEach(path.child('namespace'), namespace, isPathSegment(namespace))),
  ];
}

/** The reference as Kubernetes holds and prints it. */
function printed({ parentRef }: Loose<IPAddressSpec>): unknown {
  if (parentRef === undefined) return null;
  const { group = '', resource = '', namespace = '', name = '' } = parentRef;
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}

function parent({ parentRef }: Loose<IPAddressSpec>): string {
  if (parentRef === undefined) return '<none>';
  const { group = '', resource = '', namespace = '', name = '' } = parentRef;
  const holder = printGroupResource({ group, resource }).toLowerCase();
  return namespace === '' ? `${holder}/${name}` : `${holder}/${namespace}/${name}`;
}
