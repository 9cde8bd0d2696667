// ValidatingAdmissionWebhook: calls all webhooks that match a write at the same time. The refusal that arrives first is
// the response; the others are awaited, as their warnings and annotations count.
// As apiserver/pkg/admission/plugin/webhook/validating/dispatcher.go.
import type { AdmissionPlugin, AdmissionReview } from '../plugin.js';
import type { AdmissionWebhookOptions } from './webhook-clients.js';
import { webhookClients } from './webhook-clients.js';
import type { WebhookTools } from './webhook-dispatcher.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import type { WebhookSource } from './followed-webhooks.js';
import { followedWebhooks } from './followed-webhooks.js';
import type { WebhookCandidate } from './webhook-index.js';

/** Creates the plugin. */
export function validatingWebhooks(
  tools: WebhookTools,
  _configuration?: unknown,
  options: AdmissionWebhookOptions = {},
): AdmissionPlugin {
  const source = followedWebhooks(tools, 'validatingwebhookconfigurations', webhookClients(options, tools));
  return validatingWebhookPlugin('ValidatingAdmissionWebhook', source, tools);
}

/** Creates a plugin that calls the validating webhooks of a source. */
export function validatingWebhookPlugin(name: string, source: WebhookSource, tools: WebhookTools): AdmissionPlugin {
  const dispatcher = new WebhookDispatcher('validating', tools);
  return {
    name,
    handles: { operations: '*', resources: '*', subresources: '*' },
    validate: (review) =>
      source.whenReady(() => {
        const candidates = source.index().candidates(review);
        return candidates.length === 0 ? undefined : dispatch(dispatcher, candidates, review);
      }),
    families: () => dispatcher.metrics.families(),
  };
}

async function dispatch(
  dispatcher: WebhookDispatcher,
  candidates: readonly WebhookCandidate[],
  review: AdmissionReview,
): Promise<void> {
  const calls: (() => Promise<void>)[] = [];
  const refusals: Error[] = [];
  for (const candidate of candidates) {
    const { webhook, index } = candidate;
    const write = await dispatcher.matched(candidate, review);
    if (write === undefined) continue;
    calls.push(async () => {
      try {
        await dispatcher.call(webhook, write, () => undefined);
      } catch (error) {
        const annotation = `failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`;
        const refusal = dispatcher.refusalOf(error, webhook, review, annotation);
        if (refusal !== undefined) refusals.push(refusal);
      }
    });
  }
  await Promise.all(calls.map((call) => call()));
  const [refusal] = refusals;
  if (refusal !== undefined) throw refusal;
}
