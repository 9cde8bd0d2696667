// exec, attach and port-forward as a client requests them: POST with the options as parameters, which the server
// authorizes as `create`.
import { onAbort, openSession } from '../core/index.js';
import type { StreamResponse } from './stream-response.js';
import type {
  AttachOptions,
  ExecOptions,
  PortForwardResponse,
  PortForwarding,
  ProcessChannels,
  ProcessStreamResponse,
  StreamKind,
} from './stream-response.js';
import type { Place, Question } from './calls.js';
import { callOf } from './calls.js';
import type { CallOptions } from './request-options.js';
import type { Name } from './resource-client.js';

/** Runs a command in a container. */
export async function execAt(place: Place, name: Name, options: ExecOptions & CallOptions): Promise<ProcessChannels> {
  const { command, signal } = options;
  return openProcess(place, 'exec', { name, parameters: { ...streamParameters(options), command }, signal });
}

/** Attaches to the main process of a container. */
export async function attachAt(
  place: Place,
  name: Name,
  options: AttachOptions & CallOptions,
): Promise<ProcessChannels> {
  return openProcess(place, 'attach', { name, parameters: streamParameters(options), signal: options.signal });
}

/** Opens connections to ports of a pod. */
export async function portForwardAt(place: Place, name: Name, { signal }: CallOptions): Promise<PortForwarding> {
  const response = await requestStream(place, 'portforward', { name, parameters: {}, signal });
  const forwarding = await openSession((response as PortForwardResponse).session$);
  if (signal !== undefined) onAbort(signal, () => forwarding.close());
  return forwarding;
}

interface StreamQuestion {
  readonly name: Name;
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  readonly signal: AbortSignal | undefined;
}

async function openProcess(place: Place, kind: StreamKind, question: StreamQuestion): Promise<ProcessChannels> {
  const response = await requestStream(place, kind, question);
  const channels = await openSession((response as ProcessStreamResponse).session$);
  const { signal } = question;
  if (signal !== undefined)
    onAbort(
      channels.signal,
      onAbort(signal, () => channels.close()),
    );
  return channels;
}

async function requestStream(
  place: Place,
  kind: StreamKind,
  { name, parameters, signal }: StreamQuestion,
): Promise<StreamResponse> {
  const { carrier, endpoint } = place;
  const question: Question = { verb: 'create', name, options: { parameters }, signal };
  const found = typeof endpoint === 'function' ? await endpoint() : endpoint;
  const call = callOf(found, { ...place, subresource: kind }, question);
  if (!('info' in call)) throw call;
  return carrier.stream(call);
}

function streamParameters({
  container = '',
  stdin = false,
  tty = false,
  stdout = true,
  stderr = !tty,
}: AttachOptions): StreamQuestion['parameters'] {
  return {
    ...(container !== '' && { container: [container] }),
    stdin: [`${stdin}`],
    stdout: [`${stdout}`],
    stderr: [`${stderr}`],
    tty: [`${tty}`],
  };
}
