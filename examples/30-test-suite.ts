// A test suite: one cluster for all tests, prepared once, and a fork of it for each test. A client that goes through a
// wrapped handler logs its requests and fails those that a test chooses.
import { createCluster, isApiError, random, virtualClock } from 'vivarium';
import type { Cluster, VirtualClock } from 'vivarium';
import { inProcessClient } from 'vivarium/client';
import type { Handler } from 'vivarium/client';
import { serviceUnavailable } from 'vivarium/core';

// Before all tests: the objects that every test starts with.
const base = await createCluster({ clock: virtualClock(), random: random('suite'), nodes: 1 });
await base.client.kind('v1', 'Namespace').create({ metadata: { name: 'shop' } });
await base.settled();

const test = async (title: string, run: (cluster: Cluster<VirtualClock>) => Promise<string>): Promise<void> => {
  await using cluster = await base.fork(); // constant time, independent of all others
  console.log(`${title}: ${await run(cluster)}`);
};

await test('a Deployment has its pods', async (cluster) => {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
  const deployments = cluster.client.kind('apps/v1', 'Deployment').in('shop');
  await deployments.create({
    metadata: { name: 'web' },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  });
  await cluster.settled();
  return `${(await cluster.client.kind('v1', 'Pod').in('shop').list()).items.length} pods`;
});

await test('a fork starts without them', async ({ client }) => {
  return `${(await client.kind('v1', 'Pod').in('shop').list()).items.length} pods`;
});

await test('a controller sees a failing server', async ({ server }) => {
  const log: string[] = [];
  const user = { username: 'operator', groups: ['system:masters'] };
  const handler: Handler = (request) => {
    log.push(`${request.info.verb} ${request.info.resource}`);
    if (log.length === 1) throw serviceUnavailable('the store is down');
    return server.handler(request);
  };
  const client = inProcessClient(handler, { user });
  const configMaps = client.kind('v1', 'ConfigMap').in('shop');
  const names: string[] = [];
  for (const name of ['first', 'second'])
    try {
      await configMaps.create({ metadata: { name } });
      names.push(`${name} created`);
    } catch (error) {
      names.push(isApiError(error, 'ServiceUnavailable') ? error.message : 'another error');
    }
  return `${names.join(', ')}; ${log.join(', ')}`;
});
await base.close();

// prints:
// a Deployment has its pods: 3 pods
// a fork starts without them: 0 pods
// a controller sees a failing server: the store is down, second created; create configmaps, create configmaps
