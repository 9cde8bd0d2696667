// Starts one container: image, configuration, create, start, postStart. As startContainer of
// pkg/kubelet/kuberuntime/kuberuntime_container.go.
import { errorText } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { NodeTools, NodePodEvent } from '../node-tools.js';
import type { ContainerConfig, ContainerMount, ContainerSecurity } from '../runtime/container-config.js';
import type { RuntimeSandboxStatus } from '../runtime/runtime-state.js';
import { environmentOf, expandVariables } from '../volumes/environment.js';
import type { DownwardContext } from '../volumes/downward-api.js';
import type { EffectAbort } from './effect-abort.js';
import { runHook } from './hooks.js';
import { killContainer } from './kill-container.js';
import { containerResources } from './pod-step.js';
import type { BackoffEntry, PodContainer } from './pod-knowledge.js';
import { StartFailure } from './start-failure.js';

/** A container to start. */
export interface ContainerStart {
  readonly pod: Frozen<Pod>;
  readonly container: PodContainer;
  readonly sandbox: RuntimeSandboxStatus;
  readonly attempt: number;
  readonly pullBackoff: BackoffEntry | undefined;
  readonly downward: DownwardContext;
  /** Called with the identifier when the container exists, and once more when its postStart hook is done. */
  onCreated(id: string, isInPostStart: boolean): void;
  /** Aborted when the pod is to end. */
  readonly abort: EffectAbort;
}

/** Starts a container. Rejects with StartFailure, or because of the abort. */
export async function startContainer(tools: NodeTools, start: ContainerStart): Promise<void> {
  const { runtime, clock, images } = tools;
  const { pod, container, sandbox, abort } = start;
  const { name } = container.spec;
  const event = (type: NodePodEvent['type'], reason: string, message: string): void =>
    tools.record({ pod, container: { sort: container.sort, name }, type, reason, message });

  const imageRef = await images.ensure(pod, container, start.pullBackoff);
  abort.throwIfAborted();
  const config = await configOf(tools, start, imageRef).catch((error: unknown) => {
    event('Warning', 'Failed', `Error: ${errorText(error)}`);
    throw error;
  });
  abort.throwIfAborted();
  const id = await runtime.createContainer(sandbox.id, config).catch((error: unknown) => {
    event('Warning', 'Failed', `Error: ${errorText(error)}`);
    throw new StartFailure('CreateContainerError', errorText(error));
  });
  event('Normal', 'Created', 'Container created');
  const postStart = container.spec.lifecycle?.postStart;
  start.onCreated(id, postStart !== undefined);
  if (abort.isAborted) return;
  await runtime.startContainer(id).catch((error: unknown) => {
    event('Warning', 'Failed', `Error: ${errorText(error)}`);
    throw new StartFailure('RunContainerError', errorText(error));
  });
  event('Normal', 'Started', 'Container started');
  if (postStart === undefined) return;
  try {
    const target = { runtime, clock, container, containerId: id, sandboxId: sandbox.id };
    await runHook(target, postStart, abort.signal);
  } catch (error) {
    abort.throwIfAborted();
    event('Warning', 'FailedPostStartHook', `PostStartHook failed: ${errorText(error)}`);
    const graceMs = (pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
    await killContainer(tools, {
      pod,
      container,
      id,
      sandboxId: sandbox.id,
      graceMs,
      message: 'FailedPostStartHook',
      signal: abort.signal,
    });
    throw new StartFailure('PostStartHookError', errorText(error));
  } finally {
    start.onCreated(id, false);
  }
}

async function configOf(tools: NodeTools, start: ContainerStart, imageRef: string): Promise<ContainerConfig> {
  const { pod, container, attempt } = start;
  const { spec } = container;
  const env = await environmentOf(pod, container, tools.objects, start.downward);
  const values = new Map(env.map(({ name, value }) => [name, value]));
  const expanded = (texts: readonly string[] = []): readonly string[] =>
    texts.map((text) => expandVariables(text, values));
  const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
  return {
    name: spec.name,
    attempt,
    image: spec.image ?? '',
    imageRef,
    command: expanded(spec.command),
    args: expanded(spec.args),
    workingDir: spec.workingDir ?? '',
    env,
    mounts: (spec.volumeMounts ?? []).map((mount): ContainerMount => {
      const { name: volume, mountPath, subPath, subPathExpr, readOnly = false } = mount;
      const path = subPathExpr === undefined ? (subPath ?? '') : expandVariables(subPathExpr, values);
      return { volume, containerPath: mountPath, subPath: path, isReadOnly: readOnly };
    }),
    ports: (spec.ports ?? []).map(({ name: port = '', containerPort, protocol = 'TCP' }) => ({
      name: port,
      containerPort,
      protocol,
    })),
    labels: {
      'io.kubernetes.container.name': spec.name,
      'io.kubernetes.pod.name': name,
      'io.kubernetes.pod.namespace': namespace,
      'io.kubernetes.pod.uid': uid,
    },
    annotations: { 'io.kubernetes.container.restartCount': `${attempt}` },
    resources: containerResources(container),
    security: securityOf(pod, container),
    stdin: spec.stdin ?? false,
    stdinOnce: spec.stdinOnce ?? false,
    tty: spec.tty ?? false,
    stopSignal: spec.lifecycle?.stopSignal ?? '',
    terminationMessagePath: spec.terminationMessagePath ?? '/dev/termination-log',
  };
}

function securityOf({ spec: podSpec }: Frozen<Pod>, { spec }: PodContainer): ContainerSecurity {
  const pod = podSpec?.securityContext ?? {};
  const own = spec.securityContext ?? {};
  const runAsUser = own.runAsUser ?? pod.runAsUser;
  const runAsGroup = own.runAsGroup ?? pod.runAsGroup;
  const { supplementalGroups = [], fsGroup } = pod;
  return {
    ...(runAsUser !== undefined && { runAsUser }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    supplementalGroups: fsGroup === undefined ? supplementalGroups : [...supplementalGroups, fsGroup],
    isPrivileged: own.privileged ?? false,
    hasReadOnlyRoot: own.readOnlyRootFilesystem ?? false,
  };
}
