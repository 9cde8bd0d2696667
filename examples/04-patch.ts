// The three patches of Kubernetes. The input may be frozen; what a patch does not touch is shared, not copied.
import { builtinScheme, deepFreeze } from 'vivarium';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from 'vivarium/core';

const deployment = deepFreeze({
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    template: {
      spec: {
        containers: [
          { name: 'web', image: 'nginx:1.27' },
          { name: 'logs', image: 'fluent:3' },
        ],
      },
    },
  },
});
const type = builtinScheme().typeOf({ group: 'apps', version: 'v1', kind: 'Deployment' });

const scaled = applyMergePatch(deployment, { spec: { replicas: 5 } });
console.log(JSON.stringify(scaled.spec));

const renamed = applyJsonPatch(deployment, [
  { op: 'test', path: '/spec/replicas', value: 2 },
  { op: 'replace', path: '/metadata/name', value: 'shop' },
]);
console.log(JSON.stringify(renamed));

const upgraded = applyStrategicMergePatch(
  deployment,
  { spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx:1.28' }] } } } },
  type,
);
console.log(JSON.stringify(upgraded.spec));
console.log('metadata is shared:', upgraded.metadata === deployment.metadata);

// prints:
// {"replicas":5,"template":{"spec":{"containers":[{"name":"web","image":"nginx:1.27"},{"name":"logs","image":"fluent:3"}]}}}
// {"metadata":{"name":"shop","labels":{"app":"web"}},"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"web","image":"nginx:1.27"},{"name":"logs","image":"fluent:3"}]}}}}
// {"replicas":2,"template":{"spec":{"containers":[{"name":"web","image":"nginx:1.28"},{"name":"logs","image":"fluent:3"}]}}}
// metadata is shared: true
