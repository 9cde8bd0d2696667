// Expressions with the answers of the environment of Kubernetes: k8s.io/apiserver v0.36.4, recorded once. An answer is
// the issues of an expression that does not compile, or its type, value or failure, cost, and estimated cost.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { dynType, printType } from '../../lib/cel/index.js';
import type { Variables } from '../../lib/cel/index.js';
import { described, language, recorded, typeOf, valueOfJson } from '../support/cel.js';

interface Answer {
  readonly expression: string;
  readonly issues?: string;
  readonly instantiation?: string;
  readonly type?: string;
  readonly value?: unknown;
  readonly failure?: string;
  readonly cost?: number;
  /** The least and the most; null where there is no bound. */
  readonly estimate?: readonly [number, number | null];
}

interface AnswerSet {
  readonly variables: Readonly<Record<string, { readonly type: string; readonly value: unknown }>>;
  readonly sizes: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
  readonly cases: readonly Answer[];
}

const file = join(import.meta.dirname, '..', '..', 'test', 'cel', 'reference-answers.json');
const sets = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, AnswerSet>>;

for (const [name, { variables, sizes, cases }] of Object.entries(sets)) {
  t.test(`${name}: expressions have the answers of Kubernetes`, async (t) => {
    const environment = language.extend({
      variables: Object.fromEntries(Object.entries(variables).map(([key, { type }]) => [key, typeOf(type)])),
    });
    const values: Variables = Object.fromEntries(
      Object.entries(variables).map(([key, { type, value }]) => [key, valueOfJson(value, type)]),
    );
    t.ok(cases.length > 50, 'there are answers to compare with');
    for (const answer of cases) t.strictSame(answerTo(answer.expression), expected(answer), answer.expression);

    function answerTo(expression: string): unknown {
      const compilation = environment.compile(expression);
      if (!compilation.ok)
        return compilation.isInstantiation ? { instantiation: compilation.message } : { issues: compilation.message };
      const evaluation = compilation.expression.evaluate(values);
      const { min, max } = compilation.expression.estimateCost((path) => {
        const size = sizes[path.join('.')];
        return size && { type: dynType, size };
      });
      return {
        type: printType(compilation.expression.type),
        ...(evaluation.ok ? { value: described(evaluation.value) } : { failure: evaluation.error.message }),
        cost: evaluation.cost,
        estimate: [min, Number.isFinite(max) ? max : null],
      };
    }
  });
}

function expected({ expression: _, value, failure, ...rest }: Answer): unknown {
  if (rest.type === undefined) return rest;
  return { ...rest, ...(failure === undefined ? { value: recorded(value ?? null) } : { failure }) };
}
