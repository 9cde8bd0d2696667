// Validating admission policies: which writes they match, what their expressions see, and what violations and failures
// lead to.
import t from 'tap';
import type { Client } from '../../lib/client/index.js';
import type {
  ConfigMap,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../lib/core/types/index.js';
import { onConfigMaps, policyServer, refusalOf, validate } from '../support/policies.js';

const configMaps = (client: Client) => client.kind('v1', 'ConfigMap').in('default');

/** A rule of policies: what a policy and its binding make of a new ConfigMap. */
interface Case {
  readonly title: string;
  readonly policy: Partial<ValidatingAdmissionPolicySpec>;
  readonly binding?: Partial<ValidatingAdmissionPolicyBindingSpec>;
  readonly write?: Partial<ConfigMap>;
  /** The message after the part that all denials have; undefined where the write is admitted. */
  readonly denial?: string;
  readonly code?: number;
  readonly warnings?: readonly string[];
}

const always = (message: string): Partial<ValidatingAdmissionPolicySpec> => ({
  validations: [{ expression: 'false', message }],
});

const cases: readonly Case[] = [
  { title: 'a rule that holds admits', policy: { validations: [{ expression: "object.metadata.name == 'a'" }] } },
  {
    title: 'a rule that does not hold denies and is quoted',
    policy: { validations: [{ expression: "object.metadata.name == 'b'" }] },
    denial: "failed expression: object.metadata.name == 'b'",
  },
  {
    title: 'the reason gives the code',
    policy: { validations: [{ expression: 'false', message: 'm', reason: 'Forbidden' }] },
    denial: 'm',
    code: 403,
  },
  {
    title: 'a message expression takes the place of the message',
    policy: { validations: [{ expression: 'false', message: 'm', messageExpression: "'is ' + object.metadata.name" }] },
    denial: 'is a',
  },
  {
    title: 'a message expression with a line break falls back',
    policy: { validations: [{ expression: 'false', message: 'm', messageExpression: "'two\\nlines'" }] },
    denial: 'm',
  },
  {
    title: 'a message expression of more than 5 KiB falls back',
    policy: {
      validations: [
        { expression: 'false', message: 'm', messageExpression: 'string(object.data.text) + object.data.text' },
      ],
    },
    write: { data: { text: 'x'.repeat(3000) } },
    denial: 'm',
  },
  {
    title: 'a message is trimmed',
    policy: { validations: [{ expression: 'false', messageExpression: "'  m  '" }] },
    denial: 'm',
  },
  {
    title: 'a failing expression denies',
    policy: { validations: [{ expression: "object.data.no == 'x'" }] },
    write: { data: { a: '' } },
    denial: "expression 'object.data.no == 'x'' resulted in error: no such key: no",
  },
  {
    title: 'a failing expression admits where failures are ignored',
    policy: { failurePolicy: 'Ignore', validations: [{ expression: "object.data.no == 'x'" }] },
  },
  {
    title: 'a failing expression only warns where the binding only warns',
    policy: { validations: [{ expression: "object.data.no == 'x'" }] },
    binding: { validationActions: ['Warn'] },
    write: { data: { a: '' } },
    warnings: [
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': expression 'object.data.no == 'x'' resulted in error: no such key: no",
    ],
  },
  {
    title: 'a missing parameter denies whatever the actions are',
    policy: { ...always('m'), paramKind: { apiVersion: 'v1', kind: 'Secret' } },
    binding: { validationActions: ['Warn'], paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    denial: 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
  },
  {
    title: 'a missing parameter skips the binding where that is allowed',
    policy: { ...always('m'), paramKind: { apiVersion: 'v1', kind: 'Secret' } },
    binding: { paramRef: { name: 'none', parameterNotFoundAction: 'Allow' } },
  },
  {
    title: 'a selector without a match skips the binding where that is allowed',
    policy: { ...always('m'), paramKind: { apiVersion: 'v1', kind: 'Secret' } },
    binding: { paramRef: { selector: { matchLabels: { a: 'b' } }, parameterNotFoundAction: 'Allow' } },
  },
  {
    title: 'params are null where the binding has none',
    policy: {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      validations: [{ expression: 'params != null', message: 'null' }],
    },
    denial: 'null',
  },
  {
    title: 'a namespace is refused for parameters of the cluster',
    policy: { ...always('m'), paramKind: { apiVersion: 'v1', kind: 'Node' } },
    binding: { paramRef: { name: 'n', namespace: 'default', parameterNotFoundAction: 'Allow' } },
    denial: 'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
  },
  {
    title: 'a configuration error is ignored with failures',
    policy: { ...always('m'), failurePolicy: 'Ignore', paramKind: { apiVersion: 'x.example/v1', kind: 'None' } },
    binding: { paramRef: { name: 'n', parameterNotFoundAction: 'Deny' } },
  },
  {
    title: 'match conditions that exclude the write come before a failing one',
    policy: {
      ...always('m'),
      matchConditions: [
        { name: 'fails', expression: "object.data.no == 'x'" },
        { name: 'excludes', expression: 'false' },
      ],
    },
  },
  {
    title: 'excluded resources take precedence',
    policy: { ...always('m'), matchConstraints: { resourceRules: onConfigMaps, excludeResourceRules: onConfigMaps } },
  },
  {
    title: 'excluded names take precedence for these names only',
    policy: {
      ...always('m'),
      matchConstraints: {
        resourceRules: onConfigMaps,
        excludeResourceRules: onConfigMaps.map((rule) => ({ ...rule, resourceNames: ['b'] })),
      },
    },
    denial: 'm',
  },
  {
    title: 'a rule with names matches these names only',
    policy: {
      ...always('m'),
      matchConstraints: { resourceRules: onConfigMaps.map((rule) => ({ ...rule, resourceNames: ['b', 'c'] })) },
    },
  },
  {
    title: 'a binding without rules matches what the policy matches',
    policy: always('m'),
    binding: { matchResources: { objectSelector: { matchLabels: { a: 'b' } } } },
    write: { metadata: { labels: { a: 'b' } } },
    denial: 'm',
  },
  {
    title: 'a binding whose selector does not match is skipped',
    policy: always('m'),
    binding: { matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'other' } } } },
  },
  {
    title: 'namespaceObject has the labels of the namespace and no owners',
    policy: {
      validations: [
        {
          expression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] != 'default'",
          messageExpression: "namespaceObject.metadata.name + ' ' + namespaceObject.status.phase",
        },
      ],
    },
    denial: 'default Active',
  },
  {
    title: 'request names what was sent',
    policy: {
      validations: [
        {
          expression: 'has(request.subResource) || request.dryRun',
          messageExpression:
            "[request.operation, request.name, request.namespace, request.kind.kind, request.resource.resource, request.userInfo.username].join(' ')",
        },
      ],
    },
    denial: 'CREATE a default ConfigMap configmaps system:admin',
  },
  {
    title: 'variables see those before them and are shared with messages',
    policy: {
      variables: [
        { name: 'size', expression: 'object.data.size()' },
        { name: 'twice', expression: 'variables.size * 2' },
      ],
      validations: [{ expression: 'variables.twice < 4', messageExpression: "'twice is ' + string(variables.twice)" }],
    },
    write: { data: { a: '', b: '' } },
    denial: 'twice is 4',
  },
  {
    title: 'the authorizer answers for the user of the request',
    policy: {
      validations: [
        {
          expression: "!authorizer.group('').resource('secrets').namespace('default').check('get').allowed()",
          message: 'may get secrets',
        },
      ],
    },
    denial: 'may get secrets',
  },
];

