// Static pods: pods that a node runs from manifests of its own, and their mirrors in the API.
import { Subject } from 'rxjs';
import t from 'tap';
import type { Cluster, VirtualClock } from '../../lib/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { isMirrorOf, staticPodOf } from '../../lib/nodeagent/static/static-pod.js';
import { nodeCluster, podHistory } from '../support/node-cluster.js';

const podsOf = ({ client }: Cluster<VirtualClock>) => client.kind('v1', 'Pod').in('default');
const manifest = (image: string, name = 'web'): Pod => ({
  metadata: { name, labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
});

t.test('a static pod has the name, UID, annotations and toleration of a kubelet', (t) => {
  const origin = { node: 'Node-1', source: 'file', seenAtMs: 0 };
  const pod = staticPodOf(manifest('app:1'), origin);
  t.match(pod, {
    metadata: {
      name: 'web-node-1',
      namespace: 'default',
      uid: /^[0-9a-f]{32}$/,
      annotations: {
        'kubernetes.io/config.source': 'file',
        'kubernetes.io/config.seen': '1970-01-01T00:00:00Z',
        'kubernetes.io/config.hash': pod.metadata?.uid,
      },
    },
    spec: { nodeName: 'Node-1', tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
  });
  t.equal(staticPodOf(manifest('app:1'), { ...origin, seenAtMs: 9 }).metadata?.uid, pod.metadata?.uid);
  t.not(staticPodOf(manifest('app:2'), origin).metadata?.uid, pod.metadata?.uid);
  t.notOk(isMirrorOf(pod, pod));
  t.throws(() => staticPodOf({ spec: { containers: [] } }, origin), /needs a name/);
  const volumes = [{ name: 'v', secret: { secretName: 's' } }];
  const wrong = { ...manifest('app:1'), spec: { containers: [], volumes } };
  t.throws(() => staticPodOf(wrong, origin), /static pods may not reference secrets/);
  t.end();
});

t.test('a mirror shows a static pod; deleting it does not stop the pod', async (t) => {
  const source = new Subject<readonly Pod[]>();
  const cluster = await nodeCluster({ staticPods: () => source });
  source.next([manifest('app:1')]);
  await cluster.settled();
  const mirror = await podsOf(cluster).get('web-node-1');
  t.match(mirror, {
    metadata: {
      labels: { app: 'web' },
      annotations: { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.mirror': /^[0-9a-f]{32}$/ },
      ownerReferences: [{ kind: 'Node', name: 'node-1', controller: true }],
    },
    status: { phase: 'Running', containerStatuses: [{ ready: true, restartCount: 0 }] },
  });
  const startedAt = mirror.status?.containerStatuses?.[0]?.state?.running?.startedAt;
  await cluster.advance('1m');
  await podsOf(cluster).delete('web-node-1');
  await cluster.advance('10s');
  const next = await podsOf(cluster).get('web-node-1');
  t.not(next.metadata.uid, mirror.metadata.uid, 'it is created again');
  t.notOk(next.metadata.deletionTimestamp);
  t.equal(next.status?.containerStatuses?.[0]?.state?.running?.startedAt, startedAt, 'the container went on');
  t.equal(next.status?.containerStatuses?.[0]?.restartCount, 0);

  await podsOf(cluster).delete('web-node-1', { gracePeriodSeconds: 0 });
  await cluster.advance('10s');
  t.not((await podsOf(cluster).get('web-node-1')).metadata.uid, next.metadata.uid, 'also after a forced delete');

  source.next([]);
  await cluster.advance('40s');
  t.equal(await podsOf(cluster).find('web-node-1'), undefined, 'a pod that is gone from its source ends');
  await cluster.close();
  t.equal(cluster.clock.pending, 0);
});

t.test('a changed manifest replaces pod and mirror, after the old pod has ended', async (t) => {
  const source = new Subject<readonly Pod[]>();
  const behaviour = [{ image: 'app:1', stop: { delay: '5s' } }];
  const cluster = await nodeCluster({
    staticPods: () => source,
    behaviour: [({ image }) => behaviour.find((each) => each.image === image)],
  });
  source.next([manifest('app:1'), { spec: { containers: [] } }]);
  await cluster.settled();
  const before = await podsOf(cluster).get('web-node-1');
  const history = podHistory(cluster);
  source.next([manifest('app:2')]);
  await cluster.advance('3s');
  t.notMatch((await podsOf(cluster).get('web-node-1')).status?.phase, 'Running', 'the old pod is still stopping');
  await cluster.advance('10s');
  const after = await podsOf(cluster).get('web-node-1');
  t.not(after.metadata.uid, before.metadata.uid);
  t.match(after, { spec: { containers: [{ image: 'app:2' }] }, status: { phase: 'Running' } });
  t.match(history.lines.at(-1), /^5s web-node-1: Running/);
  history.stop();
  await cluster.close();
});

t.test('a static pod outlives a node that loses its API', async (t) => {
  const cluster = await nodeCluster({ staticPods: () => [[manifest('app:1')]] });
  const fork = await cluster.fork();
  await fork.settled();
  t.equal((await podsOf(fork).get('web-node-1')).status?.phase, 'Running');
  await fork.close();
  await cluster.close();
});
