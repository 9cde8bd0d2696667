// Lifecycle hooks and probe handlers: exec, httpGet, tcpSocket, grpc and sleep. As pkg/kubelet/lifecycle/handlers.go
// and pkg/kubelet/prober.
import { errorText, pause } from '../../core/index.js';
import type { Clock, Frozen } from '../../core/index.js';
import type { HTTPGetAction, LifecycleHandler, Probe } from '../../core/types/index.js';
import type { ContainerRuntime } from '../runtime/container-runtime.js';
import type { NetworkProbe } from '../runtime/runtime-state.js';
import type { PodContainer } from './pod-knowledge.js';

/** The instance of a container that a handler is about. */
export interface HandlerTarget {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly container: PodContainer;
  readonly containerId: string;
  readonly sandboxId: string;
}

/** Runs a lifecycle hook. Rejects with what Events show of its failure. */
export async function runHook(
  target: HandlerTarget,
  { exec, httpGet, sleep }: Frozen<LifecycleHandler>,
  signal: AbortSignal,
): Promise<void> {
  const { runtime, clock, container } = target;
  if (exec !== undefined) {
    const { exitCode, stdout, stderr } = await runtime.execSync(target.containerId, exec.command ?? [], 0);
    if (exitCode === 0) return;
    const output = textOf(stdout) + textOf(stderr);
    const command = (exec.command ?? []).join(' ');
    throw new Error(`command '${command}' exited with ${exitCode}: ${output}, message: ${JSON.stringify(output)}`);
  }
  if (httpGet !== undefined) {
    await runtime.probe(target.sandboxId, httpProbe(container, httpGet), hookTimeoutMs);
    return;
  }
  if (sleep !== undefined) await pause(clock, sleep.seconds * 1000, signal);
}

/** The outcome of one attempt of a probe. */
export interface ProbeOutcome {
  readonly isSuccess: boolean;
  /** What the Event says after `probe failed: `. */
  readonly output: string;
}

/** Runs a probe once. Never rejects: a runtime that fails counts as a failed probe. */
export async function runProbe(
  target: HandlerTarget,
  { exec, httpGet, tcpSocket, grpc, timeoutSeconds = 1 }: Frozen<Probe>,
): Promise<ProbeOutcome> {
  const { runtime, container } = target;
  const timeoutMs = timeoutSeconds * 1000;
  try {
    if (exec !== undefined) {
      const { exitCode, stdout, stderr } = await runtime.execSync(target.containerId, exec.command ?? [], timeoutMs);
      return { isSuccess: exitCode === 0, output: textOf(stdout) + textOf(stderr) };
    }
    if (httpGet !== undefined) {
      const result = await runtime.probe(target.sandboxId, httpProbe(container, httpGet), timeoutMs);
      const code = result.type === 'http' ? result.statusCode : 0;
      const isSuccess = code >= 200 && code < 400;
      return { isSuccess, output: isSuccess ? '' : `HTTP probe failed with statuscode: ${code}` };
    }
    if (tcpSocket !== undefined) {
      const { host = '', port } = tcpSocket;
      await runtime.probe(target.sandboxId, { type: 'tcp', host, port: portNumber(container, port) }, timeoutMs);
      return { isSuccess: true, output: '' };
    }
    if (grpc !== undefined) {
      const { port, service = '' } = grpc;
      const result = await runtime.probe(target.sandboxId, { type: 'grpc', port, service }, timeoutMs);
      const status = result.type === 'grpc' ? result.status : '';
      const output = `service unhealthy (responded with "${status}")`;
      return status === 'SERVING' ? { isSuccess: true, output: '' } : { isSuccess: false, output };
    }
    return { isSuccess: true, output: '' };
  } catch (error) {
    return { isSuccess: false, output: errorText(error) };
  }
}

/** A hook over HTTP that does not answer must not block the pod. */
const hookTimeoutMs = 30_000;

function httpProbe(container: PodContainer, action: Frozen<HTTPGetAction>): NetworkProbe {
  const { scheme = 'HTTP', host = '', port, path = '/', httpHeaders = [] } = action;
  return {
    type: 'http',
    scheme: scheme === 'HTTPS' ? 'https' : 'http',
    host,
    port: portNumber(container, port),
    path: path === '' ? '/' : path,
    headers: httpHeaders.map(({ name, value }) => ({ name, value })),
  };
}

/** The number of a port, which may be the name of a port of the container. Throws Error for an unknown name. */
function portNumber({ spec }: PodContainer, port: number | string): number {
  if (typeof port === 'number') return port;
  const named = spec.ports?.find(({ name }) => name === port)?.containerPort;
  const number = named ?? Number(port);
  if (!Number.isInteger(number) || number < 1) throw new Error(`couldn't find port: ${JSON.stringify(port)}`);
  return number;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
