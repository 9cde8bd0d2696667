// Compiles the expressions of webhooks and policies: which variables, libraries and types each of them may use, and
// what it must evaluate to. As apiserver/pkg/admission/plugin/cel/compile.go.
import { dynType } from '../cel-type.js';
import { printType } from '../check/type-names.js';
import { authorizerType, resourceCheckType } from '../libraries/authorizer.js';
import { admissionEnvironment, mutationEnvironment } from '../libraries/environments.js';
import type { CelType } from '../cel-type.js';
import type { Compilation, Environment } from '../environment.js';
import { fieldInvalid } from '../../core/index.js';
import type { ExpressionCheck, Frozen } from '../../core/index.js';
import type { ParamKind, Variable } from '../../core/types/index.js';
import { mutationType } from './mutation-types.js';
import { emptyScope } from './policy-variables.js';
import type { VariableScope } from './policy-variables.js';
import { namespaceType, requestType } from './request-types.js';

/** What an expression is for. */
export type ExpressionUse =
  'matchCondition' | 'variable' | 'validation' | 'message' | 'auditAnnotation' | 'applyConfiguration' | 'jsonPatch';

/** The part of a policy that decides what its expressions may use. */
export interface PolicyFrame {
  readonly paramKind?: Frozen<ParamKind>;
  readonly variables?: readonly Frozen<Variable>[];
}

/** The types of variables that are dyn unless a kind is known, as while a policy is checked against one. */
export interface ObjectTypes {
  readonly object?: CelType;
  readonly params?: CelType;
}

/** A compiled expression of a webhook or a policy. */
export interface AdmissionProgram {
  readonly text: string;
  readonly compilation: Compilation;
}

/** The expressions of one policy. */
export interface PolicyExpressions {
  /** All variables of the policy. */
  readonly scope: VariableScope;
  /** Compiles an expression; match conditions have no variables of the policy. */
  readonly programOf: (use: ExpressionUse, text: string) => AdmissionProgram;
}

/** Compiles expressions; environments are created with their first use and kept. */
export interface PolicyCompiler {
  /** Returns the compiler of a policy's expressions. */
  policy(frame: PolicyFrame, types?: ObjectTypes): PolicyExpressions;
  /** Compiles an expression that may use the variables of a scope. */
  compile(use: ExpressionUse, text: string, place: ExpressionPlace): Compilation;
  /** Returns the scope after one more variable. */
  withVariable(place: ExpressionPlace, variable: Frozen<Variable>): VariableScope;
}

/** What surrounds an expression. */
export interface ExpressionPlace {
  readonly hasParams: boolean;
  readonly scope: VariableScope;
  /** Undefined for dyn. */
  readonly types?: ObjectTypes;
}

/** Creates a compiler. */
export function policyCompiler(): PolicyCompiler {
  const environments = new Map<string, Environment>();
  const base = (group: EnvironmentGroup, hasParams: boolean): Environment => {
    const key = `${group} ${hasParams}`;
    let found = environments.get(key);
    if (found === undefined) environments.set(key, (found = createGroup(group, hasParams)));
    return found;
  };
  const environmentOf = (use: ExpressionUse, { hasParams, types }: ExpressionPlace): Environment => {
    const environment = base(groupOf(use), hasParams);
    const { object = dynType, params } = types ?? {};
    if (types === undefined) return environment;
    return environment.extend({
      variables: { object, oldObject: object, ...(hasParams && params !== undefined && { params }) },
    });
  };
  const compile: PolicyCompiler['compile'] = (use, text, place) => {
    const environment = environmentOf(use, place);
    const { scope } = place;
    const own = use === 'matchCondition' ? environment : environment.extend({ variables: { variables: scope.type } });
    return checkedResult(use, own.compile(text));
  };
  const withVariable: PolicyCompiler['withVariable'] = (place, { name, expression }) =>
    place.scope.with(name, expression, environmentOf('variable', place));
  return {
    compile,
    withVariable,
    policy({ paramKind, variables = [] }, types) {
      const frame = { hasParams: paramKind !== undefined, ...(types !== undefined && { types }) };
      let scope = emptyScope();
      for (const variable of variables) scope = withVariable({ ...frame, scope }, variable);
      return {
        scope,
        programOf: (use, text) => ({ text, compilation: compile(use, text, { ...frame, scope }) }),
      };
    },
  };
}

