// What the node agent provides to the other folders of lib/.
export type { ContainerRuntime, PullOptions, RuntimeErrorCode } from './runtime/container-runtime.js';
export { RuntimeError, isRuntimeError } from './runtime/container-runtime.js';
export type {
  ContainerConfig,
  ContainerMount,
  ContainerPortConfig,
  ContainerResources,
  ContainerSecurity,
  DnsConfig,
  EnvironmentVariable,
  PodIdentity,
  PodSandboxConfig,
  PodVolume,
  PortMapping,
  VolumeContent,
  VolumeFile,
} from './runtime/container-config.js';
export type {
  ContainerEvent,
  ContainerFilter,
  ContainerState,
  ContainerUsage,
  ExecResult,
  Headroom,
  ImageFsUsage,
  LogEntry,
  LogSelection,
  MachineUsage,
  NetworkProbe,
  NetworkProbeResult,
  PodRuntimeStatus,
  PodSandboxState,
  ProbeHeader,
  RegistryCredentials,
  RuntimeCondition,
  RuntimeContainer,
  RuntimeContainerStatus,
  RuntimeHealth,
  RuntimeImage,
  RuntimeSandbox,
  RuntimeSandboxStatus,
  SandboxFilter,
} from './runtime/runtime-state.js';
export type {
  FunctionContext,
  ContainerFunction,
  FunctionImage,
  FunctionResult,
  FunctionUsage,
  MountedVolume,
  PortService,
  WriteOutput,
} from './function/container-function.js';
export type { FunctionRuntimeOptions } from './function/function-runtime.js';
export { functionRuntime } from './function/function-runtime.js';
export type { AgentNode } from './agent-node.js';
export type { NodeAgents, NodeAgentsOptions, NodeControl } from './node-agents.js';
export { nodeAgents, nodeUser } from './node-agents.js';
export type { KubeletOptions } from './node/kubelet-settings.js';
export type { EvictionOptions, EvictionSignal } from './eviction/thresholds.js';
export type { ImageCollectionOptions } from './images/image-collector.js';
export type { PublishedVolume, StagedVolume, VolumeDriver } from './volumes/volume-driver.js';
export type { HeartbeatTimes } from './node/heartbeat.js';
export type { NodeOptions } from './node/node-settings.js';
export type { NodeActivity } from './node-tools.js';
export { nodeConnector } from './node-connector.js';
export { statsConnector } from './stats/node-endpoints.js';
export { nodeAddressOf, podCidrOf } from './simulated/address-pool.js';
export type { BehaviourRule, ContainerBehaviour } from './simulated/behaviour.js';
export { behaviourAnnotation, forImage } from './simulated/behaviour.js';
export { stageRules } from './simulated/stages.js';
export type { SimulatedRuntimeOptions } from './simulated/simulated-runtime.js';
export { simulatedRuntime } from './simulated/simulated-runtime.js';
