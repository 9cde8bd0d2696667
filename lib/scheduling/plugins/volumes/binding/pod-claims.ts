// The claims of a pod as it is about to be placed: those that have their volumes, and those that get one when the pod
// has its node. A claim that should have its volume by now and has none keeps the pod waiting. A claim that several
// volumes of the pod name is one claim.
import {
  classOfClaim,
  isFullyBound,
  notMadeFor,
  quote,
  volumeNameOf,
  waitsForConsumer,
} from '../../../../core/index.js';
import type { FrozenClaim } from '../../../../core/index.js';
import type { KnownObjects } from '../../../cluster/known-objects.js';
import { unresolvable } from '../../../framework/rejection.js';
import type { Rejection } from '../../../framework/rejection.js';
import type { PodFacts } from '../../../pod/pod-facts.js';
import { claimOf, notFoundText } from '../claims-and-volumes.js';
import type { AssumedVolumes } from './assumed-volumes.js';

/** The claims of a pod, each once. */
export interface PodClaims {
  readonly bound: readonly FrozenClaim[];
  /** Those that wait for the pod to have a node. */
  readonly waiting: readonly FrozenClaim[];
}

/** Why a pod cannot be placed for the time being; undefined if its claims are in order. */
export function claimsProblem(pod: PodFacts, objects: KnownObjects): Rejection | undefined {
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

/** Sorts the claims of a pod, all of which are there. */
export function podVolumeClaims(pod: PodFacts, objects: KnownObjects, assumed: AssumedVolumes): PodClaims | Rejection {
  const bound: FrozenClaim[] = [];
  const waiting: FrozenClaim[] = [];
  for (const name of new Set(pod.volumeClaims.map(({ claim }) => claim))) {
    const claim = assumed.claims.get(`${pod.namespace}/${name}`);
    if (claim === undefined) continue; // claimsProblem has seen it
    if (isFullyBound(claim)) bound.push(claim);
    else if (volumeNameOf(claim.spec) === '' && waitsForConsumer(objects.get('StorageClass', classOfClaim(claim))))
      waiting.push(claim);
    else return unboundImmediate;
  }
  return { bound, waiting };
}

const unboundImmediate = unresolvable('pod has unbound immediate PersistentVolumeClaims');
