// The contract of admission plugins. Admission is what a write passes between authorization and storage: first every
// plugin that handles it may change the object (`mutate`), then the object is prepared and validated, then every
// plugin may refuse it (`validate`). As apiserver/pkg/admission/interfaces.go.
//
// Promises: all four operations reach both phases. `object` and `oldObject` are of the version of `kind`. A plugin
// changes an object by returning another one; what it is given must not be changed, nor kept beyond the call. A refusal
// is an ApiError, thrown or as the error of the returned Promise or Observable; the first refusal ends the request. An
// update that another writer overtook is repeated, and its plugins run again.
import type { Observable } from 'rxjs';
import type { ApiObject, Frozen, GroupVersionKind, GroupVersionResource } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';

/** What is done to an object. */
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
export interface AdmissionReview {
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
}

/** A step of admission. */
export interface AdmissionPlugin {
  readonly name: string;
  /** The writes that it is called for. */
  readonly handles: Handles;
  /** Returns the object that takes the place of `review.object`, or undefined to leave it. Throws to refuse. */
  mutate?(review: AdmissionReview): AdmissionAnswer<Frozen<ApiObject> | undefined>;
  /** Throws to refuse. The object is as it will be stored. */
  validate?(review: AdmissionReview): AdmissionAnswer<void>;
}
