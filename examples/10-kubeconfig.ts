// A cluster on a port, with TLS and a kubeconfig: kubectl and any other client find it. Here the client of this package
// connects to it over HTTP.
import { createCluster } from 'vivarium';
import { httpClient } from 'vivarium/client';
import { connect, loadKubeconfig } from 'vivarium/client/node';

const cluster = await createCluster();
await cluster.listen();
const text = await cluster.kubeconfig({ username: 'ada', groups: ['system:masters'] });

// With no argument loadKubeconfig reads what kubectl would read.
const access = await loadKubeconfig({ text });
const connection = connect(access);
const client = httpClient(connection);
const me = await client.kind('authentication.k8s.io/v1', 'SelfSubjectReview').create({});
console.log(me.status?.userInfo?.username, 'in namespace', access.namespace);

const { mapper } = await client.discover();
const [deploy] = mapper.argument('deploy');
console.log('deploy means', deploy?.group, deploy?.version, deploy?.kind);

const deployments = client.kind('apps/v1', 'Deployment').in(access.namespace);
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
await deployments.create({ metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } }, template } });
await deployments.scale.patch('web', { merge: { spec: { replicas: 3 } } });
console.log('replicas:', (await deployments.get('web')).spec?.replicas);

connection.close();
await cluster.close();

// prints:
// ada in namespace default
// deploy means apps v1 Deployment
// replicas: 3
