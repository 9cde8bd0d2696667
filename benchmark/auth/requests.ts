// What access control adds to a request: the same get with every user an administrator, and with users, RBAC and, over
// HTTP, tokens. In turns, since others use the machine too.
import { InProcessRequest } from '../../lib/core/index.js';
import { bearerTokens, rbacAuthorizer, tokenFile, withAuthenticatedGroup } from '../../lib/auth/index.js';
import { cachedTokens } from '../../lib/auth/node/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { UserInfo } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import type { ApiServer } from '../../lib/server/index.js';
import { listen } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { perSecondAwaited } from '../measure.js';
import type { Row } from '../measure.js';
import { load } from '../server/http.js';

/** Gets per second with and without, in process and over HTTP. */
export async function measureRequests(): Promise<Row[]> {
  const [open, guarded] = await Promise.all([
    prepared(createServer({ store: memoryStore() })),
    prepared(guardedServer()),
  ]);
  const rows = [...(await inProcess(open, guarded)), ...(await overHttp(open, guarded))];
  await Promise.all([open.close(), guarded.close()]);
  return rows;
}

const ada: Frozen<UserInfo> = { username: 'ada', groups: ['developers', 'system:authenticated'] };

function guardedServer(): ApiServer {
  return createServer({
    store: memoryStore(),
    authenticators: ({ clock }) => [
      withAuthenticatedGroup(bearerTokens([cachedTokens(tokenFile('secret,ada,1,developers'), { clock })])),
    ],
    authorizers: ({ rbac }) => [rbacAuthorizer(rbac())],
  });
}

/** With a ConfigMap to get, and a binding that lets developers. */
async function prepared(server: ApiServer): Promise<ApiServer> {
  const admin = inProcessClient(server.handler, { user: { username: 'admin', groups: ['system:masters'] } });
  const apiGroup = 'rbac.authorization.k8s.io';
  await admin
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name: 'one' }, data: { k: 'x'.repeat(1000) } });
  await admin
    .kind('rbac.authorization.k8s.io/v1', 'RoleBinding')
    .in('default')
    .create({
      metadata: { name: 'developers' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup, kind: 'Group', name: 'developers' }],
    });
  return server;
}

async function inProcess(open: ApiServer, guarded: ApiServer): Promise<Row[]> {
  const info = {
    verb: 'get',
    isResource: true,
    path: '',
    group: '',
    version: 'v1',
    namespace: 'default',
    resource: 'configmaps',
    subresource: '',
    name: 'one',
  };
  const getting =
    ({ handler }: ApiServer, user?: Frozen<UserInfo>) =>
    () =>
      handler(new InProcessRequest({ info, user }));
  const [bare = 0, withRbac = 0] = await perSecondAwaited([getting(open), getting(guarded, ada)], { calls: 20_000 });
  return [
    { name: 'in process: get, every user an administrator', value: bare, unit: '/s' },
    { name: 'in process: get, a user and RBAC', value: withRbac, unit: '/s' },
    { name: 'added to a get in process', value: 1e9 / withRbac - 1e9 / bare, unit: 'ns' },
  ];
}

async function overHttp(open: ApiServer, guarded: ApiServer): Promise<Row[]> {
  const [without, within] = await Promise.all([listen(open, {}), listen(guarded, {})]);
  const get = { method: 'GET', path: '/api/v1/namespaces/default/configmaps/one' };
  let [bare, withRbac] = [0, 0];
  for (let round = 0; round < 4; round += 1) {
    bare = Math.max(bare, await load({ ...get, port: without.port }));
    withRbac = Math.max(withRbac, await load({ ...get, port: within.port, authorization: 'Bearer secret' }));
  }
  await Promise.all([without.close(), within.close()]);
  return [
    { name: 'HTTP: get, every user an administrator, 16 connections', value: bare, unit: '/s' },
    { name: 'HTTP: get, a token and RBAC, 16 connections', value: withRbac, unit: '/s' },
    { name: 'HTTP: with over without', value: (100 * withRbac) / bare, unit: '%' },
  ];
}
