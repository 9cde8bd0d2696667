// exec without a container: a node connector runs the commands that the API server passes to a node.
import { lastValueFrom, toArray } from 'rxjs';
import { createCluster, isApiError } from 'vivarium';
import { exitCodeOf, exitStatus } from 'vivarium/core';

const cluster = await createCluster({ nodes: { count: 1, runtime: 'none' } });
cluster.server.nodes.register({
  async exec({ pod, container }, { command }, channels) {
    const line = `${pod.metadata?.name}/${container}: ${command.join(' ')}\n`;
    await channels.output('stdout', new TextEncoder().encode(line));
    channels.close(exitStatus(3));
  },
});

const pods = cluster.client.kind('v1', 'Pod').in('default');
await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'nginx' }] } });
await pods.waitFor('web', (pod) => pod?.spec?.nodeName !== undefined);

const channels = await pods.exec('web', { command: ['ls', '-l'] });
for (const message of await lastValueFrom(channels.input$.pipe(toArray()), { defaultValue: [] })) {
  if (message.type === 'data') process.stdout.write(message.bytes);
  if (message.type === 'close') console.log('exit code', exitCodeOf(message.status));
}

// The request is authorized like any other: exec is `create` of pods/exec.
const adasPods = cluster.as('ada').kind('v1', 'Pod').in('default');
await adasPods.exec('web', { command: ['ls'] }).catch((error: unknown) => {
  if (!isApiError(error, 'Forbidden')) throw error;
  console.log(error.message);
});
await cluster.close();

// prints:
// web/main: ls -l
// exit code 3
// pods "web" is forbidden: User "ada" cannot create resource "pods/exec" in API group "" in the namespace "default"
