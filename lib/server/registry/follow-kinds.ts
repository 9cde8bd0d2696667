// What a server does when a kind changes: the kind's cache is closed, its watches end, its routes and series of metrics
// are dropped. Everything else that depends on kinds reads `kinds.current` per request, or keeps what it made by the
// identity of a group or of a group-version's resources.
import { tap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { GroupResource, Kinds, SchemeChange } from '../../core/index.js';
import type { Registry } from './registry.js';

/** What keeps something about a resource between requests. */
export interface ResourceMemory {
  /** Drops what is kept about a resource in all its versions. */
  forget(resource: GroupResource): void;
}

/** Follows the kinds while subscribed, and emits each change after it took effect. */
export function followKinds(
  kinds: Kinds,
  { registry, memories }: { readonly registry: Registry; readonly memories: () => readonly ResourceMemory[] },
): Observable<SchemeChange> {
  return kinds.changes$.pipe(
    tap((change) => {
      const dropped = registry.drop(change);
      for (const resource of dropped) for (const memory of memories()) memory.forget(resource);
    }),
  );
}
