// All containers of a pod, with where they stand: init containers first, then regular, then ephemeral ones.
// As pkg/apis/core/pods/helpers.go, VisitContainersWithPath.
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { Container, EphemeralContainer, PodSpec } from '../../types/core-v1.generated.js';

/** A container of any sort and its place. */
export interface PlacedContainer {
  readonly container: Frozen<Container | EphemeralContainer>;
  readonly at: FieldPath;
}

/** Every container below the specification at `path`. */
export function containersOf(spec: Frozen<PodSpec>, path: FieldPath): readonly PlacedContainer[] {
  const placed: PlacedContainer[] = [];
  for (const sort of sorts) {
    const list = spec[sort];
    if (list === undefined || list.length === 0) continue;
    const listPath = path.child(sort);
    list.forEach((container, index) => placed.push({ container, at: listPath.index(index) }));
  }
  return placed;
}

/** The regular containers. The type promises a list; an object without one decodes to an object without one. */
export function regularContainers(spec: Partial<Frozen<PodSpec>>): readonly Frozen<Container>[] {
  return spec.containers ?? [];
}

/** Returns whether the init container keeps running beside the regular ones. */
export function isSidecar(container: Frozen<Container>): boolean {
  return container.restartPolicy === 'Always';
}

const sorts = ['initContainers', 'containers', 'ephemeralContainers'] as const;
