// Resource clients: the verbs at one place. Nothing is kept but the place, so that `in` costs next to nothing.
import { defer, from, mergeMap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { isApiError } from '../core/index.js';
import type { ApiObject, Frozen, ListOptions, Page, RawEvent, Status, WatchOptions } from '../core/index.js';
import type { Binding, CertificateSigningRequest, Eviction, Pod, Scale, TokenRequest } from '../core/types/index.js';
import type { Place, Question } from './calls.js';
import { callOf } from './calls.js';
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
import { pageOf } from './page.js';
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
import type { AttachOptions, ExecOptions, PortForwarding, ProcessChannels } from './stream-response.js';
import { SubresourceRequests } from './subresource-requests.js';
import type { WaitOptions } from './wait-for.js';
import { waitForObject } from './wait-for.js';
import { applyObject, askFor, getObject, objectBody, patchObject, replaceObject } from './verbs.js';

/** The objects of a kind. */
export class ResourceRequests<T extends ApiObject>
  implements ResourceClient<T>, PodSubresources, ServiceAccountSubresources, CertificateSigningRequestSubresources
{
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  in(namespace: string): this {
    const { carrier, endpoint, subresource } = this.#place;
    // Nothing extends this class.
    return new ResourceRequests<T>({ carrier, endpoint, namespace, subresource }) as this;
  }

  get(name: Name, options?: GetOptions): Promise<Stored<T>> {
    return getObject(this.#place, name, options);
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
    return pageOf(await askFor(this.#place, listQuestion('list', options)));
  }

  watch(options?: WatchOptions): Observable<RawEvent<Stored<T>>> {
    return watchAt(this.#place, { verb: 'watch', options }) as Observable<unknown> as Observable<RawEvent<Stored<T>>>;
  }

  create(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>> {
    const namespace = object.metadata?.namespace;
    return askFor(this.#place, {
      verb: 'create',
      namespace,
      options: writeQuery(options),
      body: objectBody(this.#place, object),
      signal: options?.signal,
      cause: options?.cause,
    });
  }

  update(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>> {
    return replaceObject(this.#place, object, options);
  }

  patch(name: Name, patch: Patch<T>, options?: WriteOptions): Promise<Stored<T>> {
    return patchObject(this.#place, name, patch, options);
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
    // The condition, of which the interface says what it asserts, holds for the result.
    return waitForObject<Stored<T>>(objects, own, condition, options) as Promise<S>;
  }

  apply(object: Frozen<T>, options: ApplyOptions): Promise<Stored<T>> {
    return applyObject(this.#place, object, options);
  }

  delete(name: Name, options: DeleteOptions = {}): Promise<Stored<T> | Status> {
    const { signal, cause } = options;
    return askFor(this.#place, { verb: 'delete', name, body: deleteBody(options), signal, cause });
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
    // Without a body a server takes the resourceVersion of the list for one that every object must have.
    const body =
      deleteBody(options) ??
      (options.resourceVersion === undefined ? undefined : { object: { apiVersion: 'v1', kind: 'DeleteOptions' } });
    const answer = await askFor<Frozen<ApiObject>>(this.#place, {
      ...listQuestion('deletecollection', selection),
      body,
      cause,
    });
    // Servers other than Kubernetes' own may only say that it is done.
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
    return logAt(this.#place, name, options);
  }

  exec(name: Name, options: ExecOptions & CallOptions): Promise<ProcessChannels> {
    return execAt(this.#place, name, options);
  }

  attach(name: Name, options: AttachOptions & CallOptions = {}): Promise<ProcessChannels> {
    return attachAt(this.#place, name, options);
  }

  portForward(name: Name, options: CallOptions = {}): Promise<PortForwarding> {
    return portForwardAt(this.#place, name, options);
  }

  subresource<S extends ApiObject>(name: string): SubresourceClient<S> {
    return new SubresourceRequests({ ...this.#place, subresource: name });
  }

  /** The kind of the answer is what the API says of the subresource. */
  #action<S extends ApiObject, Answer>(name: string): ActionClient<S, Answer> {
    return this.subresource<S>(name) as ActionClient<S, unknown> as ActionClient<S, Answer>;
  }
}

function listQuestion(verb: string, { signal, ...options }: ListOptions = {}): Question {
  return { verb, options, signal };
}

function watchAt(place: Place, question: Question): Observable<RawEvent<Frozen<ApiObject>>> {
  return defer(() => {
    const { carrier, endpoint } = place;
    if (typeof endpoint === 'function')
      return from(endpoint()).pipe(mergeMap((found) => watchAt({ ...place, endpoint: found }, question)));
    const call = callOf(endpoint, place, question);
    return 'info' in call ? carrier.watch(call) : throwError(() => call);
  });
}
