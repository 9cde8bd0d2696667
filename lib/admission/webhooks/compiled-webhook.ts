// A webhook of a configuration, compiled once per revision of the configuration: its rules, selectors, time limit and
// call. What is wrong with it is reported when it would be called, and follows its failure policy.
import { once, selectorFromStructured } from '../../core/index.js';
import type { Frozen, Selector } from '../../core/index.js';
import type {
  MatchCondition,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../core/types/index.js';
import type { WebhookCall } from '../../webhook/index.js';
import type { WebhookClients } from './webhook-clients.js';

/** A configuration of webhooks, mutating or validating. */
export type AnyWebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** A webhook as a configuration has it: only mutating ones have a reinvocation policy. */
export type ConfiguredWebhook = Frozen<ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>>;

/** A webhook that is ready to be matched and called. */
export interface CompiledWebhook {
  /** Unique among all webhooks of its type. */
  readonly id: string;
  readonly name: string;
  /** The name of the configuration. */
  readonly configuration: string;
  readonly rules: readonly Frozen<RuleWithOperations>[];
  readonly matchesEquivalent: boolean;
  /** Returns the selector. Throws ParseError where a stored one is wrong. */
  readonly namespaceSelector: () => Selector;
  /** Likewise. */
  readonly objectSelector: () => Selector;
  readonly conditions: readonly Frozen<MatchCondition>[];
  readonly ignoresFailures: boolean;
  readonly sideEffects: string | undefined;
  readonly isReinvocable: boolean;
  /** The first version of AdmissionReview that both sides support; undefined for none. */
  readonly reviewVersion: 'v1' | 'v1beta1' | undefined;
  /** Returns the call. Throws where the client configuration is wrong. */
  readonly call: () => WebhookCall;
}

/** Compiles the webhooks of a configuration, in their order. Nothing is called. */
export function compileConfiguration(
  configuration: Frozen<AnyWebhookConfiguration>,
  clients: WebhookClients,
): readonly CompiledWebhook[] {
  const { metadata, webhooks = [] } = configuration;
  const { name = '' } = metadata ?? {};
  return webhooks.map((webhook, index) => {
    // Calls are created with the first review: a configuration that is never used opens nothing.
    let call: WebhookCall | undefined;
    const { clientConfig, timeoutSeconds = 10 } = webhook;
    return compileWebhook(
      webhook,
      { id: `${name}/${webhook.name}/${index}`, configuration: name },
      () => (call ??= clients.callOf(clientConfig, timeoutSeconds * 1000)),
    );
  });
}

/** Compiles one webhook with the way to call it. */
export function compileWebhook(
  webhook: Omit<ConfiguredWebhook, 'clientConfig'>,
  { id, configuration }: Pick<CompiledWebhook, 'id' | 'configuration'>,
  call: () => WebhookCall,
): CompiledWebhook {
  const { name, rules = [], matchPolicy = 'Equivalent', sideEffects, reinvocationPolicy = 'Never' } = webhook;
  return {
    id,
    name,
    configuration,
    rules,
    matchesEquivalent: matchPolicy === 'Equivalent',
    namespaceSelector: once(() => selectorFromStructured(webhook.namespaceSelector ?? {})),
    objectSelector: once(() => selectorFromStructured(webhook.objectSelector ?? {})),
    conditions: webhook.matchConditions ?? [],
    ignoresFailures: webhook.failurePolicy === 'Ignore',
    sideEffects,
    isReinvocable: reinvocationPolicy === 'IfNeeded',
    reviewVersion: webhook.admissionReviewVersions.find((version) => version === 'v1' || version === 'v1beta1'),
    call,
  };
}
