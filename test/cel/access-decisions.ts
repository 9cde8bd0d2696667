// Access checks whose decisions take time: the evaluation is repeated when they are known.
import t from 'tap';
import {
  AccessDecisions,
  admissionEnvironment,
  authorizerType,
  authorizerValue,
  evaluateWithDecisions,
} from '../../lib/cel/index.js';
import type { AccessCheck } from '../../lib/cel/index.js';

const environment = admissionEnvironment().extend({ variables: { authorizer: authorizerType } });

t.test('an evaluation waits for each decision once', async (t) => {
  const asked: string[] = [];
  const decisions = new AccessDecisions(async ({ verb }: AccessCheck) => {
    asked.push(verb);
    await Promise.resolve();
    return { allowed: verb !== 'delete', reason: '' };
  });
  const compiled = environment.compile(
    "authorizer.group('').resource('pods').check('get').allowed() && !authorizer.group('').resource('pods').check('delete').allowed() && authorizer.group('').resource('pods').check('get').allowed()",
  );
  if (!compiled.ok) throw new Error(compiled.message);
  const variables = { authorizer: authorizerValue(decisions.decide) };
  const result = await evaluateWithDecisions(() => compiled.expression.evaluate(variables));
  t.match(result, { ok: true, value: true });
  t.same(asked, ['get', 'delete'], 'and none twice');
});

t.test('a rejected decision is errored', async (t) => {
  const decisions = new AccessDecisions(() => Promise.reject(new Error('no route')));
  const compiled = environment.compile("authorizer.path('/x').check('get').error()");
  if (!compiled.ok) throw new Error(compiled.message);
  const variables = { authorizer: authorizerValue(decisions.decide) };
  const result = await evaluateWithDecisions(() => compiled.expression.evaluate(variables));
  t.match(result, { ok: true, value: 'no route' });
});
