// A cluster on a port of Node: TLS, kubeconfigs and tokens.
import t from 'tap';
import type { Test } from 'tap';
import { httpClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { connect, loadKubeconfig } from '../../lib/client/node/index.js';
import { createCluster } from '../../lib/index.js';
import { virtualClock } from '../../lib/core/index.js';
import type { TokenRequest } from '../../lib/core/types/index.js';

/** A client with the text of a kubeconfig, or of it with a token instead. */
async function clientOf(t: Test, text: string, token?: string): Promise<Client> {
  const access = await loadKubeconfig({ text });
  const connection = connect(
    token === undefined
      ? access
      : { ...access, tls: { authorities: access.tls.authorities ?? '' }, credentials: { token } },
  );
  t.teardown(() => connection.close());
  return httpClient(connection);
}

t.test('a kubeconfig of a cluster connects to it', async (t) => {
  const cluster = await createCluster({ clock: virtualClock(), scheduler: false, controllers: [] });
  const { url, host, port } = await cluster.listen();
  t.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const admin = await clientOf(t, await cluster.kubeconfig());
  t.ok((await admin.kind('v1', 'Namespace').list()).items.length >= 4);
  const endpoints = await admin.kind('v1', 'Endpoints').in('default').get('kubernetes');
  t.match(endpoints.subsets, [{ addresses: [{ ip: host }], ports: [{ port }] }], 'its address is published');
  const ada = await clientOf(t, await cluster.kubeconfig('ada'));
  await t.rejects(ada.kind('v1', 'Secret').list(), { message: /is forbidden/ });
  t.match(await ada.kind('authentication.k8s.io/v1', 'SelfSubjectReview').create({}), {
    status: { userInfo: { username: 'ada' } },
  });

  await admin
    .kind('v1', 'ServiceAccount')
    .in('default')
    .create({ metadata: { name: 'robot' } });
  const issued = await admin
    .kind('v1', 'ServiceAccount')
    .in('default')
    .subresource<TokenRequest>('token')
    .create('robot', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } });
  const { token } = (issued as TokenRequest).status ?? {};
  const robot = await clientOf(t, await cluster.kubeconfig(), token);
  t.match(await robot.kind('authentication.k8s.io/v1', 'SelfSubjectReview').create({}), {
    status: { userInfo: { username: 'system:serviceaccount:default:robot' } },
  });
  await cluster.close();
  await t.rejects(admin.kind('v1', 'Namespace').list(), 'the port is closed');
});

t.test('without TLS there is no kubeconfig, and requests without a token are anonymous', async (t) => {
  const cluster = await createCluster({ scheduler: false, controllers: [] });
  await using listening = await cluster.listen({ tls: false });
  t.match(listening.url, /^http:/);
  const answer = await fetch(`${listening.url}/api/v1/namespaces`);
  t.match(await answer.json(), { code: 403, message: /User "system:anonymous" cannot list resource "namespaces"/ });
  await cluster.close();
});
