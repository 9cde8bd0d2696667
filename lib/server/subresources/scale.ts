// scale: how many pods a workload has and should have, in one form for all kinds of workloads. Read from the workload
// and written into it, so that everything that holds for an update of the workload holds here too. As the ScaleREST of
// pkg/registry/apps/*/storage and their scaleUpdatedObjectInfo.
import { conflict, decodeValue, invalid, scaleOf, scaleTable, validateScale, withReplicas } from '../../core/index.js';
import type { ApiObject, Frozen, Scalable } from '../../core/index.js';
import type { Scale } from '../../core/types/index.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import type { ViewSubresource } from './subresource.js';

/** The subresource of every workload that has one. */
export const scaleSubresource: ViewSubresource<Scale> = {
  kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  table: scaleTable,
  from: (workload) => scaleOf(workload as Scalable),
  into: scaled,
};

/** The workload with the replicas that its new scale says. */
function scaled(parent: Frozen<ApiObject>, proposed: Scale, { gvr, served }: ResourceEndpoint): ApiObject {
  const workload = parent as Scalable;
  const { name = '', namespace = '', uid: actual = '' } = workload.metadata ?? {};
  const metadata = { ...proposed.metadata, namespace: proposed.metadata?.namespace ?? namespace };
  const errors = validateScale({ ...proposed, metadata });
  if (errors.length > 0) throw invalid(scaleSubresource.kind, name, errors);
  const { uid = '', resourceVersion = '' } = metadata;
  if (uid !== '' && uid !== actual) {
    throw conflict(
      { group: gvr.group, resource: `${gvr.resource}/scale`, name },
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`,
    );
  }
  // Decoding makes a copy that the pipeline may change.
  const { object } = decodeValue(served.type(), withReplicas(workload, proposed.spec?.replicas ?? 0));
  const draft: ApiObject = object;
  if (draft.metadata !== undefined) draft.metadata.resourceVersion = resourceVersion;
  return draft;
}
