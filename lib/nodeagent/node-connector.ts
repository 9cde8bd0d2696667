// The way of an API server to the containers of an agent's nodes: logs, exec, attach and port-forward, from the runtime
// port. Registered with the server for all nodes of the agent. As pkg/kubelet/server and kubelet_pods.go.
import { NEVER, concatMap, defer, filter, from, map, takeWhile } from 'rxjs';
import type { Observable } from 'rxjs';
import { badRequest, notFound, parseTime, printTime, unclassifiedError } from '../core/index.js';
import type { Clock, ContainerTarget, LogOptions, NodeConnector, PodTarget } from '../core/index.js';
import type { PodRuntimeStatus, LogEntry, RuntimeContainerStatus } from './runtime/runtime-state.js';
import type { ContainerRuntime } from './runtime/container-runtime.js';
import type { AgentNode } from './agent-node.js';

/** Finds the nodes of an agent. */
export interface ConnectorOptions {
  readonly node: (name: string) => AgentNode | undefined;
  readonly clock: Clock;
}

/** Creates the connector of an agent's nodes. */
export function nodeConnector({ node, clock }: ConnectorOptions): NodeConnector {
  const runtimeOf = ({ node: object }: PodTarget): ContainerRuntime => {
    const runtime = node(object.metadata?.name ?? '')?.runtime;
    if (runtime === undefined) throw unclassifiedError(`node ${object.metadata?.name ?? ''} runs no pods`);
    return runtime;
  };
  const statusOf = (target: PodTarget): Promise<PodRuntimeStatus> =>
    runtimeOf(target).podStatus(target.pod.metadata?.uid ?? '');
  const running = async (target: ContainerTarget): Promise<RuntimeContainerStatus> => {
    const { containers } = await statusOf(target);
    const found = containers.find(({ name, state }) => name === target.container && state === 'running');
    if (found === undefined) throw notFound({ group: '', resource: 'containers', name: target.container });
    return found;
  };
  return {
    log: async (target, options) => {
      const { containers } = await statusOf(target);
      const { id } = loggedInstance(target, containers, options.previous);
      return printedLog(runtimeOf(target).containerLog(id, selectionOf(options, clock)), options);
    },
    exec: (target, command, channels) =>
      defer(() => from(running(target))).pipe(
        concatMap(({ id }) => runtimeOf(target).exec(id, command, channels) ?? NEVER),
      ),
    attach: (target, streams, channels) =>
      defer(() => from(running(target))).pipe(
        concatMap(({ id }) => runtimeOf(target).attach(id, streams, channels) ?? NEVER),
      ),
    portForward: (target, port, channels) =>
      defer(() => from(statusOf(target))).pipe(
        concatMap(({ sandboxes }) => {
          const ready = sandboxes.find(({ state }) => state === 'ready');
          if (ready === undefined)
            throw notFound({ group: '', resource: 'pods', name: target.pod.metadata?.name ?? '' });
          return runtimeOf(target).portForward(ready.id, port, channels) ?? NEVER;
        }),
      ),
  };
}

/** The instance whose log is requested. Throws ApiError 400 if there is none. */
function loggedInstance(
  { pod, container }: ContainerTarget,
  containers: readonly RuntimeContainerStatus[],
  previous: boolean,
): RuntimeContainerStatus {
  const instances = containers.filter(({ name, state }) => name === container && state !== 'created');
  const found = instances[previous ? 1 : 0];
  if (found !== undefined) return found;
  const name = pod.metadata?.name ?? '';
  if (previous) throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const shown = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].find(
    (each) => each.name === container,
  );
  const { reason = 'ContainerCreating' } = shown?.state?.waiting ?? {};
  const why = pullReasons.has(reason)
    ? 'waiting to start: trying and failing to pull image'
    : `waiting to start: ${reason}`;
  throw badRequest(`container "${container}" in pod "${name}" is ${why}`);
}

/** Reasons that the kubelet describes as a failing pull. */
const pullReasons: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);

function selectionOf(
  { follow, tailLines, sinceSeconds, sinceTime }: LogOptions,
  clock: Clock,
): Parameters<ContainerRuntime['containerLog']>[1] {
  const sinceMs =
    sinceSeconds !== undefined
      ? clock.now() - sinceSeconds * 1000
      : sinceTime === undefined
        ? undefined
        : parseTime(sinceTime);
  return { follow, ...(tailLines !== undefined && { tailLines }), ...(sinceMs !== undefined && { sinceMs }) };
}

/** Prints entries as bytes, at most `limitBytes` of them. */
function printedLog(
  entries$: Observable<LogEntry>,
  { timestamps, limitBytes = Infinity, stream = 'All' }: LogOptions,
): Observable<Uint8Array> {
  return defer(() => {
    let left = limitBytes;
    const bytes$ = entries$.pipe(
      filter((entry) => stream === 'All' || entry.stream === stream.toLowerCase()),
      map((entry) => printEntry(entry, timestamps)),
    );
    return bytes$.pipe(
      map((bytes) => {
        const shown = bytes.length <= left ? bytes : bytes.subarray(0, left);
        left -= bytes.length;
        return { shown, isLast: left <= 0 };
      }),
      takeWhile(({ isLast }) => !isLast, true),
      map(({ shown }) => shown),
    );
  });
}

function printEntry({ atMs, bytes, isPartial }: LogEntry, timestamps: boolean): Uint8Array {
  const head = timestamps ? new TextEncoder().encode(`${printNanoTime(atMs)} `) : new Uint8Array();
  const printed = new Uint8Array(head.length + bytes.length + (isPartial ? 0 : 1));
  printed.set(head);
  printed.set(bytes, head.length);
  if (!isPartial) printed[printed.length - 1] = 10;
  return printed;
}

/** RFC 3339 with nine digits after the second. */
function printNanoTime(ms: number): string {
  return printTime(ms).replace(/Z$/, `.${`${Math.floor(ms % 1000)}`.padStart(3, '0')}000000Z`);
}
