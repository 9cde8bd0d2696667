// The chain of plugins: which of them run and in what order, their configuration, their second run, their metrics.
import t, { type Test } from 'tap';
import {
  admissionPlugins,
  builtInPlugins,
  enabledAdmissionPlugins,
  parseAdmissionConfiguration,
} from '../../lib/admission/index.js';
import type { AdmissionOptions, AdmissionPlugin, AdmissionReview } from '../../lib/admission/index.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { createCluster } from '../../lib/index.js';
import { forbidden, random, virtualClock } from '../../lib/core/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';

interface Served {
  readonly client: Client;
  readonly server: ApiServer;
}

function serverWith(test: Test, admission: readonly AdmissionPlugin[]): Served {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1), admission });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  return { server, client: inProcessClient(server.handler, { user: administrator }) };
}

/** The names of the plugins that a server with these options runs, in their order. */
async function namesWith(options: AdmissionOptions): Promise<readonly string[]> {
  const names: string[] = [];
  const store = memoryStore();
  const server = createServer({
    store,
    admission: (tools) => {
      const plugins = admissionPlugins(options)(tools);
      names.push(...plugins.map(({ name }) => name));
      return plugins;
    },
  });
  await server.close();
  await store.close();
  return names;
}

const configMap = (name: string): { readonly metadata: { readonly name: string; readonly namespace: string } } => ({
  metadata: { name, namespace: 'default' },
});

void t.test('plugins are enabled and disabled by name, and keep their order', async (test) => {
  const provided = builtInPlugins.filter(({ create }) => create !== undefined);
  const host: AdmissionPlugin = { name: 'Host', handles: { operations: '*', resources: '*' } };
  const [onByDefault, most] = [
    await namesWith({}),
    await namesWith({ enable: ['AlwaysDeny', 'NodeRestriction'], disable: ['Priority'], plugins: [host] }),
  ];
  test.strictSame(
    onByDefault,
    provided.filter(({ isDefault }) => isDefault).map(({ name }) => name),
  );
  test.notOk(most.includes('Priority'));
  const quota = provided.findIndex(({ name }) => name === 'ResourceQuota');
  const expected = provided
    .filter(({ name, isDefault }) => (isDefault && name !== 'Priority') || /^(AlwaysDeny|NodeRestriction)$/.test(name))
    .map(({ name }) => name);
  test.strictSame(
    most.filter((name) => name !== 'Host'),
    expected,
    'the order of the options does not matter',
  );
  if (quota >= 0) test.equal(most.indexOf('Host') + 1, most.indexOf('ResourceQuota'), 'quota is charged last');
  for (const name of builtInPlugins.map((each) => each.name))
    test.equal(builtInPlugins.filter((each) => each.name === name).length, 1, `${name} is there once`);
});

void t.test('names that are unknown, or enabled and disabled, are refused', async (test) => {
  test.throws(() => enabledAdmissionPlugins({ enable: ['Nothing'] }), {
    message: 'enable-admission-plugins plugin "Nothing" is unknown',
  });
  test.throws(() => enabledAdmissionPlugins({ disable: ['Nothing'] }), {
    message: 'disable-admission-plugins plugin "Nothing" is unknown',
  });
  test.throws(() => enabledAdmissionPlugins({ enable: ['Priority', 'AlwaysDeny'], disable: ['Priority'] }), {
    message: '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
  });
  await test.rejects(createCluster({ admission: { enable: ['Nothing'] } }), { message: /"Nothing" is unknown/ });
});

