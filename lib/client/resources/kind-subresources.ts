// Subresources that only some kinds have. `client.kind('v1', 'Pod')` shows those of pods. The methods are implemented
// once, in ResourceRequests; types select which of them a caller sees.
import type { Observable } from 'rxjs';
import type {
  ApiObject,
  Frozen,
  Status,
  LogOptions,
  AttachOptions,
  ExecOptions,
  PortForwarding,
  ProcessChannels,
} from '../../core/index.js';
import type { Binding, CertificateSigningRequest, Eviction, Pod, TokenRequest } from '../../core/types/index.js';
import type { CallOptions, WriteOptions } from './request-options.js';
import type { Name, SubresourceClient } from './resource-client.js';

/** A subresource that can only be created: an action on an object. */
export interface ActionClient<T extends ApiObject, Answer> {
  /** Returns the client for one namespace. */
  in(namespace: string): ActionClient<T, Answer>;
  /** Performs the action on the object of that name. Rejects with ApiError. */
  create(name: Name, object: Frozen<T>, options?: WriteOptions): Promise<Answer>;
}

/** Options for reading a log. Default: all that the current instance of the container has written. */
export interface ReadLogOptions extends Partial<LogOptions> {
  /** Default: the only container of the pod. */
  readonly container?: string;
}

/** Subresources of pods. */
export interface PodSubresources {
  /** Binds a pod to a node. */
  readonly binding: ActionClient<Binding, Status>;
  /** Evicts a pod. Rejects with TooManyRequests while a PodDisruptionBudget does not allow it. */
  readonly eviction: ActionClient<Eviction, Status>;
  /** The resources of the containers of a running pod. */
  readonly resize: SubresourceClient<Pod>;
  /** The ephemeral containers of a running pod. */
  readonly ephemeralContainers: SubresourceClient<Pod>;
  /**
   * Emits the log of a container line by line, without the ends of lines; with `follow` as they are written, until the
   * container ends. Lines longer than 1 Mi characters come in pieces. Cold. Errors with ApiError.
   */
  log(name: Name, options?: ReadLogOptions): Observable<string>;
  /**
   * Runs a command in a container. Rejects with ApiError if the server refuses; a later failure is the Status of the
   * close. The caller closes the channels.
   */
  exec(name: Name, options: ExecOptions & CallOptions): Promise<ProcessChannels>;
  /** Attaches to the main process of a container; otherwise as `exec`. */
  attach(name: Name, options?: AttachOptions & CallOptions): Promise<ProcessChannels>;
  /** Opens connections to ports of a pod, until it is closed. Rejects with ApiError. */
  portForward(name: Name, options?: CallOptions): Promise<PortForwarding>;
}

/** Subresources of ServiceAccounts. */
export interface ServiceAccountSubresources {
  /** Requests a token; the response has it in its status. */
  readonly token: ActionClient<TokenRequest, Frozen<TokenRequest>>;
}

/** Subresources of CertificateSigningRequests. */
export interface CertificateSigningRequestSubresources {
  /** The conditions Approved and Denied of a request. */
  readonly approval: SubresourceClient<CertificateSigningRequest>;
}

/** The additional members of clients, by apiVersion and kind. */
interface SubresourcesByKind {
  readonly v1: { readonly Pod: PodSubresources; readonly ServiceAccount: ServiceAccountSubresources };
  readonly 'certificates.k8s.io/v1': { readonly CertificateSigningRequest: CertificateSigningRequestSubresources };
}

/** The subresources that only this kind has; `unknown` for most kinds. */
export type KindSubresources<V, K> = V extends keyof SubresourcesByKind
  ? K extends keyof SubresourcesByKind[V]
    ? SubresourcesByKind[V][K]
    : unknown
  : unknown;
