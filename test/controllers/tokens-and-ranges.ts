// Bootstrap tokens, legacy tokens of service accounts and ServiceCIDRs: what their controllers write, and when.
import { createHmac } from 'node:crypto';
import t from 'tap';
import { hmacSha256 } from '../../lib/controllers/bootstrap-tokens/hmac-sha256.js';
import { signedData } from '../../lib/controllers/bootstrap-tokens/bootstrap-tokens.js';
import { canDelete } from '../../lib/controllers/service-cidrs.js';
import { errorText, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { fc, runs } from '../support/properties.js';

const start = Date.UTC(2030, 0, 1);

async function newCluster(controllers: readonly string[]): Promise<Cluster<VirtualClock>> {
  const clock = virtualClock({ start });
  const cluster = await createCluster({ clock, random: random(1), scheduler: false, controllers: [...controllers] });
  await cluster.settled();
  return cluster;
}

t.test('the code of a message is that of HMAC with SHA-256', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 300 }), (key, message) => {
      t.same([...hmacSha256(key, message)], [...createHmac('sha256', key).update(message).digest()]);
    }),
    { numRuns: runs(500) },
  );
  t.end();
});

const clusterInfo = { metadata: { name: 'cluster-info' }, data: { kubeconfig: 'apiVersion: v1\nkind: Config\n' } };
const token = {
  metadata: { name: 'bootstrap-token-signer' },
  type: 'bootstrap.kubernetes.io/token',
  stringData: { 'token-id': 'signer', 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true' },
};

t.test('cluster-info is signed with every token that may sign, and the signature goes with the token', async (t) => {
  await using cluster = await newCluster(['bootstrap-signer-controller']);
  const maps = cluster.client.kind('v1', 'ConfigMap').in('kube-public');
  const secrets = cluster.client.kind('v1', 'Secret').in('kube-system');
  await maps.create(clusterInfo);
  await secrets.create(token);
  await secrets.create({ ...token, metadata: { name: 'bootstrap-token-others' } });
  await cluster.settled();
  t.same((await maps.get('cluster-info')).data, {
    ...clusterInfo.data,
    'jws-kubeconfig-signer': 'eyJhbGciOiJIUzI1NiIsImtpZCI6InNpZ25lciJ9..oa8djkFZG_cGGLohN3oJVHvFNmNXtMxh_2PhYqaiBRI',
  });
  await secrets.delete('bootstrap-token-signer');
  await cluster.settled();
  t.same((await maps.get('cluster-info')).data, clusterInfo.data);
  t.equal(signedData({ data: { other: 'x' } }, [], start), undefined);
});

t.test('a bootstrap token is deleted when it expires', async (t) => {
  await using cluster = await newCluster(['token-cleaner-controller']);
  const secrets = cluster.client.kind('v1', 'Secret').in('kube-system');
  const stringData = { ...token.stringData, expiration: '2030-01-01T01:00:00Z' };
  await secrets.create({ ...token, stringData });
  await secrets.create({ ...token, metadata: { name: 'bootstrap-token-stays' } });
  await cluster.advance('3599s');
  t.ok(await secrets.find('bootstrap-token-signer'));
  await cluster.advance('1s');
  t.equal(await secrets.find('bootstrap-token-signer'), undefined);
  t.ok(await secrets.find('bootstrap-token-stays'));
});

t.test('an unused token of an account is marked after a year and deleted after another', async (t) => {
  await using cluster = await newCluster(['legacy-serviceaccount-token-cleaner-controller']);
  const secrets = cluster.client.kind('v1', 'Secret').in('default');
  const accounts = cluster.client.kind('v1', 'ServiceAccount').in('default');
  await accounts.create({ metadata: { name: 'a' }, secrets: [{ name: 'auto' }, { name: 'mounted' }] });
  const annotations = { 'kubernetes.io/service-account.name': 'a' };
  for (const name of ['auto', 'mounted', 'own'])
    await secrets.create({ metadata: { name, annotations }, type: 'kubernetes.io/service-account-token' });
  const volumes = [{ name: 'v', secret: { secretName: 'mounted' } }];
  await cluster.client
    .kind('v1', 'Pod')
    .in('default')
    .create({
      metadata: { name: 'p' },
      spec: {
        serviceAccountName: 'a',
        automountServiceAccountToken: false,
        containers: [{ name: 'c', image: 'i' }],
        volumes,
      },
    });
  const invalid = 'kubernetes.io/legacy-token-invalid-since';
  await cluster.advance('8760h');
  t.equal(
    (await secrets.get('auto')).metadata.labels?.[invalid],
    undefined,
    'the first day of tracking does not count',
  );
  await cluster.advance('48h');
  t.ok((await secrets.get('auto')).metadata.labels?.[invalid]);
  await cluster.advance('8760h');
  await cluster.advance('72h');
  t.equal(await secrets.find('auto'), undefined);
  t.ok(await secrets.find('mounted'));
  t.ok(await secrets.find('own'), 'tokens that users created are kept');
});

t.test('a ServiceCIDR becomes ready, and stays while an address of a Service is in no other', async (t) => {
  await using cluster = await newCluster(['service-cidr-controller']);
  const cidrs = cluster.client.kind('networking.k8s.io/v1', 'ServiceCIDR');
  const addresses = cluster.client.kind('networking.k8s.io/v1', 'IPAddress');
  t.match(await cidrs.get('kubernetes'), {
    metadata: { finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
    status: { conditions: [{ type: 'Ready', status: 'True', message: 'Kubernetes Service CIDR is ready' }] },
  });
  await cidrs.create({ metadata: { name: 'extra' }, spec: { cidrs: ['10.231.0.0/24'] } });
  const labels = {
    'ipaddress.kubernetes.io/ip-family': 'IPv4',
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  };
  const parentRef = { resource: 'services', namespace: 'default', name: 's' };
  await addresses.create({ metadata: { name: '10.231.0.7', labels }, spec: { parentRef } });
  await cidrs.delete('extra');
  await cluster.advance('1m');
  t.match((await cidrs.get('extra')).status?.conditions, [{ type: 'Ready', status: 'False', reason: 'Terminating' }]);
  await addresses.delete('10.231.0.7');
  await cluster.settled();
  t.equal(await cidrs.find('extra'), undefined);
  await cidrs.create({ metadata: { name: 'short' }, spec: { cidrs: ['10.232.0.0/24'] } });
  await cluster.settled();
  await cidrs.delete('short');
  await cluster.advance('9s');
  t.ok(await cidrs.find('short'));
  await cluster.advance('1s');
  t.equal(await cidrs.find('short'), undefined);
  const range = (name: string, cidr: string) => ({ metadata: { name }, spec: { cidrs: [cidr] } });
  const used = { metadata: { name: '10.0.1.5', labels }, spec: { parentRef } };
  t.equal(canDelete(range('a', '10.0.1.0/24'), [range('a', '10.0.1.0/24'), range('b', '10.0.0.0/16')], [used]), true);
  t.equal(canDelete(range('b', '10.0.0.0/16'), [range('a', '10.0.1.0/24'), range('b', '10.0.0.0/16')], [used]), true);
  t.equal(canDelete(range('b', '10.0.0.0/16'), [range('b', '10.0.0.0/16')], [used]), false);
});

t.test('Services get addresses of every ServiceCIDR that is ready, and of none that is being deleted', async (t) => {
  const controllers = ['service-cidr-controller'];
  await using cluster = await createCluster({
    clock: virtualClock(),
    random: random(1),
    scheduler: false,
    controllers,
    server: { serviceRanges: ['10.96.0.0/29'] },
  });
  const services = cluster.client.kind('v1', 'Service').in('default');
  const cidrs = cluster.client.kind('networking.k8s.io/v1', 'ServiceCIDR');
  const create = async (name: string, clusterIP?: string): Promise<string> => {
    const spec = { ports: [{ port: 80 }], ...(clusterIP !== undefined && { clusterIP }) };
    try {
      return (await services.create({ metadata: { name }, spec })).spec?.clusterIP ?? '';
    } catch (error) {
      return errorText(error);
    }
  };
  t.match(await create('refused', '10.231.0.7'), /the provided network does not match the current range/);
  // Six addresses, of which the Service `kubernetes` has one.
  for (const name of ['a', 'b', 'c', 'd', 'e']) t.match(await create(name), /^10\.96\.0\./);
  t.match(await create('full'), /range is full/);
  await cidrs.create({ metadata: { name: 'more' }, spec: { cidrs: ['10.231.0.0/24'] } });
  await cluster.settled();
  t.equal(await create('chosen', '10.231.0.7'), '10.231.0.7');
  t.match(await create('any'), /^10\.231\.0\./);
  await cidrs.delete('more');
  t.match(await create('late', '10.231.0.8'), /the provided network does not match the current range/);
});
