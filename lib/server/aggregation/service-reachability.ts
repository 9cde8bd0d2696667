// The checks of an APIService that need no request: its Service exists, has the port, and has endpoints. As
// kube-aggregator/pkg/controllers/status/remote.
import { quote } from '../../core/index.js';
import type { Frozen, Informer } from '../../core/index.js';
import type { APIServiceCondition, APIServiceSpec, EndpointSlice, Service } from '../../core/types/index.js';

/** What a condition says besides its type and time. */
export type AvailabilityState = Required<Pick<APIServiceCondition, 'status' | 'reason' | 'message'>>;

/** The objects that the checks read. */
export interface ReachabilityInformers {
  readonly services: Pick<Informer<Frozen<Service>>, 'get'>;
  readonly slices: Pick<Informer<Frozen<EndpointSlice>, 'service'>, 'by'>;
}

/** Returns why the service of an APIService cannot be reached; undefined where a request may be tried. */
export function unreachableState(
  { namespace = '', name = '', port = 443 }: Frozen<NonNullable<APIServiceSpec['service']>>,
  { services, slices }: ReachabilityInformers,
): AvailabilityState | undefined {
  const what = `service/${name} in ${quote(namespace)}`;
  const service = services.get(`${namespace}/${name}`);
  if (service === undefined) return unavailable('ServiceNotFound', `${what} is not present`);
  // Services of other types are not backed by endpoints that could be checked.
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const found = (service.spec?.ports ?? []).find((each) => each.port === port);
  if (found === undefined) return unavailable('ServicePortError', `${what} is not listening on port ${port}`);
  const own = [...slices.by('service', `${namespace}/${name}`)];
  if (own.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${what}`);
  const portName = found.name ?? '';
  const hasAddress = own.some(
    ({ endpoints, ports }) =>
      (ports ?? []).some((each) => (each.name ?? '') === portName && each.port !== undefined) &&
      (endpoints ?? []).some(({ addresses, conditions }) => addresses.length > 0 && (conditions?.ready ?? true)),
  );
  return hasAddress
    ? undefined
    : unavailable('MissingEndpoints', `endpointslices for ${what} have no addresses with port name ${quote(portName)}`);
}

/** Returns the state of an APIService that does not respond. */
export function failedDiscovery(url: string, problem: string): AvailabilityState {
  return unavailable('FailedDiscoveryCheck', `failing or missing response from ${url}: ${problem}`);
}

/** The state of an APIService whose server responded. */
export const passedState: AvailabilityState = Object.freeze({
  status: 'True',
  reason: 'Passed',
  message: 'all checks passed',
});

function unavailable(reason: string, message: string): AvailabilityState {
  return { status: 'False', reason, message };
}

/** Returns the service of a slice as `namespace/name`, for an index. */
export function serviceOfSlice({ metadata }: Frozen<EndpointSlice>): readonly string[] {
  const name = metadata?.labels?.['kubernetes.io/service-name'];
  return name === undefined ? [] : [`${metadata?.namespace ?? ''}/${name}`];
}
