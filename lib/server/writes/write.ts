// One write on its way: the request, what it writes through, and the context that strategies and admission see.
import type { AdmissionChain, AdmissionOperation } from '../../admission/index.js';
import type { ApiObject, Clock, Random, WriteContext } from '../../core/index.js';
import type { RequestOptions } from '../../client/index.js';
import type { Store } from '../../storage/index.js';
import type { Exchange } from '../requests/exchange.js';
import { isDryRun } from '../requests/check-options.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { Stored, StoredKind } from '../registry/stored-kind.js';
import type { LeasePool } from './lease-pool.js';
import type { ReviewSubject } from './review.js';
import { reviewOf } from './review.js';
import type { WriteGuard } from './write-guard.js';
import type { WriteHook } from './write-hook.js';

/** What all writes of a server share. */
export interface WriteTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly leases: LeasePool;
  readonly admission: AdmissionChain | undefined;
  /** What has to be reserved before an object of the kind is written, by the kind. */
  readonly hookOf: (stored: StoredKind) => WriteHook | undefined;
  /** Who guards the writes of a kind, beyond authorization. */
  readonly guardOf: (stored: StoredKind) => WriteGuard | undefined;
  /** Refuses, by throwing, a create that came as an update. */
  readonly authorizeCreate: (endpoint: Endpoint, exchange: Exchange) => Promise<void>;
}

/** The form in which a request writes an object: that of its endpoint, or the kind of a subresource. */
export type WriteForm = Pick<Endpoint, 'gvk' | 'fromHub'>;

/** A write. */
export class Write {
  readonly endpoint: Endpoint;
  readonly exchange: Exchange;
  readonly tools: WriteTools;
  readonly options: RequestOptions;
  readonly context: WriteContext;

  readonly #form: WriteForm;

  constructor(
    endpoint: Endpoint,
    exchange: Exchange,
    options: RequestOptions,
    tools: WriteTools,
    form: WriteForm = endpoint,
  ) {
    this.endpoint = endpoint;
    this.#form = form;
    this.exchange = exchange;
    this.tools = tools;
    this.options = options;
    this.context = {
      user: exchange.user,
      now: tools.clock.now(),
      random: tools.random,
      dryRun: isDryRun(options),
      version: endpoint.gvk,
    };
  }

  get stored(): StoredKind {
    return this.endpoint.stored;
  }

  /** Who guards the kind. */
  get guard(): WriteGuard | undefined {
    return this.tools.guardOf(this.endpoint.stored);
  }

  /** What has to be reserved for the kind. */
  get hook(): WriteHook | undefined {
    return this.tools.hookOf(this.endpoint.stored);
  }

  /**
   * Runs mutating admission of an object in the form of the request, which the caller owns. Resolves to the object to
   * go on with, which the caller owns too. Rejects with a refusal.
   */
  async mutate(operation: AdmissionOperation, object: ApiObject, old?: Stored): Promise<ApiObject> {
    const steps = this.#stepsFor(operation);
    if (steps?.mutate === undefined) return object;
    const review = reviewOf(this.#subject(object), operation, object, old && this.#form.fromHub(old));
    return (await steps.mutate(review)) ?? object;
  }

  /** Runs validating admission of an object in the hub version. Rejects with a refusal. */
  async admit(operation: AdmissionOperation, object: ApiObject, old?: Stored): Promise<void> {
    const steps = this.#stepsFor(operation);
    if (steps?.validate === undefined) return;
    const { fromHub } = this.#form;
    await steps.validate(reviewOf(this.#subject(object), operation, fromHub(object), old && fromHub(old)));
  }

  /** Runs both phases for the deletion of an object. */
  async admitDelete(old: Stored): Promise<void> {
    const steps = this.#stepsFor('DELETE');
    if (steps?.mutate === undefined && steps?.validate === undefined) return;
    const { endpoint, exchange } = this;
    const subject = { ...this.#subject(undefined), name: exchange.request.info.name };
    const review = reviewOf(subject, 'DELETE', undefined, endpoint.fromHub(old));
    await steps.mutate?.(review);
    await steps.validate?.(review);
  }

  #stepsFor(operation: AdmissionOperation): ReturnType<AdmissionChain['stepsFor']> | undefined {
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
