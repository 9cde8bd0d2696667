// The objects that draw flows and levels, as they are and whenever they change. Nothing is read before somebody subscribes,
// and nothing but failures takes time: what could not be read is tried again after a second.
import { combineLatest, concat, defer, from, map, of, retry, switchMap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Clock, Frozen } from '../../core/index.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../../core/types/index.js';
import type { Registry } from '../registry/registry.js';
import type { Stored, StoredKind } from '../registry/stored-kind.js';

/** Levels and schemas. */
export interface FlowConfiguration {
  readonly levels: readonly Frozen<PriorityLevelConfiguration>[];
  readonly schemas: readonly Frozen<FlowSchema>[];
}

/** Endless until the registry is closed; errors never. `failed` is called whenever something could not be read. */
export function flowConfiguration(registry: Registry, clock: Clock, failed: () => void): Observable<FlowConfiguration> {
  const objects = (resource: string): Observable<readonly Stored[]> => {
    const endpoint = registry.endpoint({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource });
    // A host's own scheme may have no such kinds.
    return endpoint === undefined ? of([]) : collection(endpoint.stored);
  };
  return combineLatest([objects('prioritylevelconfigurations'), objects('flowschemas')]).pipe(
    map(([levels, schemas]) => ({ levels: levels as FlowConfiguration['levels'], schemas: schemas as FlowConfiguration['schemas'] })),
    retry({
      delay: () => {
        failed();
        return clock.timer(retryMs);
      },
    }),
  );
}

const retryMs = 1000;

function collection({ cacher }: StoredKind): Observable<readonly Stored[]> {
  return defer(() => from(cacher.list())).pipe(
    switchMap(({ items, revision }) => {
      const known = new Map(items.map((item) => [item.metadata?.name ?? '', item]));
      const changes = cacher.watch({ after: revision }).pipe(
        map((event) => {
          if (event.type === 'DELETED') known.delete(event.object.metadata?.name ?? '');
          else if (event.type !== 'BOOKMARK') known.set(event.object.metadata?.name ?? '', event.object);
          return [...known.values()];
        }),
      );
      return concat(of(items), changes);
    }),
  );
}
