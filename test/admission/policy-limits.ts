// Admission policies at their limits: expressions that cost too much, many policies, parameters of kinds that appear
// and disappear, and what policies match besides plain creates.
import t from 'tap';
import { compileMatch } from '../../lib/admission/policies/match-resources.js';
import { PolicyIndex } from '../../lib/admission/policies/policy-index.js';
import { crd } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { builtinScheme } from '../../lib/core/index.js';
import type { GroupVersionResource, ReviewedWrite } from '../../lib/core/index.js';
import { createCluster } from '../../lib/cluster/index.js';
import { policyServer, refusalOf, validate } from '../support/policies.js';

const configMaps = (client: Client) => client.kind('v1', 'ConfigMap').in('default');

/** An expression whose cost is far above the limit of one expression. */
const endless =
  '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, [1,2,3,4,5,6,7,8,9,10].all(g, a + b + c + d + e + f + g > 0)))))))';

/** An expression that costs somewhat less than one expression may. */
const costly =
  '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a + b > 0)))))';

void t.test('an expression that costs too much is cut off and denies', async (test) => {
  const { client } = policyServer(test);
  await validate(client, 'p', { validations: [{ expression: endless }] });
  const { message = '' } = await refusalOf(configMaps(client).create({ metadata: { name: 'a' } }));
  test.match(message, /resulted in error: operation cancelled: actual cost limit exceeded$/);
});

void t.test('a variable that costs too much fails what uses it', async (test) => {
  const { client } = policyServer(test);
  await validate(client, 'p', {
    variables: [{ name: 'v', expression: endless }],
    validations: [{ expression: 'true || variables.v' }, { expression: 'variables.v' }],
  });
  const { message = '' } = await refusalOf(configMaps(client).create({ metadata: { name: 'a' } }));
  test.match(message, /composited variable "v" fails to evaluate: operation cancelled: actual cost limit exceeded$/);
});

void t.test('all expressions of a policy share a budget', async (test) => {
  const { client } = policyServer(test);
  const spec = {
    validations: Array.from({ length: 40 }, (_, index) => ({ expression: `${index} >= 0 && ${costly}` })),
  };
  await validate(client, 'p', spec);
  await validate(client, 'q', { ...spec, failurePolicy: 'Ignore' });
  const { message = '' } = await refusalOf(configMaps(client).create({ metadata: { name: 'a' } }));
  test.match(
    message,
    /'p' with binding 'p' denied request: validation failed due to running out of cost budget, no further validation rules will be run$/,
  );
});

void t.test('match conditions have a budget of their own', async (test) => {
  const { client } = policyServer(test);
  await validate(client, 'p', {
    matchConditions: Array.from({ length: 20 }, (_, index) => ({ name: `c${index}`, expression: costly })),
    validations: [{ expression: 'true' }],
  });
  const { message = '' } = await refusalOf(configMaps(client).create({ metadata: { name: 'a' } }));
  test.match(message, /running out of cost budget/);
});

void t.test('policies that do not match cost a look-up, however many there are', (test) => {
  let evaluations = 0;
  const match = compileMatch({
    resourceRules: [{ operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] }],
  });
  const policies = Array.from({ length: 1000 }, (_, index) => ({
    bindings: [{ name: 'b', policyName: `p${index}`, match, paramRef: undefined, validationActions: ['Deny'] }],
    policy: {
      name: `p${index}`,
      ignoresFailures: false,
      paramKind: undefined,
      program: () => undefined,
      get match() {
        evaluations++;
        return match;
      },
    },
  }));
  const index = new PolicyIndex(policies, builtinScheme());
  const write = (resource: GroupVersionResource, kind: string): ReviewedWrite => ({
    operation: 'CREATE',
    requestKind: { ...resource, kind },
    kind: { ...resource, kind },
    requestResource: resource,
    resource,
    subresource: '',
    namespace: 'default',
    name: 'a',
    object: {},
    oldObject: undefined,
    options: undefined,
    dryRun: false,
    user: { username: 'u' },
    warn: () => undefined,
    annotate: () => undefined,
    auditsContent: false,
  });
  const configMap = write({ group: '', version: 'v1', resource: 'configmaps' }, 'ConfigMap');
  for (let round = 0; round < 100; round++) test.same(index.candidates(configMap), []);
  test.equal(evaluations, 1000, 'once for each policy and sort of write');
  const deployment = write({ group: 'apps', version: 'v1', resource: 'deployments' }, 'Deployment');
  test.equal(index.candidates(deployment).length, 1000);
  test.end();
});

