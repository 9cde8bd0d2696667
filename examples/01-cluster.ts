// A cluster in this process: an API server, a scheduler, controllers and three nodes. A pod is bound to a node.
import { createCluster } from 'vivarium';

const cluster = await createCluster({ nodes: 3 });
const pods = cluster.client.kind('v1', 'Pod').in('default');
await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } });
const bound = await pods.waitFor('web', (pod) => pod?.spec?.nodeName !== undefined);
console.log('bound to', bound?.spec?.nodeName);
await cluster.close();

// prints:
// bound to node-…
