// Exec, attach and port-forward of a client over HTTP. Each exec and attach is a WebSocket, and so is each connection
// of a port-forward: the protocol of numbered channels names its ports in the request. A WebSocket begins with a GET;
// the server authorizes these as `create` all the same.
import { defer, merge, mergeAll, mergeMap, of, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import {
  Outlet,
  reasonOf,
  servedChannels,
  serviceUnavailable,
  tooManyRequests,
  untilAborted,
} from '../../core/index.js';
import type {
  PortForwarding,
  ProcessChannels,
  ProcessInput,
  ProcessOutput,
  RequestInfo,
  StreamResponse,
} from '../../core/index.js';
import type { OutgoingRequest } from '../request-sender.js';
import { connectionFailure, errorBytesMax, requestHeaders } from './http-exchange.js';
import type { HttpSettings } from './http-exchange.js';
import { requestTarget } from './http-request.js';
import { errorOfResponse, readBodyText } from './response-body.js';
import { portNumbers, processNumbers, relayChannels } from './socket-channels.js';
import type { ClientSocket } from './socket-transport.js';

/** Opens the stream of an exec, attach or port-forward. Rejects with ApiError where the server refuses it. */
export async function openHttpStream(sending: HttpSettings, call: OutgoingRequest): Promise<StreamResponse> {
  const { subresource: kind } = call.info;
  if (kind === 'portforward') {
    // No connection is open yet; this one shows whether the server permits any.
    const probe = await openSocket(sending, call, [tunnelProtocol]);
    probe.close();
    return { type: 'stream', kind, session$: portForwarding(sending, call), ports: [] };
  }
  if (kind !== 'exec' && kind !== 'attach') throw new Error(`pods/${kind} is not a stream`);
  const socket = await openSocket(sending, call, processProtocols);
  return { type: 'stream', kind, session$: processSession(socket), inputs: [], outputs: [] };
}

/** Preferred first: v5 can end stdin, v4 cannot. */
const processProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const portProtocols: readonly string[] = ['v4.channel.k8s.io'];
const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io';

async function openSocket(
  sending: HttpSettings,
  { info, options, signal }: OutgoingRequest,
  protocols: readonly string[],
): Promise<ClientSocket> {
  const { server, socketTransport } = sending;
  if (socketTransport === undefined)
    throw new Error(`pods/${info.subresource} needs a WebSocket: set \`socketTransport\` of the client`);
  const opening: RequestInfo = { ...info, verb: 'get' };
  const target = requestTarget(opening, options);
  const headers = await requestHeaders(sending, { accept: '*/*' });
  if (signal?.aborted === true) throw reasonOf(signal);
  try {
    const answer = await untilAborted(
      socketTransport(server + target, { headers, protocols, ...(signal && { signal }) }),
      signal,
    );
    if (answer.socket !== undefined) return answer.socket;
    throw errorOfResponse(info, answer.response, await readBodyText(answer.response, errorBytesMax));
  } catch (error) {
    throw isRefusal(error) ? error : connectionFailure(error, signal, `GET ${server}${target} got no response`);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'status' in error;
}

function processSession(socket: ClientSocket): Observable<ProcessChannels> {
  return defer(() => {
    const { client, run$ } = servedChannels<ProcessInput, ProcessOutput>((channels) =>
      relayChannels(socket, channels, processNumbers),
    );
    return merge(of(client), run$);
  });
}

/** Connections that one port-forward may have open at a time; the server's limit is the same. */
const connectionsMax = 1_000;

function portForwarding(sending: HttpSettings, call: OutgoingRequest): Observable<PortForwarding> {
  return defer(() => {
    const opened = new Outlet<Observable<never>>();
    const ended = new Outlet<void>();
    let open = 0;
    const connect = (port: number): Observable<ClientSocket> =>
      defer(() => {
        if (open > connectionsMax)
          throw tooManyRequests(`a port-forward has at most ${connectionsMax} open connections`);
        const options = { ...call.options, parameters: { ...call.options?.parameters, ports: [`${port}`] } };
        return openSocket(sending, { ...call, options }, portProtocols);
      });
    const forwarding: PortForwarding = {
      connect(port) {
        const { client, run$ } = servedChannels<'data', 'data'>((channels) =>
          connect(port).pipe(mergeMap((socket) => relayChannels(socket, channels, portNumbers))),
        );
        const counted$ = run$.pipe(tap({ subscribe: () => void (open += 1), finalize: () => void (open -= 1) }));
        if (opened.subscribers === 0) client.close(closedForwarding);
        else opened.emit(counted$);
        return client;
      },
      close: () => ended.emit(),
    };
    // The connections first: one may be opened as soon as the forwarding is emitted.
    return merge(opened.values$.pipe(mergeAll()), of(forwarding)).pipe(takeUntil(ended.values$));
  });
}

const closedForwarding = serviceUnavailable('the port-forward is closed').status;
