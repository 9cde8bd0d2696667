// The type checking of validating admission policies.
import t from 'tap';
import { createCluster } from '../../lib/cluster/index.js';
import { policyTypeCheck } from '../../lib/controllers/policy-type-checking.js';
import type { NamedRuleWithOperations, ValidatingAdmissionPolicySpec } from '../../lib/core/types/index.js';

const rule = (apiGroups: string[], resources: string[], apiVersions = ['v1']): NamedRuleWithOperations => ({
  operations: ['CREATE'],
  apiGroups,
  apiVersions,
  resources,
});

const check = policyTypeCheck();
const warnings = (
  rules: NamedRuleWithOperations[],
  expression: string,
  more: Partial<ValidatingAdmissionPolicySpec> = {},
): readonly string[] =>
  check({
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression }], ...more },
  }).map(({ fieldRef, warning }) => `${fieldRef}: ${warning}`);

void t.test('a field that a kind does not have is reported with the kind and the place', (test) => {
  test.same(warnings([rule(['apps'], ['deployments'])], 'object.spec.replcas < 5'), [
    "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replcas'\n | object.spec.replcas < 5\n | ...........^",
  ]);
  test.same(warnings([rule(['apps'], ['deployments'])], 'object.spec.replicas < 5'), []);
  test.same(warnings([rule(['apps'], ['deployments'])], "object.spec.replicas < 'x'").length, 1, 'types count');
  test.end();
});

void t.test('each kind is checked, in the order of group, version and resource', (test) => {
  const [warning = ''] = warnings(
    [rule(['apps'], ['statefulsets', 'deployments']), rule([''], ['configmaps'])],
    'object.data.size() > 0',
  );
  test.same(
    warning.split('\n').filter((line) => line.includes('Kind=')),
    [
      "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'data'",
      "apps/v1, Kind=StatefulSet: ERROR: <input>:1:7: undefined field 'data'",
    ],
  );
  test.end();
});

void t.test('kinds behind a wildcard, subresources and unknown kinds are not checked', (test) => {
  for (const each of [
    rule(['*'], ['deployments']),
    rule(['apps'], ['*']),
    rule(['apps'], ['deployments'], ['*']),
    rule(['apps'], ['deployments/scale']),
    rule(['example.com'], ['widgets']),
  ])
    test.same(warnings([each], 'object.no.such.field'), []);
  test.end();
});

void t.test('at most ten kinds are checked', (test) => {
  const resources = [
    ...['bindings', 'configmaps', 'endpoints', 'events', 'limitranges', 'namespaces', 'nodes'],
    ...['persistentvolumeclaims', 'persistentvolumes', 'pods', 'podtemplates', 'secrets', 'services'],
  ];
  const [warning = ''] = warnings([rule([''], resources)], 'object.no > 1');
  test.equal(warning.split('\n').filter((line) => line.includes('Kind=')).length, 10);
  test.end();
});

void t.test('variables, parameters and messages have types', (test) => {
  const deployments = [rule(['apps'], ['deployments'])];
  const variables = [{ name: 'spec', expression: 'object.spec' }];
  test.same(warnings(deployments, 'variables.spec.replicas > 0', { variables }), []);
  test.equal(warnings(deployments, 'variables.spec.no > 0', { variables }).length, 1);
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  test.same(warnings(deployments, "params.data['a'] == 'b'", { paramKind }), []);
  test.equal(warnings(deployments, "params.no == 'b'", { paramKind }).length, 1);
  const unknown = { apiVersion: 'example.com/v1', kind: 'Widget' };
  test.same(warnings(deployments, "params.no == 'b'", { paramKind: unknown }), []);
  test.match(
    warnings(deployments, 'true', { validations: [{ expression: 'true', messageExpression: "'x' + object.spec.no" }] }),
    [/^spec\.validations\[0\]\.messageExpression: /],
  );
  test.end();
});

void t.test('a cluster writes the status of each generation', async (test) => {
  const cluster = await createCluster();
  test.teardown(() => cluster.close());
  const policies = cluster.client.kind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy');
  await policies.create({
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: [rule(['apps'], ['deployments'])] },
      validations: [{ expression: 'object.spec.replcas < 5' }],
    },
  });
  const checked = (generation: number) =>
    policies.waitFor('p', (policy) => policy?.status?.observedGeneration === generation);
  test.equal((await checked(1))?.status?.typeChecking?.expressionWarnings?.length, 1);
  await policies.patch('p', { merge: { spec: { validations: [{ expression: 'object.spec.replicas < 5' }] } } });
  test.same((await checked(2))?.status, { observedGeneration: 2, typeChecking: {} });
});
