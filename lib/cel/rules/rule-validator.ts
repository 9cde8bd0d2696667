// Validates custom resources by the rules of their schema. The rules are compiled once per schema; a node of the schema
// without rules at it or below it is not visited. Costs of all rules of a write come out of one budget.
import {
  Correlation,
  FieldPath,
  fieldDuplicate,
  fieldDuplicateUnprinted,
  fieldForbidden,
  fieldInvalid,
  fieldInvalidUnprinted,
  fieldPath,
  fieldRequired,
  findField,
  isJsonObject,
  itemSchema,
  someSchema,
  valueSchema,
} from '../../core/index.js';
import type { CustomSchema, FieldError, RuleCompiler } from '../../core/index.js';
import { OptionalValue } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import type { CompiledExpression, Environment, Variables } from '../environment.js';
import { compileRules } from './compiled-rules.js';
import type { CompiledSchemaRule } from './compiled-rules.js';
import { schemaType } from './schema-type.js';
import type { SchemaConverter } from './schema-values.js';

/** The cost of one evaluation at most. */
const callBudget = 1_000_000;

/** The cost of all rules of a write at most. */
const writeBudget = 10_000_000;

/** Returns a compiler of the rules of schemas, with an environment for stored expressions. */
export function ruleCompiler(environment: Environment): RuleCompiler {
  return (schema) => {
    const root = nodeOf(schema, true, environment);
    if (root === undefined) return undefined;
    return (object, old) => {
      const run = new Validation();
      run.visit(root, { value: object, old, correlation: old && new Correlation(schema, object, old) }, FieldPath.nil);
      return { errors: run.errors, tolerated: run.tolerated };
    };
  };
}

/** A schema with rules at it or below it. */
interface Node {
  readonly schema: CustomSchema;
  readonly rules: readonly Rule[];
  readonly read: SchemaConverter | undefined;
  readonly properties: readonly (readonly [string, Node])[];
  readonly values: Node | undefined;
  readonly items: Node | undefined;
}

interface Rule extends CompiledSchemaRule {
  /** Adds the path of the field that the rule blames. */
  readonly place: (path: FieldPath) => FieldPath;
}

function nodeOf(schema: CustomSchema, isResource: boolean, environment: Environment): Node | undefined {
  if (!someSchema(schema, (inner) => (inner['x-kubernetes-validations'] ?? []).length > 0)) return undefined;
  const below = (inner: CustomSchema | undefined): Node | undefined => inner && nodeOf(inner, false, environment);
  const rules = schema['x-kubernetes-validations'] ?? [];
  const type = rules.length === 0 ? undefined : schemaType(schema, 'selfType', isResource);
  return {
    schema,
    rules: type === undefined ? [] : compileRules(rules, type, () => environment).map((rule) => placed(rule, schema)),
    read: type?.read,
    properties: Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
      const node = below(inner);
      return node === undefined ? [] : [[name, node] as const];
    }),
    values: below(valueSchema(schema)),
    items: below(itemSchema(schema)),
  };
}

function placed(compiled: CompiledSchemaRule, schema: CustomSchema): Rule {
  const { fieldPath: blamed = '' } = compiled.rule;
  const found = blamed === '' ? undefined : findField(blamed, schema, { allowBrackets: true });
  const relative = found === undefined || 'error' in found ? undefined : found.path;
  // A relative path starts with a step or with a subscript; the text of both is what errors print.
  const place = (path: FieldPath): FieldPath => {
    if (relative === undefined) return path;
    const at = path.toString();
    if (at === '<nil>') return fieldPath(relative);
    return fieldPath(relative.startsWith('[') ? `${at}${relative}` : `${at}.${relative}`);
  };
  return { ...compiled, place };
}

/** A value with what it replaces. */
interface Visited {
  readonly value: unknown;
  /** The value before an update; undefined where there is none or where it cannot be found. */
  readonly old: unknown;
  readonly correlation: Correlation | undefined;
}

/** The validation of one object. */
class Validation {
  readonly errors: FieldError[] = [];
  readonly tolerated: FieldError[] = [];
  #budget = writeBudget;
  #isEnded = false;

