// Subresources that only some kinds have. `client.kind('v1', 'Pod')` shows those of pods, and other kinds do not. The
// methods exist once, in ResourceRequests; which of them a caller sees is a matter of types.
import type { Observable } from 'rxjs';
import type { ApiObject, Frozen, Status } from '../core/index.js';
import type { Binding, CertificateSigningRequest, Eviction, Pod, TokenRequest } from '../core/types/index.js';
import type { LogOptions } from './node-connector.js';
import type { CallOptions, WriteOptions } from './request-options.js';
import type { Name, SubresourceClient } from './resource-client.js';
import type { AttachOptions, ExecOptions, PortForwarding, ProcessChannels } from './stream-response.js';

/** A subresource that can only be created: an action on an object. */
export interface ActionClient<T extends ApiObject, Answer> {
  /** The same, in one namespace. */
  in(namespace: string): ActionClient<T, Answer>;
  /** Performs the action on the object of that name. Rejects with ApiError. */
  create(name: Name, object: Frozen<T>, options?: WriteOptions): Promise<Answer>;
}

/** Which part of a log to read. Default: all that the current instance of the container has written. */
export interface ReadLogOptions extends Partial<LogOptions> {
  /** Default: the only container of the pod. */
  readonly container?: string;
}

/** Subresources of pods. */
export interface PodSubresources {
  /** Binds a pod to a node. */
  readonly binding: ActionClient<Binding, Status>;
  /** Evicts a pod. Rejects with TooManyRequests where a PodDisruptionBudget does not allow it now. */
  readonly eviction: ActionClient<Eviction, Status>;
  /** Resources of the containers of a pod that runs. */
  readonly resize: SubresourceClient<Pod>;
  /** Ephemeral containers of a pod that runs. */
  readonly ephemeralContainers: SubresourceClient<Pod>;
  /**
   * Emits the log of a container line by line, without the ends of lines; with `follow` as they are written, until the
   * container ends. Lines longer than 1 Mi characters come in pieces. Cold. Errors with ApiError.
   */
  log(name: Name, options?: ReadLogOptions): Observable<string>;
  /**
   * Runs a command in a container. Rejects with ApiError where the server refuses; a later failure is the Status of the
   * close. The caller closes the channels.
   */
  exec(name: Name, options: ExecOptions & CallOptions): Promise<ProcessChannels>;
  /** Attaches to the main process of a container, likewise. */
  attach(name: Name, options?: AttachOptions & CallOptions): Promise<ProcessChannels>;
  /** Opens connections to ports of a pod, until it is closed. Rejects with ApiError. */
  portForward(name: Name, options?: CallOptions): Promise<PortForwarding>;
}

/** Subresources of ServiceAccounts. */
export interface ServiceAccountSubresources {
  /** Requests a token; the answer has it in its status. */
  readonly token: ActionClient<TokenRequest, Frozen<TokenRequest>>;
}

/** Subresources of CertificateSigningRequests. */
export interface CertificateSigningRequestSubresources {
  /** The conditions Approved and Denied of a request. */
  readonly approval: SubresourceClient<CertificateSigningRequest>;
}

/** By apiVersion and kind: what a client shows besides what all kinds have. */
interface SubresourcesByKind {
  readonly v1: { readonly Pod: PodSubresources; readonly ServiceAccount: ServiceAccountSubresources };
  readonly 'certificates.k8s.io/v1': { readonly CertificateSigningRequest: CertificateSigningRequestSubresources };
}

/** The subresources that only this kind has; nothing for most. */
export type KindSubresources<V, K> = V extends keyof SubresourcesByKind
  ? K extends keyof SubresourcesByKind[V]
    ? SubresourcesByKind[V][K]
    : unknown
  : unknown;