const widgets = crd({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { max: { type: 'integer' } } } },
  },
});

void t.test('the kind of parameters may appear after the policy, and go again', async (test) => {
  const cluster = await createCluster();
  test.teardown(() => cluster.close());
  const { client } = cluster;
  const definitions = client.kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  await validate(
    client,
    'p',
    {
      paramKind: { apiVersion: 'example.com/v1', kind: 'Widget' },
      validations: [{ expression: 'object.data.size() <= params.spec.max' }],
      matchConditions: [{ name: 'own', expression: "object.metadata.name.startsWith('own')" }],
    },
    { paramRef: { name: 'limit', parameterNotFoundAction: 'Deny' } },
  );
  const create = (name: string, data: Record<string, string>) =>
    configMaps(client).create({ metadata: { name }, data });
  const unknown =
    /failed to configure policy: failed to find resource referenced by paramKind: 'example.com\/v1, Kind=Widget'$/;
  test.match((await refusalOf(create('own-1', { a: '' }))).message, unknown);
  const params = (await widgets.install(client)).in('default');
  test.match((await refusalOf(create('own-1', { a: '' }))).message, /no params found/);
  await params.create({ metadata: { name: 'limit' }, spec: { max: 1 } });
  await create('own-1', { a: '' });
  test.match((await refusalOf(create('own-2', { a: '', b: '' }))).code, 422);
  await params.delete('limit');
  test.match((await refusalOf(create('own-2', { a: '' }))).message, /no params found/);
  await definitions.delete('widgets.example.com');
  await definitions.waitFor('widgets.example.com', (definition) => definition === undefined);
  test.match((await refusalOf(create('own-2', { a: '' }))).message, unknown);
});

void t.test('policies match subresources, connections, collections and dry runs', async (test) => {
  const cluster = await createCluster();
  test.teardown(() => cluster.close());
  const { client } = cluster;
  const onPods = (operation: 'CONNECT' | 'CREATE' | 'DELETE', resource: string) => ({
    matchConstraints: {
      resourceRules: [{ operations: [operation], apiGroups: [''], apiVersions: ['v1'], resources: [resource] }],
    },
  });
  await validate(client, 'evict', {
    ...onPods('CREATE', 'pods/eviction'),
    validations: [{ expression: 'false', messageExpression: 'request.subResource + object.kind' }],
  });
  await validate(client, 'exec', {
    ...onPods('CONNECT', 'pods/exec'),
    validations: [{ expression: "!('sh' in object.command)", messageExpression: 'request.operation' }],
  });
  await validate(client, 'delete', {
    ...onPods('DELETE', 'pods'),
    validations: [
      {
        expression: 'object != null || request.dryRun',
        messageExpression: 'oldObject.metadata.name + string(has(request.name))',
      },
    ],
  });
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  const text = (policy: string, message: string): string =>
    `ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${message}`;
  const evicted = await refusalOf(pods.eviction.create('p', { metadata: { name: 'p' } }));
  test.equal(evicted.message, `pods "p" is forbidden: ${text('evict', 'evictionEviction')}`);
  const deleted = await refusalOf(pods.delete('p'));
  test.equal(deleted.message, `pods "p" is forbidden: ${text('delete', 'ptrue')}`);
  const cleared = await refusalOf(pods.deleteCollection({}));
  test.equal(cleared.message, `pods "Unknown" is forbidden: ${text('delete', 'pfalse')}`);
  await pods.delete('p', { dryRun: true });
  const executed = await refusalOf(pods.exec('p', { command: ['sh'] }));
  test.equal(executed.message, `pods "p" is forbidden: ${text('exec', 'CONNECT')}`);
});
