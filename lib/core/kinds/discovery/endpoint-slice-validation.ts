// Validation of an EndpointSlice. As pkg/apis/discovery/validation/validation.go, ValidateEndpointSlice. Topology
// of older versions is not checked: it never gets that far.
import { collect } from '../../errors/collect.js';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { parseIp } from '../../objects/ip-address.js';
import { validateIp, validateLegacyIp } from '../../objects/ip-validation.js';
import { isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName } from '../../objects/names.js';
import type { SyntaxRule } from '../../objects/names.js';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../types/discovery-v1.generated.js';
import { validateEndpointIp } from '../core/endpoint-ip.js';
import { invalidEach } from '../invalid-each.js';
import type { Loose } from '../loose.js';
import { printedWord } from '../printed-values.js';

type FieldErrors = readonly FieldError[];

/** Validates the kind of addresses and the ports. */
export function validateEndpointSlice({ addressType = '', ports = [] }: Loose<EndpointSlice>): FieldErrors {
  return [...validateAddressType(addressType, fieldPath('addressType')), ...validatePorts(ports, fieldPath('ports'))];
}

/** Validates the endpoints. */
export function validateEndpoints({ addressType = '', endpoints = [] }: Loose<EndpointSlice>): FieldErrors {
  const path = fieldPath('endpoints');
  if (endpoints.length > endpointsMax) return [fieldTooMany(path, endpoints.length, endpointsMax)];
  return collect(endpoints, (endpoint, index) => validateEndpoint(endpoint, addressType, path.index(index)));
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const endpointsMax = 1000;
const addressesMax = 100;
const portsMax = 20_000;
const hintsMax = 8;

function validateAddressType(addressType: string, path: FieldPath): FieldErrors {
  if (addressType === '') return [fieldRequired(path)];
  return addressTypes.includes(addressType) ? [] : [fieldNotSupported(path, printedWord(addressType), addressTypes)];
}

function validatePorts(ports: readonly Loose<EndpointPort>[], path: FieldPath): FieldErrors {
  if (ports.length > portsMax) return [fieldTooMany(path, ports.length, portsMax)];
  const names = new Set<string>();
  return collect(ports, ({ name = '', protocol, appProtocol }, index) => {
    const at = path.index(index);
    const repeated = names.has(name);
    names.add(name);
    return [
      ...(name === '' ? [] : invalidEach(at.child('name'), name, isDns1123Label(name))),
      ...(repeated ? [fieldDuplicate(at.child('name'), printedWord(name))] : []),
      ...validateProtocol(protocol, at.child('protocol')),
      ...(appProtocol === undefined
        ? []
        : invalidEach(at.child('appProtocol'), appProtocol, isQualifiedName(appProtocol))),
    ];
  });
}

function validateProtocol(protocol: string | undefined, path: FieldPath): FieldErrors {
  if (protocol === undefined) return [fieldRequired(path)];
  return protocols.includes(protocol) ? [] : [fieldNotSupported(path, printedWord(protocol), protocols)];
}

function validateEndpoint(endpoint: Loose<Endpoint>, addressType: string, path: FieldPath): FieldErrors {
  const { addresses = [], nodeName, hostname, hints } = endpoint;
  const at = path.child('addresses');
  return [
    ...(addresses.length === 0 ? [fieldRequired(at, 'must contain at least 1 address')] : []),
    ...(addresses.length > addressesMax ? [fieldTooMany(at, addresses.length, addressesMax)] : []),
    ...collect(addresses, (address, index) => validateAddress(address, addressType, at, index)),
    ...(nodeName === undefined ? [] : invalidEach(path.child('nodeName'), nodeName, isDns1123Subdomain(nodeName))),
    ...(hostname === undefined ? [] : invalidEach(path.child('hostname'), hostname, isDns1123Label(hostname))),
    ...(hints === undefined ? [] : validateHints(hints, path.child('hints'))),
  ];
}

/** Addresses of unknown kinds are anybody's guess. */
function validateAddress(address: string, addressType: string, path: FieldPath, index: number): FieldErrors {
  const at = path.index(index);
  switch (addressType) {
    case 'IPv4':
      return validateOfFamily(address, 4, path, at, validateLegacyIp(address, at));
    case 'IPv6':
      return validateOfFamily(address, 6, path, at, validateIp(address, at));
    case 'FQDN':
      return validateDomain(address, at);
    default:
      return [];
  }
}

function validateOfFamily(
  address: string,
  family: 4 | 6,
  ...[path, at, wrong]: readonly [FieldPath, FieldPath, FieldErrors]
): FieldErrors {
  if (wrong.length > 0) return wrong;
  const other =
    parseIp(address)?.family === family ? [] : [fieldInvalid(path, address, `must be an IPv${family} address`)];
  return [...other, ...validateEndpointIp(address, at)];
}

/** As apimachinery/pkg/util/validation/validation.go, IsFullyQualifiedDomainName. */
function validateDomain(address: string, path: FieldPath): FieldErrors {
  if (address === '') return [fieldRequired(path)];
  const name = address.endsWith('.') ? address.slice(0, -1) : address;
  const wrong = isDns1123Subdomain(name);
  if (wrong.length > 0) return [fieldInvalid(path, name, wrong.join(','))];
  const labels = name.split('.');
  if (labels.length < 2)
    return [fieldInvalid(path, name, 'should be a domain with at least two segments separated by dots')];
  const label = labels.find((each) => isDns1123Label(each).length > 0);
  return label === undefined ? [] : [fieldInvalid(path, label, isDns1123Label(label).join(','))];
}

/** Too many hints of a kind and nothing more is looked at. */
function validateHints({ forZones = [], forNodes = [] }: Loose<EndpointHints>, path: FieldPath): FieldErrors {
  const zones = validateNames(forZones, path.child('forZones'), isLabelValue);
  if (forZones.length > hintsMax) return zones;
  return [...zones, ...validateNames(forNodes, path.child('forNodes'), isDns1123Subdomain)];
}

function validateNames(hints: readonly { readonly name?: string }[], path: FieldPath, rule: SyntaxRule): FieldErrors {
  if (hints.length > hintsMax) return [fieldTooMany(path, hints.length, hintsMax)];
  const seen = new Set<string>();
  return collect(hints, ({ name = '' }, index) => {
    const at = path.index(index).child('name');
    const repeated = seen.has(name);
    seen.add(name);
    return [...(repeated ? [fieldDuplicate(at, name)] : []), ...invalidEach(at, name, rule(name))];
  });
}
