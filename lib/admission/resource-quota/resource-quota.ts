// The plugin ResourceQuota: refuses what does not fit into the quotas of its namespace, and charges them before the
// object is stored. What fails afterwards stays charged until the resource-quota controller recalculates.
//
// Writes to one namespace are charged in batches: those that arrive while a batch is being written form the next one.
// So a burst of creations costs a few updates of the quota instead of one each, and never conflicts with itself. A
// conflict with another server or the controller is resolved by charging the batch to the stored quota again. A
// namespace without quotas costs one look-up. As apiserver/pkg/admission/plugin/resourcequota.
import { from, map, race } from 'rxjs';
import type { Observable } from 'rxjs';
import { internalError, quotaEvaluatorOf } from '../../core/index.js';
import type { Clock, GroupResource, QuotaEvaluator } from '../../core/index.js';
import type { ServerTools } from '../../auth/index.js';
import type { AdmissionAnswer, AdmissionPlugin, AdmissionReview } from '../plugin.js';
import { charge } from './charge.js';
import type { Charge, QuotaAccount } from './charge.js';
import { limitedResourcesOf } from './configuration.js';
import type { LimitedResource } from './configuration.js';
import { quotaLedger } from './quota-ledger.js';
import type { QuotaLedger } from './quota-ledger.js';

/** Creates the plugin. `configuration` is a ResourceQuotaConfiguration. Quotas are read from the first write on. */
export function resourceQuotaAdmission(tools: ServerTools, configuration?: unknown): AdmissionPlugin {
  const limited = limitedResourcesOf(configuration);
  const ledger = quotaLedger(tools);
  const { clock } = tools;
  const batches = new Batches({ ledger, limited, clock });
  const evaluators = new WeakMap<GroupResource, { readonly evaluator: QuotaEvaluator | undefined }>();
  /** Remembered by the identity of the resource, which is that of the endpoint. */
  const evaluatorOf = (resource: GroupResource): QuotaEvaluator | undefined => {
    let known = evaluators.get(resource);
    if (known === undefined) evaluators.set(resource, (known = { evaluator: quotaEvaluatorOf(resource) }));
    return known.evaluator;
  };
  const check = (review: AdmissionReview): void | Promise<void> => {
    const { namespace, resource, operation, subresource, object, oldObject } = review;
    if (limited.length === 0 && !ledger.has(namespace)) return undefined;
    const evaluator = evaluatorOf(resource);
    if (evaluator === undefined || object === undefined) return undefined;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
    if (!evaluator.handles({ operation, subresource, object, oldObject })) return undefined;
    return batches.add({ review, evaluator });
  };
  return {
    name: 'ResourceQuota',
    // Whatever is created is counted; updates change what is used of few resources.
    handles: [
      { operations: ['CREATE'], resources: '*' },
      {
        operations: ['UPDATE'],
        resources: ['pods', 'services', 'persistentvolumeclaims', 'resourceclaims.resource.k8s.io'],
      },
      { operations: ['UPDATE'], resources: ['pods'], subresources: ['resize'] },
      { operations: ['UPDATE'], resources: ['persistentvolumeclaims'], subresources: ['status'] },
    ],
    validate: (review): AdmissionAnswer<void> => {
      const { namespace, resource } = review;
      // What belongs to no namespace is not limited; nor are namespaces, which belong to themselves.
      if (namespace === '' || (resource.resource === 'namespaces' && resource.group === '')) return undefined;
      const answer = ledger.whenReady(() => check(review));
      return answer instanceof Promise ? inTime(answer, clock) : answer;
    },
  };
}

/** How long a write waits for its charge. */
const timeoutMs = 10_000;
/** How often a batch is charged anew after a conflict. */
const retriesMax = 3;

function inTime(answer: Promise<void>, clock: Clock): Observable<void> {
  const late$ = clock.timer(timeoutMs).pipe(
    map((): never => {
      throw internalError('resource quota evaluation timed out');
    }),
  );
  return race(from(answer), late$);
}

interface Waiting extends Charge {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface BatchesOptions {
  readonly ledger: QuotaLedger;
  readonly limited: readonly LimitedResource[];
  readonly clock: Clock;
}

/** The charges under way: at most one batch per namespace. */
class Batches {
  readonly #options: BatchesOptions;
  /** What waits for the batch of its namespace that is being written. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(options: BatchesOptions) {
    this.#options = options;
  }

  /** Resolves once the quotas are charged. Rejects with a refusal. */
  add(what: Charge): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { ...what, resolve, reject };
      const { namespace } = what.review;
      const next = this.#waiting.get(namespace);
      if (next !== undefined) next.push(waiting);
      else void this.#run(namespace, [waiting]);
    });
  }

  /** Charges one batch after the other until nothing waits. Never rejects. */
  async #run(namespace: string, first: readonly Waiting[]): Promise<void> {
    let batch = first;
    while (batch.length > 0) {
      this.#waiting.set(namespace, []);
      try {
        await this.#charge(batch, this.#options.ledger.accountsIn(namespace));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      batch = this.#waiting.get(namespace) ?? [];
    }
    this.#waiting.delete(namespace);
  }

  /** Settles every charge of a batch. */
  async #charge(batch: readonly Waiting[], before: readonly QuotaAccount[]): Promise<void> {
    const { ledger } = this.#options;
    let [pending, accounts] = [batch, before];
    for (let retries = 0; ; retries += 1) {
      const decided = this.#decide(pending, accounts);
      pending = decided.fitting;
      if (pending.length === 0) return;
      const failed: { readonly account: QuotaAccount; readonly error: unknown }[] = [];
      for (const account of decided.accounts.filter((each) => !accounts.includes(each))) {
        try {
          await ledger.write(account);
        } catch (error) {
          failed.push({ account, error });
        }
      }
      if (failed.length === 0) {
        for (const { resolve } of pending) resolve();
        return;
      }
      if (retries === retriesMax) {
        for (const { reject } of pending) reject(failed[0]?.error);
        return;
      }
      // Only the quotas that were not written are charged anew; one that is gone no longer limits anything.
      const fresh = await Promise.all(failed.map(({ account }) => ledger.reread(account)));
      accounts = fresh.filter((account) => account !== undefined);
    }
  }

  /** Settles the charges that need no write: refused ones, dry runs, and those that change nothing. */
  #decide(
    batch: readonly Waiting[],
    before: readonly QuotaAccount[],
  ): { readonly fitting: readonly Waiting[]; readonly accounts: readonly QuotaAccount[] } {
    const { limited, clock } = this.#options;
    const fitting: Waiting[] = [];
    let accounts = before;
    for (const waiting of batch) {
      try {
        const next = charge(accounts, waiting, { limited, nowMs: clock.now() });
        if (waiting.review.dryRun || next.every((account, index) => account === accounts[index])) waiting.resolve();
        else {
          accounts = next;
          fitting.push(waiting);
        }
      } catch (error) {
        waiting.reject(error);
      }
    }
    return { fitting, accounts };
  }
}
