// One write on its way: the request, what it writes through, and the context that strategies and admission see.
import type { AdmissionAttributes, AdmissionChain, AdmissionOperation } from '../../admission/index.js';
import type { ApiObject, Clock, Frozen, Random, WriteContext } from '../../core/index.js';
import type { RequestOptions } from '../../client/index.js';
import type { Store } from '../../storage/index.js';
import type { Exchange } from '../requests/exchange.js';
import { isDryRun } from '../requests/check-options.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { StoredKind } from '../registry/stored-kind.js';
import type { LeasePool } from './lease-pool.js';
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

/** A write. */
export class Write {
  readonly endpoint: Endpoint;
  readonly exchange: Exchange;
  readonly tools: WriteTools;
  readonly options: RequestOptions;
  readonly context: WriteContext;

  constructor(endpoint: Endpoint, exchange: Exchange, options: RequestOptions, tools: WriteTools) {
    this.endpoint = endpoint;
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
   * Lets mutating plugins change the object. Throws or rejects with a refusal; answers only where there is something to
   * wait for.
   */
  mutate(
    operation: AdmissionOperation,
    object: ApiObject | undefined,
    oldObject?: Frozen<ApiObject>,
  ): Promise<void> | undefined {
    return this.tools.admission?.mutate(this.#attributes(operation, object, oldObject));
  }

  /** Lets validating plugins judge it, likewise. */
  admit(
    operation: AdmissionOperation,
    object: ApiObject | undefined,
    oldObject?: Frozen<ApiObject>,
  ): Promise<void> | undefined {
    return this.tools.admission?.validate(this.#attributes(operation, object, oldObject));
  }

  #attributes(
    operation: AdmissionOperation,
    object: ApiObject | undefined,
    oldObject: Frozen<ApiObject> | undefined,
  ): AdmissionAttributes {
    const { exchange, endpoint } = this;
    const { info } = exchange.request;
    const attributes: { -readonly [K in keyof AdmissionAttributes]: AdmissionAttributes[K] } = {
      operation,
      kind: endpoint.gvk,
      resource: endpoint.gvr,
      subresource: info.subresource,
      namespace: info.namespace,
      name: info.name === '' ? (object?.metadata?.name ?? oldObject?.metadata?.name ?? '') : info.name,
      options: undefined,
      dryRun: this.context.dryRun,
      user: exchange.user,
      warn: (text) => exchange.warn(text),
      annotate: (key, value) => exchange.annotate(key, value),
    };
    if (object !== undefined) attributes.object = object;
    if (oldObject !== undefined) attributes.oldObject = oldObject;
    return attributes;
  }
}
