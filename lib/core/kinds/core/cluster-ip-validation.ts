// The fields of a Service that together say which addresses it has: clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy.
// Asked twice for a write: before addresses are allocated, so that allocation need not think of nonsense, and with
// everything else. As ValidateServiceClusterIPsRelatedFields in pkg/apis/core/validation/validation.go.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { parseIp } from '../../objects/ip-address.js';
import { validateLegacyIp } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type { Service, ServiceSpec } from '../../types/core-v1.generated.js';
import { printedWord } from '../printed-values.js';
import { isExternalName, isHeadless } from './service-kind.js';

type FieldErrors = readonly FieldError[];

const specPath = fieldPath('spec');
const addressesPath = specPath.child('clusterIPs');

/** Validates the addresses and families of a Service. */
export function validateClusterIpFields(service: Frozen<Service>, old?: Frozen<Service>): FieldErrors {
  const { spec = {} } = service;
  // An ExternalName may have none of these: that is checked with its type.
  if (isExternalName(service)) return [];
  const alone = [...validateSingular(spec), ...validateFamilies(spec)];
  const malformed = validateAddresses(spec.clusterIPs ?? [], old?.spec?.clusterIPs ?? []);
  const tooMany =
    (spec.clusterIPs ?? []).length > 2
      ? [fieldInvalid(addressesPath, spec.clusterIPs, 'may only hold up to 2 values')]
      : [];
  // Of malformed addresses nothing more can be said.
  if (malformed.length > 0) return [...alone, ...malformed, ...tooMany];
  return [
    ...alone,
    ...tooMany,
    ...validateDualStack(spec.clusterIPs ?? []),
    ...(isHeadless(service) ? [] : validateFamilyOfEach(spec)),
  ];
}

/** The singular field and the first of the plural one are the same. */
function validateSingular({ clusterIP = '', clusterIPs = [] }: Frozen<ServiceSpec>): FieldErrors {
  if (clusterIP === '')
    return clusterIPs.length === 0
      ? []
      : [fieldInvalid(addressesPath, clusterIPs, 'must be empty when `clusterIP` is not specified')];
  if (clusterIPs.length === 0) return [fieldRequired(addressesPath)];
  return clusterIPs[0] === clusterIP
    ? []
    : [fieldInvalid(addressesPath, clusterIPs, 'first value must match `clusterIP`')];
}

function validateFamilies({ ipFamilies = [], ipFamilyPolicy: policy }: Frozen<ServiceSpec>): FieldErrors {
  const path = specPath.child('ipFamilies');
  const seen = new Set<string>();
  const errors: FieldError[] = collect<string, FieldError>(ipFamilies, (family, index) => {
    const isRepeated = seen.has(family);
    seen.add(family);
    return [
      ...(families.includes(family) ? [] : [fieldNotSupported(path.index(index), printedWord(family), families)]),
      ...(isRepeated ? [fieldDuplicate(path.index(index), printedWord(family))] : []),
    ];
  });
  if (policy !== undefined && !policies.includes(policy))
    errors.push(fieldNotSupported(specPath.child('ipFamilyPolicy'), printedWord(policy), policies));
  return errors;
}

const families: readonly string[] = ['IPv4', 'IPv6'];
const policies: readonly string[] = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** Addresses in a form that can be read; `None` stands alone. */
function validateAddresses(addresses: readonly string[], old: readonly string[]): FieldErrors {
  return collect(addresses, (address, index) => {
    if (index > 0 || address !== 'None') return validateLegacyIp(address, addressesPath.index(index), old);
    return addresses.length > 1
      ? [fieldInvalid(addressesPath, addresses, "'None' must be the first and only value")]
      : [];
  });
}

function validateDualStack(addresses: readonly string[]): FieldErrors {
  if (addresses.length < 2) return [];
  const found = new Set(addresses.map((address) => parseIp(address)?.family));
  return found.has(4) && found.has(6)
    ? []
    : [fieldInvalid(addressesPath, addresses, 'may specify no more than one IP for each IP family')];
}

function validateFamilyOfEach({ clusterIPs = [], ipFamilies = [] }: Frozen<ServiceSpec>): FieldErrors {
  return collect(clusterIPs.slice(0, ipFamilies.length), (address, index) => {
    const expected = ipFamilies[index];
    const actual = parseIp(address)?.family === 6 ? 'IPv6' : 'IPv4';
    if (expected === actual || (expected !== 'IPv4' && expected !== 'IPv6')) return [];
    return [
      fieldInvalid(
        addressesPath.index(index),
        address,
        `expected an ${expected} value as indicated by \`ipFamilies[${index}]\``,
      ),
    ];
  });
}
