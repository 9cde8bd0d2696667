// The default way from the service of a webhook or of an aggregated API to an address: one of its ready endpoints,
// chosen at random, or the host of a service of type ExternalName. The server connects to it directly; a host whose
// pods cannot be reached so gives `webhooks.services`. Followed from the first call on. As
// apiserver/pkg/util/proxy/proxy.go, ResolveEndpoint.
import { filter } from 'rxjs';
import { notFound, onDemand, serviceUnavailable } from '../../core/index.js';
import type { Frozen, Random } from '../../core/index.js';
import type { EndpointSlice, Service } from '../../core/types/index.js';
import type { ServiceEndpoint, ServiceResolver } from '../../webhook/index.js';
import { followedResource } from '../followed-resource.js';
import type { WebhookTools } from './webhook-dispatcher.js';

/** Returns the resolver of the server's own services. What it returns rejects with ApiError. */
export function clusterServices(tools: WebhookTools): ServiceResolver {
  const services = followedResource<Service>(tools, { group: '', resource: 'services' });
  const slices = tools.informers
    .of<EndpointSlice>({ group: 'discovery.k8s.io', resource: 'endpointslices' })
    .indexedBy({ service: serviceOf });
  const { whenReady } = onDemand(slices.events$.pipe(filter(({ type }) => type === 'synced')), tools.closed$);
  return async ({ namespace, name, port }) => {
    const service = await services.find(name, namespace);
    if (service === undefined) throw notFound({ group: '', resource: 'service', name });
    const { type = 'ClusterIP', ports = [] } = service.spec ?? {};
    const { externalName = '' } = service.spec ?? {};
    if (type === 'ExternalName' && externalName !== '') return { host: externalName, port };
    if (!['ClusterIP', 'LoadBalancer', 'NodePort'].includes(type))
      throw new Error(`unsupported service type ${JSON.stringify(type)}`);
    const found = ports.find((each) => each.port === port);
    if (found === undefined)
      throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
    const endpoint = await whenReady(() =>
      endpointIn(ordered([...slices.by('service', `${namespace}/${name}`)], service), found.name ?? '', tools.random),
    );
    if (endpoint === undefined) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
    return endpoint;
  };
}

function serviceOf({ metadata }: Frozen<EndpointSlice>): readonly string[] {
  const name = metadata?.labels?.['kubernetes.io/service-name'];
  return name === undefined ? [] : [`${metadata?.namespace ?? ''}/${name}`];
}

/** Slices of the service's first address family come first. */
function ordered(
  slices: readonly Frozen<EndpointSlice>[],
  { spec }: Frozen<Service>,
): readonly Frozen<EndpointSlice>[] {
  const [family] = spec?.ipFamilies ?? [];
  return slices.toSorted((one, other) => Number(other.addressType === family) - Number(one.addressType === family));
}

function endpointIn(
  slices: readonly Frozen<EndpointSlice>[],
  portName: string,
  random: Random,
): ServiceEndpoint | undefined {
  for (const { ports = [], endpoints = [] } of slices) {
    const { port } = ports.find(({ name = '' }) => name === portName) ?? {};
    if (port === undefined) continue;
    const ready = endpoints.filter(({ conditions }) => conditions?.ready ?? true);
    if (ready.length === 0) continue;
    const [host] = random.pick(ready).addresses;
    if (host !== undefined) return { host, port };
  }
  return undefined;
}
