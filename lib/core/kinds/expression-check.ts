// The port of the compiler of CEL expressions. Kinds that hold expressions check everything else themselves and pass
// each expression, with all that a compiler must know of its surroundings, to the ExpressionCheck of the write
// (`WriteContext.checkExpression`), which the server provides.
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import type { Frozen } from '../objects/meta.js';
import type { Variable } from '../types/admissionregistration-v1.generated.js';
import type { JSONSchemaProps } from '../types/apiextensions-v1.generated.js';
import type { RuleCosts } from './apiextensions/rule-costs.js';

/** Validates an expression that is not blank: it does not compile, has the wrong type, costs too much. */
export type ExpressionCheck = (expression: CheckedExpression) => readonly FieldError[];

/** An expression and what it may refer to. */
export type CheckedExpression = AdmissionExpression | SchemaRules | DeviceSelectorExpression;

/** An expression about a request: of a webhook's match condition or of an admission policy. */
export interface AdmissionExpression {
  readonly kind: 'admission';
  readonly use:
    'matchCondition' | 'variable' | 'validation' | 'message' | 'auditAnnotation' | 'applyConfiguration' | 'jsonPatch';
  readonly expression: string;
  readonly path: FieldPath;
  /** Whether `params` exists. */
  readonly hasParams: boolean;
  /** Those it may use, in their order. */
  readonly variables: readonly Frozen<Variable>[];
  /** The object already held this expression: whatever any release accepted is accepted. */
  readonly stored: boolean;
}

/** All rules of a structural schema whose other parts are in order; `path` is that of the schema. */
export interface SchemaRules {
  readonly kind: 'schema';
  readonly schema: Frozen<JSONSchemaProps>;
  readonly path: FieldPath;
  /** The rules and message expressions that the object already held. */
  readonly stored: ReadonlySet<string>;
  /** The schema did not change, so rules that cost too much stay. */
  readonly unchanged: boolean;
  /** The schema is that of a resource, embedded or not: it has apiVersion, kind and metadata. */
  readonly isResource: boolean;
  /** How many values of the schema an object has at most; undefined where there is no bound. */
  readonly valuesMax: number | undefined;
  /** The schema around this one in which old values cannot be found; undefined where they can. */
  readonly uncorrelatable: FieldPath | undefined;
  /** Collects the costs of all rules of the definition's schema. */
  readonly costs: RuleCosts;
}

/** A selector of devices. */
export interface DeviceSelectorExpression {
  readonly kind: 'device';
  readonly expression: string;
  readonly path: FieldPath;
  readonly stored: boolean;
}

/** The check of a write without a compiler: nothing is ever wrong. */
export const uncheckedExpressions: ExpressionCheck = () => [];
