// What is to be written for a pod that has its node: volumes given to claims, and claims told for which node a volume
// is to be made. From the moment it is made a plan counts as if it were written; what has not been written can be taken
// back. As pkg/scheduler/framework/plugins/volumebinding, AssumePodVolumes.
import { deepFreeze, givenTo, selectedNodeAnnotation, setIn } from '../../../../core/index.js';
import type { FrozenClaim, FrozenVolume } from '../../../../core/index.js';
import type { AssumedVolumes } from './assumed-volumes.js';
import type { NodeVolumes } from './volumes-on-node.js';

/** The writes that a pod waits for. */
export interface VolumePlan {
  readonly volumes: readonly PlannedVolume[];
  readonly claims: readonly PlannedClaim[];
}

/** A volume with the claim that it is given to. */
export interface PlannedVolume {
  readonly claim: FrozenClaim;
  readonly wanted: FrozenVolume;
  /** As the API answered, once it is done. */
  written?: FrozenVolume;
}

/** A claim for which a volume is to be made. */
export interface PlannedClaim {
  readonly wanted: FrozenClaim;
  written?: FrozenClaim;
}

/** Makes a plan and assumes it. */
export function assumePlan(
  { matches, provisions }: NodeVolumes,
  nodeName: string,
  assumed: AssumedVolumes,
): VolumePlan {
  const plan: VolumePlan = {
    volumes: matches.map(({ claim, volume }) => ({ claim, wanted: givenTo(claim, volume) })),
    claims: provisions.map((claim) => ({ wanted: forNode(nodeName, claim) })),
  };
  for (const { wanted } of plan.volumes) assumed.volumes.assume(wanted);
  for (const { wanted } of plan.claims) assumed.claims.assume(wanted);
  return plan;
}

/** Takes back what has not been written. What has been, the API will tell. */
export function restorePlan({ volumes, claims }: VolumePlan, assumed: AssumedVolumes): void {
  for (const { wanted, written } of volumes) if (written === undefined) assumed.volumes.restore(wanted);
  for (const { wanted, written } of claims) if (written === undefined) assumed.claims.restore(wanted);
}

function forNode(nodeName: string, claim: FrozenClaim): FrozenClaim {
  return deepFreeze(setIn(claim, ['metadata', 'annotations', selectedNodeAnnotation], nodeName));
}
