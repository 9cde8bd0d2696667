// The claims of a pod to be placed: bound ones, and those that wait for their first consumer. A claim that should
// already be bound and is not makes the pod unschedulable. A claim that several volumes of the pod name counts once.
import {
  classOfClaim,
  isFullyBound,
  notMadeFor,
  quote,
  volumeNameOf,
  waitsForConsumer,
} from '../../../../core/index.js';
import type { FrozenClaim } from '../../../../core/index.js';
import type { ObjectLister } from '../../../cluster/object-lister.js';
import { unresolvable } from '../../../framework/rejection.js';
import type { Rejection } from '../../../framework/rejection.js';
import type { PodFacts } from '../../../pod/pod-facts.js';
import { claimOf, notFoundText } from '../claims-and-volumes.js';
import type { AssumedVolumes } from './assumed-volumes.js';

/** The claims of a pod, without duplicates. */
export interface PodClaims {
  readonly bound: readonly FrozenClaim[];
  /** Claims that wait for their first consumer. */
  readonly waiting: readonly FrozenClaim[];
}

/** Returns why a pod cannot be placed; undefined if its claims are valid. */
export function claimsProblem(pod: PodFacts, objects: ObjectLister): Rejection | undefined {
  for (const { claim: name, ephemeral } of pod.volumeClaims) {
    const claim = claimOf(objects, pod, name);
    if (claim === undefined)
      return ephemeral
        ? unresolvable(`waiting for ephemeral volume controller to create the persistentvolumeclaim ${quote(name)}`)
        : unresolvable(notFoundText('persistentvolumeclaim', name));
    const { metadata, status, spec } = claim;
    if (status?.phase === 'Lost')
      return unresolvable(
        `persistentvolumeclaim ${quote(name)} bound to non-existent persistentvolume ${quote(volumeNameOf(spec))}`,
      );
    if (metadata?.deletionTimestamp !== undefined)
      return unresolvable(`persistentvolumeclaim ${quote(name)} is being deleted`);
    const foreign = ephemeral ? notMadeFor(pod.object, claim) : undefined;
    if (foreign !== undefined) return unresolvable(foreign);
  }
  return undefined;
}

/** Divides the claims of a pod, all of which exist. */
export function podVolumeClaims(pod: PodFacts, objects: ObjectLister, assumed: AssumedVolumes): PodClaims | Rejection {
  const bound: FrozenClaim[] = [];
  const waiting: FrozenClaim[] = [];
  for (const name of new Set(pod.volumeClaims.map(({ claim }) => claim))) {
    const claim = assumed.claims.get(`${pod.namespace}/${name}`);
    if (claim === undefined) continue; // claimsProblem has checked that it exists
    if (isFullyBound(claim)) bound.push(claim);
    else if (volumeNameOf(claim.spec) === '' && waitsForConsumer(objects.get('StorageClass', classOfClaim(claim))))
      waiting.push(claim);
    else return unboundImmediate;
  }
  return { bound, waiting };
}

const unboundImmediate = unresolvable('pod has unbound immediate PersistentVolumeClaims');
