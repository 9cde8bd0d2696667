// What to say of containers: fractions of bytes, variables that hide others, ports that clash.
// As pkg/api/pod/warnings.go.
import { collect } from '../../errors/collect.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import type { Frozen } from '../../objects/meta.js';
import type { Container, ContainerPort, EnvVar, EphemeralContainer, PodSpec } from '../../types/core-v1.generated.js';
import { fractionalBytes } from './fractional-bytes.js';
import { containersOf } from './pod-containers.js';

/** Warnings about one container. */
export function containerWarnings(
  container: Frozen<Container | EphemeralContainer>,
  path: FieldPath,
): readonly string[] {
  const { limits, requests } = container.resources ?? {};
  const resources = path.child('resources');
  return [
    ...fractionalBytes(limits?.memory, resources.child('limits').key('memory')),
    ...fractionalBytes(requests?.memory, resources.child('requests').key('memory')),
    ...fractionalBytes(limits?.['ephemeral-storage'], resources.child('limits').key('ephemeral-storage')),
    ...fractionalBytes(requests?.['ephemeral-storage'], resources.child('requests').key('ephemeral-storage')),
    ...envWarnings(container.env ?? [], path.child('env')),
  ];
}

/** Warnings about the ports of all containers: first numbers, then names. */
export function portWarnings(spec: Frozen<PodSpec>, path: FieldPath): readonly string[] {
  const placed = containersOf(spec, path).flatMap(({ container, at }) =>
    (container.ports ?? []).map((port, index) => ({ port, at: at.child('ports').index(index) })),
  );
  const byNumber = new Map<string, PlacedPort[]>();
  const numbers = collect(placed, (one) => {
    const key = `${one.port.containerPort}/${one.port.protocol ?? ''}`;
    const others = byNumber.get(key) ?? [];
    const earlier = others.slice();
    // Every pair is reported, up to a hundred. Kubernetes has no such limit.
    if (others.length < clashesMax) others.push(one);
    byNumber.set(key, others);
    return [...lonelyHostIp(one), ...collect(earlier, (other) => clash(one, other))];
  });
  const byName = new Map<string, string>();
  const names = collect(placed, ({ port: { name = '' }, at }) => {
    const here = at.toString();
    const other = byName.get(name);
    if (name === '') return [];
    if (other === undefined) {
      byName.set(name, here);
      return [];
    }
    return [
      `${here}: duplicate port name ${quote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
  return [...numbers, ...names];
}

const clashesMax = 100;

/** A variable may build on its former value; otherwise it hides it. */
function envWarnings(variables: readonly Frozen<EnvVar>[], path: FieldPath): readonly string[] {
  const seen = new Set<string>();
  return collect(variables, ({ name, value = '', valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const builds = valueFrom === undefined && value !== reference && value.includes(reference);
    return builds
      ? []
      : [
          `${path.index(index).toString()}: hides previous definition of ${quote(name)}, which may be dropped when using apply`,
        ];
  });
}

interface PlacedPort {
  readonly port: Frozen<ContainerPort>;
  readonly at: FieldPath;
}

/** The port is printed as Go prints a structure. */
function lonelyHostIp({ port, at }: PlacedPort): readonly string[] {
  const {
    name = '',
    hostPort = 0,
    containerPort,
    protocol = '',
    hostIP = '',
  } = port as { readonly protocol?: string } & typeof port;
  if (hostIP === '' || hostPort !== 0) return [];
  const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
  return [`${at.toString()}: hostIP set without hostPort: ${shown}`];
}

function clash({ port, at }: PlacedPort, other: PlacedPort): readonly string[] {
  const [{ hostIP: ip = '', hostPort = 0 }, { hostIP: otherIp = '', hostPort: otherPort = 0 }] = [port, other.port];
  const warning = (what: string): string[] => [`${at.toString()}: ${what} port definition with ${other.at.toString()}`];
  if (ip === otherIp && hostPort === otherPort) return warning('duplicate');
  if (hostPort === 0 || otherPort === 0) return warning('overlapping');
  return hostPort === otherPort && (ip === '') !== (otherIp === '') ? warning('dangerously ambiguous') : [];
}
