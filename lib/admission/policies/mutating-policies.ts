// MutatingAdmissionPolicy: evaluates the policies that match a write one after the other, each on the result of those
// before it, for each binding and each of its parameters. If one changed the object, all mutating plugins run once
// more; of the policies then only those that ran before, allow it, and have not seen the last change. As
// apiserver/pkg/admission/plugin/policy/mutating/dispatcher.go.
import { policyCompiler } from '../../cel/admission/index.js';
import { deepEqual, errorText, mutationDenied, objectApplyTypes, sameGroupVersionKind } from '../../core/index.js';
import type {
  ApiObject,
  ApplyType,
  Frozen,
  GroupVersionKind,
  ObjectApplyType,
  Scheme,
  StructType,
} from '../../core/index.js';
import type { MutatingAdmissionPolicy } from '../../core/types/index.js';
import type { AccessDecisions } from '../../cel/index.js';
import { accessDecisions } from '../expressions/access-checks.js';
import { RequestEvaluation } from '../expressions/request-evaluation.js';
import { requestVariables } from '../expressions/request-variables.js';
import type { AdmissionPlugin, AdmissionReview } from '../plugin.js';
import { reviewedName } from '../refusal.js';
import type { CompiledBinding, CompiledPolicy } from './compiled-policy.js';
import { followedPolicies } from './followed-policies.js';
import { evaluateMutations, mutatingProgram } from './mutating-program.js';
import type { MutatingProgram } from './mutating-program.js';
import type { PolicyCandidate } from './policy-index.js';
import { ConfigurationError, PolicyMatcher } from './policy-matcher.js';
import type { Param } from './policy-params.js';
import type { PolicyTools } from './validating-policies.js';

/** Creates the plugin. */
export function mutatingPolicies(tools: PolicyTools): AdmissionPlugin {
  const compiler = policyCompiler();
  const source = followedPolicies<MutatingAdmissionPolicy, MutatingProgram>(
    tools,
    { policies: 'mutatingadmissionpolicies', bindings: 'mutatingadmissionpolicybindings' },
    (policy) => mutatingProgram(policy, compiler),
  );
  const matcher = new PolicyMatcher(tools);
  const applyTypes = objectApplyTypes();
  return {
    name,
    handles: { operations: ['CREATE', 'UPDATE', 'CONNECT'], resources: '*', subresources: '*' },
    mutate: (review) =>
      source.whenReady((): undefined | Promise<Frozen<ApiObject> | undefined> => {
        const candidates = source.index().candidates(review);
        if (candidates.length === 0 || review.object === undefined) return undefined;
        return new MutationRound(tools, matcher, applyTypes, review).run(candidates);
      }),
  };
}

const name = 'MutatingAdmissionPolicy';

/** What is kept of the first run for the second. Invocations are named by policy, binding and parameter. */
interface RoundMemory {
  /** Invocations that may be repeated. */
  called: Set<string>;
  /** Those of them that have not seen the last change. */
  readonly due: Set<string>;
  /** The object after the last policy. */
  output: Frozen<ApiObject> | undefined;
}

/** One run of the policies for one write. */
class MutationRound {
  readonly #tools: PolicyTools;
  readonly #matcher: PolicyMatcher;
  readonly #applyTypes: (type: StructType) => ObjectApplyType;
  readonly #decisions: AccessDecisions;
  readonly #memory: RoundMemory;
  #review: AdmissionReview;

  constructor(
    tools: PolicyTools,
    matcher: PolicyMatcher,
    applyTypes: (type: StructType) => ObjectApplyType,
    review: AdmissionReview,
  ) {
    this.#tools = tools;
    this.#matcher = matcher;
    this.#applyTypes = applyTypes;
    this.#decisions = accessDecisions(tools.authorizer, review);
    this.#review = review;
    const { kept } = review.reinvocation;
    this.#memory = (kept.get(name) as RoundMemory | undefined) ?? {
      called: new Set(),
      due: new Set(),
      output: undefined,
    };
    kept.set(name, this.#memory);
  }

