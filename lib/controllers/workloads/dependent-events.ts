// The owners that an event of a dependent concerns: its controller, the controller it had before, or, for an object
// without a controller, all owners whose selector matches it and which may adopt it. On the way, expectations learn
// what the informer has seen. As addPod, updatePod and deletePod of pkg/controller/replicaset.
import type { ObjectEvent, Stored } from '../../client/index.js';
import { controllerOf, deepEqual, isTerminating, matchesLabels, namespacedName, objectKey } from '../../core/index.js';
import type { ApiObject, NamespacedName, Selector, Snapshot } from '../../core/index.js';
import type { Expectations } from './expectations.js';
import { ownerOf } from './owned-pods.js';

/** The owners of one kind. */
export interface DependentEvents<T extends ApiObject> {
  readonly kind: string;
  readonly owners: Snapshot<Stored<T>, 'namespace'>;
  /** Returns what an owner selects. */
  readonly selectorOf: (owner: Stored<T>) => Selector;
  /** Default: none are kept. */
  readonly expectations?: Expectations;
}

/** An index function: the namespace. */
export function namespaceValues(object: Stored): readonly string[] {
  return [object.metadata.namespace ?? ''];
}

/** Returns the owners to reconcile after an event of a dependent. */
export function ownersToReconcile<T extends ApiObject>(
  event: ObjectEvent<Stored>,
  options: DependentEvents<T>,
): readonly NamespacedName[] {
  const { object } = event;
  if (event.type === 'deleted') return ownerOfDeleted(object, options);
  const { old } = event;
  if (old === undefined) return ownersOfCreated(object, options);
  if (old.metadata.uid !== object.metadata.uid)
    return [...ownerOfDeleted(old, options), ...ownersOfCreated(object, options)];
  // A new list shows what is known already.
  if (old.metadata.resourceVersion === object.metadata.resourceVersion) return [];
  return ownersOfChanged(object, old, options);
}

/** The deletion of an object without a controller concerns no owner. */
function ownerOfDeleted<T extends ApiObject>(object: Stored, options: DependentEvents<T>): readonly NamespacedName[] {
  const owner = ownerOf(object, options.kind, options.owners);
  if (owner === undefined) return [];
  options.expectations?.deletionObserved(objectKey(owner), object.metadata.uid);
  return [namespacedName(owner)];
}

function ownersOfCreated<T extends ApiObject>(object: Stored, options: DependentEvents<T>): readonly NamespacedName[] {
  // After a restart the first that is seen of an object may be that it is being deleted.
  if (isTerminating(object)) return ownerOfDeleted(object, options);
  if (controllerOf(object) === undefined) return ownersSelecting(object, options);
  const owner = ownerOf(object, options.kind, options.owners);
  if (owner === undefined) return [];
  options.expectations?.creationObserved(objectKey(owner));
  return [namespacedName(owner)];
}

function ownersOfChanged<T extends ApiObject>(
  object: Stored,
  old: Stored,
  options: DependentEvents<T>,
): readonly NamespacedName[] {
  const { kind, owners } = options;
  if (isTerminating(object)) return ownerOfDeleted(object, options);
  const controller = controllerOf(object);
  const hasNewController = !deepEqual(controller, controllerOf(old));
  const former = hasNewController ? ownerOf(old, kind, owners) : undefined;
  const found = former === undefined ? [] : [namespacedName(former)];
  if (controller !== undefined) {
    const owner = ownerOf(object, kind, owners);
    return owner === undefined ? found : [...found, namespacedName(owner)];
  }
  const isAdoptable = hasNewController || !deepEqual(object.metadata.labels, old.metadata.labels);
  return isAdoptable ? [...found, ...ownersSelecting(object, options)] : found;
}

/** An empty selector selects nothing here. */
function ownersSelecting<T extends ApiObject>(
  { metadata: { namespace = '', labels } }: Stored,
  { owners, selectorOf }: DependentEvents<T>,
): readonly NamespacedName[] {
  return owners
    .by('namespace', namespace)
    .filter((owner) => {
      const selector = selectorOf(owner);
      return selector.requirements.length > 0 && matchesLabels(selector, labels);
    })
    .map(namespacedName);
}
