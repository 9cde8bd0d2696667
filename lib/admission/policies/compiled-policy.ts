// Policies and bindings, compiled: what both sorts have in common. A policy is compiled once per generation, its
// expressions with the first write that matches it.
import { once, parseGroupVersion } from '../../core/index.js';
import type { Frozen, GroupVersionKind } from '../../core/index.js';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../core/types/index.js';
import type { CompiledMatch } from './match-resources.js';
import { compileMatch } from './match-resources.js';

/** A policy of either sort. */
export type AnyPolicy = MutatingAdmissionPolicy | ValidatingAdmissionPolicy;

/** A binding of either sort. */
export type AnyBinding = MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding;

/** A policy. `P` are its expressions, compiled. */
export interface CompiledPolicy<P> {
  readonly name: string;
  readonly match: CompiledMatch;
  readonly ignoresFailures: boolean;
  /** The kind of its parameters; undefined where it has none. Throws ParseError where a stored one is wrong. */
  readonly paramKind: (() => GroupVersionKind) | undefined;
  /** Returns its expressions. */
  readonly program: () => P;
}

/** A binding. */
export interface CompiledBinding {
  readonly name: string;
  readonly policyName: string;
  readonly match: CompiledMatch;
  readonly paramRef: Frozen<ParamRef> | undefined;
  /** Of a validating policy. */
  readonly validationActions: readonly string[];
}

/** Compiles a policy. `compile` compiles its expressions, once. */
export function compilePolicy<T extends AnyPolicy, P>(
  policy: Frozen<T>,
  compile: (policy: Frozen<T>) => P,
): CompiledPolicy<P> {
  const { metadata, spec = {} } = policy;
  const { paramKind, matchConstraints, failurePolicy } = spec;
  return {
    name: metadata?.name ?? '',
    match: compileMatch(matchConstraints),
    ignoresFailures: failurePolicy === 'Ignore',
    paramKind:
      paramKind && once(() => ({ ...parseGroupVersion(paramKind.apiVersion ?? ''), kind: paramKind.kind ?? '' })),
    program: once(() => compile(policy)),
  };
}

/** Compiles a binding. */
export function compileBinding({ metadata, spec }: Frozen<AnyBinding>): CompiledBinding {
  return {
    name: metadata?.name ?? '',
    policyName: spec?.policyName ?? '',
    match: compileMatch(spec?.matchResources),
    paramRef: spec?.paramRef,
    validationActions: spec !== undefined && 'validationActions' in spec ? spec.validationActions : [],
  };
}
