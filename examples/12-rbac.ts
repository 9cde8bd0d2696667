// RBAC in a test suite: clients act as any user, and roles and bindings decide what they may do.
import type { Client } from 'vivarium';
import { createCluster, isApiError } from 'vivarium';

const cluster = await createCluster(); // Node and RBAC authorization, as kubeadm sets up
const admin = cluster.client;
const ada = cluster.as('ada');

const v1 = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';
const bind = (client: Client, name: string, role: string): Promise<unknown> => {
  const roleRef = { apiGroup, kind: role === 'cluster-admin' ? 'ClusterRole' : 'Role', name: role };
  return client
    .kind(v1, 'RoleBinding')
    .in('default')
    .create({ metadata: { name }, roleRef, subjects: [{ apiGroup, kind: 'User', name: 'ada' }] });
};
const printRefusal = (error: unknown): void => {
  if (!isApiError(error, 'Forbidden')) throw error;
  console.log(error.message);
};
const canI = async (client: Client, verb: string): Promise<void> => {
  const review = await client
    .kind('authorization.k8s.io/v1', 'SelfSubjectAccessReview')
    .create({ spec: { resourceAttributes: { verb, resource: 'pods', namespace: 'default' } } });
  console.log(`${verb} pods:`, review.status?.allowed);
};

// Denied: no role allows it.
await ada.kind('v1', 'Pod').in('default').list().catch(printRefusal);

// Granted by a role and a binding.
const rules = [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }];
await admin
  .kind(v1, 'Role')
  .in('default')
  .create({ metadata: { name: 'readers' }, rules });
await bind(admin, 'ada-reads', 'readers');
console.log('pods:', (await ada.kind('v1', 'Pod').in('default').list()).items.length);

// Checked beforehand, as `kubectl auth can-i` does.
await canI(ada, 'list');
await canI(ada, 'delete');

// Escalation is refused: she may create bindings now, but only of roles that grant no more than she has.
await admin
  .kind(v1, 'Role')
  .in('default')
  .patch('readers', {
    merge: { rules: [...rules, { verbs: ['create'], apiGroups: [apiGroup], resources: ['rolebindings'] }] },
  });
await bind(ada, 'ada-rules', 'cluster-admin').catch(printRefusal);

await cluster.close();

// prints:
// pods is forbidden: User "ada" cannot list resource "pods" in API group "" in the namespace "default"
// pods: 0
// list pods: true
// delete pods: false
// rolebindings.rbac.authorization.k8s.io "ada-rules" is forbidden: user "ada" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
// {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
// {NonResourceURLs:["*"], Verbs:["*"]}
