// Requests exec, attach and port-forward: POST with the options as parameters, which the server authorizes as `create`.
import { onAbort, openSession } from '../../core/index.js';
import type {
  StreamResponse,
  AttachOptions,
  ExecOptions,
  PortForwardResponse,
  PortForwarding,
  ProcessChannels,
  ProcessStreamResponse,
  StreamKind,
} from '../../core/index.js';
import type { RequestTarget, RequestSpec } from './request-builder.js';
import { buildRequest } from './request-builder.js';
import type { CallOptions } from './request-options.js';
import type { Name } from './resource-client.js';

/** Runs a command in a container. */
export async function execAt(
  target: RequestTarget,
  name: Name,
  options: ExecOptions & CallOptions,
): Promise<ProcessChannels> {
  const { command, signal } = options;
  return openProcess(target, 'exec', { name, parameters: { ...streamParameters(options), command }, signal });
}

/** Attaches to the main process of a container. */
export async function attachAt(
  target: RequestTarget,
  name: Name,
  options: AttachOptions & CallOptions,
): Promise<ProcessChannels> {
  return openProcess(target, 'attach', { name, parameters: streamParameters(options), signal: options.signal });
}

/** Opens connections to ports of a pod. */
export async function portForwardAt(
  target: RequestTarget,
  name: Name,
  { signal }: CallOptions,
): Promise<PortForwarding> {
  const response = await requestStream(target, 'portforward', { name, parameters: {}, signal });
  const forwarding = await openSession((response as PortForwardResponse).session$);
  if (signal !== undefined) onAbort(signal, () => forwarding.close());
  return forwarding;
}

interface StreamSpec {
  readonly name: Name;
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  readonly signal: AbortSignal | undefined;
}

async function openProcess(target: RequestTarget, kind: StreamKind, spec: StreamSpec): Promise<ProcessChannels> {
  const response = await requestStream(target, kind, spec);
  const channels = await openSession((response as ProcessStreamResponse).session$);
  const { signal } = spec;
  if (signal !== undefined)
    onAbort(
      channels.signal,
      onAbort(signal, () => channels.close()),
    );
  return channels;
}

async function requestStream(
  target: RequestTarget,
  kind: StreamKind,
  { name, parameters, signal }: StreamSpec,
): Promise<StreamResponse> {
  const { sender, endpoint } = target;
  const spec: RequestSpec = { verb: 'create', name, options: { parameters }, signal };
  const found = typeof endpoint === 'function' ? await endpoint() : endpoint;
  const call = buildRequest(found, { ...target, subresource: kind }, spec);
  if (!('info' in call)) throw call;
  return sender.stream(call);
}

function streamParameters({
  container = '',
  stdin = false,
  tty = false,
  stdout = true,
  stderr = !tty,
}: AttachOptions): StreamSpec['parameters'] {
  return {
    ...(container !== '' && { container: [container] }),
    stdin: [`${stdin}`],
    stdout: [`${stdout}`],
    stderr: [`${stderr}`],
    tty: [`${tty}`],
  };
}
