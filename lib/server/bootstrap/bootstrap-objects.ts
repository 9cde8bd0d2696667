// The objects that a server of v1.36 starts with, complete as they read back: with labels, annotations, status and
// generation, but without uid, resourceVersion and creationTimestamp. All are written before the first request is
// served (write-bootstrap.ts).
//
// Not included are the server's own Lease and the ConfigMap that dates legacy tokens.
import type { Frozen, GroupVersion } from '../../core/index.js';
import type { ClusterRole, ConfigMap } from '../../core/types/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { apiServices } from './api-services.js';
import { authenticationConfigMap } from './authentication-info.js';
import type { AuthenticationInfo } from './authentication-info.js';
import { namespaces, priorityClasses, defaultServiceCidr } from './cluster-objects.js';
import { flowSchemas, priorityLevels } from './flow-control.js';
import { policyObjects } from './policy/policy-objects.js';
import type { PolicyObject } from './policy/policy-objects.js';
import { reconciledBinding, reconciledRole } from './policy/reconciled-policy.js';
import type { ServerAddress } from './server-address.js';
import { addressObjects } from './server-address.js';
import type { BootstrapObject } from './write-bootstrap.js';

/** What the objects depend on. */
export interface BootstrapOptions {
  /** The ranges that Services get their addresses from, one or one of each family. The first is the primary one. */
  readonly serviceCidrs: readonly string[];
  /** Where the server is reached; without an address the Service `kubernetes` has no endpoints. */
  readonly serverAddress: ServerAddress;
  /** The group-versions that are served. */
  readonly groupVersions: readonly GroupVersion[];
  /** The time of conditions, in milliseconds since 1970. */
  readonly now: number;
  /** Whether the default roles and bindings of RBAC are included. */
  readonly policy: boolean;
  readonly authenticationInfo?: AuthenticationInfo | undefined;
}

/** The objects in the order in which they are written. */
export function bootstrapObjects(options: BootstrapOptions): readonly BootstrapObject[] {
  const { serviceCidrs, serverAddress, groupVersions, now, policy, authenticationInfo } = options;
  return [
    ...[...namespaces(), ...priorityClasses(), defaultServiceCidr(serviceCidrs, now)].map(kept),
    ...addressObjects(serverAddress, serviceCidrs[0] ?? ''),
    ...[...priorityLevels(), ...flowSchemas(now), ...apiServices(groupVersions, now)].map(kept),
    ...(policy ? policyObjects().map(policyObject) : []),
    ...(authenticationInfo === undefined ? [] : authenticationObjects(authenticationInfo)),
  ];
}

function kept(object: BootstrapObject['object']): BootstrapObject {
  return { object };
}

/** As pkg/registry/rbac/rest/storage_rbac.go, ensureRBACPolicy. */
function policyObject(object: PolicyObject): BootstrapObject {
  return {
    object,
    // What is stored under the key of a role is a role. A Role is a ClusterRole without an aggregation rule.
    reconcile: (existing) =>
      'roleRef' in object
        ? reconciledBinding(existing as typeof object, object)
        : reconciledRole(existing as Frozen<ClusterRole>, object as Frozen<ClusterRole>),
  };
}

function authenticationObjects(info: AuthenticationInfo): readonly BootstrapObject[] {
  const object = authenticationConfigMap(info);
  if (object === undefined) return [];
  const reconcile = (existing: StoredObject): StoredObject => {
    const configMap = existing as Frozen<ConfigMap>; // what is stored under the key of a ConfigMap is one
    const next = authenticationConfigMap(info, configMap);
    return next === undefined || JSON.stringify(next.data) === JSON.stringify(configMap.data) ? existing : next;
  };
  return [{ object, reconcile }];
}
