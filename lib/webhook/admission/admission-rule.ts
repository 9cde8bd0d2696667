// Rules of a host for admission, as plain functions. One rule runs in process, in the chain of a server
// (`admission.plugins` of createCluster), as `process://name` of a webhook configuration, or behind HTTPS
// (`webhookHandler`) for any cluster. It always receives an AdmissionReview and answers one, so that a function that
// was tested in process behaves the same in a real cluster.
import type { AdmissionAnswer, ApiObject, Frozen, ReviewedWrite } from '../../core/index.js';
import type { MutatingWebhook, RuleWithOperations, ValidatingWebhook } from '../../core/types/index.js';
import type { WebhookFunction } from '../in-process-call.js';
import { answerReview } from './review-answer.js';

/** The write that a rule decides on. */
export type RuleReview = Omit<ReviewedWrite, 'auditsContent'>;

/** Options of a rule: those of a webhook in a configuration. */
export interface AdmissionRuleOptions extends Frozen<
  Pick<
    ValidatingWebhook & MutatingWebhook,
    'failurePolicy' | 'matchConditions' | 'matchPolicy' | 'namespaceSelector' | 'objectSelector' | 'reinvocationPolicy'
  >
> {
  /** Default `None`: requests with dry run reach the rule too. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** The time limit, after which `failurePolicy` decides. Default 10. */
  readonly timeoutSeconds?: number;
}

/** The writes that a rule is called for, in the form of webhook configurations. */
export type WriteRules = readonly Frozen<RuleWithOperations>[];

/** A rule: a webhook whose other end is a function of this process. */
export interface AdmissionRule extends AdmissionRuleOptions {
  readonly type: 'mutating' | 'validating';
  /** Unique among the rules of a host. At least three segments joined by dots, where it is registered at a cluster. */
  readonly name: string;
  readonly rules: WriteRules;
  /** Answers an AdmissionReview with one that has a response. */
  readonly answer: WebhookFunction;
}

/**
 * Returns a rule that changes objects. `change` receives the object, frozen (the stored one for DELETE), and returns
 * the changed one, or undefined to leave it; it throws an ApiError to deny the request, with its code, reason and
 * message. Any other error counts as a failed call and follows `failurePolicy`.
 */
export function mutating<T extends ApiObject>(
  name: string,
  rules: WriteRules,
  change: (object: Frozen<T>, review: RuleReview) => AdmissionAnswer<Frozen<T> | undefined>,
  options: AdmissionRuleOptions = {},
): AdmissionRule {
  return webhook({ ...options, type: 'mutating', name, rules }, (given) =>
    // The rules say what the object is.
    answerReview(given, (object, review) => change(object as Frozen<T>, review)),
  );
}

/**
 * Returns a rule that refuses requests: `check` returns a text to deny with 403, or undefined to allow; it may throw an
 * ApiError as `change` of `mutating` does.
 */
export function validating<T extends ApiObject>(
  name: string,
  rules: WriteRules,
  check: (object: Frozen<T>, review: RuleReview) => AdmissionAnswer<string | undefined>,
  options: AdmissionRuleOptions = {},
): AdmissionRule {
  return webhook({ ...options, type: 'validating', name, rules }, (given) =>
    answerReview(given, (object, review) => check(object as Frozen<T>, review)),
  );
}

/** Returns a rule whose function answers AdmissionReview objects itself, as the handler of a webhook server does. */
export function webhook(rule: Omit<AdmissionRule, 'answer'>, answer: WebhookFunction): AdmissionRule {
  return { ...rule, answer };
}
