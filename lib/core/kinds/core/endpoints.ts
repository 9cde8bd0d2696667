// Endpoints: addresses and ports behind a service, the old form. Addresses that no client could reach are refused; a
// list that has not changed is not checked again. As pkg/registry/core/endpoint/strategy.go, ValidateEndpoints in
// pkg/apis/core/validation.
import { collect, findingsMax } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { validateLegacyIp, warningsForIp } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import {
  isDns1123Label,
  isDns1123Subdomain,
  isPortNumber,
  isQualifiedName,
  nameIsDnsSubdomain,
} from '../../objects/names.js';
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import { printedWord } from '../printed-values.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { isSoundEndpointIp, validateEndpointIp } from './endpoint-ip.js';

/** The strategy of Endpoints. */
export const endpoints: KindStrategy<Endpoints> = {
  nameRule: nameIsDnsSubdomain,
  validate: ({ subsets = [] }) => validateSubsets(subsets),
  validateUpdate: ({ subsets = [] }, old) => {
    const errors = validateSubsets(subsets);
    return errors.length > 0 && deepEqual(subsets, old.subsets ?? []) ? [] : errors;
  },
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  createsOnUpdate: true,
  table: {
    columns: [nameColumn, textColumn('Endpoints', 'The first addresses with their ports.'), ageColumn],
    row: (object, now) => ({ cells: [object.metadata?.name ?? '', printEndpoints(object), age(object, now)] }),
  },
};

/** What a port of a service or an endpoint can speak, as messages list it. */
export const portProtocols: readonly string[] = Object.freeze(['SCTP', 'TCP', 'UDP']);

function validateSubsets(subsets: readonly Frozen<EndpointSubset>[]): readonly FieldError[] {
  return collect(subsets, ({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const path = fieldPath('subsets').index(index);
    const some = addresses.length > 0 || notReadyAddresses.length > 0;
    return [
      ...(some ? [] : [fieldRequired(path, 'must specify `addresses` or `notReadyAddresses`')]),
      ...validateAddresses(addresses, path.child('addresses')),
      ...validateAddresses(notReadyAddresses, path.child('notReadyAddresses')),
      ...collect(ports, (port, i) => validatePort(port, ports.length > 1, path.child('ports').index(i))),
    ];
  });
}

/** There may be a thousand, nearly all of them sound: those cost one parse and no path. */
function validateAddresses(addresses: readonly Frozen<EndpointAddress>[], path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, address] of addresses.entries()) {
    if (errors.length > findingsMax) break;
    const { ip, hostname, nodeName } = address;
    const soundNode = nodeName === undefined || isDns1123Subdomain(nodeName).length === 0;
    if (hostname !== undefined || !soundNode || !isSoundEndpointIp(ip))
      errors.push(...validateAddress(address, path.index(index)));
  }
  return errors;
}

function validateAddress(address: Frozen<EndpointAddress>, path: FieldPath): readonly FieldError[] {
  const { ip, hostname = '', nodeName } = address;
  return [
    ...validateLegacyIp(ip, path.child('ip')),
    ...(hostname === '' ? [] : invalidEach(path.child('hostname'), hostname, isDns1123Label(hostname))),
    ...(nodeName === undefined ? [] : invalidEach(path.child('nodeName'), nodeName, isDns1123Subdomain(nodeName))),
    ...validateEndpointIp(ip, path.child('ip')),
  ];
}

function validatePort(port: Frozen<EndpointPort>, nameRequired: boolean, path: FieldPath): readonly FieldError[] {
  const { name = '', protocol = '', appProtocol } = port;
  const errors: FieldError[] = [];
  if (name !== '') errors.push(...invalidEach(path.child('name'), name, isDns1123Label(name)));
  else if (nameRequired) errors.push(fieldRequired(path.child('name')));
  for (const sentence of isPortNumber(port.port)) errors.push(fieldInvalid(path.child('port'), port.port, sentence));
  if (protocol === '') errors.push(fieldRequired(path.child('protocol')));
  else if (!portProtocols.includes(protocol))
    errors.push(fieldNotSupported(path.child('protocol'), printedWord(protocol), portProtocols));
  if (appProtocol !== undefined)
    errors.push(...invalidEach(path.child('appProtocol'), appProtocol, isQualifiedName(appProtocol)));
  return errors;
}

/** What the endpoints controller writes is spelled well; it would be a waste to look at. */
function warnings({ metadata, subsets = [] }: Frozen<Endpoints>): readonly string[] {
  if (metadata?.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return [];
  return collect(subsets, ({ addresses = [], notReadyAddresses = [] }, index) => {
    const path = fieldPath('subsets').index(index);
    return [
      ...addressWarnings(addresses, path.child('addresses')),
      ...addressWarnings(notReadyAddresses, path.child('notReadyAddresses')),
    ];
  });
}

function addressWarnings(addresses: readonly Frozen<EndpointAddress>[], path: FieldPath): readonly string[] {
  const found: string[] = [];
  for (const [index, { ip }] of addresses.entries()) {
    // Of sound addresses only those of IPv6 have more than one spelling.
    if (ip.includes(':')) found.push(...warningsForIp(ip, path.index(index).child('ip')));
  }
  return found;
}

const shownMax = 3;

/** The first three addresses, and how many more there are. */
function printEndpoints({ subsets = [] }: Frozen<Endpoints>): string {
  if (subsets.length === 0) return '<none>';
  const shown: string[] = [];
  let count = 0;
  for (const { addresses = [], ports = [] } of subsets) {
    count += addresses.length * Math.max(1, ports.length);
    const rest = addresses.slice(0, shownMax);
    if (ports.length === 0) shown.push(...rest.map(({ ip }) => ip));
    for (const { port } of ports) shown.push(...rest.map(({ ip }) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`));
  }
  const list = shown.slice(0, shownMax).join(',');
  return count > shownMax ? `${list} + ${count - shownMax} more...` : list;
}
