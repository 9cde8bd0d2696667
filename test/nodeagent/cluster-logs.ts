// The logs of a whole cluster as one stream.
import { lastValueFrom, toArray } from 'rxjs';
import t from 'tap';
import { nodeCluster, podOf } from '../support/node-cluster.js';

const none = { defaultValue: [] };

const labelled = (name: string, app: string, text: string) => {
  const pod = podOf(name, {
    exits: [{ after: '5s', code: 1 }],
    logs: [{ text }, { text: `${text} again`, after: '2s' }],
  });
  return { ...pod, metadata: { ...pod.metadata, labels: { app } } };
};

t.test('cluster.logs follows the containers of all selected pods, also those that start later', async (t) => {
  const cluster = await nodeCluster({ count: 2 });
  const pods = cluster.client.kind('v1', 'Pod').in('default');
  const lines: string[] = [];
  const subscription = cluster
    .logs({ selector: 'app=web' })
    .subscribe(({ namespace, pod, container, node, labels, restartCount, text }) =>
      lines.push(`${namespace}/${pod}/${container}#${restartCount} ${labels.app} ${node !== ''}: ${text}`),
    );
  await pods.create(labelled('a', 'web', 'from a'));
  await pods.create(labelled('other', 'db', 'hidden'));
  await cluster.advance('1s');
  await pods.create(labelled('b', 'web', 'from b'));
  await cluster.advance('5s');
  t.strictSame(lines, [
    'default/a/main#0 web true: from a',
    'default/b/main#0 web true: from b',
    'default/a/main#0 web true: from a again',
    'default/b/main#0 web true: from b again',
    'default/a/main#1 web true: from a',
    'default/b/main#1 web true: from b',
  ]);
  subscription.unsubscribe();
  const seen = lines.length;
  await cluster.advance('10s');
  t.equal(lines.length, seen, 'nothing after the end of the subscription');
  await cluster.close();
});

t.test('without follow it emits what was written and completes', async (t) => {
  const cluster = await nodeCluster();
  const pods = cluster.client.kind('v1', 'Pod').in('default');
  for (const name of ['a', 'b']) await pods.create(labelled(name, 'web', `from ${name}`));
  await cluster.advance('3s');
  const read = async (options: Parameters<typeof cluster.logs>[0]): Promise<readonly string[]> =>
    (await lastValueFrom(cluster.logs({ follow: false, ...options }).pipe(toArray()), none))
      .map(({ text }) => text)
      .sort();
  t.strictSame(await read({}), ['from a', 'from a again', 'from b', 'from b again']);
  t.strictSame(await read({ tailLines: 1 }), ['from a again', 'from b again']);
  t.strictSame(await read({ namespace: 'kube-system' }), []);
  t.strictSame(await read({ fieldSelector: 'metadata.name=a', container: 'main' }), ['from a', 'from a again']);
  t.strictSame(await read({ container: 'absent' }), []);
  await cluster.close();
});

t.test('the parameter stream selects one output of a container', async (t) => {
  const cluster = await nodeCluster();
  const pods = cluster.client.kind('v1', 'Pod').in('default');
  await pods.create(podOf('a', { logs: [{ text: 'out' }, { text: 'err', stream: 'stderr' }] }));
  await cluster.advance('1s');
  const read = (stream: 'All' | 'Stdout' | 'Stderr', tailLines?: number): Promise<readonly string[]> =>
    lastValueFrom(pods.log('a', { stream, ...(tailLines !== undefined && { tailLines }) }).pipe(toArray()), none);
  t.strictSame(await read('All'), ['out', 'err']);
  t.strictSame(await read('Stdout'), ['out']);
  t.strictSame(await read('Stderr'), ['err']);
  await t.rejects(read('Stderr', 1), {
    message: /Forbidden: `tailLines` and specific `stream` are mutually exclusive for now/,
  });
  await t.rejects(read('stdout' as 'Stdout'), {
    message: /stream: Unsupported value: "stdout": supported values: "All", "Stderr", "Stdout"/,
  });
  await cluster.close();
});
