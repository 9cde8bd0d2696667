// A webhook without a network: a test suite registers a function instead of a server.
import { createCluster, isApiError, virtualClock } from 'vivarium';
import { webhookAuthorizer } from 'vivarium/auth';
import type { SubjectAccessReview } from 'vivarium/types';
import { inProcessCall } from 'vivarium/webhook';

const policy = inProcessCall((request) => {
  const { spec } = request as unknown as SubjectAccessReview; // frozen
  const { verb = '', resource = '', namespace = '' } = spec.resourceAttributes ?? {};
  console.log(`webhook: may ${spec.user} ${verb} ${resource} in ${namespace}?`);
  return resource === 'secrets'
    ? { status: { allowed: false, denied: true, reason: 'secrets are secret' } }
    : { status: { allowed: true } };
});

const clock = virtualClock();
const authorizers = [webhookAuthorizer(policy, { clock, version: 'v1' })];
const cluster = await createCluster({ clock, server: { authorizers }, scheduler: false, controllers: [] });
const bob = cluster.as('bob');

for (const resource of ['ConfigMap', 'Secret', 'ConfigMap'] as const) {
  await bob
    .kind('v1', resource)
    .in('default')
    .list()
    .then(
      () => console.log(`${resource}s: listed`),
      (error: unknown) => {
        if (!isApiError(error, 'Forbidden')) throw error;
        console.log(error.message);
      },
    );
}

// Allowed answers are cached for five minutes; then the webhook is called again.
await cluster.advance('6m');
await bob.kind('v1', 'ConfigMap').in('default').list();

await cluster.close();

// prints:
// webhook: may bob list configmaps in default?
// ConfigMaps: listed
// webhook: may bob list secrets in default?
// secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" in the namespace "default": secrets are secret
// ConfigMaps: listed
// webhook: may bob list configmaps in default?
