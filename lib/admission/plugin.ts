// What a write has to pass between authorization and storage: the contract of admission. Plugins that change objects
// run first, before preparation and validation; plugins that only judge run last. A refusal is an ApiError, thrown or
// as the error of what is answered. As apiserver/pkg/admission/interfaces.go.
import type { ObservableInput } from 'rxjs';
import type { ApiObject, Frozen, GroupVersionKind, GroupVersionResource } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';

/** What is being done to an object. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A write on its way. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The new object; absent for a delete. Only `mutate` may change it, in place. */
  readonly object?: ApiObject;
  /** The object as it is; absent for a create. */
  readonly oldObject?: Frozen<ApiObject>;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: Frozen<ApiObject> | undefined;
  readonly dryRun: boolean;
  readonly user: Frozen<UserInfo>;
  /** Tells the client something, in a Warning header. */
  warn(text: string): void;
  /** Leaves a note in the audit event. */
  annotate(key: string, value: string): void;
}

/** A step of admission. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whether it has anything to say about this kind of write. */
  handles(attributes: AdmissionAttributes): boolean;
  /** Changes `attributes.object` in place. What it answers is waited for, its values are not looked at. */
  mutate?(attributes: AdmissionAttributes): ObservableInput<unknown> | undefined;
  /** Refuses, or lets pass. Must change nothing. */
  validate?(attributes: AdmissionAttributes): ObservableInput<unknown> | undefined;
}
