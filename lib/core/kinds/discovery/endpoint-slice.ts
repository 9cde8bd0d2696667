// EndpointSlices: the addresses behind a Service, in pieces.
// As pkg/registry/discovery/endpointslice/strategy.go and the printer of its table.
import { collect } from '../../errors/collect.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { warningsForIp } from '../../objects/ip-validation.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { Endpoint, EndpointPort, EndpointSlice } from '../../types/discovery-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import type { Loose } from '../loose.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateEndpoints, validateEndpointSlice } from './endpoint-slice-validation.js';

const table: KindTable<EndpointSlice> = {
  columns: [
    nameColumn,
    textColumn('AddressType', 'The kind of its addresses.'),
    textColumn('Ports', 'The ports of each endpoint.'),
    textColumn('Endpoints', 'The addresses.'),
    ageColumn,
  ],
  row: (object, now) => {
    const { metadata, addressType, ports = [], endpoints = [] } = object;
    const addresses = endpoints.flatMap(addressesOf);
    return {
      cells: [
        metadata?.name ?? '',
        addressType,
        firstThree(ports.map(portText)),
        firstThree(addresses),
        age(object, now),
      ],
    };
  },
};

/** The strategy of EndpointSlices. */
export const endpointSlice: KindStrategy<EndpointSlice> = {
  nameRule: nameIsDnsSubdomain,
  changesGeneration: (object, old) => !deepEqual(content(object), content(old)),
  prepareForCreate: (object) => dropTopology(object),
  prepareForUpdate: (object, old) => {
    if (!deepEqual(object.endpoints, old.endpoints)) dropTopology(object, old);
  },
  validate: (object) => [...validateEndpointSlice(object), ...validateEndpoints(object)],
  validateUpdate: (object, old) => [
    ...validateEndpointSlice(object),
    // Endpoints that stay the same were valid once.
    ...(deepEqual(object.endpoints, old.endpoints) ? [] : validateEndpoints(object)),
    ...validateImmutable(object.addressType, old.addressType, fieldPath('addressType')),
  ],
  warningsOnCreate: (object) => [
    ...(object.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...addressWarnings(object),
  ],
  warningsOnUpdate: (object) => addressWarnings(object),
  table,
};

const hostname = 'kubernetes.io/hostname';

/** What counts for the generation: everything but metadata, and labels. */
function content({ metadata, addressType, endpoints = [], ports = [] }: Frozen<EndpointSlice>): unknown {
  return { addressType, endpoints, ports, labels: metadata?.labels ?? {} };
}

/**
 * The topology of older versions may not be written any more. A node that only it names stays known if the old slice
 * had named it so.
 */
function dropTopology({ endpoints = [] }: EndpointSlice, old?: Frozen<EndpointSlice>): void {
  const known = new Set(
    (old?.endpoints ?? [])
      .map(({ deprecatedTopology }) => deprecatedTopology?.[hostname] ?? '')
      .filter((name) => name !== ''),
  );
  for (const endpoint of endpoints) {
    const node = endpoint.deprecatedTopology?.[hostname] ?? '';
    if (endpoint.nodeName === undefined && known.has(node) && nameIsDnsSubdomain(node, false).length === 0)
      endpoint.nodeName = node;
    delete endpoint.deprecatedTopology;
  }
}

const managedBy = 'endpointslice.kubernetes.io/managed-by';
const controllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

/** Controllers write canonical addresses, which spares looking at them. */
function addressWarnings({ metadata, endpoints = [] }: Frozen<EndpointSlice>): readonly string[] {
  if (controllers.includes(metadata?.labels?.[managedBy] ?? '')) return [];
  return collect(endpoints, (endpoint, i) =>
    collect(addressesOf(endpoint), (address, j) =>
      warningsForIp(address, fieldPath('endpoints').index(i).child('addresses').index(j)),
    ),
  );
}

function addressesOf({ addresses = [] }: Loose<Endpoint>): readonly string[] {
  return addresses;
}

function portText({ port, name }: Loose<EndpointPort>): string {
  return port === undefined ? (name ?? '*') : String(port);
}

function firstThree(texts: readonly string[]): string {
  const shown = texts.slice(0, shownMax).join(',');
  if (texts.length > shownMax) return `${shown} + ${texts.length - shownMax} more...`;
  return shown === '' ? '<unset>' : shown;
}

const shownMax = 3;
