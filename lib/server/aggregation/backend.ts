// The server behind an APIService: a handler of this process, or a Service of the cluster over HTTPS.
import { decodeBase64, firstOf } from '../../core/index.js';
import type { Clock, Frozen, Handler } from '../../core/index.js';
import type { APIServiceSpec } from '../../core/types/index.js';
import type { ProxyTransport, ServiceEndpoint, ServiceResolver } from '../../webhook/index.js';
import { WebhookError } from '../../webhook/index.js';
import { httpsHandler } from './https-handler.js';

/** Options of aggregation: the servers behind APIServices, and how they are reached. */
export interface AggregationOptions {
  /**
   * Handlers of this process, such as `createServer(…).handler`, by `namespace/name` of the service that an APIService
   * refers to. They take precedence over the network, and need no Service object. Each receives requests with their
   * user and without their credentials.
   */
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** Sends requests to services. Default of `createCluster` on Node: over HTTPS; otherwise none are reachable. */
  readonly transport?: ProxyTransport;
  /**
   * Resolves services to endpoints. Default: addresses of ready endpoints, by the EndpointSlices of the cluster, and
   * the host of a service of type ExternalName.
   */
  readonly services?: ServiceResolver;
}

/** The server behind an APIService. */
export interface Backend {
  /** Whether it is a handler of this process: it needs no Service object. */
  readonly isInProcess: boolean;
  /**
   * Serves a request whose credentials were removed. Rejects with WebhookError where the server cannot be reached,
   * responds too late or with too much.
   */
  readonly handler: Handler;
  /** Returns the base of its URLs, for messages. Rejects with WebhookError where the service has no endpoint. */
  locate(): Promise<string>;
}

/** Creates backends. */
export interface BackendTools extends AggregationOptions {
  readonly services: ServiceResolver;
  readonly clock: Clock;
}

/** Returns the backend of an APIService; undefined for one without a service, which this server serves itself. */
export function backendOf(
  { service, caBundle = '', insecureSkipTLSVerify: insecure = false }: Frozen<APIServiceSpec>,
  tools: BackendTools,
): Backend | undefined {
  if (service === undefined) return undefined;
  const { namespace = '', name = '', port = 443 } = service;
  const { handlers = {}, transport = unreachable, services, clock } = tools;
  const key = `${namespace}/${name}`;
  const handler = Object.hasOwn(handlers, key) ? handlers[key] : undefined;
  if (handler !== undefined) return { isInProcess: true, handler, locate: () => Promise.resolve(`process://${key}`) };
  const resolve = (): Promise<ServiceEndpoint> => endpointOf(services, { namespace, name, port });
  return {
    isInProcess: false,
    handler: httpsHandler({
      host: `${name}.${namespace}.svc:${port}`,
      resolve,
      transport,
      clock,
      insecure,
      authorities: caBundle === '' ? '' : new TextDecoder().decode(decodeBase64(caBundle)),
    }),
    locate: async () => {
      const { host, port: at } = await resolve();
      return `https://${host.includes(':') ? `[${host}]` : host}:${at}`;
    },
  };
}

async function endpointOf(
  services: ServiceResolver,
  service: Parameters<ServiceResolver>[0],
): Promise<ServiceEndpoint> {
  const none = (): WebhookError =>
    new WebhookError('unreachable', `no endpoints available for service ${JSON.stringify(service.name)}`);
  let found: ServiceEndpoint | undefined;
  try {
    found = await firstOf<ServiceEndpoint | undefined>(services(service), undefined);
  } catch (cause) {
    throw new WebhookError('unreachable', cause instanceof Error ? cause.message : none().message, { cause });
  }
  if (found === undefined) throw none();
  return found;
}

const unreachable: ProxyTransport = () =>
  Promise.reject(new WebhookError('unreachable', 'this server has no transport for aggregated APIs of the network'));
