// The object that an election is about: a Lease, or, as in Kubernetes before v1.20, the annotation
// `control-plane.alpha.kubernetes.io/leader` of a ConfigMap or of Endpoints. All locks read and write the record as a
// Lease, so that the state machine has one form. Fields of the object besides the annotation are kept. As
// client-go/tools/leaderelection/resourcelock, interface.go and its former configmaplock.go.
import type { Frozen } from '../../core/index.js';
import type { Lease, LeaseSpec } from '../../core/types/index.js';
import type { Client } from '../client.js';
import type { CallOptions } from '../resources/request-options.js';
import type { DynamicObject, ResourceClient, Stored } from '../resources/resource-client.js';

/** The kind of the object that the leader holds. */
export type ResourceLock = 'leases' | 'configmaps' | 'endpoints';

/** All kinds of locks; the first is the default. */
export const resourceLocks: readonly ResourceLock[] = ['leases', 'configmaps', 'endpoints'];

/** Reads and writes the record of an election in the form of a Lease. Methods reject with ApiError. */
export interface ElectionLock {
  get(name: string, options: CallOptions): Promise<Stored<Lease>>;
  create(lease: Frozen<Lease>, options: CallOptions): Promise<Stored<Lease>>;
  update(lease: Frozen<Lease>, options: CallOptions): Promise<Stored<Lease>>;
}

/** Returns the lock of a namespace. */
export function electionLock(client: Client, namespace: string, lock: ResourceLock): ElectionLock {
  switch (lock) {
    case 'leases':
      return client.kind('coordination.k8s.io/v1', 'Lease').in(namespace);
    case 'configmaps':
      return annotationLock(client.resource({ apiVersion: 'v1', kind: 'ConfigMap' }).in(namespace));
    case 'endpoints':
      return annotationLock(client.resource({ apiVersion: 'v1', kind: 'Endpoints' }).in(namespace));
  }
}

const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

function annotationLock(objects: ResourceClient): ElectionLock {
  // The object of the last response: an update sends its other fields back, and is refused if another came before.
  let known: Stored<DynamicObject> | undefined;
  const leaseOf = (object: Stored<DynamicObject>): Stored<Lease> => {
    known = object;
    return { metadata: object.metadata, spec: recordOf(object.metadata.annotations?.[leaderAnnotation]) };
  };
  return {
    get: async (name, options) => leaseOf(await objects.get(name, options)),
    create: async (lease, options) => leaseOf(await objects.create({ metadata: annotated(lease) }, options)),
    update: async (lease, options) => leaseOf(await objects.update({ ...known, metadata: annotated(lease) }, options)),
  };
}

function annotated({ metadata, spec }: Frozen<Lease>): NonNullable<Frozen<Lease>['metadata']> {
  return { ...metadata, annotations: { ...metadata?.annotations, [leaderAnnotation]: printRecord(spec ?? {}) } };
}

/** Prints a record with the members of LeaderElectionRecord, in their order. Its times have no fraction of a second. */
function printRecord(spec: Frozen<LeaseSpec>): string {
  return JSON.stringify({
    holderIdentity: spec.holderIdentity ?? '',
    leaseDurationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTime: wholeSeconds(spec.acquireTime),
    renewTime: wholeSeconds(spec.renewTime),
    leaderTransitions: spec.leaseTransitions ?? 0,
  });
}

function wholeSeconds(time: string | undefined): string | null {
  return time?.replace(/\.[0-9]+Z$/, 'Z') ?? null;
}

/** Parses a record. Text that is no record counts as one without a holder. */
function recordOf(text: string | undefined): LeaseSpec {
  let record: unknown;
  try {
    record = JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
  if (typeof record !== 'object' || record === null) return {};
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaderTransitions } = record as Partial<
    Record<string, unknown>
  >;
  return {
    ...(typeof holderIdentity === 'string' && { holderIdentity }),
    ...(typeof leaseDurationSeconds === 'number' && { leaseDurationSeconds }),
    ...(typeof acquireTime === 'string' && { acquireTime }),
    ...(typeof renewTime === 'string' && { renewTime }),
    ...(typeof leaderTransitions === 'number' && { leaseTransitions: leaderTransitions }),
  };
}
