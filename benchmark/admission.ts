// What admission adds to the create of a pod, in process: the default chain of v1.36, ten webhooks, and how the cost
// grows with namespaces that have quotas and limit ranges. `node scripts/run.mjs benchmark/admission.ts`. Kept in
// RESULTS.md.
//
// Time of the process, in turns, best round: see measure.ts. Servers differ in their chain only; all of them create the
// same pod in the namespace `default`.
import { admissionPlugins } from '../lib/admission/index.js';
import type { AdmissionOptions } from '../lib/admission/index.js';
import { administrator } from '../lib/auth/index.js';
import { inProcessClient } from '../lib/client/index.js';
import type { Client } from '../lib/client/index.js';
import type { Pod } from '../lib/core/types/index.js';
import { createServer } from '../lib/server/index.js';
import type { ServerOptions } from '../lib/server/index.js';
import { memoryStore } from '../lib/storage/index.js';
import { mutating, validating, webhookConfigurations } from '../lib/webhook/index.js';
import type { AdmissionRule } from '../lib/webhook/index.js';
import { perSecondAwaited, report } from './measure.js';
import type { Row } from './measure.js';
import { samplePod } from './sample-pod.js';

interface Measured {
  readonly create: () => Promise<unknown>;
  close(): Promise<void>;
}

const onPods = [{ operations: ['CREATE' as const], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
const pod: Pod = { ...samplePod, metadata: { ...samplePod.metadata, namespace: 'default' } };
const namespaces = 1000;

let met = report('Admission of a pod', await measureChain());
met = report('Admission with quotas and limit ranges', await measureNamespaces()) && met;
console.log(met ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');

async function measureChain(): Promise<Row[]> {
  const rules = (rule: (name: string) => AdmissionRule): AdmissionRule[] =>
    Array.from({ length: 10 }, (_, n) => rule(`rule-${n}.example.com`));
  const allowing = rules((name) => validating<Pod>(name, onPods, () => undefined));
  const unchanging = rules((name) => mutating<Pod>(name, onPods, () => undefined));
  const [bare = 0, chain = 0, validated = 0, mutated = 0, configured = 0] = await microseconds([
    await measured(undefined),
    await measured({}),
    await measured({ plugins: allowing }),
    await measured({ plugins: unchanging }),
    await configuredWebhooks(allowing),
  ]);
  return [
    { name: 'create of a pod without admission', value: bare, unit: 'µs' },
    { name: 'the default chain', value: chain - bare, unit: 'µs', goal: '≤ 30' },
    { name: 'ten validating rules of the host beyond it', value: validated - chain, unit: 'µs' },
    { name: 'ten mutating rules of the host beyond it', value: mutated - chain, unit: 'µs' },
    { name: 'ten webhooks of a configuration, in process, beyond it', value: configured - chain, unit: 'µs' },
  ];
}

async function measureNamespaces(): Promise<Row[]> {
  const [chain = 0, one = 0, many = 0] = await microseconds([
    await measured({}),
    await measured({}, 1),
    await measured({}, namespaces),
  ]);
  return [
    { name: 'a quota and a limit range in the namespace, beyond the chain', value: one - chain, unit: 'µs' },
    { name: `create beside ${namespaces} such namespaces, over one`, value: many / one, unit: '×', goal: '≤ 1.1' },
  ];
}

async function microseconds(servers: readonly Measured[]): Promise<number[]> {
  const each = servers.map(({ create }) => create);
  await perSecondAwaited(each, { rounds: 3, calls: 500 }); // until the compiler has seen it
  const rates = await perSecondAwaited(each, { rounds: 15, calls: 400 });
  for (const server of servers) await server.close();
  return rates.map((rate) => 1e6 / rate);
}

/** A server with this admission, and that many namespaces with a quota and a limit range. */
async function measured(admission: AdmissionOptions | undefined, limited = 0): Promise<Measured> {
  return start(admission && { admission: admissionPlugins(admission) }, async (client) => {
    for (let n = 0; n < limited; n += 1) {
      const name = n === 0 ? 'default' : `limited-${n}`;
      if (n > 0) await client.kind('v1', 'Namespace').create({ metadata: { name } });
      await limit(client, name);
    }
  });
}

/** A server with webhooks that are registered by a configuration and reached in this process. */
async function configuredWebhooks(rules: readonly AdmissionRule[]): Promise<Measured> {
  const functions = Object.fromEntries(rules.map(({ name, answer }) => [name.replaceAll('.', '-'), answer]));
  return start({ admission: admissionPlugins({ webhooks: { functions } }) }, async (client) => {
    for (const configuration of webhookConfigurations('rules', rules, (path) => ({
      url: `process:/${path.replaceAll('.', '-')}`,
    })))
      await client
        .kind('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration')
        .create(configuration as never);
  });
}

async function start(
  options: Pick<ServerOptions, 'admission'> | undefined,
  prepare: (client: Client) => Promise<void>,
): Promise<Measured> {
  const store = memoryStore();
  const server = createServer({ store, ...options });
  const client = inProcessClient(server.handler, { user: administrator });
  await client.kind('v1', 'ServiceAccount').create({ metadata: { name: 'web', namespace: 'default' } });
  await prepare(client);
  const pods = client.kind('v1', 'Pod');
  return {
    create: () => pods.create(pod),
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}

/** Limits a namespace, with the status that the quota controller would write. */
async function limit(client: Client, namespace: string): Promise<void> {
  const quotas = client.kind('v1', 'ResourceQuota').in(namespace);
  const hard = { pods: '1000000', 'requests.cpu': '1000000', 'requests.memory': '1000Ti' };
  const used = { pods: '0', 'requests.cpu': '0', 'requests.memory': '0' };
  const created = await quotas.create({ metadata: { name: 'quota' }, spec: { hard } });
  await quotas.status.update({ ...created, status: { hard, used } });
  await client
    .kind('v1', 'LimitRange')
    .in(namespace)
    .create({
      metadata: { name: 'limits' },
      spec: { limits: [{ type: 'Container', default: { cpu: '1' }, max: { cpu: '8' }, min: { cpu: '1m' } }] },
    });
}
