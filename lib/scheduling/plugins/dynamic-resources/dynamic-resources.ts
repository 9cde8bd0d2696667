// DynamicResources: filters nodes that cannot use or provide the devices of the pod's claims. Unallocated claims get
// devices here: found per node, decided at Reserve, written at PreBind. PostFilter deallocates a claim that makes all
// nodes infeasible. As pkg/scheduler/framework/plugins/dynamicresources.
import { matchesAnyTerm, objectKey } from '../../../core/index.js';
import type { Random } from '../../../core/index.js';
import type { ClusterView } from '../../cluster/cluster-view.js';
import type { NodeView } from '../../cluster/node-view.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { Cycle } from '../../framework/cycle-state.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { unresolvable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { normalizeScores, scaleToHighest } from '../normalize-scores.js';
import { allocationResult } from './allocation/allocation-result.js';
import { chooseDevices } from './allocation/allocator.js';
import { deviceClaimDemands } from './allocation/device-demands.js';
import type { DemandReader } from './allocation/device-demands.js';
import { poolsOf, termsOf } from './allocation/device-pools.js';
import type { FrozenResourceClaim } from './allocation/devices.js';
import { ChoiceCache, cachedChoice } from './allocation/choice-cache.js';
import { AllocatedDevices } from './allocation/allocated-devices.js';
import { bindClaims } from './bind-claims.js';
import { isOverdue, readiness } from './binding-conditions.js';
import { claimEvents, podResourceClaims } from './pod-claims.js';
import { claimTracker } from './claim-tracker.js';
import type { ClaimTracker } from './claim-tracker.js';
import { claimState } from './claim-state.js';
import type { ClaimState, FoundDevices, PodClaim } from './claim-state.js';
import { extendedClaim, extendedDemands, lacksUnclassedResource } from './extended-resources.js';
import type { ExtendedDemands } from './extended-resources.js';
import { deallocateClaim, unreserveClaims } from './release-claims.js';
import { celSelectors } from './selectors/cel-selectors.js';
import type { SelectorCompiler } from './selectors/device-selectors.js';

type DeviceArguments = PluginArguments['DynamicResources'];

/** Creates the plugin. `selectors` compiles device selector expressions. */
export function dynamicResources(
  tools: PluginTools,
  args: DeviceArguments,
  selectors: SelectorCompiler = celSelectors(),
): SchedulingPlugin {
  const readerOf = ({ objects }: ClusterView): DemandReader => ({
    deviceClass: (name) => objects.get('DeviceClass', name),
    selectors,
  });
  const choices = new ChoiceCache<FoundDevices | Rejection>();
  const hasFailed = (claim: FrozenResourceClaim): boolean => {
    const answer = readiness(claim);
    return (
      typeof answer === 'object' || (answer === 'not yet' && isOverdue(claim, tools.clock.now(), args.bindingTimeoutMs))
    );
  };
  return {
    name: 'DynamicResources',
    events: claimEvents(tools),

    preEnqueue: (pod) => {
      if (pod.deviceClaims.length === 0) return undefined;
      const claims = podResourceClaims(pod, claimTracker(tools.cluster));
      return typeof claims === 'string' ? unresolvable(claims) : undefined;
    },

    preFilter: ({ pod, cluster, state }) => {
      state.set(claimState, emptyClaimState);
      if (!mayNeedDevices(pod)) return 'skip';
      const claims = claimStateFor(pod, cluster, readerOf(cluster), { choices, random: tools.random });
      if ('code' in claims) return claims;
      if (isEmpty(claims)) return 'skip';
      state.set(claimState, claims);
      return undefined;
    },

    filter: ({ pod, state, cluster }, node) => {
      const podClaims = state.read(claimState);
      const { claims, unallocated, extended } = podClaims;
      if (extended?.isOrphaned === true) return orphanedClaim;
      if (extended !== undefined && lacksUnclassedResource(node, pod, extended)) return cannotFit;
      const left = extended && extendedDemands(extended, pod, node, readerOf(cluster));
      const unavailable =
        unallocated.length === claims.length
          ? noClaims
          : claims.filter(
              ({ claim, demands }) => demands === undefined && (!isUsableOn(claim, node) || hasFailed(claim)),
            );
      const refusal = findDevices(podClaims, left, node, { cluster, args });
      if (refusal !== undefined) return refusal;
      for (const each of unavailable) podClaims.unavailable.add(each);
      return unavailable.length > 0 ? notAvailable : undefined;
    },

    postFilter: ({ pod, state }, _diagnosis, signal) => deallocateClaim(pod, state.read(claimState), tools, signal),

    score: ({ state }, node) => {
      const { claims, isRanked, found } = state.read(claimState);
      return isRanked ? preferenceOf(claims, found.get(node.name)) : 0;
    },
    normalizeScores: (_cycle, scores) => {
      normalizeScores(scores, scaleToHighest);
    },

    reserve: (cycle, nodeName) => {
      const state = claimsOf(cycle);
      if (state !== undefined) assumeAllocations(state, nodeName, claimTracker(cycle.cluster), tools.random);
      return undefined;
    },
    unreserve: (cycle) => {
      const state = claimsOf(cycle);
      if (state !== undefined) unreserveClaims(cycle.pod, state, claimTracker(cycle.cluster), tools);
    },

    preBindPreFlight: (cycle) => (claimsOf(cycle) === undefined ? 'skip' : { parallel: true }),
    preBind: async (cycle, nodeName, signal) => {
      const state = claimsOf(cycle);
      if (state !== undefined)
        await bindClaims(tools, {
          pod: cycle.pod,
          nodeName,
          state,
          tracker: claimTracker(cycle.cluster),
          timeoutMs: args.bindingTimeoutMs,
          signal,
        });
      return undefined;
    },
  };
}

const noClaims: readonly PodClaim[] = [];
const emptyClaimState: ClaimState = {
  claims: noClaims,
  extended: undefined,
  unallocated: [],
  cachedChoices: [],
  allocated: new AllocatedDevices(),
  isRanked: false,
  found: new Map(),
  unavailable: new Set(),
};

function isEmpty({ claims, extended }: ClaimState): boolean {
  return claims.length === 0 && extended === undefined;
}

/** Most pods have neither claims nor scalar resources. */
function mayNeedDevices({ deviceClaims, requests }: PodFacts): boolean {
  return deviceClaims.length > 0 || requests.scalars.size > 0;
}

/** Pods without claims do not read the cycle state: reading it would compute lazily filled data. */
function claimsOf({ pod, state }: Cycle): ClaimState | undefined {
  const claims = mayNeedDevices(pod) ? state.get(claimState) : undefined;
  return claims === undefined || isEmpty(claims) ? undefined : claims;
}

/** Computes the state of a pod's claims, or returns why the pod cannot be scheduled. */
function claimStateFor(
  pod: PodFacts,
  cluster: ClusterView,
  reader: DemandReader,
  { choices, random }: { readonly choices: ChoiceCache<FoundDevices | Rejection>; readonly random: Random },
): ClaimState | Rejection {
  const tracker = claimTracker(cluster);
  const found = podResourceClaims(pod, tracker);
  if (typeof found === 'string') return unresolvable(found);
  const claims: PodClaim[] = [];
  for (const claim of found) {
    if (claim.status?.allocation !== undefined) {
      claims.push({ claim });
      continue;
    }
    if (tracker.isPending(claim))
      return unresolvable(`resource claim ${objectKey(claim)} is in the process of being allocated`);
    const demands = deviceClaimDemands(claim, reader);
    if (typeof demands === 'string') return unresolvable(demands);
    claims.push({ claim, demands });
  }
  const extended = extendedClaim(pod, cluster.objects, random);
  if (claims.length === 0 && extended === undefined) return emptyClaimState;
  const unallocated = claims.flatMap(({ demands = [] }) => demands);
  return {
    claims,
    extended,
    unallocated,
    cachedChoices: choices.of(unallocated),
    allocated: tracker.allocated(),
    isRanked: hasAlternatives(claims),
    found: new Map(),
    unavailable: new Set(),
  };
}

const notAvailable = unresolvable('resourceclaim not available on the node');
const cannotAllocate = unresolvable('cannot allocate all claims');
const invalidPools = unresolvable('invalid resource pools were encountered');
const cannotFit = unresolvable('cannot fit resource');
const orphanedClaim = unresolvable('cannot schedule extended resource claim');

/**
 * About the steps that a machine does in a millisecond. Counted rather than timed, so that results are reproducible.
 */
const stepsPerMs = 1000;

/** Finds devices on a node and stores them in the state. */
function findDevices(
  { unallocated, cachedChoices, allocated, found }: ClaimState,
  extended: ExtendedDemands | undefined,
  node: NodeView,
  { cluster, args }: { readonly cluster: ClusterView; readonly args: DeviceArguments },
): Rejection | undefined {
  const demands = extended === undefined ? unallocated : [...unallocated, extended.demands];
  if (demands.length === 0) return undefined;
  const { filterTimeoutMs } = args;
  const pools = poolsOf(node, cluster.objects);
  const find = (): FoundDevices | Rejection => {
    const choice = chooseDevices({
      claims: demands,
      pools,
      allocated,
      stepsMax: filterTimeoutMs === 0 ? Infinity : filterTimeoutMs * stepsPerMs,
    });
    if (choice === 'out of steps') throw new Error(`node ${node.name}: timed out trying to allocate devices`);
    if (typeof choice === 'string') return choice === 'invalid pools' ? invalidPools : cannotAllocate;
    return { demands, choice, extended };
  };
  // The claim for extended resources belongs to this pod alone, so its result is not cached.
  const devices = extended === undefined ? cachedChoice(cachedChoices, node.slot, { pools, allocated }, find) : find();
  if ('code' in devices) return devices;
  found.set(node.name, devices);
  return undefined;
}

function isUsableOn({ status }: FrozenResourceClaim, node: NodeView): boolean {
  const selector = status?.allocation?.nodeSelector;
  return selector === undefined || matchesAnyTerm(termsOf(selector), node.labels, node.name);
}

/** Adds the devices found on the chosen node as pending allocations. */
function assumeAllocations(
  { claims, extended, found }: ClaimState,
  nodeName: string,
  ledger: ClaimTracker,
  random: Random,
): void {
  const open = claims.filter(({ demands }) => demands !== undefined);
  const devices = found.get(nodeName);
  if (devices === undefined && open.length > 0) throw new Error('claim allocation not found for node');
  const allocations =
    devices?.demands.map((demands, index) =>
      allocationResult(demands, devices.choice[index] ?? [], nodeName, random),
    ) ?? [];
  for (const [index, each] of open.entries()) {
    const allocation = allocations[index];
    if (allocation === undefined) throw new Error('claim allocation not found for node');
    each.allocation = allocation;
    ledger.addPending(each.claim, allocation);
  }
  const last = allocations.at(-1);
  if (extended === undefined || devices?.extended === undefined || last === undefined) return;
  const { demands, mappings } = devices.extended;
  extended.decided = { claim: demands.claim, allocation: last, mappings };
  ledger.addPending(demands.claim, last);
}

/** The most alternatives of a request. */
const alternativesMax = 8;

/** Returns whether any claim has alternatives; without them all nodes score the same. */
export function hasAlternatives(claims: readonly PodClaim[]): boolean {
  return claims.some(({ claim }) =>
    claim.spec.devices?.requests?.some(({ firstAvailable = [] }) => firstAvailable.length > 0),
  );
}

/**
 * Returns the score of a node: each request with alternatives counts more the earlier its chosen alternative is listed.
 * As computeScore.
 */
export function preferenceOf(claims: readonly PodClaim[], found: FoundDevices | undefined): number {
  let score = 0;
  let open = 0;
  for (const { claim, demands } of claims) {
    const names =
      demands === undefined
        ? (claim.status?.allocation?.devices?.results ?? []).map(({ request }) => request)
        : (found?.choice[open++] ?? []).map(({ demand }) => demand.name);
    const given = new Set(names);
    for (const { name, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
      for (const [index, alternative] of firstAvailable.entries())
        if (given.has(`${name}/${alternative.name}`)) score += alternativesMax - index;
    }
  }
  return score;
}
