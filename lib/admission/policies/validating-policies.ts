// ValidatingAdmissionPolicy: evaluates the policies that match a write, for each binding and each of its parameters.
// All of them are evaluated: the first denial is the response, and the actions of each binding decide whether a
// violation denies, warns or is audited. As apiserver/pkg/admission/plugin/policy/validating/dispatcher.go.
import { policyCompiler } from '../../cel/admission/index.js';
import { deniedByPolicy } from '../../core/index.js';
import type { PolicyDenialReason } from '../../core/index.js';
import type { ServerTools } from '../../auth/index.js';
import type { ValidatingAdmissionPolicy } from '../../core/types/index.js';
import type { AccessDecisions } from '../../cel/index.js';
import { accessDecisions } from '../expressions/access-checks.js';
import { RequestEvaluation } from '../expressions/request-evaluation.js';
import { requestVariables } from '../expressions/request-variables.js';
import type { AdmissionPlugin, AdmissionReview } from '../plugin.js';
import { reviewedName } from '../refusal.js';
import type { CompiledBinding, CompiledPolicy } from './compiled-policy.js';
import { followedPolicies } from './followed-policies.js';
import type { PolicyCandidate } from './policy-index.js';
import { ConfigurationError, PolicyMatcher } from './policy-matcher.js';
import type { Param } from './policy-params.js';
import { cutAt, evaluateValidations, validatingProgram } from './validating-program.js';
import type { PolicyResult, ValidatingProgram, PolicyViolation } from './validating-program.js';

/** The tools that policies need of a server. */
export type PolicyTools = Pick<ServerTools, 'reader' | 'informers' | 'closed$' | 'kinds' | 'authorizer'>;

/** Creates the plugin. */
export function validatingPolicies(tools: PolicyTools): AdmissionPlugin {
  const compiler = policyCompiler();
  const source = followedPolicies<ValidatingAdmissionPolicy, ValidatingProgram>(
    tools,
    { policies: 'validatingadmissionpolicies', bindings: 'validatingadmissionpolicybindings' },
    (policy) => validatingProgram(policy, compiler),
  );
  const matcher = new PolicyMatcher(tools);
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: { operations: '*', resources: '*', subresources: '*' },
    validate: (review) =>
      source.whenReady(() => {
        const candidates = source.index().candidates(review);
        if (candidates.length === 0) return undefined;
        return new ValidationRound(tools, matcher, review).run(candidates);
      }),
  };
}

interface Denial {
  readonly text: string;
  readonly reason: PolicyDenialReason;
}

/** The policies of one write. */
class ValidationRound {
  readonly #matcher: PolicyMatcher;
  readonly #review: AdmissionReview;
  readonly #decisions: AccessDecisions;
  readonly #denials: Denial[] = [];

  constructor({ authorizer }: PolicyTools, matcher: PolicyMatcher, review: AdmissionReview) {
    this.#matcher = matcher;
    this.#review = review;
    this.#decisions = accessDecisions(authorizer, review);
  }

  /** Evaluates policies. Rejects with ApiError where one denies the request. */
  async run(candidates: readonly PolicyCandidate<ValidatingProgram>[]): Promise<void> {
    for (const candidate of candidates) await this.#evaluatePolicy(candidate);
    const [denial] = this.#denials;
    if (denial === undefined) return;
    const name = reviewedName(this.#review);
    throw deniedByPolicy(
      { ...this.#review.resource, name: name === '' ? 'Unknown' : name },
      denial.text,
      denial.reason,
    );
  }

  async #evaluatePolicy(candidate: PolicyCandidate<ValidatingProgram>): Promise<void> {
    const { policy, bindings } = candidate;
    const annotations = new Map<string, Set<string>>();
    const review = await this.#configured(policy, () => this.#matcher.matched(candidate, this.#review));
    if (review === undefined) return;
    for (const each of bindings) {
      const params = await this.#configured(policy, () => this.#matcher.paramsOf(policy, each, review));
      for (const param of params ?? []) {
        const result = await this.#evaluate(policy, review, param);
        if (result === undefined) continue;
        for (const violation of result.violations) this.#act(policy, each.binding, violation);
        for (const error of result.annotationErrors) this.#deny(policy, each.binding.name, error);
        for (const [key, value] of result.annotations)
          annotations.set(key, (annotations.get(key) ?? new Set()).add(value));
      }
    }
    for (const [key, values] of annotations)
      this.#review.annotate(`${policy.name}/${key}`, cutAt([...values].join(', '), annotationBytesMax));
  }

  async #evaluate(
    { program, ignoresFailures, paramKind }: CompiledPolicy<ValidatingProgram>,
    review: AdmissionReview,
    param: Param,
  ): Promise<PolicyResult | undefined> {
    const compiled = program();
    const variables = requestVariables(review, {
      decisions: this.#decisions,
      namespaceObject: await this.#matcher.namespaceOf(review),
      ...(paramKind !== undefined && { params: param }),
    });
    const evaluation = new RequestEvaluation(variables, compiled.scope);
    return await evaluateValidations(compiled, evaluation, ignoresFailures);
  }

  /** Returns what `run` returns; undefined after a configuration error. */
  async #configured<T>(policy: CompiledPolicy<ValidatingProgram>, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      if (!policy.ignoresFailures) this.#deny(policy, error.binding, error.message);
      return undefined;
    }
  }

  #act(policy: CompiledPolicy<ValidatingProgram>, binding: CompiledBinding, violation: PolicyViolation): void {
    const { message, reason, index } = violation;
    const { name, validationActions } = binding;
    for (const action of validationActions) {
      if (action === 'Deny') this.#deny(policy, name, message, reason);
      else if (action === 'Warn')
        this.#review.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${name}': ${message}`,
        );
      else if (action === 'Audit')
        this.#review.annotate(
          'validation.policy.admission.k8s.io/validation_failure',
          JSON.stringify([{ message, policy: policy.name, binding: name, expressionIndex: index, validationActions }]),
        );
    }
  }

  #deny(
    policy: CompiledPolicy<ValidatingProgram>,
    binding: string | undefined,
    message: string,
    reason: PolicyDenialReason = 'Invalid',
  ): void {
    const place = binding === undefined ? '' : ` with binding '${binding}'`;
    this.#denials.push({
      text: `ValidatingAdmissionPolicy '${policy.name}'${place} denied request: ${message}`,
      reason,
    });
  }
}

const annotationBytesMax = 10 * 1024;
