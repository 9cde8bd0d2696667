// The rows of the table of controllers that are about nodes: their health, evictions, ranges of addresses, devices, and
// the volumes that are attached to them.
import { EMPTY } from 'rxjs';
import {
  attachDetach,
  deviceTaintEviction,
  nodeIpam,
  nodeLifecycle,
  resourceClaims,
  taintEviction,
  volumeExpansion,
} from '../controllers/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { ControllerDefinition } from './controllers.js';

/** The names of these controllers. */
export type NodeControllerName =
  | 'device-taint-eviction-controller'
  | 'node-ipam-controller'
  | 'node-lifecycle-controller'
  | 'persistentvolume-attach-detach-controller'
  | 'persistentvolume-expander-controller'
  | 'resourceclaim-controller'
  | 'taint-eviction-controller';

/** Returns how each is created. `account` returns the user of a service account of kube-system. */
export function nodeControllers(
  account: (name: string) => UserInfo,
): Readonly<Record<NodeControllerName, ControllerDefinition>> {
  return {
    'node-lifecycle-controller': {
      user: account('node-controller'),
      alias: 'nodelifecycle',
      create: (environment, { settings }) =>
        nodeLifecycle({
          ...environment,
          monitorPeriodMs: settings.nodeMonitorPeriod,
          monitorGraceMs: settings.nodeMonitorGracePeriod,
          startupGraceMs: settings.nodeStartupGracePeriod,
          evictionRate: settings.nodeEvictionRate,
          secondaryEvictionRate: settings.secondaryNodeEvictionRate,
          largeClusterThreshold: settings.largeClusterSizeThreshold,
          unhealthyZoneThreshold: settings.unhealthyZoneThreshold,
        }),
    },
    'taint-eviction-controller': { user: account('node-controller'), create: taintEviction },
    'node-ipam-controller': {
      user: account('node-controller'),
      alias: 'nodeipam',
      create: (environment, { settings }) => {
        const { allocateNodeCidrs, clusterCidr, serviceClusterIpRange, nodeCidrMaskSize: size } = settings;
        if (!allocateNodeCidrs) return { name: 'node-ipam-controller', run: () => EMPTY };
        return nodeIpam({
          ...environment,
          clusterCidrs: clusterCidr === '' ? [] : clusterCidr.split(','),
          serviceCidrs: serviceClusterIpRange === '' ? [] : serviceClusterIpRange.split(','),
          maskSizeIpv4: settings.nodeCidrMaskSizeIpv4 || size || 24,
          maskSizeIpv6: settings.nodeCidrMaskSizeIpv6 || size || 64,
        });
      },
    },
    'resourceclaim-controller': {
      user: account('resource-claim-controller'),
      alias: 'resource-claim-controller',
      create: (environment, { settings }) =>
        resourceClaims({ ...environment, concurrency: settings.concurrentResourceClaimSyncs }),
    },
    'device-taint-eviction-controller': {
      user: account('device-taint-eviction-controller'),
      create: (environment, { settings }) =>
        deviceTaintEviction({ ...environment, concurrency: settings.concurrentDeviceTaintEvictionSyncs }),
    },
    'persistentvolume-attach-detach-controller': {
      user: account('attachdetach-controller'),
      alias: 'attachdetach',
      create: (environment, { settings }) =>
        attachDetach({ ...environment, isForceDetachDisabled: settings.disableForceDetachOnTimeout }),
    },
    'persistentvolume-expander-controller': {
      user: account('expand-controller'),
      alias: 'persistentvolume-expander',
      create: volumeExpansion,
    },
  };
}
