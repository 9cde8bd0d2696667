// Implements resource clients. An instance holds only its target, so `in` is cheap.
import { defer, from, mergeMap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { isApiError } from '../../core/index.js';
import type {
  ApiObject,
  Frozen,
  ListOptions,
  Page,
  RawEvent,
  Status,
  WatchOptions,
  AttachOptions,
  ExecOptions,
  PortForwarding,
  ProcessChannels,
  ListMeta,
} from '../../core/index.js';
import type { Binding, CertificateSigningRequest, Eviction, Pod, Scale, TokenRequest } from '../../core/types/index.js';
import type { RequestTarget, RequestSpec } from './request-builder.js';
import { buildRequest } from './request-builder.js';
import type {
  ActionClient,
  CertificateSigningRequestSubresources,
  PodSubresources,
  ReadLogOptions,
  ServiceAccountSubresources,
} from './kind-subresources.js';
import { logAt } from './log-requests.js';
import type { ObjectChange } from './modify.js';
import { modifyObject } from './modify.js';
import type { Patch } from './patch.js';
import type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ModifyOptions,
  WriteOptions,
} from './request-options.js';
import { deleteBody, writeQuery } from './request-options.js';
import type { Name, ResourceClient, Stored, SubresourceClient } from './resource-client.js';
import { attachAt, execAt, portForwardAt } from './stream-requests.js';
import { SubresourceRequests } from './subresource-requests.js';
import type { WaitOptions } from './wait-for.js';
import { waitForObject } from './wait-for.js';
import { withIterator } from './watch-events.js';
import type { WatchEvents } from './watch-events.js';
import { applyObject, requestObject, getObject, objectBody, patchObject, replaceObject } from './verbs.js';
import { ConnectionError } from '../http/connection-error.js';

