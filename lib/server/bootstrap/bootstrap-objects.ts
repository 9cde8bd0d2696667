// The objects a server of v1.36 has before anybody wrote one, complete as they read back: with labels, annotations, status
// and generation, but without what storage adds (uid, resourceVersion, creationTimestamp). Pure data, in the order in
// which they are to be written; whoever starts a server writes those that are not there yet.
//
// Left out are what other parts own: roles and bindings (policy/, where RBAC is used), the
// server's own Lease and the ConfigMap that dates legacy tokens.
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

/** The objects of a new cluster. */
export function bootstrapObjects(options: BootstrapOptions): readonly ApiObject[] {
  const { serviceCidrs, port, address, groupVersions, now } = options;
  return [
    ...namespaces(),
    ...priorityClasses(),
    serviceCidr(serviceCidrs, now),
    ...kubernetesService(serviceCidrs[0] ?? '', port),
    ...(address === undefined ? [] : kubernetesServiceEndpoints(address, port)),
    ...priorityLevels(),
    ...flowSchemas(now),
    ...apiServices(groupVersions, now),
  ];
}
