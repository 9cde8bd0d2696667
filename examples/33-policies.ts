// Admission policies: one adds a label to Deployments, one limits their replicas by a parameter of their namespace.
import { createCluster, isApiError } from 'vivarium';

const cluster = await createCluster();
const { client } = cluster;
const admission = 'admissionregistration.k8s.io/v1';
const resourceRules = [
  { operations: ['CREATE' as const], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] },
];

await client.kind(admission, 'MutatingAdmissionPolicy').create({
  metadata: { name: 'team-label' },
  spec: {
    matchConstraints: { resourceRules },
    reinvocationPolicy: 'Never',
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"team": request.namespace}}}' },
      },
    ],
  },
});
await client
  .kind(admission, 'MutatingAdmissionPolicyBinding')
  .create({ metadata: { name: 'team-label' }, spec: { policyName: 'team-label' } });

await client.kind(admission, 'ValidatingAdmissionPolicy').create({
  metadata: { name: 'replicas' },
  spec: {
    matchConstraints: { resourceRules },
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    variables: [{ name: 'max', expression: 'int(params.data.maxReplicas)' }],
    validations: [
      {
        expression: 'object.spec.replicas <= variables.max',
        messageExpression: '"at most " + string(variables.max) + " replicas for " + object.metadata.labels.team',
      },
    ],
  },
});
await client.kind(admission, 'ValidatingAdmissionPolicyBinding').create({
  metadata: { name: 'replicas' },
  spec: {
    policyName: 'replicas',
    paramRef: { name: 'limits', parameterNotFoundAction: 'Allow' },
    validationActions: ['Deny'],
  },
});

const deployments = client.kind('apps/v1', 'Deployment').in('default');
const deployment = (name: string, replicas: number) => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'nginx' }] },
    },
  },
});
const { metadata } = await deployments.create(deployment('free', 9));
console.log(metadata.labels);
await client
  .kind('v1', 'ConfigMap')
  .in('default')
  .create({ metadata: { name: 'limits' }, data: { maxReplicas: '3' } });
await deployments.create(deployment('limited', 9)).catch((error: unknown) => {
  if (!isApiError(error, 'Invalid')) throw error;
  console.log(error.message);
});
await cluster.close();
// prints:
// { team: 'default' }
// deployments.apps "limited" is forbidden: ValidatingAdmissionPolicy 'replicas' with binding 'replicas' denied request: at most 3 replicas for default