/** The client of a kind. */
export class ResourceRequests<T extends ApiObject>
  implements ResourceClient<T>, PodSubresources, ServiceAccountSubresources, CertificateSigningRequestSubresources
{
  readonly #target: RequestTarget;

  constructor(target: RequestTarget) {
    this.#target = target;
  }

  get isInProcess(): boolean {
    return this.#target.sender.isInProcess;
  }

  in(namespace: string): this {
    const { sender, endpoint, subresource } = this.#target;
    // Nothing extends this class.
    return new ResourceRequests<T>({ sender, endpoint, namespace, subresource }) as this;
  }

  get(name: Name, options?: GetOptions): Promise<Stored<T>> {
    return getObject(this.#target, name, options);
  }

  async find(name: Name, options?: GetOptions): Promise<Stored<T> | undefined> {
    try {
      return await this.get(name, options);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async list(options?: ListOptions): Promise<Page<Stored<T>>> {
    return pageOf(await requestObject(this.#target, listSpec('list', options)));
  }

  watch(options?: WatchOptions): WatchEvents<Stored<T>> {
    const events$ = watchAt(this.#target, { verb: 'watch', options }) as Observable<unknown>;
    return withIterator(events$ as Observable<RawEvent<Stored<T>>>, this.#target.sender.keepAliveWhile);
  }

  create(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>> {
    const namespace = object.metadata?.namespace;
    return requestObject(this.#target, {
      verb: 'create',
      namespace,
      options: writeQuery(options),
      body: objectBody(this.#target, object),
      signal: options?.signal,
      cause: options?.cause,
    });
  }

  update(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>> {
    return replaceObject(this.#target, object, options);
  }

  patch(name: Name, patch: Patch<T>, options?: WriteOptions): Promise<Stored<T>> {
    return patchObject(this.#target, name, patch, options);
  }

  modify(name: Name, change: ObjectChange<T>, options?: ModifyOptions): Promise<Stored<T>> {
    return modifyObject<T>(this, name, change, options);
  }

  waitFor<S extends Stored<T> | undefined>(
    name: Name,
    condition: (object: Stored<T> | undefined) => boolean,
    options?: WaitOptions,
  ): Promise<S> {
    const [objects, own] = typeof name === 'string' ? [this, name] : [this.in(name.namespace), name.name];
    // The result meets the condition, whose type guard the interface declares.
    const found = waitForObject<Stored<T>>(objects, own, condition, options) as Promise<S>;
    return this.#target.sender.keepAliveWhile?.(found) ?? found;
  }

  apply(object: Frozen<ApiObject>, options: ApplyOptions): Promise<Stored<T>> {
    return applyObject(this.#target, object, options);
  }

  delete(name: Name, options: DeleteOptions = {}): Promise<Stored<T> | Status> {
    const { signal, cause } = options;
    return requestObject(this.#target, { verb: 'delete', name, body: deleteBody(options), signal, cause });
  }

  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<Page<Stored<T>>> {
    const {
      dryRun: _dryRun,
      gracePeriodSeconds: _grace,
      propagationPolicy: _policy,
      preconditions: _preconditions,
      cause,
      ...selection
    } = options;
    // Without a body the server would require the list's resourceVersion of every object.
    const body =
      deleteBody(options) ??
      (options.resourceVersion === undefined ? undefined : { object: { apiVersion: 'v1', kind: 'DeleteOptions' } });
    const answer = await requestObject<Frozen<ApiObject>>(this.#target, {
      ...listSpec('deletecollection', selection),
      body,
      cause,
    });
    // Servers other than Kubernetes' own may return only a Status.
    return answer.kind === 'Status' ? { items: [], resourceVersion: '' } : pageOf(answer);
  }

  get status(): SubresourceClient<T> {
    return this.subresource('status');
  }

  get scale(): SubresourceClient<Scale> {
    return this.subresource('scale');
  }

  get binding(): ActionClient<Binding, Status> {
    return this.#action('binding');
  }

  get eviction(): ActionClient<Eviction, Status> {
    return this.#action('eviction');
  }

  get token(): ActionClient<TokenRequest, Frozen<TokenRequest>> {
    return this.#action('token');
  }

  get approval(): SubresourceClient<CertificateSigningRequest> {
    return this.subresource('approval');
  }

  get resize(): SubresourceClient<Pod> {
    return this.subresource('resize');
  }

  get ephemeralContainers(): SubresourceClient<Pod> {
    return this.subresource('ephemeralcontainers');
  }

  log(name: Name, options: ReadLogOptions = {}): Observable<string> {
    return logAt(this.#target, name, options);
  }

  exec(name: Name, options: ExecOptions & CallOptions): Promise<ProcessChannels> {
    return execAt(this.#target, name, options);
  }

  attach(name: Name, options: AttachOptions & CallOptions = {}): Promise<ProcessChannels> {
    return attachAt(this.#target, name, options);
  }

  portForward(name: Name, options: CallOptions = {}): Promise<PortForwarding> {
    return portForwardAt(this.#target, name, options);
  }

  subresource<S extends ApiObject>(name: string): SubresourceClient<S> {
    return new SubresourceRequests({ ...this.#target, subresource: name });
  }

  /** The API defines the kind of the response. */
  #action<S extends ApiObject, Answer>(name: string): ActionClient<S, Answer> {
    return this.subresource<S>(name) as ActionClient<S, unknown> as ActionClient<S, Answer>;
  }
}

function listSpec(verb: string, { signal, ...options }: ListOptions = {}): RequestSpec {
  return { verb, options, signal };
}

function watchAt(target: RequestTarget, spec: RequestSpec): Observable<RawEvent<Frozen<ApiObject>>> {
  return defer(() => {
    const { sender, endpoint } = target;
    if (typeof endpoint === 'function')
      return from(endpoint()).pipe(mergeMap((found) => watchAt({ ...target, endpoint: found }, spec)));
    const call = buildRequest(endpoint, target, spec);
    return 'info' in call ? sender.watch(call) : throwError(() => call);
  });
}

/** Returns the page of a list response. Throws ConnectionError if it is not a list. */
export function pageOf<T>(list: Frozen<ApiObject>): Page<T> {
  // Go encodes a nil slice as null.
  const items: unknown = 'items' in list ? (list.items ?? []) : undefined;
  if (!Array.isArray(items))
    throw new ConnectionError(`the server responded with ${list.kind ?? 'something'} instead of a list`);
  const { resourceVersion = '', continue: next = '', remainingItemCount } = (list.metadata ?? {}) as Frozen<ListMeta>;
  return {
    items: items as readonly T[],
    resourceVersion,
    ...(next !== '' && { continue: next }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}
