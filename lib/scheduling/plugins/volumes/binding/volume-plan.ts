// What is to be written for a pod that has its node: volumes given to claims, and claims told for which node a volume is to
// be made. From the moment it is made a plan counts as if it were written; what has not been written can be taken back.
// As pkg/scheduler/framework/plugins/volumebinding, AssumePodVolumes.
import { deepFreeze, setIn } from '../../../../core/index.js';
import type { Claim, Volume } from '../claims-and-volumes.js';
import { boundByControllerAnnotation, isClaimedBy, isMeantFor, selectedNodeAnnotation } from '../claims-and-volumes.js';
import type { AssumedVolumes } from './assumed-volumes.js';
import type { NodeVolumes } from './volumes-on-node.js';

/** The writes that a pod waits for. */
export interface VolumePlan {
  readonly volumes: readonly PlannedVolume[];
  readonly claims: readonly PlannedClaim[];
}

/** A volume with the claim that it is given to. */
export interface PlannedVolume {
  readonly claim: Claim;
  readonly wanted: Volume;
  /** As the API answered, once it is done. */
  written?: Volume;
}

/** A claim for which a volume is to be made. */
export interface PlannedClaim {
  readonly wanted: Claim;
  written?: Claim;
}

/** Makes a plan and assumes it. */
export function assumePlan({ matches, provisions }: NodeVolumes, nodeName: string, assumed: AssumedVolumes): VolumePlan {
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

/** The volume, given to the claim. Who gave it is noted, unless a person had it meant for the claim already. */
function givenTo(claim: Claim, volume: Volume): Volume {
  if (isClaimedBy(volume, claim)) return volume;
  const { namespace, name, uid, resourceVersion } = claim.metadata ?? {};
  const given = setIn(volume, ['spec', 'claimRef'], definedOnly({ kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion }));
  return deepFreeze(isMeantFor(volume, claim) ? given : setIn(given, ['metadata', 'annotations', boundByControllerAnnotation], 'yes'));
}

function forNode(nodeName: string, claim: Claim): Claim {
  return deepFreeze(setIn(claim, ['metadata', 'annotations', selectedNodeAnnotation], nodeName));
}

function definedOnly(texts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}