  visit(node: Node, { value, old, correlation }: Visited, path: FieldPath): void {
    if (value === null || value === undefined) return;
    this.#validate(node, { value, old, correlation }, path);
    if (isJsonObject(value)) {
      const before = isJsonObject(old) ? old : {};
      const member = (inner: Node, name: string, at: FieldPath): void => {
        if (this.#isEnded) return;
        this.visit(inner, { value: value[name], old: own(before, name), correlation: correlation?.member(name) }, at);
      };
      for (const [name, inner] of node.properties)
        if (Object.hasOwn(value, name)) member(inner, name, path.child(name));
      if (node.values !== undefined) for (const name of Object.keys(value)) member(node.values, name, path.key(name));
    } else if (Array.isArray(value) && node.items !== undefined) {
      for (let i = 0; i < value.length && !this.#isEnded; i++) {
        const item = correlation?.item(i);
        this.visit(node.items, { value: value[i], old: item?.old, correlation: item }, path.index(i));
      }
    }
  }

  #validate({ rules, schema, read }: Node, { value, old, correlation }: Visited, path: FieldPath): void {
    if (rules.length === 0 || this.#hasEnded()) return;
    const self = read === undefined ? (value as CelValue) : (): CelValue => read(value);
    const oldSelf = old === null || old === undefined ? undefined : read === undefined ? (old as CelValue) : read(old);
    for (const rule of rules) {
      if (this.#hasEnded()) return;
      const { optionalOldSelf = false } = rule.rule;
      if (rule.usesOldSelf && oldSelf === undefined && !optionalOldSelf) continue;
      const variables: Variables =
        rule.usesOldSelf || rule.message !== undefined
          ? { self, oldSelf: optionalOldSelf ? new OptionalValue(oldSelf) : (oldSelf ?? null) }
          : { self };
      // Values that did not change may break rules that are newer than they are; transition rules always hold.
      const isTolerated = !rule.usesOldSelf && correlation?.isUnchanged === true;
      this.#check(rule, variables, { value, schema, path, errors: isTolerated ? this.tolerated : this.errors });
    }
  }

  #check(rule: Rule, variables: Variables, subject: Subject): void {
    const { expression } = rule;
    const { path, schema, errors } = subject;
    const fail = (detail: string): void => void errors.push(fieldInvalid(path, schema.type ?? '', detail));
    if ('error' in expression) {
      fail(`rule compile error: ${expression.error}`);
      return;
    }
    const text = rule.rule.rule.trim();
    const result = expression.evaluate(variables, { budget: Math.min(callBudget, this.#budget) });
    this.#spend(result.cost);
    if (!result.ok) {
      if (!result.isOverBudget) {
        fail(`${result.error.message} evaluating rule: ${text}`);
        return;
      }
      this.#isEnded = true;
      fail(
        result.cost > callBudget
          ? `'${result.error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`
          : outOfBudget,
      );
      return;
    }
    if (result.value !== true) errors.push(refusal(rule, this.#message(rule, variables), subject));
    if (this.#budget < 0 && !this.#isEnded) {
      this.#isEnded = true;
      fail(outOfBudget);
    }
  }

  #message(rule: Rule, variables: Variables): string {
    const { rule: text, message = '' } = rule.rule;
    const fallback = message.trim() === '' ? `failed rule: ${text.trim()}` : message.trim();
    const { message: expression } = rule;
    if (expression === undefined || 'error' in expression) return fallback;
    return this.#evaluateMessage(expression, variables) ?? fallback;
  }

  /** Returns the message; undefined where it fails, is empty or has several lines. */
  #evaluateMessage(expression: CompiledExpression, variables: Variables): string | undefined {
    const result = expression.evaluate(variables, { budget: Math.min(callBudget, Math.max(0, this.#budget)) });
    this.#spend(result.cost);
    const text = result.ok && typeof result.value === 'string' ? result.value.trim() : '';
    return text === '' || text.includes('\n') || text.length > messageLengthMax ? undefined : text;
  }

  #hasEnded(): boolean {
    return this.#isEnded;
  }

  #spend(cost: number): void {
    this.#budget -= cost;
  }
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';
const messageLengthMax = 5 * 1024;

interface Subject {
  readonly value: unknown;
  readonly schema: CustomSchema;
  readonly path: FieldPath;
  /** Where errors go. */
  readonly errors: FieldError[];
}

/** The error of a rule that does not hold. Values of objects and lists are not printed. */
function refusal(rule: Rule, message: string, { value, path }: Subject): FieldError {
  const at = rule.place(path);
  const isLarge = typeof value === 'object';
  switch (rule.rule.reason) {
    case 'FieldValueForbidden':
      return fieldForbidden(at, message);
    case 'FieldValueRequired':
      return fieldRequired(at, message);
    case 'FieldValueDuplicate':
      return isLarge ? fieldDuplicateUnprinted(at) : fieldDuplicate(at, value);
    default:
      return isLarge ? fieldInvalidUnprinted(at, message) : fieldInvalid(at, value, message);
  }
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
