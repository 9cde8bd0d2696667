// The objects a server of v1.36 has before anybody wrote one, complete as they read back: with labels, annotations,
// status and generation, but without what storage adds (uid, resourceVersion, creationTimestamp). Pure data, in the
// order in which they are to be written; whoever starts a server writes those that are not there yet. Namespaces come
// first, because nearly every request is about one; the others are not written, nor even made, before a request may
// find out.
//
// Left out are what other parts own: roles and bindings (policy/, where RBAC is used), the
// server's own Lease and the ConfigMap that dates legacy tokens.
import type { RequestInfo } from '../../client/index.js';
import type { ApiObject, GroupVersion } from '../../core/index.js';
import { apiServices } from './api-services.js';
import { namespaces, priorityClasses, serviceCidr } from './cluster-objects.js';
import { flowSchemas, priorityLevels } from './flow-control.js';
import { kubernetesService, kubernetesServiceEndpoints } from './kubernetes-service.js';

/** What the objects depend on. */
export interface BootstrapOptions {
  /** The ranges Services get their addresses from, one or one of each family. The first is the primary one. */
  readonly serviceCidrs: readonly string[];
  /** The port the server listens on. */
  readonly port: number;
  /** Where pods reach the server, if anywhere: without it the Service has no endpoints. */
  readonly address?: string;
  /** What is served. */
  readonly groupVersions: readonly GroupVersion[];
  /** The time that conditions are dated with, in milliseconds since 1970. */
  readonly now: number;
}

/** The objects that come first. */
export function firstObjects(): readonly ApiObject[] {
  return namespaces();
}

/** The others. */
export function otherObjects(options: BootstrapOptions): readonly ApiObject[] {
  const { serviceCidrs, port, address, groupVersions, now } = options;
  return [
    ...priorityClasses(),
    serviceCidr(serviceCidrs, now),
    ...kubernetesService(serviceCidrs[0] ?? '', port),
    ...(address === undefined ? [] : kubernetesServiceEndpoints(address, port)),
    ...priorityLevels(),
    ...flowSchemas(now),
    ...apiServices(groupVersions, now),
  ];
}

/** Whether a request can be answered without the others: it only looks, and at none of them. */
export function needsFirstObjectsOnly({ verb, isResource, resource, subresource }: RequestInfo): boolean {
  const isReading = verb === 'get' || verb === 'list' || verb === 'watch';
  return isReading && isResource && subresource === '' && !otherResources.has(resource);
}

/** Where the others are kept; for a look at a resource of the same name in another group it does no harm to wait. */
const otherResources: ReadonlySet<string> = new Set([
  'priorityclasses',
  'servicecidrs',
  'services',
  'ipaddresses',
  'endpoints',
  'endpointslices',
  'prioritylevelconfigurations',
  'flowschemas',
  'apiservices',
]);
