// Authorizes with a SubjectAccessReview webhook and caches its decisions. A failure never allows: it is no opinion or,
// with `failurePolicy: Deny`, a denial. As apiserver/plugin/pkg/authorizer/webhook/webhook.go.
import { LRUCache } from 'lru-cache';
import { errorText } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from '../../core/types/index.js';
import type { WebhookCall } from '../../webhook/index.js';
import type { CompiledExpression } from '../authentication/expressions.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision } from '../authorizer.js';
import { reviewAccess } from '../review-call.js';
import type { ReviewVersion } from '../review-call.js';
import { accessReviewSpec, specIn } from './access-review.js';
import { matchOf } from './match-conditions.js';

/** Options of a webhook authorizer. */
export interface WebhookAuthorizerOptions {
  readonly clock: Clock;
  /** Version of the reviews. Default v1beta1, as `--authorization-webhook-version`. */
  readonly version?: ReviewVersion;
  /** How long allowed decisions are cached. Default 5 min; 0 disables the cache. */
  readonly authorizedTtlMs?: number;
  /** How long other decisions are cached. Default 30 s; 0 disables the cache. */
  readonly unauthorizedTtlMs?: number;
  /** The decision if the webhook cannot be called. Default NoOpinion, as with flags. */
  readonly failurePolicy?: 'NoOpinion' | 'Deny';
  /** The webhook is called only if all are true, see `matchConditionEnvironment`. */
  readonly matchConditions?: readonly CompiledExpression[];
}

/** Decides by webhook. Time limit and retries are those of `call`. */
export function webhookAuthorizer(call: WebhookCall, options: WebhookAuthorizerOptions): Authorizer {
  const {
    clock,
    version = 'v1beta1',
    authorizedTtlMs = 300_000,
    unauthorizedTtlMs = 30_000,
    failurePolicy = 'NoOpinion',
    matchConditions = [],
  } = options;
  const kept = new LRUCache<string, Kept>({ max: answersMax });
  const onFailure = failurePolicy === 'Deny' ? 'deny' : 'noOpinion';

  const ask = async (spec: SubjectAccessReviewSpec, key: string | undefined): Promise<Decision> => {
    try {
      const answer = decisionOf(await reviewAccess(call, version, specIn(version, spec)));
      if (key !== undefined) keep(key, answer);
      return answer;
    } catch (error) {
      return { decision: onFailure, reason: '', error: errorText(error) };
    }
  };
  const keep = (key: string, answer: Decision): void => {
    const ttlMs = answer.decision === 'allow' ? authorizedTtlMs : unauthorizedTtlMs;
    if (ttlMs > 0) kept.set(key, { answer, until: clock.now() + ttlMs });
  };
  const authorizer = (attributes: AccessAttributes): readonly Decision[] | Promise<Decision> => {
    if (matchConditions.length > 0) {
      const { matches, error } = matchOf(matchConditions, accessReviewSpec(attributes));
      if (error !== undefined) return [{ decision: onFailure, reason: '', error }];
      if (!matches) return notAsked;
    }
    const key = keyOf(attributes);
    const known = key === undefined ? undefined : kept.get(key);
    return known !== undefined && clock.now() <= known.until ? [known.answer] : ask(accessReviewSpec(attributes), key);
  };
  authorizer.rules = (): readonly AccessRules[] => unlisted;
  return authorizer;
}

interface Kept {
  readonly answer: Decision;
  readonly until: number;
}

const answersMax = 8192;

/** Returns the cache key: the whole review. Clients choose its length, so longer reviews are not cached. */
function keyOf({
  user,
  isResource,
  verb,
  path,
  namespace,
  group,
  version,
  resource,
  subresource,
  name,
  selectors,
}: AccessAttributes): string | undefined {
  const length =
    namespace.length +
    verb.length +
    group.length +
    version.length +
    resource.length +
    subresource.length +
    name.length +
    path.length;
  if (length >= attributesLengthMax) return undefined;
  const what = isResource
    ? [
        namespace,
        group,
        version,
        resource,
        subresource,
        name,
        selectors?.field?.requirements,
        selectors?.label?.requirements,
      ]
    : [path];
  const key = JSON.stringify([user.username, user.uid, user.groups, user.extra, verb, ...what]);
  return key.length < keyLengthMax ? key : undefined;
}

const attributesLengthMax = 10_000;
/** Limit of the key including selectors and users, which are longer. */
const keyLengthMax = 65_536;

/** Limit of a cached reason. */
const reasonMax = 2048;

function decisionOf({ allowed, denied = false, reason = '' }: SubjectAccessReviewStatus): Decision {
  const said = reason.slice(0, reasonMax);
  if (denied && allowed)
    return {
      decision: 'deny',
      reason: said,
      error: 'webhook subject access review returned both allow and deny response',
    };
  return { decision: denied ? 'deny' : allowed ? 'allow' : 'noOpinion', reason: said };
}

const notAsked: readonly Decision[] = Object.freeze([Object.freeze({ decision: 'noOpinion', reason: '' })]);

const unlisted: readonly AccessRules[] = Object.freeze([
  Object.freeze({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'webhook authorizer does not support user rule resolution',
  }),
]);
