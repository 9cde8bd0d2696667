// The objects that draw flows and levels, as they are and whenever they change. Nothing is read before somebody
// subscribes.
import { combineLatest, defer, filter, map, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { reflect, snapshotWriter } from '../../core/index.js';
import type { ApiObject, Frozen, ObjectReader } from '../../core/index.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../../core/types/index.js';

/** Levels and schemas. */
export interface FlowConfiguration {
  readonly levels: readonly Frozen<PriorityLevelConfiguration>[];
  readonly schemas: readonly Frozen<FlowSchema>[];
}

/** Completes when the server is closed; errors never. `failed` is called whenever something could not be read. */
export function flowConfiguration(reader: ObjectReader, failed: () => void): Observable<FlowConfiguration> {
  const objects = <T extends ApiObject>(resource: string): Observable<readonly Frozen<T>[]> =>
    defer(() => {
      const known = snapshotWriter<Frozen<T>>({});
      return reader.changes<T>({ group: 'flowcontrol.apiserver.k8s.io', resource }).pipe(
        reflect(known),
        tap(({ type }) => {
          if (type === 'failed') failed();
        }),
        filter(({ type }) => type === 'synced' || type === 'applied' || type === 'deleted'),
        map(() => known.snapshot.list()),
      );
    });
  return combineLatest({
    levels: objects<PriorityLevelConfiguration>('prioritylevelconfigurations'),
    schemas: objects<FlowSchema>('flowschemas'),
  });
}
