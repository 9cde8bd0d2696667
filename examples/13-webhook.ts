// A webhook without a network: where a cluster has a server to ask, a test suite registers a function.
import { isApiError, virtualClock } from 'vivarium';
import { webhookAuthorizer } from 'vivarium/auth';
import { inProcessClient } from 'vivarium/client';
import type { SubjectAccessReview } from 'vivarium/types';
import { createServer } from 'vivarium/server';
import { memoryStore } from 'vivarium/storage';
import { inProcessCall } from 'vivarium/webhook';

const policy = inProcessCall((request) => {
  const { spec } = request as unknown as SubjectAccessReview; // what a SubjectAccessReview says, frozen
  const { verb = '', resource = '', namespace = '' } = spec.resourceAttributes ?? {};
  console.log(`asked: may ${spec.user} ${verb} ${resource} in ${namespace}?`);
  return resource === 'secrets'
    ? { status: { allowed: false, denied: true, reason: 'secrets are secret' } }
    : { status: { allowed: true } };
});

const clock = virtualClock();
const store = memoryStore({ clock });
const server = createServer({ store, clock, authorizers: [webhookAuthorizer(policy, { clock, version: 'v1' })] });
const bob = inProcessClient(server.handler).as({ username: 'bob' });

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

// What was allowed is kept for five minutes; then the webhook is asked again.
await clock.advance('6m');
await bob.kind('v1', 'ConfigMap').in('default').list();

await server.close();
await store.close();

// prints:
// asked: may bob list configmaps in default?
// ConfigMaps: listed
// asked: may bob list secrets in default?
// secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" in the namespace "default": secrets are secret
// ConfigMaps: listed
// asked: may bob list configmaps in default?
