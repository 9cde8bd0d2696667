// What mutating and validating webhooks have in common: which of the candidates are called for a write, the call
// itself, and how its failure follows the failure policy. As apiserver/pkg/admission/plugin/webhook/generic/webhook.go
// and the dispatchers beside it.
import { badRequest, errorText, forbidden, internalError, isApiError, stopwatch } from '../../core/index.js';
import type { ApiError, ApiObject, Frozen, ReviewedWrite, Selector } from '../../core/index.js';
import type { Namespace } from '../../core/types/index.js';
import type { ServerTools } from '../../auth/index.js';
import { webhookDenial, webhookFailure } from '../../webhook/index.js';
import { conditionCompiler } from '../expressions/condition-compiler.js';
import type { ConditionCompiler } from '../expressions/condition-compiler.js';
import { followedResource } from '../followed-resource.js';
import type { FollowedResource } from '../followed-resource.js';
import { matchesNamespace, matchesObject } from '../selector-matching.js';
import type { CompiledWebhook } from './compiled-webhook.js';
import type { MatchedWrite, VerifiedResponse } from './review-exchange.js';
import { reviewRequest, sentObject, verifiedResponse } from './review-exchange.js';
import type { WebhookCandidate } from './webhook-index.js';
import { WebhookMetrics } from './webhook-metrics.js';
import type { RejectionError, WebhookType } from './webhook-metrics.js';

/** A failure to call a webhook: it follows the failure policy. Other errors refuse the request. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
}

/** The tools that webhooks need of a server. */
export type WebhookTools = Pick<
  ServerTools,
  'reader' | 'informers' | 'closed$' | 'clock' | 'random' | 'kinds' | 'authorizer'
>;

/** Decides on calls, and makes them. */
export class WebhookDispatcher {
  readonly metrics: WebhookMetrics;
  readonly #tools: WebhookTools;
  readonly #isMutating: boolean;
  readonly #namespaces: FollowedResource<Namespace>;
  readonly #compileConditions: ConditionCompiler;
  readonly #conditions = new WeakMap<CompiledWebhook, ReturnType<ConditionCompiler>>();
  readonly #elapsedMs: () => number;

  constructor(type: WebhookType, tools: WebhookTools) {
    this.metrics = new WebhookMetrics(type);
    this.#tools = tools;
    this.#isMutating = type === 'admit';
    this.#namespaces = followedResource(tools, { group: '', resource: 'namespaces' });
    this.#compileConditions = conditionCompiler(tools);
    this.#elapsedMs = stopwatch(tools.clock);
  }

