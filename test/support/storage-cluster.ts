// A server with claims and volumes and the binder between them, on one virtual clock. The binder can be made to die
// after any of its writes, before it hears that the write was done, and another can take its place.
import { delayWhen } from 'rxjs';
import type { Subscription } from 'rxjs';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client, Stored } from '../../lib/client/index.js';
import { ephemeralVolumes, persistentVolumes } from '../../lib/controllers/index.js';
import type { EphemeralVolumesActivity, PersistentVolumesActivity } from '../../lib/controllers/index.js';
import { isApiError, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock, Handler } from '../../lib/core/index.js';
import type {
  Event,
  ObjectMeta,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  StorageClass,
} from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from './observe.js';

/** A claim or volume in few words: what is not said is 1Gi, ReadWriteOnce, of no class. */
export type ClaimWish = Partial<PersistentVolumeClaimSpec> & {
  readonly size?: string;
  readonly annotations?: Record<string, string>;
};
/** The same of a volume; a host path below /tmp, unless said otherwise. */
export type VolumeWish = Partial<PersistentVolumeSpec> & { readonly size?: string; readonly meta?: ObjectMeta };

/** What controllers emit besides `reconciled`. */
type Did = Exclude<PersistentVolumesActivity | EphemeralVolumesActivity, { readonly type: 'reconciled' }>;

/** A cluster that has storage, and nothing else. */
export class StorageCluster {
  readonly clock: VirtualClock = virtualClock();
  readonly client: Client;
  /** What the binder wrote, Events aside: `update persistentvolumes/v`. */
  readonly writes: string[] = [];
  /** What the controllers emitted, except that they reconciled. */
  readonly outcomes: Did[] = [];
  /** Called when the binder has written something, before it hears of it. */
  onWrite: (write: string) => void = () => undefined;
  /** How late the binder hears of what happens: so long after one piece of news comes the next. */
  lagMs = 0;
  readonly #handler: Handler;
  readonly #closing: () => Promise<void>;
  #running: Subscription | undefined;
  #starts = 0;

  constructor() {
    const store = memoryStore({ clock: this.clock });
    const server = createServer({ store, clock: this.clock, random: random(1) });
    this.client = inProcessClient(server.handler);
    this.#handler = async (request) => {
      const { verb, resource, name, subresource } = request.info;
      const starts = this.#starts;
      const response = await server.handler(request);
      if (response.type === 'watch' && this.lagMs > 0)
        return {
          ...response,
          events: response.events.pipe(delayWhen((_event, index) => this.clock.timer(this.lagMs * (index + 1)))),
        };
      if (!['create', 'update', 'patch', 'delete'].includes(verb) || resource === 'events') return response;
      const write = `${verb} ${resource}/${name}${subresource === '' ? '' : `/${subresource}`}`;
      this.writes.push(write);
      this.onWrite(write);
      // Who is dead hears nothing.
      return starts === this.#starts ? response : new Promise(() => undefined);
    };
    this.#closing = async () => {
      await server.close();
      await store.close();
    };
  }

  /** Starts the binder and the controller that creates claims for pods; where they run, they are stopped first. */
  start(client: Client = inProcessClient(this.#handler)): void {
    this.#running?.unsubscribe();
    this.#starts += 1;
    const options = { client, clock: this.clock, random: random(this.#starts) };
    const keep = (activity: PersistentVolumesActivity | EphemeralVolumesActivity): void => {
      if (activity.type !== 'reconciled') this.outcomes.push(activity);
    };
    this.#running = observe(persistentVolumes(options).run(), keep);
    this.#running.add(observe(ephemeralVolumes(options).run(), keep));
  }

  /** Ends it at once, whatever it is about to do. */
  die(): void {
    this.#starts += 1;
    this.#running?.unsubscribe();
  }

  async close(): Promise<void> {
    this.die();
    await this.clock.settled();
    await this.#closing();
  }

  /** Lets everything happen that is due within that time: once around, and what follows of it. */
  async settle(ms = 20): Promise<void> {
    await this.clock.advance(ms);
    await this.clock.settled();
  }

  async claim(
    name: string,
    { size = '1Gi', annotations, ...spec }: ClaimWish = {},
  ): Promise<Stored<PersistentVolumeClaim>> {
    return this.client
      .kind('v1', 'PersistentVolumeClaim')
      .in('default')
      .create({
        metadata: { name, ...(annotations && { annotations }) },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: '',
          resources: { requests: { storage: size } },
          ...spec,
        },
      });
  }

  async volume(name: string, { size = '1Gi', meta, ...spec }: VolumeWish = {}): Promise<Stored<PersistentVolume>> {
    const hasSource = 'csi' in spec || 'local' in spec || 'nfs' in spec || 'hostPath' in spec;
    return this.client.kind('v1', 'PersistentVolume').create({
      metadata: { ...meta, name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: size },
        ...(!hasSource && { hostPath: { path: '/tmp/x' } }),
        ...spec,
      },
    });
  }

  async storageClass(name: string, more: Partial<StorageClass> = {}): Promise<void> {
    await this.client.kind('storage.k8s.io/v1', 'StorageClass').create({
      provisioner: 'example.com/made',
      volumeBindingMode: 'Immediate',
      ...more,
      metadata: { name, ...more.metadata },
    });
  }

  getClaim(name: string): Promise<Stored<PersistentVolumeClaim>> {
    return this.client.kind('v1', 'PersistentVolumeClaim').in('default').get(name);
  }

  getVolume(name: string): Promise<Stored<PersistentVolume>> {
    return this.client.kind('v1', 'PersistentVolume').get(name);
  }

  /** Deletes one of either, if it is there. */
  async drop(kind: 'PersistentVolumeClaim' | 'PersistentVolume', name: string): Promise<void> {
    const from =
      kind === 'PersistentVolume' ? this.client.kind('v1', kind) : this.client.kind('v1', kind).in('default');
    await from.delete(name).catch((error: unknown) => {
      if (!isApiError(error, 'NotFound')) throw error;
    });
  }

  /** `Pending -`, `Bound v`: the phase of a claim and the volume that it has. */
  async claimState(name: string): Promise<string> {
    const { spec, status } = await this.getClaim(name);
    return `${status?.phase ?? ''} ${spec?.volumeName ?? '-'}`;
  }

  /** The same of a volume and its claim. */
  async volumeState(name: string): Promise<string> {
    const { spec, status } = await this.getVolume(name);
    return `${status?.phase ?? ''} ${spec?.claimRef?.name ?? '-'}`;
  }

  /** The Events about an object: reason, how often, and what they say. */
  async events(name: string): Promise<readonly Stored<Event>[]> {
    return (
      await this.client
        .kind('v1', 'Event')
        .in('default')
        .list({ fieldSelector: `involvedObject.name=${name}` })
    ).items;
  }

  /** The newest of them. */
  async lastEvent(name: string): Promise<string> {
    const all = await this.events(name);
    const last = all
      .toSorted((one, other) => (one.lastTimestamp ?? '').localeCompare(other.lastTimestamp ?? ''))
      .at(-1);
    return `${last?.type ?? ''} ${last?.reason ?? ''}: ${last?.message ?? ''}`;
  }
}
