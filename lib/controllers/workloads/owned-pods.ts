// Finds the pods of an owner through one index of the shared pod informer: by the uid of the controller, and the pods
// without a controller by namespace. All controllers that use `podsByController` share the index. As
// pkg/controller/controller_utils.go, AddPodControllerIndexer and FilterPodsByOwner.
import type { Informers, Stored } from '../../client/index.js';
import { controllerOf } from '../../core/index.js';
import type { ApiObject, Informer, Snapshot } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** The name of the index. */
export type ControllerIndex = 'controller';

/** Returns the informer of pods with the index of their controllers. */
export function podsByController(informers: Informers): Informer<Stored<Pod>, ControllerIndex> {
  return informers.kind('v1', 'Pod').indexedBy({ controller: controllerValues });
}

/** An index function: the uid of the controller, or a value for all objects of the namespace without one. */
export function controllerValues(object: Stored): readonly string[] {
  const controller = controllerOf(object);
  return [controller === undefined ? orphansIn(object.metadata.namespace) : controller.uid];
}

/** Returns the objects that the owner controls. */
export function dependentsOf<T>(objects: Snapshot<T, ControllerIndex>, owner: Stored): readonly T[] {
  return objects.by('controller', owner.metadata.uid);
}

/** Returns the objects that the owner controls, and those of its namespace without a controller. */
export function dependentsAndOrphans<T>(objects: Snapshot<T, ControllerIndex>, owner: Stored): readonly T[] {
  const orphans = objects.by('controller', orphansIn(owner.metadata.namespace));
  const dependents = dependentsOf(objects, owner);
  return orphans.length === 0 ? dependents : [...dependents, ...orphans];
}

/** Returns the owner that the controller reference of an object names, if it is of that kind and has that uid. */
export function ownerOf<T extends ApiObject>(
  object: Stored,
  kind: string,
  owners: Pick<Snapshot<Stored<T>>, 'get'>,
): Stored<T> | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== kind) return undefined;
  const owner = owners.get(`${object.metadata.namespace ?? ''}/${reference.name}`);
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}

/** No uid contains a slash. */
function orphansIn(namespace = ''): string {
  return `orphans/${namespace}`;
}
