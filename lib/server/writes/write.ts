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

  /** Lets mutating plugins change the object. */
  async mutate(operation: AdmissionOperation, object: ApiObject | undefined, oldObject?: Frozen<ApiObject>): Promise<void> {
    await this.tools.admission?.mutate(this.#attributes(operation, object, oldObject));
  }

  /** Lets validating plugins judge it. */
  async admit(operation: AdmissionOperation, object: ApiObject | undefined, oldObject?: Frozen<ApiObject>): Promise<void> {
    await this.tools.admission?.validate(this.#attributes(operation, object, oldObject));
  }

  #attributes(operation: AdmissionOperation, object: ApiObject | undefined, oldObject: Frozen<ApiObject> | undefined): AdmissionAttributes {
    const { info } = this.exchange.request;
    const name = info.name === '' ? (object?.metadata?.name ?? oldObject?.metadata?.name ?? '') : info.name;
    return {
      operation,
      kind: this.endpoint.gvk,
      resource: this.endpoint.gvr,
      subresource: info.subresource,
      namespace: info.namespace,
      name,
      ...(object && { object }),
      ...(oldObject && { oldObject }),
      options: undefined,
      dryRun: this.context.dryRun,
      user: this.exchange.user,
      warn: (text) => this.exchange.warn(text),
      annotate: (key, value) => this.exchange.annotate(key, value),
    };
  }
}
