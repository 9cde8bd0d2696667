// RBAC in a test suite: a client acts as anybody, roles and bindings are objects like all others.
import { isApiError, virtualClock } from 'vivarium';
import { rbacAuthorizer } from 'vivarium/auth';
import { inProcessClient } from 'vivarium/client';
import type { Client } from 'vivarium/client';
import { createServer } from 'vivarium/server';
import { memoryStore } from 'vivarium/storage';

const clock = virtualClock();
const store = memoryStore({ clock });
const server = createServer({ store, clock, authorizers: ({ rbac }) => [rbacAuthorizer(rbac())] });
const admin = inProcessClient(server.handler); // without authenticators: the administrator
const ada = admin.as({ username: 'ada', groups: ['system:authenticated'] });

const v1 = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';
const bind = (client: Client, name: string, role: string): Promise<unknown> => {
  const roleRef = { apiGroup, kind: role === 'cluster-admin' ? 'ClusterRole' : 'Role', name: role };
  return client
    .kind(v1, 'RoleBinding')
    .in('default')
    .create({ metadata: { name }, roleRef, subjects: [{ apiGroup, kind: 'User', name: 'ada' }] });
};
const told = (error: unknown): void => {
  if (!isApiError(error, 'Forbidden')) throw error;
  console.log(error.message);
};
const canI = async (client: Client, verb: string): Promise<void> => {
  const review = await client
    .kind('authorization.k8s.io/v1', 'SelfSubjectAccessReview')
    .create({ spec: { resourceAttributes: { verb, resource: 'pods', namespace: 'default' } } });
  console.log(`${verb} pods:`, review.status?.allowed);
};

// Denied: nobody said otherwise.
await ada.kind('v1', 'Pod').in('default').list().catch(told);

// Granted: by a role, and a binding to her.
const rules = [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }];
await admin
  .kind(v1, 'Role')
  .in('default')
  .create({ metadata: { name: 'readers' }, rules });
await bind(admin, 'ada-reads', 'readers');
console.log('pods:', (await ada.kind('v1', 'Pod').in('default').list()).items.length);

// Asked beforehand, as `kubectl auth can-i` does.
await canI(ada, 'list');
await canI(ada, 'delete');

// Nobody gives away what they do not have: she may bind roles now, but not to more than her own.
await admin
  .kind(v1, 'Role')
  .in('default')
  .patch('readers', {
    merge: { rules: [...rules, { verbs: ['create'], apiGroups: [apiGroup], resources: ['rolebindings'] }] },
  });
await bind(ada, 'ada-rules', 'cluster-admin').catch(told);

await server.close();
await store.close();

// prints:
// pods is forbidden: User "ada" cannot list resource "pods" in API group "" in the namespace "default"
// pods: 0
// list pods: true
// delete pods: false
// rolebindings.rbac.authorization.k8s.io "ada-rules" is forbidden: user "ada" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
// {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
// {NonResourceURLs:["*"], Verbs:["*"]}