void t.test('what policies make of a new object', async (suite) => {
  for (const { title, policy, binding, write = {}, denial, code = 422, warnings = [] } of cases) {
    await suite.test(title, async (test) => {
      const { client, warnings: seen } = policyServer(test);
      await validate(client, 'p', policy, binding);
      const created = configMaps(client).create({ ...write, metadata: { name: 'a', ...write.metadata } });
      if (denial === undefined) await created;
      else {
        const place = denial.startsWith('failed to configure policy') ? '' : " with binding 'p'";
        const text = `ValidatingAdmissionPolicy 'p'${place} denied request: ${denial}`;
        test.match(await refusalOf(created), {
          code,
          message: `configmaps "a" is forbidden: ${text}`,
          details: { kind: 'configmaps', name: 'a', causes: [{ message: text }] },
        });
      }
      test.same(seen, warnings);
    });
  }
});

void t.test('violations and annotations are audited', async (test) => {
  const { client, audits } = policyServer(test);
  await validate(
    client,
    'p',
    {
      validations: [{ expression: 'true' }, { expression: 'false', message: 'm' }],
      auditAnnotations: [
        { key: 'name', valueExpression: "' ' + object.metadata.name + ' '" },
        { key: 'none', valueExpression: 'null' },
        { key: 'blank', valueExpression: "'  '" },
        { key: 'long', valueExpression: 'string(object.data.long) + object.data.long' },
      ],
    },
    { validationActions: ['Audit'] },
  );
  await configMaps(client).create({ metadata: { name: 'a' }, data: { long: 'ä'.repeat(4000) } });
  const annotations = audits().find(({ objectRef }) => objectRef?.name === 'a')?.annotations ?? {};
  test.match(annotations, { 'p/name': 'a' });
  test.equal(annotations['p/none'], undefined);
  test.equal(annotations['p/blank'], undefined);
  test.equal(annotations['p/long'], 'ä'.repeat(5 * 1024), 'cut at 10 KiB');
  test.same(JSON.parse(annotations['validation.policy.admission.k8s.io/validation_failure'] ?? ''), [
    { message: 'm', policy: 'p', binding: 'p', expressionIndex: 1, validationActions: ['Audit'] },
  ]);
});

