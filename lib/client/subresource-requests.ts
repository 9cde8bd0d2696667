// Subresource clients: the verbs below the objects of a kind.
import type { ApiObject, Frozen, Status } from '../core/index.js';
import type { Place } from './calls.js';
import type { ObjectChange } from './modify.js';
import { modifyObject } from './modify.js';
import type { Patch } from './patch.js';
import type { ApplyOptions, GetOptions, ModifyOptions, WriteOptions } from './request-options.js';
import { writeQuery } from './request-options.js';
import type { Name, Stored, SubresourceClient } from './resource-client.js';
import { applyObject, askFor, getObject, patchObject, replaceObject } from './verbs.js';

/** One subresource of a kind. */
export class SubresourceRequests<T extends ApiObject> implements SubresourceClient<T> {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  in(namespace: string): SubresourceClient<T> {
    return new SubresourceRequests({ ...this.#place, namespace });
  }

  get(name: Name, options?: GetOptions): Promise<Stored<T>> {
    return getObject(this.#place, name, options);
  }

  create(name: Name, object: Frozen<T>, options?: WriteOptions): Promise<Frozen<T> | Status> {
    return askFor(this.#place, {
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
    return replaceObject(this.#place, object, options);
  }

  patch(name: Name, patch: Patch<T>, options?: WriteOptions): Promise<Stored<T>> {
    return patchObject(this.#place, name, patch, options);
  }

  apply(object: Frozen<T>, options: ApplyOptions): Promise<Stored<T>> {
    return applyObject(this.#place, object, options);
  }
}
