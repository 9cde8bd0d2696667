// The same client over HTTP, to any cluster that a kubeconfig leads to. Here it leads to a server of our own, with TLS.
import { systemClock } from 'vivarium';
import { httpClient } from 'vivarium/client';
import { connect, loadKubeconfig } from 'vivarium/client/node';
import { createServer } from 'vivarium/server';
import { apiServerHosts, createAuthority, kubeconfig, listen } from 'vivarium/server/node';
import { memoryStore } from 'vivarium/storage';

const clock = systemClock();
const store = memoryStore({ clock });
const server = createServer({ store });
const authority = createAuthority({ now: clock.now() });
const listening = await listen(server, { tls: authority.serving(apiServerHosts) });
const text = kubeconfig({ server: listening.url, ca: authority.certificate, user: { name: 'admin', token: 'secret' } });

// With no argument it reads what kubectl would read.
const access = await loadKubeconfig({ text });
const connection = connect(access);
const client = httpClient(connection);
console.log('at work in', access.namespace, 'with', access.credentials);

const { mapper } = await client.discover();
const [deploy] = mapper.argument('deploy');
console.log('deploy means', deploy?.group, deploy?.version, deploy?.kind);

const deployments = client.kind('apps/v1', 'Deployment').in(access.namespace);
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
await deployments.create({ metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } }, template } });
await deployments.scale.patch('web', { merge: { spec: { replicas: 3 } } });
console.log('replicas:', (await deployments.get('web')).spec?.replicas);

connection.close();
await listening.close();
await server.close();
await store.close();

// prints:
// at work in default with { token: 'secret' }
// deploy means apps v1 Deployment
// replicas: 3
