// How webhooks are reached: over HTTPS by URL or by service, or as a function of this process that the host registered,
// by a URL of the form `process://name`. As apiserver/pkg/util/webhook/client.go.
import { decodeBase64 } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { WebhookClientConfig } from '../../core/types/index.js';
import { inProcessCall, timedCall, webhookCall } from '../../webhook/index.js';
import type {
  ServiceResolver,
  WebhookCall,
  WebhookFunction,
  WebhookTarget,
  WebhookTransport,
} from '../../webhook/index.js';
import { clusterServices } from './cluster-services.js';
import type { WebhookTools } from './webhook-dispatcher.js';

/** Options of plugins that call webhooks: how these are reached. */
export interface AdmissionWebhookOptions {
  /** Functions of this process by name, for webhooks with the URL `process://name`. */
  readonly functions?: Readonly<Record<string, WebhookFunction>>;
  /** Sends requests to webhooks. Default of `createCluster` on Node: over HTTPS; otherwise none are reachable. */
  readonly transport?: WebhookTransport;
  /** Resolves services to endpoints. Default: addresses of ready endpoints, by the EndpointSlices of the cluster. */
  readonly services?: ServiceResolver;
  /**
   * The service of ImagePolicyWebhook: a call to it, such as `inProcessCall` makes of a function. The command line
   * connects the one of `kubeConfigFile`.
   */
  readonly imagePolicy?: WebhookCall;
}

/** Creates the calls of webhooks. */
export interface WebhookClients {
  /** Returns the call of a webhook with a time limit. Throws where the client configuration is wrong. */
  callOf(config: Frozen<WebhookClientConfig>, timeoutMs: number): WebhookCall;
}

/** Creates the clients of a server. */
export function webhookClients(options: AdmissionWebhookOptions, tools: WebhookTools): WebhookClients {
  const { functions = {}, transport = unreachable, services = clusterServices(tools) } = options;
  const { clock } = tools;
  return {
    callOf(config, timeoutMs) {
      const { url = '', caBundle = '' } = config;
      if (url.startsWith(processScheme)) {
        const name = url.slice(processScheme.length).replace(/\/$/, '');
        const answer = Object.hasOwn(functions, name) ? functions[name] : undefined;
        if (answer === undefined)
          throw new Error(`no function is registered in this process as ${JSON.stringify(name)}`);
        return timedCall(inProcessCall(answer), { clock, timeoutMs });
      }
      return webhookCall({
        target: targetOf(config),
        transport,
        clock,
        timeoutMs,
        userAgent: 'kube-apiserver-admission',
        services,
        ...(caBundle !== '' && { authorities: authoritiesOf(caBundle) }),
      });
    },
  };
}

const processScheme = 'process://';

function targetOf({ url, service }: Frozen<WebhookClientConfig>): WebhookTarget {
  if (url !== undefined) return { url };
  if (service === undefined) throw new Error('webhook configuration must have either service or URL');
  const { namespace, name, path, port = 443 } = service;
  return { service: { namespace, name, port, ...(path !== undefined && { path }) } };
}

function authoritiesOf(caBundle: string): string {
  const text = new TextDecoder().decode(decodeBase64(caBundle));
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error('unable to load root certificates: unable to parse bytes as PEM block');
  return text;
}

const unreachable: WebhookTransport = () =>
  Promise.reject(new Error('this server has no transport for webhooks of the network'));
