// Hints of endpoints by `spec.trafficDistribution`: each ready endpoint is meant for its own zone and, with
// PreferSameNode, for its own node. Other Services have no hints. As endpointslice/trafficdist.
import type { Stored } from '../../client/index.js';
import { deepEqual } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Endpoint, EndpointHints, EndpointSlice, Service } from '../../core/types/index.js';
import type { SliceDraft } from './slice-labels.js';
import type { SlicePlan } from './slice-plan.js';

/** Returns whether hints follow the CPUs of zones: the annotation of topology mode, which wins over the field. */
export function usesZoneAllocation({ metadata }: Frozen<Service>): boolean {
  const { annotations = {} } = metadata ?? {};
  const mode = annotations[deprecatedModeAnnotation] ?? annotations[modeAnnotation];
  return mode === 'Auto' || mode === 'auto';
}

/**
 * Returns the plan with the hints of `spec.trafficDistribution`. Unchanged slices that have others become updates.
 * Slices that `isVerified` are not looked into.
 */
export function withTrafficHints(
  plan: SlicePlan,
  service: Frozen<Service>,
  isVerified: (slice: Stored<EndpointSlice>) => boolean,
): SlicePlan {
  const preference = preferences.get(service.spec?.trafficDistribution ?? '');
  const hintsOf = (endpoint: Frozen<Endpoint>): Frozen<EndpointHints> | undefined =>
    preference === undefined ? undefined : closeHints(endpoint, preference);
  const isRight = (endpoint: Frozen<Endpoint>): boolean =>
    preference === undefined ? endpoint.hints === undefined : deepEqual(endpoint.hints, hintsOf(endpoint));
  return replaceHints(plan, hintsOf, (slice) => isVerified(slice) || (slice.endpoints ?? []).every(isRight));
}

/** Returns the plan with these hints of endpoints. Unchanged slices that are not right become updates. */
export function replaceHints(
  plan: SlicePlan,
  hintsOf: (endpoint: Frozen<Endpoint>) => Frozen<EndpointHints> | undefined,
  isRight: (slice: Stored<EndpointSlice>) => boolean,
): SlicePlan {
  const wrong = plan.unchanged.filter((slice) => !isRight(slice));
  const write = (draft: SliceDraft): SliceDraft => ({
    ...draft,
    endpoints: draft.endpoints.map((endpoint) => withHints(endpoint, hintsOf(endpoint))),
  });
  return {
    ...plan,
    creates: plan.creates.map(write),
    updates: [...plan.updates, ...wrong.map(draftOfSlice)].map(write),
    unchanged: wrong.length === 0 ? plan.unchanged : plan.unchanged.filter((slice) => !wrong.includes(slice)),
  };
}

/** Returns an endpoint with these hints, or without any. */
function withHints({ hints: _, ...endpoint }: Endpoint, hints: Frozen<EndpointHints> | undefined): Endpoint {
  return hints === undefined ? endpoint : { ...endpoint, hints: hints as EndpointHints };
}

/** Returns a slice as a draft. Its parts are shared with the frozen object: they are replaced, never written to. */
export function draftOfSlice({ endpoints = [], ...slice }: Stored<EndpointSlice>): SliceDraft {
  return { ...slice, endpoints: [...endpoints] } as SliceDraft;
}

interface Preference {
  readonly sameNode: boolean;
}

const preferences: ReadonlyMap<string, Preference> = new Map([
  ['PreferClose', { sameNode: false }],
  ['PreferSameZone', { sameNode: false }],
  ['PreferSameNode', { sameNode: true }],
]);
const modeAnnotation = 'service.kubernetes.io/topology-mode';
const deprecatedModeAnnotation = 'service.kubernetes.io/topology-aware-hints';

/** Endpoints that are not ready keep the hints that they have. */
function closeHints(
  { conditions, hints, zone, nodeName }: Frozen<Endpoint>,
  { sameNode }: Preference,
): Frozen<EndpointHints> | undefined {
  if (conditions?.ready !== true) return hints;
  const forNode = sameNode ? nodeName : undefined;
  if (zone === undefined && forNode === undefined) return undefined;
  return {
    ...(zone !== undefined && { forZones: [{ name: zone }] }),
    ...(forNode !== undefined && { forNodes: [{ name: forNode }] }),
  };
}
