// DynamicResources: a pod goes only where the devices of its claims are, or can be had. Claims without devices get
// theirs here: found with each node, decided at Reserve, written at PreBind. Pods without claims are none of its
// business; it says so when it is asked to make room. As pkg/scheduler/framework/plugins/dynamicresources.
import { objectKey } from '../../../core/index.js';
import type { Random } from '../../../core/index.js';
import type { ClusterView } from '../../cluster/cluster-view.js';
import type { NodeView } from '../../cluster/node-view.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { Cycle } from '../../framework/cycle.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import { unresolvable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import { matchesAnyTerm } from '../../pod/node-affinity.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { normalizeShares, shareOfHighest } from '../score-shares.js';
import { allocationResult } from './allocation/allocation-result.js';
import { chooseDevices } from './allocation/allocator.js';
import { deviceClaimDemands } from './allocation/device-demands.js';
import type { DemandReader } from './allocation/device-demands.js';
import { poolsOf, termsOf } from './allocation/device-pools.js';
import type { FrozenResourceClaim } from './allocation/devices.js';
import { KeptChoices, keptChoice } from './allocation/kept-choices.js';
import { TakenDevices } from './allocation/taken-devices.js';
import { bindClaims } from './bind-claims.js';
import { isOverdue, readiness } from './binding-conditions.js';
import { claimEvents } from './claim-events.js';
import { claimLedger } from './claim-ledger.js';
import type { ClaimLedger } from './claim-ledger.js';
import { claimState } from './claim-state.js';
import type { ClaimState, FoundDevices, PodClaim } from './claim-state.js';
import { extendedClaim, extendedDemands, isForeignTo } from './extended-resources.js';
import type { ExtendedDemands } from './extended-resources.js';
import { podResourceClaims } from './pod-claims.js';
import { hasAlternatives, preferenceOf } from './preference.js';
import { giveBack, takeBack } from './release-claims.js';
import { basicSelectors } from './selectors/basic-selectors.js';
import type { SelectorCompiler } from './selectors/device-selectors.js';

type DeviceArguments = PluginArguments['DynamicResources'];

/** Makes the plugin. Expressions that select devices are compiled by `selectors`. */
export function dynamicResources(
  tools: PluginTools,
  args: DeviceArguments,
  selectors: SelectorCompiler = basicSelectors(),
): SchedulingPlugin {
  const readerOf = ({ objects }: ClusterView): DemandReader => ({
    deviceClass: (name) => objects.get('DeviceClass', name),
    selectors,
  });
  const choices = new KeptChoices<FoundDevices | Rejection>();
  const isGivenUp = (claim: FrozenResourceClaim): boolean => {
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
      const claims = podResourceClaims(pod, claimLedger(tools.cluster));
      return typeof claims === 'string' ? unresolvable(claims) : undefined;
    },

    preFilter: ({ pod, cluster, memory }) => {
      memory.set(claimState, nothingClaimed);
      if (!mayNeedDevices(pod)) return 'skip';
      const state = stateOf(pod, cluster, readerOf(cluster), { choices, random: tools.random });
      if ('code' in state) return state;
      if (isNothing(state)) return 'skip';
      memory.set(claimState, state);
      return undefined;
    },

    filter: ({ pod, memory, cluster }, node) => {
      const state = memory.recall(claimState);
      const { claims, open, extended } = state;
      if (extended?.isLeftOver === true) return leftOver;
      if (extended !== undefined && isForeignTo(node, pod, extended)) return cannotFit;
      const left = extended && extendedDemands(extended, pod, node, readerOf(cluster));
      const unavailable =
        open.length === claims.length
          ? noClaims
          : claims.filter(
              ({ claim, demands }) => demands === undefined && (!isUsableOn(claim, node) || isGivenUp(claim)),
            );
      const refusal = findDevices(state, left, node, { cluster, args });
      if (refusal !== undefined) return refusal;
      for (const each of unavailable) state.unavailable.add(each);
      return unavailable.length > 0 ? notAvailable : undefined;
    },

    postFilter: ({ pod, memory }, _diagnosis, signal) => giveBack(pod, memory.recall(claimState), tools, signal),

    score: ({ memory }, node) => {
      const { claims, isRanked, found } = memory.recall(claimState);
      return isRanked ? preferenceOf(claims, found.get(node.name)) : 0;
    },
    normalizeScores: (_cycle, scores) => {
      normalizeShares(scores, shareOfHighest);
    },

    reserve: (cycle, nodeName) => {
      const state = claimsOf(cycle);
      if (state !== undefined) decide(state, nodeName, claimLedger(cycle.cluster), tools.random);
      return undefined;
    },
    unreserve: (cycle) => {
      const state = claimsOf(cycle);
      if (state !== undefined) takeBack(cycle.pod, state, claimLedger(cycle.cluster), tools);
    },

    preBindPreFlight: (cycle) => (claimsOf(cycle) === undefined ? 'skip' : { parallel: true }),
    preBind: async (cycle, nodeName, signal) => {
      const state = claimsOf(cycle);
      if (state !== undefined)
        await bindClaims(tools, {
          pod: cycle.pod,
          nodeName,
          state,
          ledger: claimLedger(cycle.cluster),
          timeoutMs: args.bindingTimeoutMs,
          signal,
        });
      return undefined;
    },
  };
}

