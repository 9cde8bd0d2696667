// `vivarium/nodeagent`: nodes that run pods, simulated containers, and the port for own runtimes. Sibling folders
// import index.ts; everything else in this folder is internal.
export type { NodeActivity, NodeAgents, NodeAgentsOptions, NodeControl, NodeOptions, HeartbeatTimes } from './index.js';
export type { PublishedVolume, StagedVolume, VolumeDriver } from './index.js';
export type { EvictionOptions, EvictionSignal, ImageCollectionOptions, KubeletOptions } from './index.js';
export { nodeAgents, nodeConnector, nodeUser } from './index.js';

// Simulated containers
export type { BehaviourRule, ContainerBehaviour, SimulatedRuntimeOptions } from './index.js';
export { behaviourAnnotation, forImage, simulatedRuntime, stageRules } from './index.js';

// The port to container runtimes
export type {
  ContainerConfig,
  ContainerEvent,
  ContainerFilter,
  ContainerRuntime,
  ContainerUsage,
  ExecResult,
  Headroom,
  LogEntry,
  LogSelection,
  MachineUsage,
  NetworkProbe,
  NetworkProbeResult,
  PodRuntimeStatus,
  PodSandboxConfig,
  PodVolume,
  RuntimeContainer,
  RuntimeContainerStatus,
  RuntimeErrorCode,
  RuntimeHealth,
  RuntimeImage,
  RuntimeSandbox,
  RuntimeSandboxStatus,
} from './index.js';
export { RuntimeError, isRuntimeError } from './index.js';

// Containers as functions. Containers as processes are an entry of their own, since they need Node.
export type {
  ContainerFunction,
  FunctionContext,
  FunctionImage,
  FunctionResult,
  FunctionUsage,
  MountedVolume,
  PortService,
  WriteOutput,
} from './function/container-function.js';
export type { FunctionRuntimeOptions } from './function/function-runtime.js';
export { functionRuntime } from './function/function-runtime.js';
