// Admission plugins by name: one that is off by default is enabled, a default one is disabled.
import { createCluster, isApiError } from 'vivarium';

const cluster = await createCluster({
  admission: { enable: ['DenyServiceExternalIPs'], disable: ['DefaultTolerationSeconds'] },
});
const { client } = cluster;
const services = client.kind('v1', 'Service').in('default');
await services
  .create({ metadata: { name: 'web' }, spec: { ports: [{ port: 80 }], externalIPs: ['192.0.2.1'] } })
  .catch((error: unknown) => {
    if (!isApiError(error, 'Forbidden')) throw error;
    console.log(error.message);
  });
const pods = client.kind('v1', 'Pod').in('default');
const { spec } = await pods.create({
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
});
console.log(spec?.serviceAccountName, spec?.tolerations ?? 'no tolerations');
await cluster.close();

// prints:
// services "web" is forbidden: Use of external IPs is denied by admission control
// default no tolerations
