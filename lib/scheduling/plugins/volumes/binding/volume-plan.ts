// The writes for a pod whose node is chosen: volumes bound to claims, and claims annotated with the node to provision
// for. A plan is assumed when it is made; what has not been written can be reverted. As
// pkg/scheduler/framework/plugins/volumebinding, AssumePodVolumes.
import { deepFreeze, givenTo, selectedNodeAnnotation, setIn } from '../../../../core/index.js';
import type { FrozenClaim, FrozenVolume } from '../../../../core/index.js';
import type { AssumedVolumes } from './assumed-volumes.js';
import type { NodeVolumes } from './volumes-on-node.js';

/** The planned writes of a pod. */
export interface VolumePlan {
  readonly volumes: readonly PlannedVolume[];
  readonly claims: readonly PlannedClaim[];
}

/** A volume to be bound to a claim. */
export interface PlannedVolume {
  readonly claim: FrozenClaim;
  readonly wanted: FrozenVolume;
  /** The response, once written. */
  written?: FrozenVolume;
}

/** A claim to provision a volume for. */
export interface PlannedClaim {
  readonly wanted: FrozenClaim;
  written?: FrozenClaim;
}

/** Creates and assumes a plan. */
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

/** Reverts what has not been written. The watch delivers what has. */
export function restorePlan({ volumes, claims }: VolumePlan, assumed: AssumedVolumes): void {
  for (const { wanted, written } of volumes) if (written === undefined) assumed.volumes.restore(wanted);
  for (const { wanted, written } of claims) if (written === undefined) assumed.claims.restore(wanted);
}

function forNode(nodeName: string, claim: FrozenClaim): FrozenClaim {
  return deepFreeze(setIn(claim, ['metadata', 'annotations', selectedNodeAnnotation], nodeName));
}
