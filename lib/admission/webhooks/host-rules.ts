// Rules of a host in the chain: webhooks that do not change, called in this process. Mutating ones run in their order,
// validating ones at the same time, as those of configurations do.
import { once } from '../../core/index.js';
import type { AdmissionRule } from '../../webhook/index.js';
import { inProcessCall, timedCall } from '../../webhook/index.js';
import type { AdmissionPlugin } from '../plugin.js';
import { compileWebhook } from './compiled-webhook.js';
import type { CompiledWebhook } from './compiled-webhook.js';
import { fixedWebhooks } from './followed-webhooks.js';
import { mutatingWebhookPlugin } from './mutating-webhooks.js';
import { validatingWebhookPlugin } from './validating-webhooks.js';
import type { WebhookTools } from './webhook-dispatcher.js';

/** Creates the plugins that run rules: one for each type that occurs. Throws RangeError if two have the same name. */
export function hostRules(tools: WebhookTools, rules: readonly AdmissionRule[]): readonly AdmissionPlugin[] {
  if (new Set(rules.map(({ name }) => name)).size < rules.length)
    throw new RangeError('the names of rules must be unique');
  const compiledOf = (type: AdmissionRule['type']): readonly CompiledWebhook[] =>
    rules.filter((rule) => rule.type === type).map((rule) => compileRule(tools, rule));
  const [mutating, validating] = [compiledOf('mutating'), compiledOf('validating')];
  return [
    ...(mutating.length === 0
      ? []
      : [mutatingWebhookPlugin('HostMutatingRules', fixedWebhooks(tools, mutating), tools)]),
    ...(validating.length === 0
      ? []
      : [validatingWebhookPlugin('HostValidatingRules', fixedWebhooks(tools, validating), tools)]),
  ];
}

function compileRule({ clock }: WebhookTools, rule: AdmissionRule): CompiledWebhook {
  const { answer, name, timeoutSeconds = 10 } = rule;
  return compileWebhook(
    { sideEffects: 'None', ...rule, admissionReviewVersions: ['v1'] },
    { id: name, configuration: 'host' },
    once(() => timedCall(inProcessCall(answer), { clock, timeoutMs: timeoutSeconds * 1000 })),
  );
}
