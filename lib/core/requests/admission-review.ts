// A write under review by admission, as plugins, webhooks and rules of a host see it, and the selection of writes as
// data. Admission plugins (lib/admission) and rules that are served as webhooks (lib/webhook) share these types, so
// that one function serves as either.
import type { Observable } from 'rxjs';
import type { GroupResource, GroupVersionKind, GroupVersionResource } from '../objects/gvk.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { UserInfo } from '../types/index.js';

/** The operation that a request performs on an object. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A result at once, or later. Of an Observable the first value counts; without any, the result is undefined. */
export type AdmissionAnswer<T> = T | Promise<T> | Observable<T>;

/** Selects writes, as data: a plugin is not called for any other write, which then costs nothing. */
export interface Handles {
  readonly operations: readonly AdmissionOperation[] | '*';
  /** Names with their group, such as `pods` or `deployments.apps`. */
  readonly resources: readonly string[] | '*';
  /** Names of subresources; the empty text is the object itself. Default: only the object itself. */
  readonly subresources?: readonly string[] | '*';
}

/** A write on its way to storage. */
export interface ReviewedWrite {
  readonly operation: AdmissionOperation;
  /** The kind of the request's body: Pod, but Binding for `pods/binding` and Scale for `deployments/scale`. */
  readonly requestKind: GroupVersionKind;
  /** The kind of `object` and `oldObject`; another version than `requestKind` if a plugin asked for it. */
  readonly kind: GroupVersionKind;
  readonly requestResource: GroupVersionResource;
  readonly resource: GroupVersionResource;
  /** The empty text for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for an object whose name has yet to be generated, and for each object of a collection's deletion. */
  readonly name: string;
  /** The new object, or the options of a CONNECT. Undefined for DELETE. */
  readonly object: Frozen<ApiObject> | undefined;
  /** The stored object. Undefined for CREATE and CONNECT. */
  readonly oldObject: Frozen<ApiObject> | undefined;
  /**
   * CreateOptions, UpdateOptions or DeleteOptions, by what is done: a patch that changes an object has UpdateOptions,
   * as in Kubernetes. Undefined for CONNECT.
   */
  readonly options: Frozen<ApiObject> | undefined;
  /** Nothing will be stored: a plugin must have no effect outside of the review. */
  readonly dryRun: boolean;
  readonly user: Frozen<UserInfo>;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event. The first value of a key stays. */
  annotate(key: string, value: string): void;
  /**
   * Whether the audit event holds the content of the request (level Request or above). Annotations with content, such
   * as patches, are added only then.
   */
  readonly auditsContent: boolean;
}

/** Returns whether one of the entries selects a write. */
export function handlesWrite(
  handles: Handles | readonly Handles[],
  { group, resource }: GroupResource,
  subresource: string,
  operation: AdmissionOperation,
): boolean {
  const entries = 'operations' in handles ? [handles] : handles;
  return entries.some(
    ({ operations, resources, subresources = ofObject }) =>
      (operations === '*' || operations.includes(operation)) &&
      (subresources === '*' || subresources.includes(subresource)) &&
      (resources === '*' || resources.includes(group === '' ? resource : `${resource}.${group}`)),
  );
}

const ofObject: readonly string[] = [''];