void t.test('the values of several bindings and parameters are joined, each once', async (test) => {
  const { client, audits } = policyServer(test);
  for (const [name, type] of [
    ['s1', 'x'],
    ['s2', 'y'],
    ['s3', 'x'],
  ])
    await client
      .kind('v1', 'Secret')
      .in('default')
      .create({ metadata: { name: name ?? '', labels: { param: 'y' } }, type: type ?? '' });
  await validate(
    client,
    'p',
    {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      auditAnnotations: [{ key: 'type', valueExpression: 'string(params.type)' }],
    },
    { paramRef: { selector: { matchLabels: { param: 'y' } }, parameterNotFoundAction: 'Deny' } },
  );
  await configMaps(client).create({ metadata: { name: 'a' } });
  test.equal(audits().find(({ objectRef }) => objectRef?.name === 'a')?.annotations?.['p/type'], 'x, y');
});

void t.test('an annotation that fails denies whatever the actions are', async (test) => {
  const { client } = policyServer(test);
  await validate(
    client,
    'p',
    { auditAnnotations: [{ key: 'a', valueExpression: 'string(object.data.no)' }] },
    { validationActions: ['Audit'] },
  );
  const { code, message } = await refusalOf(configMaps(client).create({ metadata: { name: 'a' }, data: { a: '' } }));
  test.equal(code, 422);
  test.match(
    message,
    /denied request: valueExpression 'string\(object\.data\.no\)' resulted in error: no such key: no$/,
  );
});

void t.test('every policy and binding is evaluated, and the first denial by name is the response', async (test) => {
  const { client, warnings } = policyServer(test);
  await validate(client, 'b', always('b'));
  await validate(client, 'a', always('a'), { validationActions: ['Warn'] });
  await validate(client, 'c', always('c'), { validationActions: ['Warn'] });
  test.match(
    (await refusalOf(configMaps(client).create({ metadata: { name: 'x' } }))).message,
    /'b' denied request: b$/,
  );
  test.equal(warnings.length, 2, 'also of the policy after the one that denies');
});

void t.test('expressions that do not compile, or have the wrong type, are refused', async (test) => {
  const { client } = policyServer(test);
  const causesOf = async (spec: Partial<ValidatingAdmissionPolicySpec>): Promise<readonly string[]> =>
    ((await refusalOf(validate(client, 'p', spec))).details?.causes ?? []).map(
      ({ field = '', message = '' }) => `${field}: ${message}`,
    );
  test.same(await causesOf({ validations: [{ expression: '1 + 1' }] }), [
    'spec.validations[0].expression: Invalid value: "1 + 1": must evaluate to bool',
  ]);
  test.same(await causesOf({ validations: [{ expression: 'nope' }] }), [
    "spec.validations[0].expression: Invalid value: \"nope\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^",
  ]);
  test.same(await causesOf({ auditAnnotations: [{ key: 'a', valueExpression: '5' }] }), [
    'spec.auditAnnotations[0].valueExpression: Invalid value: "5": must evaluate to one of [string null_type]',
  ]);
  test.match(
    await causesOf({ validations: [{ expression: 'true', messageExpression: 'authorizer == null ? "a" : "b"' }] }),
    [/spec\.validations\[0\]\.messageExpression: .*undeclared reference to 'authorizer'/],
  );
  test.match(
    await causesOf({
      variables: [{ name: 'a', expression: '1' }],
      matchConditions: [{ name: 'c', expression: 'variables.a == 1' }],
      validations: [{ expression: 'variables.a == 1' }],
    }),
    [/spec\.matchConditions\[0\]\.expression: .*undeclared reference to 'variables'/],
  );
});
