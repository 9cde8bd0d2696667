// What the scheduler knows of a pod by looking at it alone.
export type { PodFacts } from './pod-facts.js';
export { podFacts } from './pod-facts.js';
export type { ResourceAmounts } from './resource-amounts.js';
export { isScalarResource } from './resource-amounts.js';
export type { NonZeroRequests } from './requests.js';
export { assumedMemory, assumedMilliCpu, heldRequests, nonZeroHeldRequests, nonZeroPodRequests, podRequests } from './requests.js';
export type { HostPort } from './host-ports.js';
export { anyAddress, hostPorts, portsCollide } from './host-ports.js';
export { countUnpreferred, preferenceTolerations, toleratesOne, toleratesTaint, unschedulableTaint, untoleratedTaint } from './tolerations.js';
export type { CompiledTerms, FieldTest, NodeTerm, RequiredNodes, WeightedNodeTerm } from './node-affinity.js';
export { compileNodeTerms, compilePreferredTerms, matchesAnyTerm, matchesRequired, matchesTerm, preferenceScore, preferredNodes, requiredNodes } from './node-affinity.js';
export type { AffinityTerm, AffinityTerms, WeightedAffinityTerm } from './pod-affinity.js';
export { asksNamespaces, matchesAffinityTerm, podAffinity, podAntiAffinity } from './pod-affinity.js';
export type { SelectingController, SpreadConstraint, SpreadConstraints } from './topology-spread.js';
export { alikeSelector, defaultSpreadConstraints, noSpreadConstraints, ownSpreadConstraints, selectingController, systemDefaultConstraints } from './topology-spread.js';
export { imageName, podImages } from './images.js';
export type { DeviceClaim, VolumeClaim } from './claims.js';
export { deviceClaims, volumeClaims } from './claims.js';
