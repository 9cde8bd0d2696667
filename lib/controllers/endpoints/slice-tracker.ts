// The slices that a controller wrote, while its informer lags behind. A Service whose slices the informer does not show
// yet is reconciled when it shows them. Own writes are recognised, so that only changes by others cause a reconcile. As
// endpointslice/util/endpointslice_tracker.go, which fails instead of waiting.
import type { ObjectEvent, Stored } from '../../client/index.js';
import { isOlderVersion, isTerminating, parseObjectKey } from '../../core/index.js';
import type { NamespacedName } from '../../core/index.js';
import type { EndpointSlice } from '../../core/types/index.js';
import { managedByLabel, serviceNameLabel } from './slice-labels.js';

/** The slices that a controller wrote, by Service. */
export class SliceTracker {
  readonly #manager: string;
  readonly #services = new Map<string, Map<string, Written>>();
  /** Services that wait for the informer. */
  readonly #waiting = new Set<string>();

  /** `manager` is the value of the managed-by label of its slices. */
  constructor(manager: string) {
    this.#manager = manager;
  }

  /** Records the response to a create or update. */
  wrote(slice: Stored<EndpointSlice>): void {
    this.#of(slice).set(slice.metadata.uid, { slice, isDeleted: false });
  }

  /** Records a deletion. */
  deleted(slice: Stored<EndpointSlice>): void {
    this.#of(slice).set(slice.metadata.uid, { slice, isDeleted: true });
  }

  /** Forgets a Service. */
  forget(service: string): void {
    this.#services.delete(service);
    this.#waiting.delete(service);
  }

  /** Returns whether an informer at that revision, which shows these slices, lacks a write. The Service then waits. */
  isStale(service: string, slices: readonly Stored<EndpointSlice>[], resourceVersion = ''): boolean {
    const expected = this.#services.get(service) ?? new Map<string, Written>();
    const shown = new Map(slices.map((slice) => [slice.metadata.uid, slice]));
    for (const [uid, { slice, isDeleted }] of expected) {
      const seen = shown.get(uid);
      // A slice that is gone before the informer has shown it: another client deleted it.
      const isGone = seen === undefined && (isDeleted || !isOlderVersion({ metadata: { resourceVersion } }, slice));
      if (isGone) expected.delete(uid);
      else if (isDeleted ? !isTerminating(seen ?? slice) : generationOf(seen) < generationOf(slice)) {
        this.#waiting.add(service);
        return true;
      }
    }
    return false;
  }

  /** Returns the Service that waited for the event, and the Services whose slices another client changed. */
  apply(event: ObjectEvent<Stored<EndpointSlice>>): {
    readonly awaited: readonly NamespacedName[];
    readonly changed: readonly NamespacedName[];
  } {
    const isAwaited = this.#waiting.delete(serviceKeyOf(event.object));
    return { awaited: isAwaited ? servicesOf([event.object]) : [], changed: this.#foreignChanges(event) };
  }

  /** The key of the Service of a slice that the controller manages. */
  managedService(slice: Stored<EndpointSlice>): readonly string[] {
    return this.#isManaged(slice) ? [serviceKeyOf(slice)] : [];
  }

  #foreignChanges(event: ObjectEvent<Stored<EndpointSlice>>): readonly NamespacedName[] {
    const { object } = event;
    if (event.type === 'deleted') return this.#isForeignDeletion(object) ? servicesOf([object]) : [];
    const { old } = event;
    if (old !== undefined) {
      // A change of labels changes the Service, or the controller that manages the slice.
      if (serviceKeyOf(old) !== serviceKeyOf(object)) return servicesOf([object, old]);
      if (this.#isManaged(old) !== this.#isManaged(object)) return servicesOf([object]);
    }
    return this.#isForeign(object) ? servicesOf([object]) : [];
  }

  #isForeign(slice: Stored<EndpointSlice>): boolean {
    if (!this.#isManaged(slice)) return false;
    const written = this.#services.get(serviceKeyOf(slice))?.get(slice.metadata.uid);
    return written === undefined || (!written.isDeleted && generationOf(slice) > generationOf(written.slice));
  }

  #isForeignDeletion(slice: Stored<EndpointSlice>): boolean {
    if (!this.#isManaged(slice)) return false;
    const expected = this.#services.get(serviceKeyOf(slice));
    const written = expected?.get(slice.metadata.uid);
    expected?.delete(slice.metadata.uid);
    return written !== undefined && !written.isDeleted;
  }

  #isManaged({ metadata }: Stored<EndpointSlice>): boolean {
    return metadata.labels?.[managedByLabel] === this.#manager;
  }

  #of(slice: Stored<EndpointSlice>): Map<string, Written> {
    const key = serviceKeyOf(slice);
    const found = this.#services.get(key);
    if (found !== undefined) return found;
    const created = new Map<string, Written>();
    this.#services.set(key, created);
    return created;
  }
}

interface Written {
  readonly slice: Stored<EndpointSlice>;
  readonly isDeleted: boolean;
}

/** The Services that slices name. */
function servicesOf(slices: readonly Stored<EndpointSlice>[]): readonly NamespacedName[] {
  return slices
    .filter(({ metadata }) => (metadata.labels?.[serviceNameLabel] ?? '') !== '')
    .flatMap((slice) => parseObjectKey(serviceKeyOf(slice)) ?? []);
}

function generationOf(slice: Stored<EndpointSlice> | undefined): number {
  return slice?.metadata.generation ?? 0;
}

/** Returns the key of the Service that a slice names; of a Service without a name if it names none. */
function serviceKeyOf({ metadata }: Pick<Stored<EndpointSlice>, 'metadata'>): string {
  return `${metadata.namespace ?? ''}/${metadata.labels?.[serviceNameLabel] ?? ''}`;
}
