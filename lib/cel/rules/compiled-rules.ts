// Compiling the rules of one schema: the rule itself must be a bool, the expression of its message a string.
import type { CustomSchema } from '../../core/index.js';
import { optionalType } from '../cel-type.js';
import type { CelType } from '../cel-type.js';
import type { CompiledExpression, Environment } from '../environment.js';
import type { EstimateRange, ValueEstimate } from '../library.js';
import type { SchemaType } from './schema-type.js';

/** A rule as a schema states it. */
export type SchemaRule = NonNullable<CustomSchema['x-kubernetes-validations']>[number];

/** A rule after compiling. */
export interface CompiledSchemaRule {
  readonly rule: SchemaRule;
  readonly expression: CompiledExpression | { readonly error: string };
  /** The expression of the message; undefined where the rule has none. */
  readonly message: CompiledExpression | { readonly error: string } | undefined;
  /** The rule compares with the value before an update. */
  readonly usesOldSelf: boolean;
}

/** Returns the environment of an expression of a release: new ones may use less than stored ones. */
export type RuleEnvironments = (text: string) => Environment;

/** Compiles the rules of a schema whose values have a type. */
export function compileRules(
  rules: readonly SchemaRule[],
  { type }: SchemaType,
  environmentOf: RuleEnvironments,
): readonly CompiledSchemaRule[] {
  const withOld = (text: string, isOptional: boolean): Environment =>
    environmentOf(text).extend({ variables: { self: type, oldSelf: isOptional ? optionalType(type) : type } });
  return rules.map((rule) => {
    const { rule: text, messageExpression = '', optionalOldSelf = false } = rule;
    const expression = compileAs('bool', text, withOld(text, optionalOldSelf));
    const message =
      messageExpression === ''
        ? undefined
        : compileAs('string', messageExpression, withOld(messageExpression, optionalOldSelf));
    return { rule, expression, message, usesOldSelf: !('error' in expression) && expression.usesVariable('oldSelf') };
  });
}

function compileAs(
  kind: 'bool' | 'string',
  text: string,
  environment: Environment,
): CompiledExpression | { readonly error: string } {
  const name = kind === 'bool' ? 'cel expression' : 'messageExpression';
  const prefix = kind === 'bool' ? '' : 'messageExpression ';
  const compiled = environment.compile(text);
  if (!compiled.ok)
    return {
      error: compiled.isInstantiation
        ? `${prefix}instantiation failed: ${compiled.message}`
        : `${prefix}compilation failed: ${compiled.message}`,
    };
  return compiled.expression.type.kind === kind ? compiled.expression : { error: `${name} must evaluate to a ${kind}` };
}

/** Returns the cost of an expression at most, by the bounds of the schema. */
export function costMax(expression: CompiledExpression, self: SchemaType): number {
  // Kubernetes starts at `self` whatever a path begins with.
  return expression.estimateCost(([, ...path], type) => sizeAt(self, path, type)).max;
}

function sizeAt(self: SchemaType, path: readonly string[], type: CelType): ValueEstimate | undefined {
  let at: SchemaType | undefined = self;
  for (const step of path) {
    if (step === '@keys') return { type, size: nothing };
    at = step === '@items' || step === '@values' ? at.element : at.fields?.get(step);
    if (at === undefined) return undefined;
  }
  return { type, size: { min: 0, max: at.sizeMax } };
}

const nothing: EstimateRange = { min: 0, max: 0 };
