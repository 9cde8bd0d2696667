// Implements subresource clients.
import type { ApiObject, Frozen, Status } from '../../core/index.js';
import type { RequestTarget } from './request-builder.js';
import type { ObjectChange } from './modify.js';
import { modifyObject } from './modify.js';
import type { Patch } from './patch.js';
import type { ApplyOptions, GetOptions, ModifyOptions, WriteOptions } from './request-options.js';
import { writeQuery } from './request-options.js';
import type { Name, Stored, SubresourceClient } from './resource-client.js';
import { applyObject, requestObject, getObject, patchObject, replaceObject } from './verbs.js';

/** The client of one subresource of a kind. */
export class SubresourceRequests<T extends ApiObject> implements SubresourceClient<T> {
  readonly #target: RequestTarget;

  constructor(target: RequestTarget) {
    this.#target = target;
  }

  in(namespace: string): SubresourceClient<T> {
    return new SubresourceRequests({ ...this.#target, namespace });
  }

  get(name: Name, options?: GetOptions): Promise<Stored<T>> {
    return getObject(this.#target, name, options);
  }

  create(name: Name, object: Frozen<T>, options?: WriteOptions): Promise<Frozen<T> | Status> {
    return requestObject(this.#target, {
      verb: 'create',
      name,
      options: writeQuery(options),
      body: { object },
      signal: options?.signal,
      cause: options?.cause,
    });
  }

  modify(name: Name, change: ObjectChange<T>, options?: ModifyOptions): Promise<Stored<T>> {
    return modifyObject<T>(this, name, change, options);
  }

  update(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>> {
    return replaceObject(this.#target, object, options);
  }

  patch(name: Name, patch: Patch<T>, options?: WriteOptions): Promise<Stored<T>> {
    return patchObject(this.#target, name, patch, options);
  }

  apply(object: Frozen<ApiObject>, options: ApplyOptions): Promise<Stored<T>> {
    return applyObject(this.#target, object, options);
  }
}
