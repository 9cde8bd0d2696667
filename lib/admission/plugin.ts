// The contract of admission plugins. Admission is what a write passes between authorization and storage: first every
// plugin that handles it may change the object (`mutate`), then the object is prepared and validated, then every
// plugin may refuse it (`validate`). As apiserver/pkg/admission/interfaces.go.
//
// Promises: all four operations reach both phases. `object` and `oldObject` are of the version of `kind`. A plugin
// changes an object by returning another one; what it is given must not be changed, nor kept beyond the call. A refusal
// is an ApiError, thrown or as the error of the returned Promise or Observable; the first refusal ends the request. An
// update that another writer overtook is repeated, and its plugins run again.
import type { AdmissionAnswer, ApiObject, Frozen, Handles, MetricFamily, ReviewedWrite } from '../core/index.js';

export type { AdmissionAnswer, AdmissionOperation, Handles } from '../core/index.js';

/** A write on its way to storage, as plugins of a server see it. */
export interface AdmissionReview extends ReviewedWrite {
  /** The second run of the mutating plugins. One value for all reviews of a write. */
  readonly reinvocation: Reinvocation;
}

/**
 * One more run of the mutating plugins, so that those that ran before a webhook or a policy see what it changed. As
 * apiserver/pkg/admission/interfaces.go, ReinvocationContext.
 */
export interface Reinvocation {
  /** Whether this is the second run. There is no third. */
  readonly isSecondRun: boolean;
  /** Whether a plugin requested it. */
  readonly isRequested: boolean;
  /** Makes all mutating plugins run once more, after all of them have run. Without effect in the second run. */
  request(): void;
  /** What a plugin keeps from the first run for the second, by its name. */
  readonly kept: Map<string, unknown>;
}

/** A step of admission. */
export interface AdmissionPlugin {
  readonly name: string;
  /** The writes that it is called for: those that one of the entries selects. */
  readonly handles: Handles | readonly Handles[];
  /** Returns the object that takes the place of `review.object`, or undefined to leave it. Throws to refuse. */
  mutate?(review: AdmissionReview): AdmissionAnswer<Frozen<ApiObject> | undefined>;
  /** Throws to refuse. The object is as it will be stored. */
  validate?(review: AdmissionReview): AdmissionAnswer<void>;
  /** The plugin's own metrics, for `/metrics`. Families of the same name of several plugins are joined. */
  families?(): readonly MetricFamily[];
}
