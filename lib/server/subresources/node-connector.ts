// The port through which requests reach containers: whoever runs the nodes implements it. Without one the server
// answers as if nobody listened on the nodes' ports.
import type { Observable } from 'rxjs';
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import type { ApiRequest, ApiResponse } from '../../client/index.js';

/** A container on a node. */
export interface ContainerTarget {
  readonly node: Frozen<Node>;
  readonly pod: Frozen<Pod>;
  /** Empty where the request is about the pod as a whole. */
  readonly container: string;
}

/** What of a log is wanted. */
export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
}

/** What takes over the connection of a request. */
export type StreamKind = 'exec' | 'attach' | 'portforward';

/** Reaches containers. */
export interface NodeConnector {
  /** The log of a container, as it is written. Errors with ApiError. */
  log(target: ContainerTarget, options: LogOptions): Observable<Uint8Array>;
  /** Takes over the connection of a request that asks for another protocol. */
  stream(kind: StreamKind, target: ContainerTarget, request: ApiRequest): Promise<ApiResponse>;
  /** Passes a request on to a pod, a service or a node. */
  proxy(request: ApiRequest): Promise<ApiResponse>;
}