const noClaims: readonly PodClaim[] = [];
const nothingClaimed: ClaimState = {
  claims: noClaims,
  extended: undefined,
  open: [],
  kept: [],
  taken: new TakenDevices(),
  isRanked: false,
  found: new Map(),
  unavailable: new Set(),
};

function isNothing({ claims, extended }: ClaimState): boolean {
  return claims.length === 0 && extended === undefined;
}

/** Most pods have no claims and no resources beside the usual. */
function mayNeedDevices({ deviceClaims, requests }: PodFacts): boolean {
  return deviceClaims.length > 0 || requests.scalars.size > 0;
}

/** The memory of other pods is better left alone: to look there may cost them work they were spared. */
function claimsOf({ pod, memory }: Cycle): ClaimState | undefined {
  const state = mayNeedDevices(pod) ? memory.get(claimState) : undefined;
  return state === undefined || isNothing(state) ? undefined : state;
}

/** What there is to know of a pod's claims before nodes are looked at, or why it must wait. */
function stateOf(
  pod: PodFacts,
  cluster: ClusterView,
  reader: DemandReader,
  { choices, random }: { readonly choices: KeptChoices<FoundDevices | Rejection>; readonly random: Random },
): ClaimState | Rejection {
  const ledger = claimLedger(cluster);
  const found = podResourceClaims(pod, ledger);
  if (typeof found === 'string') return unresolvable(found);
  const claims: PodClaim[] = [];
  for (const claim of found) {
    if (claim.status?.allocation !== undefined) {
      claims.push({ claim });
      continue;
    }
    if (ledger.isPending(claim))
      return unresolvable(`resource claim ${objectKey(claim)} is in the process of being allocated`);
    const demands = deviceClaimDemands(claim, reader);
    if (typeof demands === 'string') return unresolvable(demands);
    claims.push({ claim, demands });
  }
  const extended = extendedClaim(pod, cluster.objects, random);
  if (claims.length === 0 && extended === undefined) return nothingClaimed;
  const open = claims.flatMap(({ demands = [] }) => demands);
  return {
    claims,
    extended,
    open,
    kept: choices.of(open),
    taken: ledger.taken(),
    isRanked: hasAlternatives(claims),
    found: new Map(),
    unavailable: new Set(),
  };
}

const notAvailable = unresolvable('resourceclaim not available on the node');
const cannotAllocate = unresolvable('cannot allocate all claims');
const invalidPools = unresolvable('invalid resource pools were encountered');
const cannotFit = unresolvable('cannot fit resource');
const leftOver = unresolvable('cannot schedule extended resource claim');

/**
 * What a machine does in a millisecond, about. Counted rather than timed, so that the same cluster has the same answer.
 */
const stepsPerMs = 1000;

/** Looks for devices on a node, and remembers what it found. */
function findDevices(
  { open, kept, taken, found }: ClaimState,
  extended: ExtendedDemands | undefined,
  node: NodeView,
  { cluster, args }: { readonly cluster: ClusterView; readonly args: DeviceArguments },
): Rejection | undefined {
  const demands = extended === undefined ? open : [...open, extended.demands];
  if (demands.length === 0) return undefined;
  const { filterTimeoutMs } = args;
  const pools = poolsOf(node, cluster.objects);
  const find = (): FoundDevices | Rejection => {
    const choice = chooseDevices({
      claims: demands,
      pools,
      taken,
      stepsMax: filterTimeoutMs === 0 ? Infinity : filterTimeoutMs * stepsPerMs,
    });
    if (choice === 'out of steps') throw new Error(`node ${node.name}: timed out trying to allocate devices`);
    if (typeof choice === 'string') return choice === 'invalid pools' ? invalidPools : cannotAllocate;
    return { demands, choice, extended };
  };
  // The claim for extended resources is the pod's own, and is written as it stands in what was found.
  const devices = extended === undefined ? keptChoice(kept, node.slot, { pools, taken }, find) : find();
  if ('code' in devices) return devices;
  found.set(node.name, devices);
  return undefined;
}

function isUsableOn({ status }: FrozenResourceClaim, node: NodeView): boolean {
  const selector = status?.allocation?.nodeSelector;
  return selector === undefined || matchesAnyTerm(termsOf(selector), node.labels, node.name);
}

/** Settles on what was found for a node. */
function decide({ claims, extended, found }: ClaimState, nodeName: string, ledger: ClaimLedger, random: Random): void {
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
    each.decided = allocation;
    ledger.decide(each.claim, allocation);
  }
  const last = allocations.at(-1);
  if (extended === undefined || devices?.extended === undefined || last === undefined) return;
  const { demands, mappings } = devices.extended;
  extended.decided = { claim: demands.claim, allocation: last, mappings };
  ledger.decide(demands.claim, last);
}
