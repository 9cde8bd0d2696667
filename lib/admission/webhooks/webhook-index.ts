// The webhooks of one type that a server follows, sorted by the name of their configuration, and the index by which
// those of a write are found: by resource, subresource, operation and scope. An entry is computed with the first write
// of its sort and dropped with any change of configurations or kinds, so a write that no rule matches costs one
// look-up.
import type { GroupVersionResource, ReviewedWrite, Scheme } from '../../core/index.js';
import { isExemptResource, ruleMatches } from '../rule-matching.js';
import type { RuleMatch } from '../rule-matching.js';
import type { CompiledWebhook } from './compiled-webhook.js';

/** A webhook one of whose rules matches a sort of write. */
export interface WebhookCandidate extends Pick<RuleMatch, 'resource' | 'kind'> {
  readonly webhook: CompiledWebhook;
  /** The position among all webhooks of the type, for audit annotations. */
  readonly index: number;
}

/** Finds the webhooks of writes. */
export class WebhookIndex {
  readonly #webhooks: readonly CompiledWebhook[];
  readonly #scheme: Scheme;
  readonly #entries = new WeakMap<GroupVersionResource, Map<string, readonly WebhookCandidate[]>>();

  /** Webhooks in the order in which they are called. */
  constructor(webhooks: readonly CompiledWebhook[], scheme: Scheme) {
    this.#webhooks = webhooks;
    this.#scheme = scheme;
  }

  /** The scheme that equivalent resources were looked up in. */
  get scheme(): Scheme {
    return this.#scheme;
  }

  /** Returns the webhooks whose rules match a write. */
  candidates(review: ReviewedWrite): readonly WebhookCandidate[] {
    if (this.#webhooks.length === 0) return none;
    const { resource, subresource, operation, namespace, kind } = review;
    let ofResource = this.#entries.get(resource);
    if (ofResource === undefined)
      this.#entries.set(resource, (ofResource = new Map<string, readonly WebhookCandidate[]>()));
    const key = `${operation} ${namespace === ''} ${subresource} ${kind.kind}`;
    let found = ofResource.get(key);
    if (found === undefined) ofResource.set(key, (found = isExemptResource(resource) ? none : this.#find(review)));
    return found;
  }

  #find(review: ReviewedWrite): readonly WebhookCandidate[] {
    return this.#webhooks.flatMap((webhook, index): readonly WebhookCandidate[] => {
      const [match] = ruleMatches(webhook, review, this.#scheme);
      return match === undefined ? [] : [{ webhook, index, resource: match.resource, kind: match.kind }];
    });
  }
}

const none: readonly WebhookCandidate[] = [];
