// Checks the rules of schemas of custom resource definitions: they compile, refer to `oldSelf` only where the old value
// can be found, and cost little enough whatever object is written.
import { costMessage, fieldForbidden, fieldInvalid } from '../../core/index.js';
import type { ExpressionCheck, FieldError, FieldPath, SchemaRules } from '../../core/index.js';
import type { CompiledExpression } from '../environment.js';
import { baseEnvironment } from '../libraries/environments.js';
import { compileRules, costMax } from './compiled-rules.js';
import type { CompiledSchemaRule, RuleEnvironments, SchemaRule } from './compiled-rules.js';
import { requestBytesMax, schemaType } from './schema-type.js';
import type { SchemaType } from './schema-type.js';

/** The estimated cost of a rule at most, of all objects that its schema describes in a request. */
const ruleCostMax = 10_000_000;

/** Returns the check of the rules of schemas. Expressions of other uses go to `others`. */
export function schemaExpressionCheck(others: ExpressionCheck): ExpressionCheck {
  const [fresh, stored] = [baseEnvironment('new'), baseEnvironment('stored')];
  return (given) =>
    given.kind === 'schema'
      ? checkSchemaRules(given, (text) => (given.stored.has(text) ? stored : fresh))
      : others(given);
}

function checkSchemaRules(given: SchemaRules, environmentOf: RuleEnvironments): readonly FieldError[] {
  const { schema, path, isResource } = given;
  const rules = schema['x-kubernetes-validations'] ?? [];
  const type = schemaType(schema, 'selfType', isResource);
  if (type === undefined) return [];
  return compileRules(rules, type, environmentOf).flatMap((rule, index) =>
    checkRule(rule, type, given, path.child('x-kubernetes-validations').index(index)),
  );
}

function checkRule(
  compiled: CompiledSchemaRule,
  type: SchemaType,
  given: SchemaRules,
  path: FieldPath,
): readonly FieldError[] {
  const { rule, expression, message, usesOldSelf } = compiled;
  const errors: FieldError[] = [];
  if ('error' in expression) errors.push(fieldInvalid(path.child('rule'), printedRule(rule), expression.error));
  else {
    errors.push(...checkCost(expression, 'estimated rule cost', path.child('rule'), { type, given }));
    if (usesOldSelf && given.uncorrelatable !== undefined)
      errors.push(
        fieldInvalid(
          path.child('rule'),
          rule.rule,
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${given.uncorrelatable.toString()}`,
        ),
      );
    if (!usesOldSelf && rule.optionalOldSelf !== undefined)
      errors.push(
        fieldInvalid(
          path.child('optionalOldSelf'),
          rule.optionalOldSelf,
          'may not be set if oldSelf is not used in rule',
        ),
      );
  }
  if (message === undefined) return errors;
  const at = path.child('messageExpression');
  if ('error' in message) errors.push(fieldInvalid(at, printedRule(rule), message.error));
  else errors.push(...checkCost(message, 'estimated messageExpression cost', at, { type, given }));
  return errors;
}

/** A rule is evaluated for each value of its schema; without a bound of their number, for as many as a request has. */
function checkCost(
  expression: CompiledExpression,
  name: string,
  path: FieldPath,
  { type, given }: { readonly type: SchemaType; readonly given: SchemaRules },
): readonly FieldError[] {
  const times = given.valuesMax ?? Math.floor(requestBytesMax / (type.bytesMin + 1));
  const cost = costMax(expression, type) * times;
  given.costs.add(path, cost);
  return cost > ruleCostMax && !given.unchanged ? [fieldForbidden(path, costMessage(name, cost, ruleCostMax))] : [];
}

/** A rule as Kubernetes prints it in errors: in its internal form. */
function printedRule(rule: SchemaRule): unknown {
  const {
    rule: text,
    message = '',
    messageExpression = '',
    reason = null,
    fieldPath = '',
    optionalOldSelf = null,
  } = rule;
  return {
    Rule: text,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf,
  };
}
