// The objects that a server of v1.36 starts with, complete as they read back: with labels, annotations, status and
// generation, but without uid, resourceVersion and creationTimestamp. All are written before the first request is
// served (write-bootstrap.ts); some are restored when they are deleted (system-objects.ts).
import { deepEqual, printMicroTime, printTime } from '../../core/index.js';
import type { Frozen, GroupVersion } from '../../core/index.js';
import type { ClusterRole, ConfigMap, Lease } from '../../core/types/index.js';
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

/** Options of the bootstrap objects. */
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
  readonly identity: ServerIdentity;
  /** Names this run of the server, in its Lease. */
  readonly runId: string;
}

/** The name under which a server announces itself: that of its Lease in kube-system, and of its machine. */
export interface ServerIdentity {
  /** As of kube-apiserver: `apiserver-` and 26 characters that are derived from the name of the machine. */
  readonly name: string;
  readonly hostname: string;
}

/** The identity of a server that was given none. */
export const defaultIdentity: ServerIdentity = {
  name: 'apiserver-mi6hh55ngizmsyipts4k3nomyi',
  hostname: 'vivarium',
};

/** The objects in the order in which they are written. */
export function bootstrapObjects(options: BootstrapOptions): readonly BootstrapObject[] {
  const { serviceCidrs, serverAddress, groupVersions, now, policy, authenticationInfo } = options;
  return [
    ...namespaces().map(restored(60_000)),
    ...[...priorityClasses(), defaultServiceCidr(serviceCidrs, now)].map(kept),
    ...addressObjects(serverAddress, serviceCidrs[0] ?? '').map((each) => ({ ...each, restoreEveryMs: 10_000 })),
    ...[...priorityLevels(), ...flowSchemas(now)].map(restored(60_000)),
    ...apiServices(groupVersions, now).map(restored(0)),
    ...(policy ? policyObjects().map(policyObject) : []),
    ...(authenticationInfo === undefined ? [] : authenticationObjects(authenticationInfo)),
    // Created at most every 30 minutes, so that servers with and without the feature do not fight over it.
    restored(30 * 60_000)(tokenTracking(now)),
    { object: identityLease(options), restoreEveryMs: 10_000, reconcile: (existing) => renewed(existing, options) },
  ];
}

function kept(object: BootstrapObject['object']): BootstrapObject {
  return { object };
}

function restored(restoreEveryMs: number): (object: BootstrapObject['object']) => BootstrapObject {
  return (object) => ({ object, restoreEveryMs });
}

/**
 * States since when the use of tokens in Secrets is recorded, for clean-up tools. As
 * pkg/controlplane/controller/legacytokentracking/controller.go.
 */
function tokenTracking(now: number): ConfigMap {
  const name = 'kube-apiserver-legacy-service-account-token-tracking';
  const since = printTime(now).slice(0, 'YYYY-MM-DD'.length);
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'kube-system' }, data: { since } };
}

/**
 * The Lease by which servers of one store find each other. Renewed when the server starts, not while it runs, since a
 * cluster without work sets no timers. As pkg/controlplane/apiserver/server.go.
 */
function identityLease({ identity: { name, hostname }, runId, now }: BootstrapOptions): Lease {
  const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': hostname };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-system', labels },
    spec: { holderIdentity: `${name}_${runId}`, leaseDurationSeconds: 3600, renewTime: printMicroTime(now) },
  };
}

function renewed(existing: StoredObject, options: BootstrapOptions): StoredObject {
  const { spec } = existing as Frozen<Lease>; // what is stored under the key of a Lease is one
  const { spec: wanted } = identityLease(options);
  return deepEqual(spec, wanted) ? existing : ({ ...existing, spec: wanted } as StoredObject);
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
  return [{ object, reconcile, restoreEveryMs: 0 }];
}
