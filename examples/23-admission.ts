// An admission plugin: annotates every new pod with its creator, and refuses images without a tag.
import { createCluster, isApiError } from 'vivarium';
import type { AdmissionPlugin } from 'vivarium/admission';
import { forbidden } from 'vivarium/core';
import type { Pod } from 'vivarium/types';

const creators: AdmissionPlugin = {
  name: 'Creators',
  handles: { operations: ['CREATE'], resources: ['pods'] }, // data: other writes never reach the plugin
  mutate({ object, user }) {
    const annotations = { ...object?.metadata?.annotations, 'example.com/creator': user.username ?? '' };
    return { ...object, metadata: { ...object?.metadata, annotations } };
  },
  validate({ object, name, warn }) {
    const images = (object as Pod).spec?.containers.map(({ image = '' }) => image) ?? [];
    if (!images.every((image) => image.includes(':')))
      throw forbidden({ group: '', resource: 'pods', name }, 'images need a tag');
    if (images.some((image) => image.endsWith(':latest'))) warn('the tag latest changes its meaning');
  },
};

// Beside the plugins of Kubernetes. A plugin that reads objects is created with tools: `plugins: (tools) => […]`.
const cluster = await createCluster({ admission: { plugins: [creators] } });
const pods = cluster.client.kind('v1', 'Pod').in('default');
const podOf = (name: string, image: string): Pod => ({ metadata: { name }, spec: { containers: [{ name, image }] } });

console.log((await pods.create(podOf('web', 'nginx:1.29'))).metadata.annotations);
await pods.create(podOf('db', 'postgres')).catch((error: unknown) => {
  if (!isApiError(error, 'Forbidden')) throw error;
  console.log(error.message);
});
await cluster.close();

// prints:
// { 'example.com/creator': 'system:admin' }
// pods "db" is forbidden: images need a tag
