// Aggregated APIs of a server: follows the APIServices in its store, also those that other servers write, passes
// requests for their group-versions on to the servers behind them, and runs the controller of their condition. As
// kube-aggregator/pkg/apiserver.
import { filter, merge, tap } from 'rxjs';
import { clusterServices } from '../../admission/index.js';
import type { ServerTools } from '../../auth/index.js';
import { onDemand, settle } from '../../core/index.js';
import type { GroupVersion, RequestInfo } from '../../core/index.js';
import type { APIService } from '../../core/types/index.js';
import { isWebhookError } from '../../webhook/index.js';
import type { WithoutCredentials } from '../access/without-credentials.js';
import { textResponse } from '../documents/text-response.js';
import type { Serve } from '../pipeline.js';
import { maintainAvailability } from './availability-controller.js';
import { backendOf } from './backend.js';
import type { AggregationOptions } from './backend.js';
import { maintainHostApiServices } from './host-api-services.js';
import { RemoteApis } from './remote-apis.js';
import type { RemoteApi } from './remote-apis.js';

/** Options of the aggregation of a server. */
export interface AggregationParts {
  readonly options: AggregationOptions;
  readonly tools: ServerTools;
  readonly withoutCredentials: WithoutCredentials;
}

/** The aggregated APIs of a server. */
export interface Aggregation {
  readonly remotes: RemoteApis;
  /** Follows APIServices until the server is closed. Resolves when those that are stored now are known. */
  start(): Promise<void>;
  /** Returns the function that serves a group-version of another server; undefined where this server serves it. */
  readonly delegate: (version: GroupVersion) => Serve | undefined;
}

/** Creates the aggregation of a server. Inert until started. */
export function aggregationOf({ options, tools, withoutCredentials }: AggregationParts): Aggregation {
  const { informers, client, clock, kinds, closed$ } = tools;
  const services = options.services ?? clusterServices(tools);
  const remotes = new RemoteApis((spec) => backendOf(spec, { ...options, services, clock }));
  const apiServices = informers.of<APIService>({ group: 'apiregistration.k8s.io', resource: 'apiservices' });
  // Subscribed first: routes exist before the controller sees an event.
  const followed$ = apiServices.events$.pipe(
    tap((event) => remotes.apply(event)),
    filter(({ type }) => type === 'synced'),
  );
  const { whenReady } = onDemand(
    merge(
      followed$,
      maintainAvailability({ apiServices, informers, remotes, client, clock }),
      maintainHostApiServices({ kinds, client, clock }),
    ),
    closed$,
  );
  return {
    remotes,
    async start() {
      await whenReady(() => undefined);
    },
    delegate: (version) => {
      const remote = remotes.find(version);
      return remote && serveRemote(remote, withoutCredentials);
    },
  };
}

/** The group-version of a path below `/apis` that is no resource; undefined for other paths. */
export function groupVersionOf({ isResource, path }: RequestInfo): GroupVersion | undefined {
  if (isResource) return undefined;
  const [, root, group = '', version = ''] = path.split('/', 4);
  return root === 'apis' && group !== '' && version !== '' ? { group, version } : undefined;
}

function serveRemote({ isAvailable, backend }: RemoteApi, withoutCredentials: WithoutCredentials): Serve {
  return (exchange) => {
    if (!isAvailable) return textResponse(503, 'service unavailable\n');
    return settle(
      () => backend.handler(withoutCredentials(exchange)),
      (response) => response,
      (error) => {
        if (!isWebhookError(error)) throw error;
        return textResponse(503, `${error.message}\n`);
      },
    );
  };
}
