// The address at which clients reach the server, and the objects that publish it inside the cluster: the Service
// `kubernetes` and its endpoints. A server that comes back at another address replaces what it finds; of several
// servers with one store the last one that started wins. As pkg/controlplane/reconcilers.
import { deepEqual, parseIp } from '../../core/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';
import type { Service } from '../../core/types/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { kubernetesService, kubernetesServiceEndpoints } from './kubernetes-service.js';
import type { BootstrapObject } from './write-bootstrap.js';

/** An address and port. */
export interface ServerAddress {
  /** Undefined where the host is a name or stands for all addresses. */
  readonly address?: string;
  readonly port: number;
}

/** Reads `10.0.0.5:6443` or `[fd00::5]:6443`. The port defaults to 6443. */
export function readServerAddress(text: string): ServerAddress {
  const [, host = '', port = '6443'] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const isSpecific = parseIp(address) !== undefined && !/^[0:.]+$/.test(address);
  return { port: Number(port), ...(isSpecific && { address }) };
}

/** The Service `kubernetes`, its cluster IP and, where the address is known, its endpoints. */
export function addressObjects({ address, port }: ServerAddress, serviceCidr: string): readonly BootstrapObject[] {
  const [service, ip] = kubernetesService(serviceCidr, port);
  if (address === undefined) return [{ object: service }, { object: ip }];
  return [
    { object: service, reconcile: (existing) => withPorts(existing, service) },
    { object: ip },
    ...kubernetesServiceEndpoints(address, port).map((object): BootstrapObject => ({
      object,
      reconcile: (existing) => replaced(existing, object),
    })),
  ];
}

/** Returns the Service with the desired ports; users may have changed the rest. */
function withPorts(existing: StoredObject, wanted: Frozen<Service>): StoredObject {
  const { spec } = existing as Frozen<Service>; // what is stored under the key of a Service is one
  const { ports } = wanted.spec ?? {};
  return deepEqual(spec?.ports, ports) ? existing : ({ ...existing, spec: { ...spec, ports } } as StoredObject);
}

/** Returns the desired content with the metadata of the existing object. */
function replaced(existing: StoredObject, desiredObject: Frozen<ApiObject>): StoredObject {
  const { metadata = {}, ...content } = existing;
  const { metadata: { labels } = {}, ...wanted } = desiredObject;
  if (deepEqual(content, wanted) && deepEqual({ ...metadata.labels, ...labels }, metadata.labels)) return existing;
  const { generation } = metadata;
  return {
    ...wanted,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      ...(generation !== undefined && { generation: generation + 1 }),
    },
  };
}
