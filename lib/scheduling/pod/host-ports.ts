// Ports of the node that a pod wants for itself: those of containers that run for as long as the pod does. Two pods
// collide on a port of one protocol where they want it on the same address, or one of them on all addresses.
// As pkg/scheduler/util/utils.go and pkg/scheduler/framework/types.go, HostPortInfo.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { isRestartable } from './requests.js';

/** A port of a node. */
export interface HostPort {
  /** `0.0.0.0` is every address. */
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** Every address of a node. */
export const anyAddress = '0.0.0.0';

/** The ports of the node that a pod wants. */
export function hostPorts({ spec }: Frozen<Pod>): readonly HostPort[] {
  let found: HostPort[] | undefined;
  for (const { ports = [] } of [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isRestartable)]) {
    for (const { hostIP = '', hostPort = 0, protocol = 'TCP' } of ports) {
      if (hostPort > 0) (found ??= []).push({ ip: hostIP === '' ? anyAddress : hostIP, protocol, port: hostPort });
    }
  }
  return found ?? none;
}

/** Whether two ports cannot be had on one node. */
export function portsCollide(a: HostPort, b: HostPort): boolean {
  return (
    a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === anyAddress || b.ip === anyAddress)
  );
}

const none: readonly HostPort[] = [];
