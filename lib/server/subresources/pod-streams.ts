// exec, attach and portforward: requests that respond with a stream. They are admitted, authorized and checked here,
// with the refusals of pkg/registry/core/pod/strategy.go; the NodeConnector of the node serves the stream.
import { NEVER, defer, from, merge, mergeAll, of, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { AdmissionChain } from '../../admission/index.js';
import type { Authorizer } from '../../auth/index.js';
import {
  Outlet,
  badRequest,
  forbidden,
  numError,
  quote,
  servedChannels,
  serviceUnavailable,
  tooManyRequests,
  unclassifiedError,
} from '../../core/index.js';
import type {
  ApiObject,
  DuplexChannels,
  ApiResponse,
  NodeConnector,
  PodTarget,
  PortForwarding,
  ProcessChannels,
  ProcessInput,
  ProcessOutput,
  ProcessStreams,
  StreamEnd,
  StreamKind,
} from '../../core/index.js';
import { isTrue } from '../http/query.js';
import type { Exchange } from '../pipeline.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import { attributesOf, decide } from '../access/access-steps.js';
import { chooseProtocol, needsPorts, requireUpgrade } from '../streams/stream-protocols.js';
import { admitConnect } from '../writes/review.js';
import type { NodeAccess } from './pod-log.js';
import type { Parameters } from './pod-target.js';
import { addressOf, containerOf, firstParameter, findNode, parameterValues, findPod } from './pod-target.js';

/** Dependencies of streams. */
export interface StreamPorts extends NodeAccess {
  readonly admission: AdmissionChain | undefined;
  readonly authorizer: Authorizer;
  /** Emits when the server is closed, which ends all streams. */
  readonly closed$: Observable<void>;
}

/** Responds with a stream. Rejects with ApiError. */
export async function podStream(
  kind: StreamKind,
  pods: ResourceEndpoint,
  exchange: Exchange,
  ports: StreamPorts,
): Promise<ApiResponse> {
  const { request } = exchange;
  const { name } = request.info;
  const parameters = request.options().parameters ?? {};
  const options = await admitConnect(ports.admission, pods, exchange, optionsOf(kind, parameters));
  await authorizeStream(pods, exchange, ports.authorizer);
  const pod = await findPod(pods, exchange);
  const container = kind === 'portforward' ? '' : containerOf(pod, options.container);
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') throw badRequest(`pod ${name} does not have a host assigned`);
  const target = { node: await findNode(ports.nodes(), nodeName), pod, container };
  requireUpgrade(request);
  const connector = ports.connectors.find(nodeName);
  const open = connector && openerOf(kind, connector, target, options);
  if (open === undefined)
    throw unclassifiedError(`error dialing backend: dial tcp ${addressOf(target.node)}: connect: connection refused`);
  const chosen = chooseProtocol(kind, request, refOf(pods, name));
  if (open.kind === 'portforward') {
    if (options.ports.length === 0 && needsPorts(chosen)) throw badRequest('query parameter "port" is required');
    const session$ = portForwarding(open.connect, ports.closed$);
    return { type: 'stream', kind: 'portforward', session$, ports: options.ports, ...chosen };
  }
  const { stdin, stdout, stderr } = options;
  if (!stdin && !stdout && !stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  const carried: ReadonlySet<string> = new Set(channelsOf(options));
  return {
    type: 'stream',
    kind: open.kind,
    session$: processSession(open.start, (channel) => carried.has(channel), ports.closed$),
    inputs: (['stdin', 'resize'] as const).filter((channel) => carried.has(channel)),
    outputs: (['stdout', 'stderr'] as const).filter((channel) => carried.has(channel)),
    ...chosen,
  };
}

/** The options of all three kinds of streams; those that a kind lacks are empty. */
type StreamOptions = ApiObject &
  ProcessStreams & {
    readonly kind: string;
    readonly container: string;
    readonly command: readonly string[];
    readonly ports: readonly number[];
  };

const optionsKinds: Readonly<Record<StreamKind, string>> = {
  exec: 'PodExecOptions',
  attach: 'PodAttachOptions',
  portforward: 'PodPortForwardOptions',
};

function optionsOf(kind: StreamKind, parameters: Parameters): StreamOptions {
  const flag = (name: string): boolean => isTrue(parameterValues(parameters, name).slice(0, 1));
  const isProcess = kind !== 'portforward';
  const tty = isProcess && flag('tty');
  return {
    kind: optionsKinds[kind],
    apiVersion: 'v1',
    stdin: isProcess && flag('stdin'),
    stdout: isProcess && flag('stdout'),
    // A terminal has one output.
    stderr: isProcess && flag('stderr') && !tty,
    tty,
    container: isProcess ? firstParameter(parameters, 'container') : '',
    command: kind === 'exec' ? parameterValues(parameters, 'command') : [],
    ports: isProcess ? [] : parameterValues(parameters, 'ports').map(portOf),
  };
}

/** As pkg/kubelet's portforward.NewV4Options. */
function portOf(text: string): number {
  if (text === '') throw badRequest('query parameter "port" cannot be empty');
  const port = /^[0-9]+$/.test(text) ? Number(text) : Infinity;
  if (port > 65_535) throw badRequest(`unable to parse ${quote(text)} as a port: ${numError('ParseUint', text)}`);
  if (port < 1) throw badRequest(`port ${quote(text)} must be > 0`);
  return port;
}

function channelsOf({ stdin, stdout, stderr, tty }: ProcessStreams): readonly (ProcessInput | ProcessOutput)[] {
  return [
    ...(stdin ? (['stdin'] as const) : []),
    ...(stdout ? (['stdout'] as const) : []),
    ...(stderr ? (['stderr'] as const) : []),
    ...(tty ? (['resize'] as const) : []),
  ];
}

/**
 * A stream changes what runs in the pod, so it needs `create` even where the method is GET, as that of WebSockets is.
 * Throws ApiError 403. As pkg/registry/core/pod/rest/authorize.go.
 */
async function authorizeStream(pods: ResourceEndpoint, exchange: Exchange, authorizer: Authorizer): Promise<void> {
  const { verb, name } = exchange.request.info;
  if (verb === 'create') return;
  const { decision, reason, error } = await decide(authorizer, { ...attributesOf(exchange), verb: 'create' });
  if (decision === 'allow') return;
  throw error === undefined ? forbidden(refOf(pods, name), reason) : unclassifiedError(error);
}

type StartProcess = (channels: DuplexChannels<ProcessInput, ProcessOutput>) => StreamEnd;
type Connect = (port: number, channels: DuplexChannels<'data', 'data'>) => StreamEnd;

type Opener =
  | { readonly kind: 'exec' | 'attach'; readonly start: StartProcess }
  | { readonly kind: 'portforward'; readonly connect: Connect };

/** Returns how a connector opens a stream; undefined where it does not implement the kind. */
function openerOf(
  kind: StreamKind,
  connector: NodeConnector,
  target: PodTarget & { readonly container: string },
  { stdin, stdout, stderr, tty, command }: StreamOptions,
): Opener | undefined {
  const streams: ProcessStreams = { stdin, stdout, stderr, tty };
  switch (kind) {
    case 'exec':
      return (
        connector.exec && {
          kind,
          start: (channels) => connector.exec?.(target, { ...streams, command }, channels),
        }
      );
    case 'attach':
      return connector.attach && { kind, start: (channels) => connector.attach?.(target, streams, channels) };
    case 'portforward':
      return (
        connector.portForward && { kind, connect: (port, channels) => connector.portForward?.(target, port, channels) }
      );
  }
}

function processSession(
  start: StartProcess,
  carries: (channel: string) => boolean,
  closed$: Observable<void>,
): Observable<ProcessChannels> {
  return defer(() => {
    const { client, run$ } = servedChannels<ProcessInput, ProcessOutput>(
      (channels) => untilClosed(start(channels), channels, closed$),
      { carries },
    );
    return merge(of(client), run$);
  });
}

/** Connections that one port-forward may have open at a time. */
const connectionsMax = 1_000;

function portForwarding(connect: Connect, closed$: Observable<void>): Observable<PortForwarding> {
  return defer(() => {
    const opened = new Outlet<Observable<never>>();
    const ended = new Outlet<undefined>();
    let open = 0;
    const serve: Connect = (port, channels) => {
      if (open > connectionsMax) throw tooManyRequests(`a port-forward has at most ${connectionsMax} open connections`);
      return untilClosed(connect(port, channels), channels, closed$);
    };
    const forwarding: PortForwarding = {
      connect(port) {
        const { client, run$ } = servedChannels<'data', 'data'>((channels) => serve(port, channels));
        const counted$ = run$.pipe(tap({ subscribe: () => void (open += 1), finalize: () => void (open -= 1) }));
        if (opened.subscribers === 0) client.close(shuttingDown);
        else opened.emit(counted$);
        return client;
      },
      close: () => ended.emit(undefined),
    };
    // The connections first: one may be opened as soon as the forwarding is emitted.
    return merge(opened.values$.pipe(mergeAll()), of(forwarding)).pipe(takeUntil(ended.values$));
  });
}

/** Emits what the connector's answer emits, until the server is closed. */
function untilClosed(answer: StreamEnd, channels: DuplexChannels, closed$: Observable<void>): Observable<unknown> {
  const answer$ = answer === undefined ? NEVER : from(answer);
  return answer$.pipe(takeUntil(closed$.pipe(tap(() => channels.close(shuttingDown)))));
}

const shuttingDown = serviceUnavailable('the server is shutting down').status;
