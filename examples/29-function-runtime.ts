// A pod whose container is a function of this process: an image name stands for a function.
import { createCluster } from 'vivarium';
import { functionRuntime } from 'vivarium/nodeagent';

const runtime = functionRuntime({
  images: {
    greeter: async ({ env, args, stdout }) => {
      await stdout(`${args.join(' ')} ${env.NAME}\n`);
      return 3;
    },
  },
});
const cluster = await createCluster({ nodes: { count: 1, runtime: () => runtime } });
const pods = cluster.client.kind('v1', 'Pod').in('default');
await pods.create({
  metadata: { name: 'hello' },
  spec: {
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: 'greeter', args: ['hello'], env: [{ name: 'NAME', value: 'world' }] }],
  },
});
const ended = await pods.waitFor('hello', (pod) => pod?.status?.phase === 'Failed');
console.log('exit code', ended?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode);
await pods.log('hello').forEach((line) => console.log('log:', line));
await cluster.close();

// prints:
// exit code 3
// log: hello world
