// How Services are printed. As printService in pkg/printers/internalversion/printers.go.
import type { Frozen } from '../../objects/meta.js';
import type { Service, ServicePort, ServiceStatus } from '../../types/core-v1.generated.js';
import type { KindTable } from '../kind-table.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

/** The table of Services. */
export const serviceTable: KindTable<Service> = {
  columns: [
    nameColumn,
    textColumn('Type', 'How the service is exposed.'),
    textColumn('Cluster-IP', 'Its address inside the cluster.'),
    textColumn('External-IP', 'Its addresses outside the cluster.'),
    textColumn('Port(s)', 'Its ports, with those on nodes.'),
    ageColumn,
    textColumn('Selector', 'The labels of its pods.', 1),
  ],
  row: (service, now) => {
    const { metadata, spec = {} } = service;
    const ports = printPorts(spec.ports ?? []);
    return {
      cells: [
        metadata?.name ?? '',
        spec.type ?? '',
        spec.clusterIPs?.[0] ?? '<none>',
        printExternalAddresses(service),
        ports === '' ? '<none>' : ports,
        age(service, now),
        printLabels(spec.selector ?? {}),
      ],
    };
  },
};

function printExternalAddresses({ spec = {}, status = {} }: Frozen<Service>): string {
  const { externalIPs = [], externalName = '' } = spec;
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.length > 0 ? externalIPs.join(',') : '<none>';
    case 'LoadBalancer': {
      const addresses = [...balancerAddresses(status), ...externalIPs];
      return addresses.length > 0 ? addresses.join(',') : '<pending>';
    }
    case 'ExternalName':
      return externalName;
    default:
      return '<unknown>';
  }
}

function balancerAddresses({ loadBalancer }: Frozen<ServiceStatus>): readonly string[] {
  const addresses = (loadBalancer?.ingress ?? []).map(({ ip = '', hostname = '' }) => (ip === '' ? hostname : ip));
  return [...new Set(addresses.filter((address) => address !== ''))].sort();
}

function printPorts(ports: readonly Frozen<ServicePort>[]): string {
  return ports
    .map(({ port, nodePort = 0, protocol = '' }) =>
      nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
    )
    .join(',');
}

/** As labels.FormatLabels: sorted by key. */
function printLabels(labels: Readonly<Record<string, string>>): string {
  const keys = Object.keys(labels).sort();
  return keys.length === 0 ? '<none>' : keys.map((key) => `${key}=${labels[key]}`).join(',');
}