  /**
   * Returns the write in the version that the rule matched; undefined where a selector or a condition excludes it.
   * Rejects with ApiError.
   */
  async matched(
    { webhook, resource, kind }: WebhookCandidate,
    review: ReviewedWrite,
  ): Promise<MatchedWrite | undefined> {
    const namespaceSelector = selectorOrInternalError(webhook.namespaceSelector);
    if (!(await matchesNamespace(namespaceSelector, review, this.#namespaces))) return undefined;
    if (!matchesObject(selectorOrInternalError(webhook.objectSelector), review)) return undefined;
    const write = this.#converted(review, resource, kind ?? review.kind);
    if (webhook.conditions.length === 0) return write;
    const outcome = await this.#conditionsOf(webhook)(write.review);
    if (outcome === 'met') return write;
    if (outcome === 'excluded' || webhook.ignoresFailures) return undefined;
    throw forbidden({ ...review.resource, name: review.name }, outcome.error);
  }

  /**
   * Calls a webhook, adds its warnings and annotations, and passes what it allowed to `apply`. Rejects with CallFailure
   * where there is no valid response, and with ApiError where the webhook denied the request or `apply` failed.
   */
  async call<T>(webhook: CompiledWebhook, write: MatchedWrite, apply: (response: VerifiedResponse) => T): Promise<T> {
    const beganMs = this.#elapsedMs();
    const { operation } = write.review;
    const record = (code: number, rejection?: RejectionError): void =>
      this.metrics.record({
        name: webhook.name,
        operation,
        seconds: (this.#elapsedMs() - beganMs) / 1000,
        code,
        rejection,
      });
    let denial: ApiError | undefined;
    try {
      const response = await this.#response(webhook, write);
      if (!response.allowed) throw (denial = webhookDenial(webhook.name, response.status));
      const applied = apply(response);
      record(200);
      return applied;
    } catch (error) {
      if (error instanceof CallFailure)
        record(codeOf(error), webhook.ignoresFailures ? undefined : 'calling_webhook_error');
      else if (denial !== undefined) record(denial.status.code ?? 0, 'no_error');
      else record(0, 'apiserver_internal_error');
      throw error;
    }
  }

  /** Returns undefined for a failure that the policy ignores, after it was recorded; otherwise the refusal. */
  refusalOf(error: unknown, webhook: CompiledWebhook, review: ReviewedWrite, annotation: string): Error | undefined {
    if (!(error instanceof CallFailure)) return error instanceof Error ? error : internalError(error);
    if (!webhook.ignoresFailures) return webhookFailure(webhook.name, error.message, error);
    this.metrics.recordFailedOpen(webhook.name);
    review.annotate(annotation, webhook.name);
    return undefined;
  }

  #conditionsOf(webhook: CompiledWebhook): ReturnType<ConditionCompiler> {
    let conditions = this.#conditions.get(webhook);
    if (conditions === undefined) {
      conditions = this.#compileConditions(webhook.conditions.map(({ expression }) => expression));
      this.#conditions.set(webhook, conditions);
    }
    return conditions;
  }

  async #response(webhook: CompiledWebhook, write: MatchedWrite): Promise<VerifiedResponse> {
    const { name, sideEffects, reviewVersion } = webhook;
    const { review } = write;
    if (review.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
      throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
    if (reviewVersion === undefined)
      throw new CallFailure(
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
      );
    const uid = this.#tools.random.uuid();
    const call = attempt('could not get REST client', () => webhook.call());
    const answer = await call(reviewRequest(reviewVersion, uid, write)).catch((cause: unknown) => {
      throw new CallFailure(`failed to call webhook: ${errorText(cause)}`, { cause });
    });
    const response = attempt('received invalid webhook response', () =>
      verifiedResponse(answer, reviewVersion, uid, this.#isMutating),
    );
    for (const [key, value] of Object.entries(response.auditAnnotations)) review.annotate(`${name}/${key}`, value);
    for (const warning of response.warnings) review.warn(warning);
    return response;
  }

  /** The objects in another version, if the rule matched that. */
  #converted(review: ReviewedWrite, resource: WebhookCandidate['resource'], kind: ReviewedWrite['kind']): MatchedWrite {
    if (kind === review.kind)
      return { review, resource, object: sentObject(review.object), oldObject: sentObject(review.oldObject) };
    try {
      const convert = this.#tools.kinds.current.converter(review.kind, kind);
      const of = (object: Frozen<ApiObject> | undefined): Frozen<ApiObject> | undefined =>
        object && sentObject(convert(object));
      const [object, oldObject] = [of(review.object), of(review.oldObject)];
      return { review: { ...review, kind, resource, object, oldObject }, resource, object, oldObject };
    } catch (error) {
      throw internalError(error);
    }
  }
}

function selectorOrInternalError(selector: () => Selector): Selector {
  try {
    return selector();
  } catch (error) {
    throw internalError(error);
  }
}

function attempt<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new CallFailure(`${what}: ${errorText(cause)}`, { cause });
  }
}

/** The status that Kubernetes counts: that of the webhook's error response, else 503. */
function codeOf({ cause }: CallFailure): number {
  const refusal = cause instanceof Error ? cause.cause : undefined;
  return isApiError(refusal) ? (refusal.status.code ?? 500) : 503;
}
