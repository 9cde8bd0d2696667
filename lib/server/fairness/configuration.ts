// The FlowSchemas and PriorityLevelConfigurations of a server, and their changes.
import { combineLatest, filter, map } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ApiObject, Frozen, ObjectInformers } from '../../core/index.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../../core/types/index.js';

/** Levels and schemas. */
export interface FlowConfiguration {
  readonly levels: readonly Frozen<PriorityLevelConfiguration>[];
  readonly schemas: readonly Frozen<FlowSchema>[];
}

/**
 * Emits the configuration whenever it changes. Objects that cannot be read count as absent, so that the mandatory ones
 * apply: health checks must be answered even then. Cold; completes when the server is closed; never errors.
 */
export function flowConfiguration(informers: ObjectInformers): Observable<FlowConfiguration> {
  const objects = <T extends ApiObject>(resource: string): Observable<readonly Frozen<T>[]> => {
    const informer = informers.of<T>({ group: 'flowcontrol.apiserver.k8s.io', resource });
    return informer.events$.pipe(
      filter(({ type }) => type === 'synced' || type === 'applied' || type === 'deleted' || type === 'failed'),
      map(() => informer.list()),
    );
  };
  return combineLatest({
    levels: objects<PriorityLevelConfiguration>('prioritylevelconfigurations'),
    schemas: objects<FlowSchema>('flowschemas'),
  });
}