  /** Evaluates policies. Returns the changed object. Rejects with ApiError where one fails. */
  async run(candidates: readonly PolicyCandidate<MutatingProgram>[]): Promise<Frozen<ApiObject> | undefined> {
    const given = this.#review.object;
    // Another plugin changed the object in its second run.
    if (this.#review.reinvocation.isSecondRun && !deepEqual(this.#memory.output, given)) this.#requireSecondRuns();
    for (const candidate of candidates) await this.#applyPolicy(candidate);
    this.#memory.output = this.#review.object;
    return this.#review.object === given ? undefined : this.#review.object;
  }

  async #applyPolicy(candidate: PolicyCandidate<MutatingProgram>): Promise<void> {
    const { policy, bindings } = candidate;
    const { isSecondRun } = this.#review.reinvocation;
    if (isSecondRun && !policy.program().isReinvocable) return;
    for (const each of bindings) {
      const { binding } = each;
      await this.#guarded(policy, binding, async () => {
        const review = await this.#matcher.matched(candidate, this.#review);
        if (review === undefined) return;
        const params = await this.#matcher.paramsOf(policy, each, review);
        for (const param of params) {
          const id = [policy.name, binding.name, param?.metadata?.namespace, param?.metadata?.name].join('/');
          if (isSecondRun && !this.#memory.due.has(id)) continue;
          // A parameter before this one may have changed the object.
          const current = param === params[0] ? review : await this.#matcher.matched(candidate, this.#review);
          if (current !== undefined) await this.#invoke(policy, param, current);
          if (policy.program().isReinvocable) this.#memory.called.add(id);
        }
      });
    }
  }

  /** Evaluates a policy on the current object, in the version that it matches. */
  async #invoke(policy: CompiledPolicy<MutatingProgram>, param: Param, review: AdmissionReview): Promise<void> {
    const { object, kind, requestKind } = review;
    if (object === undefined) return;
    const scheme = this.#tools.kinds.current;
    const program = policy.program();
    const variables = requestVariables(review, {
      decisions: this.#decisions,
      namespaceObject: await this.#matcher.namespaceOf(review),
      ...(policy.paramKind !== undefined && { params: param }),
    });
    const evaluation = new RequestEvaluation(variables, program.scope);
    const mutated = await evaluateMutations(program, evaluation, object, {
      kind,
      scheme,
      applyType: () => this.#applyType(kind, scheme),
    });
    if (mutated === undefined || mutated === object || deepEqual(mutated, object)) return;
    const changed = sameGroupVersionKind(kind, requestKind) ? mutated : scheme.converter(kind, requestKind)(mutated);
    this.#review = { ...this.#review, object: changed };
    this.#requireSecondRuns();
    this.#review.reinvocation.request();
  }

  /** Runs a step of a policy. Rejects with ApiError where it fails, unless the policy ignores failures. */
  async #guarded(
    policy: CompiledPolicy<MutatingProgram>,
    binding: CompiledBinding,
    run: () => Promise<void>,
  ): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (policy.ignoresFailures) return;
      const isConfiguration = error instanceof ConfigurationError;
      const place = isConfiguration && error.binding === undefined ? '' : ` with binding '${binding.name}'`;
      const objectName = reviewedName(this.#review);
      throw mutationDenied(
        { ...this.#review.resource, name: objectName === '' ? 'Unknown' : objectName },
        `policy '${policy.name}'${place} denied request: ${errorText(error)}`,
        isConfiguration ? 'Forbidden' : 'Invalid',
      );
    }
  }

  #applyType(kind: GroupVersionKind, scheme: Scheme): ApplyType | undefined {
    const own = scheme.kind(kind)?.applyType;
    if (own !== undefined) return own();
    return scheme.recognizes(kind) ? this.#applyTypes(scheme.typeOf(kind)).type : undefined;
  }

  #requireSecondRuns(): void {
    for (const id of this.#memory.called) this.#memory.due.add(id);
    this.#memory.called = new Set();
  }
}
