// The expressions of a MutatingAdmissionPolicy, compiled, and their evaluation for one binding and parameter: each
// mutation begins with the result of the one before, and its expressions see that. No field ownership is recorded.
// As apiserver/pkg/admission/plugin/policy/mutating.
import { CostBudget, checkTypeNames, jsonOf, policyCostMax } from '../../cel/admission/index.js';
import type { AdmissionProgram, PolicyCompiler, VariableScope } from '../../cel/admission/index.js';
import {
  applyJsonPatch,
  errorText,
  isJsonObject,
  isPatchError,
  mergeConfiguration,
  parseJsonPatch,
} from '../../core/index.js';
import type {
  ApiObject,
  ApplyType,
  Frozen,
  GroupVersionKind,
  JsonObject,
  JsonValue,
  Scheme,
} from '../../core/index.js';
import type { MutatingAdmissionPolicy } from '../../core/types/index.js';
import { decodedObject } from '../decoded-object.js';
import { matchOutcome } from '../expressions/match-outcome.js';
import type { RequestEvaluation } from '../expressions/request-evaluation.js';
import { objectVariables } from '../expressions/request-variables.js';

/** The expressions of a policy. */
export interface MutatingProgram {
  readonly scope: VariableScope;
  readonly conditions: readonly AdmissionProgram[];
  readonly mutations: readonly CompiledMutation[];
  readonly isReinvocable: boolean;
}

/** A mutation of a policy. */
export interface CompiledMutation {
  readonly patchType: string;
  readonly expression: AdmissionProgram;
}

/** Compiles the expressions of a policy. */
export function mutatingProgram(
  { spec = {} }: Frozen<MutatingAdmissionPolicy>,
  compiler: PolicyCompiler,
): MutatingProgram {
  const { matchConditions = [], mutations = [], reinvocationPolicy = 'Never' } = spec;
  const { scope, programOf } = compiler.policy(spec);
  return {
    scope,
    conditions: matchConditions.map(({ expression }) => programOf('matchCondition', expression)),
    mutations: mutations.map(({ patchType, applyConfiguration, jsonPatch }) => ({
      patchType,
      expression:
        patchType === 'JSONPatch'
          ? programOf('jsonPatch', jsonPatch?.expression ?? '')
          : programOf('applyConfiguration', applyConfiguration?.expression ?? ''),
    })),
    isReinvocable: reinvocationPolicy === 'IfNeeded',
  };
}

/** What mutations need to know of the object. */
export interface MutatedKind {
  readonly kind: GroupVersionKind;
  readonly scheme: Scheme;
  /** How configurations are merged; undefined where the kind has no schema. */
  readonly applyType: () => ApplyType | undefined;
}

/**
 * Evaluates the mutations of a policy on an object. Returns the result: the object itself where nothing changed, and
 * undefined where match conditions exclude the request. Rejects with Error where an expression or a mutation fails.
 */
export async function evaluateMutations(
  program: MutatingProgram,
  evaluation: RequestEvaluation,
  object: Frozen<ApiObject>,
  mutated: MutatedKind,
): Promise<Frozen<ApiObject> | undefined> {
  const matched = await matchOutcome(program.conditions, evaluation);
  if (matched === 'excluded') return undefined;
  if (matched !== 'met') throw new Error(matched.error);
  const budget = new CostBudget(policyCostMax);
  let current = object;
  for (const { patchType, expression } of program.mutations) {
    const outcome = await evaluation.evaluate(expression, budget);
    if (!outcome.ok) throw new Error(`expression '${expression.text}' resulted in error: ${outcome.error}`);
    const document =
      patchType === 'JSONPatch'
        ? patched(current, jsonOf(outcome.value))
        : merged(current, configurationOf(outcome.value), mutated);
    if (document === current) continue;
    const next = decodedObject(document, mutated.kind, mutated.scheme);
    mutated.scheme.setDefaults(next, mutated.kind);
    current = next;
    evaluation.replace({ object: objectVariables({ object: current, oldObject: undefined }).object ?? null });
  }
  return current;
}

function configurationOf(value: Parameters<typeof jsonOf>[0]): JsonObject {
  checkTypeNames(value);
  const config = jsonOf(value);
  if (!isJsonObject(config)) throw new Error('unsupported return type from ApplyConfiguration expression');
  return config;
}

function merged(object: Frozen<ApiObject>, config: JsonObject, { kind, applyType }: MutatedKind): JsonValue {
  const type = applyType();
  if (type === undefined) throw new Error(`no schema of ${kind.kind} is known`);
  try {
    // Objects of the API are JSON.
    return mergeConfiguration(object, config, type);
  } catch (error) {
    throw new Error(`error applying patch: invalid ApplyConfiguration: ${errorText(error)}`, { cause: error });
  }
}

/** A patch whose test fails is not applied, and is no failure. */
function patched(object: Frozen<ApiObject>, operations: JsonValue): JsonValue {
  try {
    return applyJsonPatch(object, parseJsonPatch(operations));
  } catch (error) {
    if (isPatchError(error) && error.isFailedTest) return object;
    throw new Error(`error applying patch: ${errorText(error)}`, { cause: error });
  }
}
