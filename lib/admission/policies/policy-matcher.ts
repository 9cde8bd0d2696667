// What mutating and validating policies have in common for one write: whether a policy and its bindings match, the
// write in the version that the policy matched, and the parameters of each binding. What goes wrong here is a
// configuration error: it refuses the request whatever the binding's actions are, unless the policy ignores failures.
// As apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go.
import { errorText } from '../../core/index.js';
import type { ApiObject, Frozen, ReviewedWrite, Scheme } from '../../core/index.js';
import type { Namespace } from '../../core/types/index.js';
import { followedResource } from '../followed-resource.js';
import type { FollowedResource } from '../followed-resource.js';
import type { RuleMatch } from '../rule-matching.js';
import type { CompiledBinding, CompiledPolicy } from './compiled-policy.js';
import { matchesSelectors, nameMatch } from './match-resources.js';
import type { BindingCandidate, PolicyCandidate } from './policy-index.js';
import { PolicyParams } from './policy-params.js';
import type { Param, ParamTools } from './policy-params.js';

/** A policy or a binding that cannot be used for a write. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  /** Undefined where the policy itself cannot be used. */
  readonly binding: string | undefined;

  constructor(binding: CompiledBinding | undefined, cause: unknown) {
    super(`failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${errorText(cause)}`, { cause });
    this.binding = binding?.name;
  }
}

/** Matches policies and bindings with writes. */
export class PolicyMatcher {
  readonly #tools: ParamTools;
  readonly #namespaces: FollowedResource<Namespace>;
  readonly #params: PolicyParams;

  constructor(tools: ParamTools) {
    this.#tools = tools;
    this.#namespaces = followedResource(tools, { group: '', resource: 'namespaces' });
    this.#params = new PolicyParams(tools);
  }

  /**
   * Returns the write in the version that a policy matches; undefined where names or selectors exclude it. Rejects with
   * ConfigurationError.
   */
  async matched<P, R extends ReviewedWrite>({ policy, match }: PolicyCandidate<P>, review: R): Promise<R | undefined> {
    const found = nameMatch(match, review.name);
    if (found === undefined) return undefined;
    try {
      if (!(await matchesSelectors(policy.match, review, this.#namespaces))) return undefined;
      if (policy.paramKind !== undefined) this.#params.served(policy.paramKind());
      return convertedReview(review, found, this.#tools.kinds.current);
    } catch (error) {
      throw new ConfigurationError(undefined, error);
    }
  }

  /**
   * Returns the parameters for which a binding evaluates its policy; empty where it does not match the write. A policy
   * without parameters is evaluated once. Rejects with ConfigurationError.
   */
  async paramsOf<P>(
    { paramKind }: CompiledPolicy<P>,
    { binding, match }: BindingCandidate,
    review: ReviewedWrite,
  ): Promise<readonly Param[]> {
    if (nameMatch(match, review.name) === undefined) return [];
    try {
      if (!(await matchesSelectors(binding.match, review, this.#namespaces))) return [];
      if (paramKind === undefined || binding.paramRef === undefined) return [null];
      return await this.#params.collect(this.#params.served(paramKind()), binding.paramRef, review);
    } catch (error) {
      throw new ConfigurationError(binding, error);
    }
  }

  /** Returns the namespace of a write; null for objects of the cluster, and for Namespaces themselves. */
  async namespaceOf({ resource, namespace }: ReviewedWrite): Promise<Frozen<Namespace> | null> {
    if (namespace === '' || (resource.resource === 'namespaces' && resource.group === '')) return null;
    return (await this.#namespaces.find(namespace)) ?? null;
  }
}

/** The write in the version of the resource that a rule matched. */
function convertedReview<R extends ReviewedWrite>(review: R, { resource, kind }: RuleMatch, scheme: Scheme): R {
  if (kind === undefined) return review;
  const convert = scheme.converter(review.kind, kind);
  const of = (object: Frozen<ApiObject> | undefined): Frozen<ApiObject> | undefined => object && convert(object);
  return { ...review, kind, resource, object: of(review.object), oldObject: of(review.oldObject) };
}
