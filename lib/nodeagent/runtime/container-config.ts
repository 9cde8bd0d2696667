// What the agent passes to a runtime: the configuration of a pod sandbox, of its volumes and of a container. Everything
// is resolved: environment variables are expanded, defaults filled in, quantities converted.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** Identifies a pod on a node. */
export interface PodIdentity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

/** The configuration of a pod sandbox: what the containers of a pod share. */
export interface PodSandboxConfig extends PodIdentity {
  /** 0 for the first sandbox of the pod; one more for each that replaces it. */
  readonly attempt: number;
  readonly hostname: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether the pod uses the network of the node: its addresses are those of the node. */
  readonly isHostNetwork: boolean;
  /** Whether the containers see each other's processes. */
  readonly sharesProcesses: boolean;
  readonly dns: DnsConfig;
  readonly portMappings: readonly PortMapping[];
  /** The handler of the pod's RuntimeClass; empty for the default. */
  readonly runtimeHandler: string;
  /** The volumes of the pod. They live until `removePodData`, also where the sandbox is replaced. */
  readonly volumes: readonly PodVolume[];
  /**
   * The pod as it was when the sandbox was requested. For runtimes of this process, whose behaviour may depend on all
   * of it; a runtime behind the CRI ignores it.
   */
  readonly pod: Frozen<Pod>;
}

/** The contents of resolv.conf. */
export interface DnsConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** A port of the node that leads to a port of the pod. */
export interface PortMapping {
  readonly protocol: string;
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}

/** A volume of a pod. */
export interface PodVolume {
  readonly name: string;
  readonly source: VolumeContent;
}

/** What a volume holds. */
export type VolumeContent =
  /** An empty directory; `medium` is empty, `Memory` or `HugePages…`. */
  | { readonly type: 'emptyDir'; readonly medium: string; readonly sizeLimitBytes?: number }
  /** A path of the node; `pathType` is the field `type` of the API, such as `DirectoryOrCreate`; empty: no check. */
  | { readonly type: 'hostPath'; readonly path: string; readonly pathType: string }
  /** Files from ConfigMaps, Secrets, the downward API or tokens; `updateVolume` replaces all of them at once. */
  | { readonly type: 'files'; readonly files: ReadonlyMap<string, VolumeFile>; readonly isSecret: boolean };

/** A file of a volume, by its path below the volume's root. Paths are relative, without `..`. */
export interface VolumeFile {
  readonly bytes: Uint8Array;
  /** Permission bits, such as 0o644. */
  readonly mode: number;
}

/** The configuration of a container. */
export interface ContainerConfig {
  readonly name: string;
  /** How often the container was restarted: 0 for its first instance. */
  readonly attempt: number;
  /** The image as the pod names it. */
  readonly image: string;
  /** The identifier that `pullImage` or `imageStatus` returned for it. */
  readonly imageRef: string;
  /** Replaces the entry point of the image. Empty: the image's own. */
  readonly command: readonly string[];
  /** Replaces the arguments of the image. Empty: the image's own, unless `command` is set. */
  readonly args: readonly string[];
  /** Empty: that of the image. */
  readonly workingDir: string;
  /** In the order of the API, later ones win. */
  readonly env: readonly EnvironmentVariable[];
  readonly mounts: readonly ContainerMount[];
  readonly ports: readonly ContainerPortConfig[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resources: ContainerResources;
  readonly security: ContainerSecurity;
  /** Whether stdin stays open. */
  readonly stdin: boolean;
  /** Whether stdin ends with the first client that was attached to it. */
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** Such as `SIGUSR1`. Empty: that of the image, SIGTERM without one. */
  readonly stopSignal: string;
  /** The path of the file whose text becomes the message of the termination; in the API by default
   * /dev/termination-log. */
  readonly terminationMessagePath: string;
}

/** An environment variable. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
}

/** A volume of the pod in a container. */
export interface ContainerMount {
  /** The name of a volume of the sandbox. */
  readonly volume: string;
  /** The absolute path in the container. */
  readonly containerPath: string;
  /** A path below the volume's root; empty for the whole volume. Such mounts are not updated. */
  readonly subPath: string;
  readonly isReadOnly: boolean;
}

/** A port that a container names. */
export interface ContainerPortConfig {
  readonly name: string;
  readonly containerPort: number;
  readonly protocol: string;
}

/** Limits of a container. Zero: none. */
export interface ContainerResources {
  readonly cpuRequestMilli: number;
  readonly cpuLimitMilli: number;
  readonly memoryRequestBytes: number;
  readonly memoryLimitBytes: number;
  readonly ephemeralStorageLimitBytes: number;
}

/** Who the process is and what it may do. Undefined: as the image says. */
export interface ContainerSecurity {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  readonly isPrivileged: boolean;
  readonly hasReadOnlyRoot: boolean;
}
