// The pods that each Service selects, kept up to date by the events of Services and pods: a change of one pod costs the
// Services that select it, however many pods they have. A Service is filed under one pair of its selector, so a pod
// finds its Services by its labels. Which change concerns which Service: as endpointslice/util/controller_utils.go,
// GetPodUpdateProjectionKey and GetServicesToUpdate. Terminal phases count as a change here, see docs/controllers.md.
import type { ObjectEvent, Stored } from '../../client/index.js';
import { deepEqual, isPodReady, isPodTerminal, namespacedName, objectKey } from '../../core/index.js';
import type { Frozen, NamespacedName, Snapshot } from '../../core/index.js';
import type { Pod, Service } from '../../core/types/index.js';

/** Pods by namespace. A shared function, so that all readers share one index. */
export function namespaceOfPod({ metadata }: Stored<Pod>): readonly string[] {
  return [metadata.namespace ?? ''];
}

/** The pods that have changed: names, or all. */
export type ChangedPods = ReadonlySet<string> | 'all';

/** The pods of all Services with a selector. */
export class ServicePods {
  readonly #pods: Pick<Snapshot<Stored<Pod>, 'namespace'>, 'by'>;
  readonly #services = new Map<string, SelectedPods>();
  /** Keys of Services by namespace and one label of their selector. */
  readonly #byLabel = new Map<string, Set<string>>();

  constructor(pods: Pick<Snapshot<Stored<Pod>, 'namespace'>, 'by'>) {
    this.#pods = pods;
  }

  /** The pods of a Service by name; none without a selector. */
  of(service: string): ReadonlyMap<string, Stored<Pod>> {
    return this.#services.get(service)?.pods ?? new Map<string, Stored<Pod>>();
  }

  /** Returns the names of the pods that changed, came or went since the last call. */
  takeChanged(service: string): ChangedPods {
    const found = this.#services.get(service);
    if (found === undefined) return 'all';
    const { changed } = found;
    found.changed = new Set();
    return changed;
  }

  /** All pods count as changed. */
  markAllChanged(service: string): void {
    const found = this.#services.get(service);
    if (found !== undefined) found.changed = 'all';
  }

  /** Takes the event of a Service into account. */
  applyService({ type, object }: ObjectEvent<Stored<Service>>): void {
    const key = objectKey(object);
    const before = this.#services.get(key);
    const selector = Object.entries(object.spec?.selector ?? {});
    if (type === 'deleted' || selector.length === 0) {
      if (before !== undefined) this.#remove(key, before);
      return;
    }
    if (before !== undefined) {
      if (deepEqual(before.selector, selector)) return;
      this.#remove(key, before);
    }
    const namespace = object.metadata.namespace ?? '';
    const selected = this.#pods.by('namespace', namespace).filter((pod) => matches(selector, pod));
    const pods = new Map(selected.map((pod) => [pod.metadata.name, pod]));
    const added: SelectedPods = { name: namespacedName(object), selector, pods, changed: 'all' };
    this.#services.set(key, added);
    const label = labelKeyOf(added);
    const filed = this.#byLabel.get(label);
    if (filed === undefined) this.#byLabel.set(label, new Set([key]));
    else filed.add(key);
  }

  /** Takes the event of a pod into account, and returns the Services whose endpoints may change. */
  applyPod(event: ObjectEvent<Stored<Pod>>): readonly NamespacedName[] {
    const { object } = event;
    const old = 'old' in event ? event.old : undefined;
    const isGone = event.type === 'deleted';
    const [current, former] = [isGone ? [] : this.#selecting(object), this.#selecting(isGone ? object : old)];
    for (const { pods, changed } of former)
      if (pods.delete(object.metadata.name) && changed !== 'all') changed.add(object.metadata.name);
    for (const { pods, changed } of current) {
      pods.set(object.metadata.name, object);
      if (changed !== 'all') changed.add(object.metadata.name);
    }
    if (old === undefined) return [...current, ...former].map(({ name }) => name);
    if (old.metadata.resourceVersion === object.metadata.resourceVersion) return [];
    const isChanged = endpointsDiffer(old, object);
    const concerned = isChanged
      ? [...new Set([...current, ...former])]
      : [...current.filter((each) => !former.includes(each)), ...former.filter((each) => !current.includes(each))];
    return concerned.map(({ name }) => name);
  }

  #selecting(pod: Stored<Pod> | undefined): readonly SelectedPods[] {
    if (pod === undefined) return [];
    const namespace = pod.metadata.namespace ?? '';
    return Object.entries(pod.metadata.labels ?? {}).flatMap((label) =>
      [...(this.#byLabel.get(labelKey(namespace, label)) ?? [])].flatMap((key) => {
        const service = this.#services.get(key);
        return service !== undefined && matches(service.selector, pod) ? [service] : [];
      }),
    );
  }

  #remove(key: string, selected: SelectedPods): void {
    this.#services.delete(key);
    const label = labelKeyOf(selected);
    const filed = this.#byLabel.get(label);
    filed?.delete(key);
    if (filed?.size === 0) this.#byLabel.delete(label);
  }
}

interface SelectedPods {
  readonly name: NamespacedName;
  readonly selector: readonly (readonly [string, string])[];
  readonly pods: Map<string, Stored<Pod>>;
  changed: Set<string> | 'all';
}

function labelKeyOf({ name, selector: [first = ['', '']] }: SelectedPods): string {
  return labelKey(name.namespace, first);
}

function labelKey(namespace: string, [key, value]: readonly [string, string]): string {
  return `${namespace} ${key}=${value}`;
}

function matches(selector: SelectedPods['selector'], { metadata }: Stored<Pod>): boolean {
  const { labels = {} } = metadata;
  return selector.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/** Returns whether the endpoint of a pod may differ. A pod that is terminating counts with every change. */
function endpointsDiffer(old: Frozen<Pod>, pod: Frozen<Pod>): boolean {
  const ips = ({ status }: Frozen<Pod>): string => (status?.podIPs ?? []).map(({ ip }) => ip).join(' ');
  return (
    pod.metadata?.deletionTimestamp !== undefined ||
    old.metadata?.deletionTimestamp !== undefined ||
    old.metadata?.uid !== pod.metadata?.uid ||
    isPodReady(old) !== isPodReady(pod) ||
    isPodTerminal(old) !== isPodTerminal(pod) ||
    ips(old) !== ips(pod)
  );
}