/** Returns why an expression cannot be used, in the words of the API server. */
export function compilationProblem({
  issues,
  isInstantiation,
  message,
}: Extract<Compilation, { readonly ok: false }>): string {
  if (isInstantiation) return `instantiation failed: ${message}`;
  return issues.length === 0 ? message : `compilation failed: ${message}`;
}

/** Expressions that have the same variables, libraries and types. */
type EnvironmentGroup = 'request' | 'message' | 'mutation';

function groupOf(use: ExpressionUse): EnvironmentGroup {
  if (use === 'message') return 'message';
  return use === 'applyConfiguration' || use === 'jsonPatch' ? 'mutation' : 'request';
}

function createGroup(group: EnvironmentGroup, hasParams: boolean): Environment {
  const environment = group === 'mutation' ? mutationEnvironment() : admissionEnvironment();
  return environment.extend({
    variables: {
      object: dynType,
      oldObject: dynType,
      request: requestType,
      namespaceObject: namespaceType,
      ...(hasParams && { params: dynType }),
      ...(group !== 'message' && { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType }),
    },
    ...(group === 'mutation' && { types: mutationType }),
  });
}

/** What expressions must evaluate to, as the checker prints it. Variables may have any type. */
const resultTypes: Readonly<Record<ExpressionUse, readonly string[]>> = {
  matchCondition: ['bool'],
  variable: [],
  validation: ['bool'],
  message: ['string'],
  auditAnnotation: ['string', 'null'],
  applyConfiguration: ['Object'],
  jsonPatch: ['list(JSONPatch)'],
};

/** The result has no issues where only the type is wrong. */
function checkedResult(use: ExpressionUse, compilation: Compilation): Compilation {
  const expected = resultTypes[use];
  if (!compilation.ok) return compilation;
  if (expected.length === 0 || expected.includes(printType(compilation.expression.type))) return compilation;
  const names = expected.map((each) => (each === 'null' ? 'null_type' : each));
  const message =
    names.length === 1 ? `must evaluate to ${names.join('')}` : `must evaluate to one of [${names.join(' ')}]`;
  return { ok: false, issues: [], message, isInstantiation: false };
}

/**
 * Creates the check of expressions about requests, when the webhooks and policies that hold them are written: they must
 * compile and have the right type. Expressions of other uses are not checked.
 */
export function admissionExpressionCheck(): ExpressionCheck {
  const compiler = policyCompiler();
  // All expressions of a policy hold the same variables, so each of these is compiled once.
  const known = new WeakMap<Frozen<Variable>, VariableScope>();
  const scopeAfter = (variables: readonly Frozen<Variable>[], hasParams: boolean): VariableScope => {
    let from = variables.length;
    while (from > 0 && !known.has(variables[from - 1] ?? none)) from--;
    let scope = known.get(variables[from - 1] ?? none) ?? emptyScope();
    for (const variable of variables.slice(from)) {
      scope = compiler.withVariable({ hasParams, scope }, variable);
      known.set(variable, scope);
    }
    return scope;
  };
  return (given) => {
    if (given.kind !== 'admission') return [];
    const { use, expression, path, hasParams, variables } = given;
    const place: ExpressionPlace = { hasParams, scope: scopeAfter(variables, hasParams) };
    const compilation = compiler.compile(use, expression, place);
    return compilation.ok ? [] : [fieldInvalid(path, expression, compilationProblem(compilation))];
  };
}

const none: Frozen<Variable> = { name: '', expression: '' };
