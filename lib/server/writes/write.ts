// One write in the pipeline (write-pipeline.ts): the request, its kind, and what strategies, field ownership, admission
// and commits need of it.
import type { AdmissionChain, AdmissionOperation, AdmissionSteps } from '../../admission/index.js';
import { errorText } from '../../core/index.js';
import type {
  ApiObject,
  Clock,
  ExpressionCheck,
  Frozen,
  GroupVersion,
  GroupVersionKind,
  Outlet,
  Random,
  RequestOptions,
  WriteContext,
} from '../../core/index.js';
import type { Store } from '../../storage/index.js';
import type { Exchange } from '../pipeline.js';
import { isDryRun } from '../requests/open-write.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import type { StoredObject, StoredKind } from '../registry/stored-kind.js';
import type { Commit } from './commit.js';
import { fieldManagerOf, ownFields } from './field-ownership.js';
import type { CompanionContext, KindBehaviour } from './kind-behaviour.js';
import type { LeasePool } from './lease-pool.js';
import type { ReviewSubject } from './review.js';
import { reviewOf } from './review.js';

/** Dependencies that all writes of a server share. */
export interface WriteTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly leases: LeasePool;
  readonly admission: AdmissionChain | undefined;
  /** Checks the expressions in CEL that objects hold. */
  readonly checkExpression: ExpressionCheck;
  /** Emits every commit while there are subscribers. */
  readonly commits: Outlet<Commit>;
  /** Returns the behaviour that is registered for a kind. */
  readonly behaviourOf: (stored: StoredKind) => KindBehaviour;
  /** Called after an object was written or removed. */
  readonly onCommitted: (ref: StoredKind['ref'], object: Frozen<ApiObject>, isRemoved: boolean) => void;
  /** Authorizes a create that was sent as an update. Rejects with ApiError 403. */
  readonly authorizeCreate: (exchange: Exchange) => Promise<void>;
}

/**
 * The form in which a request writes an object: the endpoint's version of the kind, or the kind of a subresource, such
 * as Scale.
 */
export interface WriteForm {
  readonly gvk: GroupVersionKind;
  /** The stored object in this form. */
  fromHub(object: Frozen<ApiObject>): Frozen<ApiObject>;
}

/** The form of a body that has nothing in common with the stored object, such as a Binding. */
export function bodyForm(gvk: GroupVersionKind): WriteForm {
  return { gvk, fromHub: (body) => body };
}

/** A write. */
export class Write {
  readonly endpoint: ResourceEndpoint;
  readonly exchange: Exchange;
  readonly tools: WriteTools;
  readonly options: RequestOptions;
  readonly context: CompanionContext;
  /** What is registered for the kind. */
  readonly behaviour: KindBehaviour;
  readonly #form: WriteForm;

  constructor(
    endpoint: ResourceEndpoint,
    exchange: Exchange,
    options: RequestOptions,
    tools: WriteTools,
    form: WriteForm = endpoint,
  ) {
    this.endpoint = endpoint;
    this.exchange = exchange;
    this.tools = tools;
    this.options = options;
    this.behaviour = tools.behaviourOf(endpoint.stored);
    this.#form = form;
    this.context = {
      user: exchange.user,
      now: tools.clock.now(),
      random: tools.random,
      dryRun: isDryRun(options),
      version: endpoint.gvk,
      checkExpression: tools.checkExpression,
      manager: fieldManagerOf(options.fieldManager, exchange.request.header('User-Agent')),
    } satisfies WriteContext & CompanionContext;
  }

  get stored(): StoredKind {
    return this.endpoint.stored;
  }

  /** Assigns changed fields to the field manager of the request. Both objects are in `version`. */
  ownFields(object: ApiObject, old: StoredObject | undefined, version: GroupVersion = this.endpoint.gvk): ApiObject {
    const { exchange, context } = this;
    return ownFields(this.stored, {
      old,
      new: object,
      manager: context.manager,
      subresource: exchange.request.info.subresource,
      version,
      time: context.now,
    });
  }

  /**
   * Runs mutating admission of an object in the form of the request, which the caller owns. Resolves to the object to
   * go on with, which the caller owns too. Rejects with a refusal.
   */
  async mutate(operation: AdmissionOperation, object: ApiObject, old?: StoredObject): Promise<ApiObject> {
    const steps = this.#stepsFor(operation);
    if (steps?.mutate === undefined) return object;
    const review = reviewOf(this.#subject(object), operation, object, old && this.#form.fromHub(old));
    const before = object.metadata?.managedFields;
    return this.#withValidManagedFields((await steps.mutate(review)) ?? object, before);
  }

  /**
   * Restores the managed fields of before admission, with a warning, where a plugin left some that are not valid. As
   * apiserver/pkg/endpoints/handlers/fieldmanager/admission.go.
   */
  #withValidManagedFields(object: ApiObject, before: NonNullable<ApiObject['metadata']>['managedFields']): ApiObject {
    const after = object.metadata?.managedFields;
    if (after === before || after === undefined) return object;
    try {
      this.stored.ownership.check(after);
      return object;
    } catch (error) {
      this.exchange.warn(
        `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${errorText(error)}`,
      );
      const { managedFields: _invalid, ...metadata } = object.metadata ?? {};
      return { ...object, metadata: before === undefined ? metadata : { ...metadata, managedFields: before } };
    }
  }

  /** Runs validating admission of an object in the hub version. Rejects with a refusal. */
  async admit(operation: AdmissionOperation, object: ApiObject, old?: StoredObject): Promise<void> {
    const steps = this.#stepsFor(operation);
    if (steps?.validate === undefined) return;
    const form = this.#form;
    await steps.validate(reviewOf(this.#subject(object), operation, form.fromHub(object), old && form.fromHub(old)));
  }

  /** Runs both phases for the deletion of an object. */
  async admitDelete(old: StoredObject): Promise<void> {
    const steps = this.#stepsFor('DELETE');
    if (steps?.mutate === undefined && steps?.validate === undefined) return;
    const review = reviewOf(this.#subject(undefined), 'DELETE', undefined, this.#form.fromHub(old));
    await steps.mutate?.(review);
    await steps.validate?.(review);
  }

  #stepsFor(operation: AdmissionOperation): AdmissionSteps | undefined {
    const { tools, endpoint, exchange } = this;
    return tools.admission?.stepsFor(endpoint.gvr, exchange.request.info.subresource, operation);
  }

  #subject(object: ApiObject | undefined): ReviewSubject {
    const { endpoint, exchange, options, context } = this;
    const { name } = exchange.request.info;
    return {
      endpoint,
      exchange,
      kind: this.#form.gvk,
      name: name === '' ? (object?.metadata?.name ?? '') : name,
      options,
      dryRun: context.dryRun,
    };
  }
}
