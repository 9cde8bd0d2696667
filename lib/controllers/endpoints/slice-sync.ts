// Brings the EndpointSlices of one Service to their desired state: plans each family, adds hints, writes, and remembers
// what the slices were left at, so that the next change of a few pods is planned from those alone. As
// endpointslice/reconciler.go, Reconcile and finalize.
import type { Client, Stored, WriteOptions } from '../../client/index.js';
import { aggregateText, errorText, parseIp } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { EndpointSlice, Node, Pod, Service } from '../../core/types/index.js';
import { isNamespaceTerminating } from '../workloads/pod-control.js';
import { planSlices, podsInSlice } from './slice-plan.js';
import type { SlicePlan } from './slice-plan.js';
import type { AddressFamily } from './pod-endpoint.js';
import type { ChangedPods } from './service-pods.js';
import { usesZoneAllocation, withTrafficHints } from './slice-hints.js';
import type { SliceDraft } from './slice-labels.js';
import type { SliceTracker } from './slice-tracker.js';
import { withTriggerTime } from './trigger-times.js';
import type { ZoneHints } from './zone-hints.js';

/** The observed state that one reconcile works with. */
export interface SliceSyncInput {
  readonly key: string;
  readonly service: Stored<Service>;
  readonly pods: ReadonlyMap<string, Frozen<Pod>>;
  readonly changed: ChangedPods;
  /** The slices that the controller manages for the Service, without those that are terminating. */
  readonly slices: readonly Stored<EndpointSlice>[];
  readonly triggerTime: string | undefined;
  /** Changes when a node comes, goes or changes its zone. */
  readonly nodesVersion: number;
  readonly nodeOf: (name: string) => Frozen<Node> | undefined;
}

/** The number of slices that were written. */
export interface SlicesWritten {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/** Writes the slices of Services. */
export class SliceSync {
  readonly #client: Client;
  readonly #tracker: SliceTracker;
  readonly #zones: ZoneHints;
  readonly #endpointsMax: number;
  readonly #verified = new Map<string, Verified>();
  readonly #podsIn = new WeakMap<Stored<EndpointSlice>, ReadonlySet<string>>();

  constructor(options: { client: Client; tracker: SliceTracker; zones: ZoneHints; endpointsMax: number }) {
    this.#client = options.client;
    this.#tracker = options.tracker;
    this.#zones = options.zones;
    this.#endpointsMax = options.endpointsMax;
  }

  /** Forgets a Service. */
  forget(key: string): void {
    this.#verified.delete(key);
    this.#zones.forget(key);
  }

  /** Reconciles the slices of a Service. Rejects with Error if pods were left out or writes failed. */
  async run(input: SliceSyncInput, options: Options): Promise<SlicesWritten> {
    const { key, service, slices, nodesVersion } = input;
    const verified = this.#verified.get(key);
    const isPartial = verified !== undefined && !usesZoneAllocation(service) && isVerified(verified, input);
    this.#verified.delete(key);
    const families = familiesOf(service);
    const total = { created: 0, updated: 0, deleted: 0 };
    const left = new Map<string, string>();
    const problems: string[] = [];
    for (const family of families) {
      const ofFamily = slices.filter(({ addressType }) => addressType === family);
      const plan = this.#plan(input, ofFamily, { family, isPartial });
      problems.push(...plan.problems);
      try {
        for (const { metadata } of plan.unchanged) left.set(metadata.name, metadata.resourceVersion);
        const written = await this.#write(plan, input, options);
        for (const { metadata } of written) left.set(metadata.name, metadata.resourceVersion);
        total.created += plan.creates.length;
        total.updated += plan.updates.length;
        total.deleted += plan.deletes.length;
      } catch (error) {
        problems.push(errorText(error));
      }
    }
    for (const slice of slices.filter(({ addressType }) => !families.some((family) => family === addressType))) {
      try {
        this.#zones.forgetFamily(key, slice.addressType);
        await this.#delete(slice, options);
        total.deleted += 1;
      } catch (error) {
        const { name, namespace = '' } = service.metadata;
        problems.push(
          `error deleting ${slice.metadata.name} EndpointSlice for Service ${namespace}/${name}: ${errorText(error)}`,
        );
      }
    }
    if (problems.length > 0) throw new Error(aggregateText(problems));
    this.#verified.set(key, { serviceVersion: service.metadata.resourceVersion, nodesVersion, slices: left });
    return total;
  }

