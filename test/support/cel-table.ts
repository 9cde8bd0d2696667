// Tables of expressions with what a v1.36 API server makes of them: the value, the error or the refusal, and the cost.
// The variables are those with which the tables were recorded.
import t from 'tap';
import {
  Double,
  ListValue,
  MapValue,
  OpaqueValue,
  TypeValue,
  Uint,
  authorizerType,
  authorizerValue,
  dynType,
  intType,
  listType,
  mutationEnvironment,
  requestResourceValue,
  resourceCheckType,
  stringType,
  typeName,
} from '../../lib/cel/index.js';
import type { AccessDecision, CelValue, DecideAccess } from '../../lib/cel/index.js';

/** What an expression evaluates to. */
export type Expected =
  | { readonly value: unknown }
  | { readonly type: string }
  | { readonly error: string }
  /** The first line of the message of the compiler. */
  | { readonly refused: string };

/** An expression, its result and the cost of its evaluation. */
export type Row = readonly [expression: string, expected: Expected, cost: number];

/** Decides by the verb. */
const decide: DecideAccess = ({ verb }): AccessDecision => {
  if (verb === 'fail') return { allowed: false, reason: 'why not', error: 'authorizer broke' };
  if (verb === 'deny') return { allowed: false, reason: 'denied by rule' };
  return verb === 'none' ? { allowed: false, reason: 'no rule' } : { allowed: true, reason: 'allowed by rule' };
};

const environment = mutationEnvironment().extend({
  variables: {
    s: stringType,
    t: stringType,
    u: stringType,
    i: intType,
    d: dynType,
    l: listType(intType),
    k: listType(intType),
    ls: listType(stringType),
    ll: listType(listType(intType)),
    authorizer: authorizerType,
    'authorizer.requestResource': resourceCheckType,
  },
});

const requestResource = { group: 'g1', name: 'n1', namespace: 'ns1', resource: 'r1', subresource: 's1' };
const variables: Readonly<Record<string, CelValue>> = {
  s: 'hello world',
  t: 'o',
  u: '1.2.3.4',
  i: 1,
  d: [1, 'a'],
  l: [3, 1, 2],
  k: [1, 2],
  ls: ['a', 'bb'],
  ll: [[1], [2, 3]],
  authorizer: authorizerValue(decide),
  'authorizer.requestResource': requestResourceValue(requestResource, decide),
};

/** Compiles and evaluates every expression of a table. */
export function checkTable(name: string, rows: readonly Row[]): void {
  t.test(`${name} evaluate as a v1.36 API server evaluates them`, (t) => {
    for (const [text, expected, cost] of rows) t.same(evaluate(text), { ...expected, cost }, text);
    t.end();
  });
}

function evaluate(text: string): Expected & { readonly cost: number } {
  const compiled = environment.compile(text);
  if (!compiled.ok) return { refused: compiled.message.split('\n')[0] ?? '', cost: 0 };
  const result = compiled.expression.evaluate(variables);
  if (!result.ok) return { error: result.error.message, cost: result.cost };
  const { value, cost } = result;
  if (value instanceof TypeValue || value instanceof OpaqueValue)
    return { type: typeName(value instanceof TypeValue ? value.type : value.type), cost };
  return { value: plain(value), cost };
}

/** The value as JSON. */
function plain(value: CelValue | undefined): unknown {
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return Number(value.value);
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof ListValue) return Array.from({ length: value.length }, (_, index) => plain(value.at(index)));
  if (Array.isArray(value)) return value.map((item) => plain(item as CelValue));
  if (value instanceof MapValue)
    return Object.fromEntries([...value.keys()].map((key) => [JSON.stringify(plain(key)), plain(value.get(key))]));
  return value;
}
