// MutatingAdmissionWebhook: calls the webhooks that match a write one after the other, each with the result of those
// before it. If one changed the object, all mutating plugins run once more; of the webhooks then only those that were
// called before, allow it, and have not seen the last change.
// As apiserver/pkg/admission/plugin/webhook/mutating/{dispatcher,reinvocationcontext}.go.
import { deepEqual } from '../../core/index.js';
import type { ApiObject, Frozen, Kinds } from '../../core/index.js';
import type { AdmissionPlugin, AdmissionReview, Reinvocation } from '../plugin.js';
import type { CompiledWebhook } from './compiled-webhook.js';
import type { WebhookSource } from './followed-webhooks.js';
import { followedWebhooks } from './followed-webhooks.js';
import { patchedObject } from './patched-object.js';
import type { MatchedWrite } from './review-exchange.js';
import type { AdmissionWebhookOptions } from './webhook-clients.js';
import { webhookClients } from './webhook-clients.js';
import type { WebhookTools } from './webhook-dispatcher.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import type { WebhookCandidate } from './webhook-index.js';

/** Creates the plugin. */
export function mutatingWebhooks(
  tools: WebhookTools,
  _configuration?: unknown,
  options: AdmissionWebhookOptions = {},
): AdmissionPlugin {
  const source = followedWebhooks(tools, 'mutatingwebhookconfigurations', webhookClients(options, tools));
  return mutatingWebhookPlugin('MutatingAdmissionWebhook', source, tools);
}

/** Creates a plugin that calls the mutating webhooks of a source. */
export function mutatingWebhookPlugin(name: string, source: WebhookSource, tools: WebhookTools): AdmissionPlugin {
  const dispatcher = new WebhookDispatcher('admit', tools);
  return {
    name,
    handles: { operations: '*', resources: '*', subresources: '*' },
    mutate: (review) =>
      source.whenReady((): undefined | Promise<Frozen<ApiObject> | undefined> => {
        const candidates = source.index().candidates(review);
        if (candidates.length === 0) return undefined;
        return new MutatingRound(name, dispatcher, tools.kinds, review).run(candidates);
      }),
    families: () => dispatcher.metrics.families(),
  };
}

/** What is kept of the first run for the second. */
interface RoundMemory {
  /** Webhooks that were called and may be called again. */
  called: Set<string>;
  /** Those of them that have not seen the last change. */
  readonly due: Set<string>;
  /** The object after the last webhook. */
  output: Frozen<ApiObject> | undefined;
}

/** One run of the webhooks for one write. */
class MutatingRound {
  readonly #dispatcher: WebhookDispatcher;
  readonly #kinds: Kinds;
  readonly #memory: RoundMemory;
  readonly #reinvocation: Reinvocation;
  #review: AdmissionReview;

  constructor(name: string, dispatcher: WebhookDispatcher, kinds: Kinds, review: AdmissionReview) {
    this.#dispatcher = dispatcher;
    this.#kinds = kinds;
    this.#review = review;
    this.#reinvocation = review.reinvocation;
    const { kept } = review.reinvocation;
    this.#memory = (kept.get(name) as RoundMemory | undefined) ?? {
      called: new Set(),
      due: new Set(),
      output: undefined,
    };
    kept.set(name, this.#memory);
  }

  async run(candidates: readonly WebhookCandidate[]): Promise<Frozen<ApiObject> | undefined> {
    const memory = this.#memory;
    const { isSecondRun } = this.#reinvocation;
    const given = this.#review.object;
    // Another plugin changed the object in its second run.
    if (isSecondRun && !deepEqual(memory.output, given)) this.#requireSecondCalls();
    for (const candidate of candidates) {
      const write = await this.#dispatcher.matched(candidate, this.#review);
      if (write === undefined) continue;
      if (isSecondRun && !memory.due.has(candidate.webhook.id)) continue;
      await this.#callWebhook(candidate, write);
    }
    memory.output = this.#review.object;
    return this.#review.object === given ? undefined : this.#review.object;
  }

  async #callWebhook({ webhook, index }: WebhookCandidate, write: MatchedWrite): Promise<void> {
    const place = `webhook.admission.k8s.io/round_${this.#reinvocation.isSecondRun ? 1 : 0}_index_${index}`;
    const { configuration, name } = webhook;
    let mutated = false;
    try {
      const patched = await this.#dispatcher.call(webhook, write, (response) =>
        patchedObject(response, write, name, this.#kinds.current),
      );
      if (patched === undefined) return;
      mutated = patched.isChanged;
      if (this.#review.auditsContent)
        this.#review.annotate(
          `patch.${place}`,
          JSON.stringify({ configuration, webhook: name, patch: patched.patch, patchType: 'JSONPatch' }),
        );
      this.#review = { ...this.#review, object: patched.object };
      if (mutated) {
        this.#requireSecondCalls();
        this.#reinvocation.request();
      }
    } catch (error) {
      const refusal = this.#dispatcher.refusalOf(error, webhook, this.#review, `failed-open.mutation.${place}`);
      if (refusal !== undefined) throw refusal;
    } finally {
      this.#review.annotate(`mutation.${place}`, JSON.stringify({ configuration, webhook: name, mutated }));
      this.#remember(webhook);
    }
  }

  #remember({ id, isReinvocable }: CompiledWebhook): void {
    if (isReinvocable) this.#memory.called.add(id);
  }

  #requireSecondCalls(): void {
    for (const id of this.#memory.called) this.#memory.due.add(id);
    this.#memory.called = new Set();
  }
}
