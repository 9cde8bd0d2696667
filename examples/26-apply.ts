// Server-side apply: several managers share one object, field by field. The server knows the owner of every field.
import { createCluster, isApiError } from 'vivarium';

const cluster = await createCluster({ scheduler: false, controllers: [] });
const deployments = cluster.client.kind('apps/v1', 'Deployment').in('default');
const labels = { app: 'web' };

await deployments.apply(
  {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.28' }] } },
    },
  },
  { fieldManager: 'delivery' },
);

// An autoscaler sets one field, which is delivery's until it is forced.
const scaled = { metadata: { name: 'web' }, spec: { replicas: 5 } };
await deployments.apply(scaled, { fieldManager: 'autoscaler' }).catch((error: unknown) => {
  if (!isApiError(error, 'Conflict')) throw error;
  console.log(error.message);
});
await deployments.apply(scaled, { fieldManager: 'autoscaler', force: true });

// Delivery changes an image and adds a container. It no longer names replicas, which stay the autoscaler's.
const web = await deployments.apply(
  {
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            { name: 'web', image: 'nginx:1.29' },
            { name: 'logs', image: 'fluent:3' },
          ],
        },
      },
    },
  },
  { fieldManager: 'delivery' },
);
console.log(web.spec?.replicas, web.spec?.template.spec?.containers.map(({ image }) => image).join());
for (const { manager, operation, fieldsV1 } of web.metadata.managedFields ?? [])
  if (manager === 'autoscaler') console.log(manager, operation, JSON.stringify(fieldsV1));
await cluster.close();

// prints:
// Apply failed with 1 conflict: conflict with "delivery": .spec.replicas
// 5 nginx:1.29,fluent:3
// autoscaler Apply {"f:spec":{"f:replicas":{}}}