void t.test('AdmissionConfiguration is decoded strictly', async (test) => {
  const document = (body: string, apiVersion = 'apiserver.config.k8s.io/v1'): string =>
    `apiVersion: ${apiVersion}\nkind: AdmissionConfiguration\n${body}`;
  test.match(
    await parseAdmissionConfiguration(
      document(
        'plugins:\n- name: PodSecurity\n  configuration: {kind: X, a: [1]}\n- name: Other\n  path: other.yaml\n',
      ),
    ),
    {
      plugins: [
        { name: 'PodSecurity', configuration: { kind: 'X', a: [1] } },
        { name: 'Other', path: 'other.yaml' },
      ],
    },
  );
  test.match(await parseAdmissionConfiguration(document('', 'apiserver.k8s.io/v1alpha1')), {});
  await test.rejects(parseAdmissionConfiguration(document('plugin: []\n')), {
    message: 'strict decoding error: unknown field "plugin"',
  });
  await test.rejects(parseAdmissionConfiguration(document('', 'v1')), { message: /^no kind "AdmissionConfiguration"/ });
  await test.rejects(parseAdmissionConfiguration('plugins: []\n'), { message: /^Object 'Kind' is missing in / });
  test.throws(() => admissionPlugins({ configuration: { plugins: [{ name: 'PodSecurity', path: 'file' }] } }), {
    message: /^plugins\[0\]\.path: /,
  });
});

void t.test('a plugin that requests it makes all mutating plugins run once more', async (test) => {
  const runs: string[] = [];
  const handles = { operations: ['CREATE'], resources: ['configmaps'] } as const;
  const mark = ({ object }: AdmissionReview, key: string): AdmissionReview['object'] => {
    const { data = {} } = object as { readonly data?: Readonly<Record<string, string>> };
    return { ...object, data: { ...data, [key]: `${Number(data[key] ?? 0) + 1}` } } as AdmissionReview['object'];
  };
  const { client } = serverWith(test, [
    {
      name: 'first',
      handles,
      mutate: (review) => {
        runs.push(`first ${review.reinvocation.isSecondRun}`);
        return mark(review, 'first');
      },
    },
    {
      name: 'second',
      handles,
      mutate: ({ reinvocation, name }) => {
        const { isSecondRun, kept } = reinvocation;
        runs.push(`second ${isSecondRun} ${String(kept.get('second'))}`);
        kept.set('second', 'seen');
        if (name === 'again') reinvocation.request();
        return undefined;
      },
    },
    { name: 'validating', handles, validate: () => void runs.push('validate') },
  ]);
  await client.kind('v1', 'ConfigMap').create(configMap('once'));
  test.strictSame(runs.splice(0), ['first false', 'second false undefined', 'validate']);
  const again = await client.kind('v1', 'ConfigMap').create(configMap('again'));
  test.strictSame(runs, ['first false', 'second false undefined', 'first true', 'second true seen', 'validate']);
  test.same(again.data, { first: '2' }, 'each run sees the result of the one before');
});

void t.test('durations are recorded per plugin and phase', async (test) => {
  const handles = { operations: ['CREATE'], resources: ['configmaps'] } as const;
  const { client, server } = serverWith(test, [
    { name: 'Both', handles, mutate: () => undefined, validate: () => undefined },
    {
      name: 'Refusing',
      handles,
      validate: ({ resource, name }) => {
        if (name === 'bad') throw forbidden({ ...resource, name }, 'bad');
      },
    },
  ]);
  await client.kind('v1', 'ConfigMap').create(configMap('good'));
  await test.rejects(client.kind('v1', 'ConfigMap').create(configMap('bad')));
  const response = await fetchHandler(server)(new Request('http://vivarium/metrics'));
  const text = await response.text();
  const count = (of: string, labels: string): string =>
    `apiserver_admission_${of}_admission_duration_seconds_count{${labels}}`;
  for (const line of [
    `${count('controller', 'name="Both",operation="CREATE",rejected="false",type="admit"')} 2`,
    `${count('controller', 'name="Both",operation="CREATE",rejected="false",type="validate"')} 2`,
    `${count('controller', 'name="Refusing",operation="CREATE",rejected="false",type="validate"')} 1`,
    `${count('controller', 'name="Refusing",operation="CREATE",rejected="true",type="validate"')} 1`,
    `${count('step', 'operation="CREATE",rejected="false",type="admit"')} 2`,
    `${count('step', 'operation="CREATE",rejected="true",type="validate"')} 1`,
  ])
    test.ok(text.includes(`${line}\n`), line);
});
