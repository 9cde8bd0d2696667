// The policies of one sort with their bindings, by name, and the index by which those of a write are found. As with
// webhooks, an entry is computed with the first write of its sort and dropped with any change of policies, bindings or
// kinds: a write that no policy matches costs one look-up, however many there are.
import type { GroupVersionResource, ReviewedWrite, Scheme } from '../../core/index.js';
import { isExemptResource } from '../rule-matching.js';
import type { CompiledBinding, CompiledPolicy } from './compiled-policy.js';
import { sortMatch } from './match-resources.js';
import type { SortMatch } from './match-resources.js';

/** A policy and its bindings. */
export interface BoundPolicy<P> {
  readonly policy: CompiledPolicy<P>;
  readonly bindings: readonly CompiledBinding[];
}

/** A policy whose rules, and those of a binding, match a sort of write. */
export interface PolicyCandidate<P> {
  readonly policy: CompiledPolicy<P>;
  readonly match: SortMatch;
  readonly bindings: readonly BindingCandidate[];
}

/** A binding whose rules match a sort of write. */
export interface BindingCandidate {
  readonly binding: CompiledBinding;
  readonly match: SortMatch;
}

/** Finds the policies of writes. */
export class PolicyIndex<P> {
  readonly #policies: readonly BoundPolicy<P>[];
  readonly #scheme: Scheme;
  readonly #entries = new WeakMap<GroupVersionResource, Map<string, readonly PolicyCandidate<P>[]>>();

  /** Policies in the order in which they are evaluated. Those without a binding do nothing. */
  constructor(policies: readonly BoundPolicy<P>[], scheme: Scheme) {
    this.#policies = policies.filter(({ bindings }) => bindings.length > 0);
    this.#scheme = scheme;
  }

  /** The scheme that equivalent resources were looked up in. */
  get scheme(): Scheme {
    return this.#scheme;
  }

  /** Returns the policies whose rules match a write. */
  candidates(review: ReviewedWrite): readonly PolicyCandidate<P>[] {
    if (this.#policies.length === 0) return none;
    const { resource, subresource, operation, namespace, kind } = review;
    let ofResource = this.#entries.get(resource);
    if (ofResource === undefined)
      this.#entries.set(resource, (ofResource = new Map<string, readonly PolicyCandidate<P>[]>()));
    const key = `${operation} ${namespace === ''} ${subresource} ${kind.kind}`;
    let found = ofResource.get(key);
    if (found === undefined) ofResource.set(key, (found = isExemptResource(resource) ? none : this.#find(review)));
    return found;
  }

  #find(review: ReviewedWrite): readonly PolicyCandidate<P>[] {
    return this.#policies.flatMap(({ policy, bindings }): readonly PolicyCandidate<P>[] => {
      const match = sortMatch(policy.match, review, this.#scheme);
      if (match === undefined) return [];
      const matching = bindings.flatMap((binding): readonly BindingCandidate[] => {
        const own = sortMatch(binding.match, review, this.#scheme);
        return own === undefined ? [] : [{ binding, match: own }];
      });
      return matching.length === 0 ? [] : [{ policy, match, bindings: matching }];
    });
  }
}

const none: readonly never[] = [];
