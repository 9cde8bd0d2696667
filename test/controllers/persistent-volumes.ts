// The binder of claims and volumes: who gets what, what people are told, what becomes of volumes whose claims go, and that
// it may stop after any write.
import t from 'tap';
import type { Test } from 'tap';
import { StorageCluster } from '../support/storage-cluster.js';

/** A cluster with a binder at work. */
async function cluster(t: Test): Promise<StorageCluster> {
  const made = new StorageCluster();
  t.teardown(() => made.close());
  made.start();
  await made.settle();
  return made;
}

const resync = 15_000;

t.test('a claim gets a volume, in four steps', async (t) => {
  const c = await cluster(t);
  await c.volume('v', { size: '2Gi' });
  await c.settle();
  t.equal(await c.volumeState('v'), 'Available -');
  c.writes.length = 0;
  const { metadata } = await c.claim('c');
  await c.settle();
  t.strictSame(c.writes, ['update persistentvolumes/v', 'update persistentvolumes/v/status', 'update persistentvolumeclaims/c', 'update persistentvolumeclaims/c/status']);
  const [claim, volume] = [await c.getClaim('c'), await c.getVolume('v')];
  t.match(volume.spec?.claimRef, { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: 'default', name: 'c', uid: metadata.uid, resourceVersion: metadata.resourceVersion });
  t.strictSame(volume.metadata.annotations, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
  t.equal(volume.status?.phase, 'Bound');
  t.strictSame(claim.metadata.annotations, { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' });
  t.equal(claim.spec?.volumeName, 'v');
  t.strictSame(claim.status, { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } }, 'it has what the volume has');
  t.match(c.outcomes.at(-1), { type: 'bound', claim: { namespace: 'default', name: 'c' }, volume: 'v' });
  c.writes.length = 0;
  await c.settle(10 * resync);
  t.strictSame(c.writes, [], 'and that is all');
  c.die();
  await c.settle();
  t.equal(c.clock.pending, 0, 'nothing is left behind');
});
