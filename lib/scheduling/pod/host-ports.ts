// Host ports of pods: those of containers that run as long as the pod. Two pods conflict on a port and protocol if
// their addresses are equal or one of them is any address. As pkg/scheduler/util/utils.go and
// pkg/scheduler/framework/types.go, HostPortInfo.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { isRestartable } from './requests.js';

/** A host port. */
export interface HostPort {
  /** `0.0.0.0` stands for any address. */
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** Any address of a node. */
export const anyAddress = '0.0.0.0';

/** Returns the host ports of a pod. */
export function hostPorts({ spec }: Frozen<Pod>): readonly HostPort[] {
  let found: HostPort[] | undefined;
  for (const { ports = [] } of [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isRestartable)]) {
    for (const { hostIP = '', hostPort = 0, protocol = 'TCP' } of ports) {
      if (hostPort > 0) (found ??= []).push({ ip: hostIP === '' ? anyAddress : hostIP, protocol, port: hostPort });
    }
  }
  return found ?? none;
}

/** Returns whether two host ports conflict on one node. */
export function portsCollide(a: HostPort, b: HostPort): boolean {
  return (
    a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === anyAddress || b.ip === anyAddress)
  );
}

const none: readonly HostPort[] = [];
