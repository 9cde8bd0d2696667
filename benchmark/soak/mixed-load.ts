// The load of benchmark/soak.ts: what users and controllers of a busy cluster do, drawn at random, on a working set of
// a fixed size. Objects are created, changed in several ways, listed, watched and deleted; Deployments roll, pods run
// and end, namespaces come and go, and some requests are wrong.
import { take } from 'rxjs';
import type { Observable, Subscription } from 'rxjs';
import { isApiError } from '../../lib/core/index.js';
import type { Random } from '../../lib/core/index.js';
import type { Client } from '../../lib/client/index.js';

/** A load that is driven step by step. */
export interface MixedLoad {
  /** Sends one or a few requests and waits for the responses. */
  step(): Promise<void>;
  /** The steps that were refused with a Status. */
  refused(): number;
  /** Ends the watches that are open. */
  stop(): Promise<void>;
}

const namespace = 'soak';
const limits = { maps: 200, pods: 20, services: 20, deployments: 4, watches: 8 };

/** Prepares the namespace of the load. */
export async function mixedLoad(client: Client, chance: Random): Promise<MixedLoad> {
  const maps = client.kind('v1', 'ConfigMap').in(namespace);
  const pods = client.kind('v1', 'Pod').in(namespace);
  const services = client.kind('v1', 'Service').in(namespace);
  const deployments = client.kind('apps/v1', 'Deployment').in(namespace);
  const events = client.kind('v1', 'Event').in(namespace);
  const namespaces = client.kind('v1', 'Namespace');
  const names = { maps: [] as string[], pods: [] as string[], services: [] as string[], deployments: [] as string[] };
  const watches: Subscription[] = [];
  let [made, refused] = [0, 0];

  await namespaces.create({ metadata: { name: namespace } });
  await maps.create({ metadata: { name: 'hot' }, data: { k: 'x'.repeat(50 * 1024) } });

  const steps: readonly (readonly [weight: number, step: () => Promise<unknown>])[] = [
    [20, createMap],
    [20, () => maps.patch(pickMap(), { merge: { data: { k: textOf(4096) } } })],
    [10, () => maps.modify(pickMap(), (map) => ({ ...map, data: { ...map.data, n: textOf(100) } }))],
    [5, () => maps.patch('hot', { merge: { data: { k: textOf(50 * 1024) } } })],
    [8, createPod],
    [4, createService],
    [6, rollDeployment],
    [8, () => maps.list({ limit: 50 })],
    [4, () => pods.list({ labelSelector: 'app=single' })],
    [5, () => openWatch()],
    [6, () => pods.create({ metadata: { name: 'Wrong Name' }, spec: { containers: [] } })],
    [2, () => maps.get('missing')],
    [1, createAndDeleteNamespace],
    // Events live for an hour: without this their number would grow as long as the run.
    [1, () => events.deleteCollection()],
  ];
  const total = steps.reduce((sum, [weight]) => sum + weight, 0);

  return {
    step: async () => {
      let at = chance.integer(total);
      const chosen = steps.find(([weight]) => (at -= weight) < 0);
      try {
        await chosen?.[1]();
      } catch (error) {
        if (!isApiError(error)) throw error;
        refused += 1;
      }
    },
    refused: () => refused,
    stop: () => {
      for (const watch of watches) watch.unsubscribe();
      return Promise.resolve();
    },
  };

  async function createMap(): Promise<void> {
    const name = nameOf('map');
    await maps.create({ metadata: { name }, data: { k: textOf(16 * 1024) } });
    await dropOldest(names.maps, name, limits.maps, (old) => maps.delete(old));
  }

  async function createPod(): Promise<void> {
    const name = nameOf('pod');
    const spec = { containers: [{ name: 'c', image: 'busybox' }], terminationGracePeriodSeconds: 1 };
    await pods.create({ metadata: { name, labels: { app: 'single' } }, spec });
    await dropOldest(names.pods, name, limits.pods, (old) => pods.delete(old));
  }

  async function createService(): Promise<void> {
    const name = nameOf('service');
    await services.create({
      metadata: { name },
      spec: { type: 'NodePort', selector: { app: 'single' }, ports: [{ port: 80 }] },
    });
    await dropOldest(names.services, name, limits.services, (old) => services.delete(old));
  }

  /** Mostly a new template for one that exists; sometimes a new Deployment in place of the oldest. */
  async function rollDeployment(): Promise<void> {
    const existing = names.deployments.length < limits.deployments ? undefined : chance.pick(names.deployments);
    if (existing !== undefined && chance.next() < 0.8) {
      const annotations = { rolled: textOf(20) };
      await deployments.patch(existing, { merge: { spec: { template: { metadata: { annotations } } } } });
      return;
    }
    const name = nameOf('deployment');
    const labels = { app: name };
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'c', image: 'busybox' }], terminationGracePeriodSeconds: 1 },
    };
    const spec = { replicas: 3, revisionHistoryLimit: 2, selector: { matchLabels: labels }, template };
    await deployments.create({ metadata: { name }, spec });
    await dropOldest(names.deployments, name, limits.deployments, (old) =>
      deployments.delete(old, { propagationPolicy: 'Background' }),
    );
  }

  async function createAndDeleteNamespace(): Promise<void> {
    const name = nameOf('namespace');
    await namespaces.create({ metadata: { name } });
    await client
      .kind('v1', 'ConfigMap')
      .in(name)
      .create({ metadata: { name: 'one' }, data: {} });
    await namespaces.delete(name);
  }

  /** A watch that ends by itself after some events; the oldest open one is ended for a new one. */
  function openWatch(): Promise<void> {
    const watch = chance.next() < 0.5 ? follow(maps.watch()) : follow(pods.watch());
    watches.push(watch);
    if (watches.length > limits.watches) watches.shift()?.unsubscribe();
    return Promise.resolve();
  }

  function follow<T>(events$: Observable<T>): Subscription {
    return events$.pipe(take(1 + chance.integer(200))).subscribe({ error: () => undefined });
  }

  async function dropOldest(
    kept: string[],
    added: string,
    max: number,
    remove: (name: string) => Promise<unknown>,
  ): Promise<void> {
    kept.push(added);
    const oldest = kept.length > max ? kept.shift() : undefined;
    if (oldest !== undefined) await remove(oldest);
  }

  function pickMap(): string {
    return names.maps.length === 0 ? 'hot' : chance.pick(names.maps);
  }

  function nameOf(kind: string): string {
    made += 1;
    return `${kind}-${made}`;
  }

  function textOf(lengthMax: number): string {
    return chance.string('abcdefgh', 1 + chance.integer(lengthMax));
  }
}