  #plan(
    { key, service, pods, changed, nodeOf }: SliceSyncInput,
    slices: readonly Stored<EndpointSlice>[],
    { family, isPartial }: { family: AddressFamily; isPartial: boolean },
  ): SlicePlan {
    const plan = planSlices({
      service,
      family,
      pods,
      nodeOf,
      slices,
      changed: isPartial ? changed : 'all',
      podsIn: (slice) => this.#podsOf(slice),
      endpointsMax: this.#endpointsMax,
    });
    if (usesZoneAllocation(service)) return this.#zones.allocate({ key, service, family }, plan);
    this.#zones.disable({ key, service, family });
    return withTrafficHints(plan, service, () => isPartial);
  }

  /** Creates, updates and deletes, in this order. The first failure ends it. */
  async #write(
    { creates, updates, deletes }: SlicePlan,
    { service, triggerTime }: SliceSyncInput,
    options: Options,
  ): Promise<readonly Stored<EndpointSlice>[]> {
    const { name, namespace = '', deletionTimestamp } = service.metadata;
    const slices = this.#client.kind('discovery.k8s.io/v1', 'EndpointSlice').in(namespace);
    const written: Stored<EndpointSlice>[] = [];
    const record = (slice: Stored<EndpointSlice>): void => {
      this.#tracker.wrote(slice);
      written.push(slice);
    };
    const timed = (draft: SliceDraft): SliceDraft => ({
      ...draft,
      metadata: { ...draft.metadata, annotations: withTriggerTime(draft.metadata.annotations, triggerTime) },
    });
    // The garbage collector deletes the slices of a Service that is being deleted.
    for (const draft of deletionTimestamp === undefined ? creates : []) {
      try {
        record(await slices.create(timed(draft), options));
      } catch (error) {
        // Every create would fail until the namespace is gone.
        if (isNamespaceTerminating(error)) return written;
        throw failure(`failed to create EndpointSlice for Service ${namespace}/${name}`, error);
      }
    }
    for (const draft of updates) {
      try {
        record(await slices.update(timed(draft), options));
      } catch (error) {
        throw failure(`failed to update ${draft.metadata.name} EndpointSlice for Service ${namespace}/${name}`, error);
      }
    }
    for (const slice of deletes) {
      try {
        await this.#delete(slice, options);
      } catch (error) {
        throw failure(`failed to delete ${slice.metadata.name} EndpointSlice for Service ${namespace}/${name}`, error);
      }
    }
    return written;
  }

  async #delete(slice: Stored<EndpointSlice>, options: Options): Promise<void> {
    const { name, namespace = '' } = slice.metadata;
    await this.#client.kind('discovery.k8s.io/v1', 'EndpointSlice').in(namespace).delete(name, options);
    this.#tracker.deleted(slice);
  }

  /** Slices are frozen: the pods of each version are collected once. */
  #podsOf(slice: Stored<EndpointSlice>): ReadonlySet<string> {
    const known = this.#podsIn.get(slice);
    if (known !== undefined) return known;
    const names = podsInSlice(slice);
    this.#podsIn.set(slice, names);
    return names;
  }
}

/** The families that a Service has endpoints of. */
export function familiesOf({ spec }: Frozen<Service>): readonly AddressFamily[] {
  const stated = (spec?.ipFamilies ?? []).filter((family) => family === 'IPv4' || family === 'IPv6');
  if (stated.length > 0) return stated;
  const { clusterIP = '' } = spec ?? {};
  if (clusterIP === '' || clusterIP === 'None') return ['IPv4', 'IPv6'];
  return [parseIp(clusterIP)?.family === 6 ? 'IPv6' : 'IPv4'];
}

type Options = Pick<WriteOptions, 'signal' | 'cause'>;

/** What the slices of a Service were left at. */
interface Verified {
  readonly serviceVersion: string;
  readonly nodesVersion: number;
  /** The resourceVersions of slices by name. */
  readonly slices: ReadonlyMap<string, string>;
}

function isVerified(verified: Verified, { service, nodesVersion, slices }: SliceSyncInput): boolean {
  return (
    verified.serviceVersion === service.metadata.resourceVersion &&
    verified.nodesVersion === nodesVersion &&
    verified.slices.size === slices.length &&
    slices.every(({ metadata }) => verified.slices.get(metadata.name) === metadata.resourceVersion)
  );
}

function failure(what: string, error: unknown): Error {
  return new Error(`${what}: ${errorText(error)}`, { cause: error });
}
