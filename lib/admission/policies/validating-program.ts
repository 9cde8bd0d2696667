// The expressions of a ValidatingAdmissionPolicy, compiled, and their evaluation for one binding and parameter.
// As apiserver/pkg/admission/plugin/policy/validating/validator.go.
import { CostBudget, CostBudgetError, policyCostMax } from '../../cel/admission/index.js';
import type { AdmissionProgram, PolicyCompiler, VariableScope } from '../../cel/admission/index.js';
import { hasLineBreak, trimSpace, utf8Length } from '../../core/index.js';
import type { Frozen, PolicyDenialReason } from '../../core/index.js';
import type { ValidatingAdmissionPolicy } from '../../core/types/index.js';
import { matchOutcome } from '../expressions/match-outcome.js';
import type { RequestEvaluation } from '../expressions/request-evaluation.js';

/** The expressions of a policy. */
export interface ValidatingProgram {
  readonly scope: VariableScope;
  readonly conditions: readonly AdmissionProgram[];
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly CompiledAnnotation[];
}

/** A rule of a policy. */
export interface CompiledValidation {
  readonly expression: AdmissionProgram;
  readonly message: string;
  readonly messageExpression: AdmissionProgram | undefined;
  readonly reason: PolicyDenialReason;
}

/** An annotation that a policy adds to audit events. */
export interface CompiledAnnotation {
  readonly key: string;
  readonly value: AdmissionProgram;
}

/** A rule that is not met, or failed. */
export interface PolicyViolation {
  readonly message: string;
  readonly reason: PolicyDenialReason;
  /** The position of the rule. */
  readonly index: number;
}

/** What a policy results in for one binding and parameter. */
export interface PolicyResult {
  readonly violations: readonly PolicyViolation[];
  /** Values of audit annotations, by key. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** Audit annotations that failed: they deny the request whatever the actions of the binding are. */
  readonly annotationErrors: readonly string[];
}

/** Compiles the expressions of a policy. */
export function validatingProgram(
  { spec = {} }: Frozen<ValidatingAdmissionPolicy>,
  compiler: PolicyCompiler,
): ValidatingProgram {
  const { matchConditions = [], validations = [], auditAnnotations = [] } = spec;
  const { scope, programOf } = compiler.policy(spec);
  return {
    scope,
    conditions: matchConditions.map(({ expression }) => programOf('matchCondition', expression)),
    validations: validations.map(({ expression, message = '', messageExpression = '', reason }) => ({
      expression: programOf('validation', expression),
      message: trimSpace(message),
      messageExpression: messageExpression === '' ? undefined : programOf('message', messageExpression),
      reason: isDenialReason(reason) ? reason : 'Invalid',
    })),
    annotations: auditAnnotations.map(({ key, valueExpression }) => ({
      key,
      value: programOf('auditAnnotation', valueExpression),
    })),
  };
}

/** Validation admits no other reason. */
function isDenialReason(reason: string | undefined): reason is PolicyDenialReason {
  return reason === 'Forbidden' || reason === 'RequestEntityTooLarge' || reason === 'Unauthorized';
}

/** Evaluates a policy; undefined where its match conditions exclude the request. */
export async function evaluateValidations(
  program: ValidatingProgram,
  evaluation: RequestEvaluation,
  ignoresFailures: boolean,
): Promise<PolicyResult | undefined> {
  const failed = (message: string): PolicyResult => ({
    violations: ignoresFailures ? [] : [{ message, reason: 'Invalid', index: 0 }],
    annotations: [],
    annotationErrors: [],
  });
  const matched = await matchOutcome(program.conditions, evaluation);
  if (matched === 'excluded') return undefined;
  if (matched !== 'met') return failed(matched.error);
  try {
    const violations = await violationsOf(program.validations, evaluation, ignoresFailures);
    const { values, errors } = await annotationsOf(program.annotations, evaluation);
    return { violations, annotations: values, annotationErrors: ignoresFailures ? [] : errors };
  } catch (error) {
    if (error instanceof CostBudgetError) return failed(error.message);
    throw error;
  }
}

async function violationsOf(
  validations: readonly CompiledValidation[],
  evaluation: RequestEvaluation,
  ignoresFailures: boolean,
): Promise<readonly PolicyViolation[]> {
  const budget = new CostBudget(policyCostMax);
  const violations: PolicyViolation[] = [];
  for (const [index, { expression, message, messageExpression, reason }] of validations.entries()) {
    const outcome = await evaluation.evaluate(expression, budget);
    if (outcome.ok && outcome.value === true) continue;
    if (outcome.ok) {
      const own = messageExpression && (await messageOf(messageExpression, evaluation, budget));
      const fallback = message === '' ? `failed expression: ${trimSpace(expression.text)}` : message;
      violations.push({ message: own ?? fallback, reason, index });
    } else if (!ignoresFailures) {
      const error = `expression '${expression.text}' resulted in error: ${outcome.error}`;
      violations.push({ message: error, reason: 'Invalid', index });
    }
  }
  return violations;
}

/** The text of a message expression; undefined where it is of no use, and the fixed message takes its place. */
async function messageOf(
  expression: AdmissionProgram,
  evaluation: RequestEvaluation,
  budget: CostBudget,
): Promise<string | undefined> {
  const outcome = await evaluation.evaluate(expression, budget);
  if (!outcome.ok || typeof outcome.value !== 'string') return undefined;
  const text = trimSpace(outcome.value);
  return text === '' || utf8Length(text) > messageBytesMax || hasLineBreak(text) ? undefined : text;
}

const messageBytesMax = 5 * 1024;

async function annotationsOf(
  annotations: readonly CompiledAnnotation[],
  evaluation: RequestEvaluation,
): Promise<{ readonly values: PolicyResult['annotations']; readonly errors: readonly string[] }> {
  const budget = new CostBudget(policyCostMax);
  const values: (readonly [string, string])[] = [];
  const errors: string[] = [];
  for (const { key, value } of annotations) {
    const outcome = await evaluation.evaluate(value, budget);
    if (!outcome.ok) errors.push(`valueExpression '${value.text}' resulted in error: ${outcome.error}`);
    else if (typeof outcome.value === 'string') {
      const text = trimSpace(outcome.value);
      if (text !== '') values.push([key, cutAt(text, annotationBytesMax)]);
    } else if (outcome.value !== null) {
      errors.push(
        `valueExpression '${value.text}' resulted in unsupported return type. Return type must be either string or null.`,
      );
    }
  }
  return { values, errors };
}

const annotationBytesMax = 10 * 1024;

/** The longest beginning of a text that has at most so many bytes. */
export function cutAt(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end));
}
