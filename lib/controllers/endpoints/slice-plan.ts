// Decides how the EndpointSlices of a Service change: pure, one address family at a time. Endpoints stay in the slice
// that lists them; slices that change anyway are filled first, the fullest one first; the rest goes into one unchanged
// slice that has room for it, or into new ones. Slices are not rebalanced: a slice that is written is sent to every
// node. A Service without endpoints has one empty slice, the placeholder. As endpointslice/reconciler.go.
//
// A plan may be partial: `changed` names the pods that changed since a plan for the same Service and nodes whose writes
// have all succeeded. Slices that list none of them are then not looked into, so the cost is that of the slices that
// list a changed pod. A partial plan writes as many slices as a full one.
import type { Stored } from '../../client/index.js';
import { deepEqual } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Endpoint, EndpointSlice, Node, Pod, Service } from '../../core/types/index.js';
import { sortSlicePorts } from './go-hash-order.js';
import type { SlicePort } from './go-hash-order.js';
import { belongsToEndpoints, endpointOfPod, slicePortsOf } from './pod-endpoint.js';
import type { AddressFamily } from './pod-endpoint.js';
import type { ChangedPods } from './service-pods.js';
import { hasServiceLabels, isSliceOf, labelsOf, newSlice } from './slice-labels.js';
import type { SliceDraft } from './slice-labels.js';

/** What a plan is made of. */
export interface SlicePlanInput {
  readonly service: Frozen<Service>;
  readonly family: AddressFamily;
  /** The pods that the Service selects, by name. */
  readonly pods: ReadonlyMap<string, Frozen<Pod>>;
  readonly nodeOf: (name: string) => Frozen<Node> | undefined;
  /** The slices of this family that the controller manages for the Service. */
  readonly slices: readonly Stored<EndpointSlice>[];
  readonly changed: ChangedPods;
  /** Returns the names of the pods of a slice: `podsInSlice`, or the same with a memory. */
  readonly podsIn: (slice: Stored<EndpointSlice>) => ReadonlySet<string>;
  readonly endpointsMax: number;
}

/** The changes of the slices of one family. */
export interface SlicePlan {
  /** New slices. Their names are generated. */
  readonly creates: readonly SliceDraft[];
  /** Changed slices: with a resourceVersion, or without one for a slice that is used for other ports. */
  readonly updates: readonly SliceDraft[];
  readonly deletes: readonly Stored<EndpointSlice>[];
  /** Slices that stay as they are. */
  readonly unchanged: readonly Stored<EndpointSlice>[];
  /** Why pods were left out; the plan is to be repeated later then. */
  readonly problems: readonly string[];
}

/** Plans the slices of one family. */
export function planSlices(input: SlicePlanInput): SlicePlan {
  const { service, slices, family } = input;
  const owned = slices.filter((slice) => isSliceOf(slice, service));
  const deletes = slices.filter((slice) => !isSliceOf(slice, service));
  const { groups, problems } = desiredGroups(input, owned);
  const creates: SliceDraft[] = [];
  const updates: SliceDraft[] = [];
  const byPorts = groupByPorts(owned);
  for (const [key, group] of groups) {
    const packed = packGroup(group, byPorts.get(key) ?? [], input);
    creates.push(...packed.creates);
    updates.push(...packed.updates);
    deletes.push(...packed.deletes);
  }
  // Ports that no pod has any more. A partial plan knows it only of slices that it looked into.
  for (const [key, stale] of byPorts)
    if (!groups.has(key)) deletes.push(...stale.filter((slice) => isExamined(slice, input)));
  if (deletes.length === slices.length && creates.length === 0) {
    const placeholder = newSlice(service, [], family);
    const [only] = deletes;
    if (deletes.length === 1 && only !== undefined && isPlaceholder(only, placeholder)) deletes.pop();
    else creates.push(placeholder);
  }
  return {
    ...withReusedSlices({ creates, updates, deletes }, service),
    ...unchangedOf(slices, updates, deletes),
    problems,
  };
}

/** Returns the names of the pods that a slice lists. */
export function podsInSlice({ endpoints = [] }: Frozen<EndpointSlice>): ReadonlySet<string> {
  return new Set(endpoints.map(({ targetRef }) => targetRef?.name ?? ''));
}

/** Identifies a group of ports. */
export function portsKey(ports: readonly Frozen<SlicePort>[]): string {
  const keys = ports.map(({ name = '', protocol = '', port, appProtocol }) => [
    name,
    protocol,
    port,
    appProtocol ?? null,
  ]);
  return JSON.stringify(keys.map((key) => JSON.stringify(key)).toSorted());
}

/** Identifies an endpoint: by addresses, host name and target, so that conditions change in place. */
export function endpointKey({ addresses, hostname = '', targetRef }: Frozen<Endpoint>): string {
  const { namespace = '', name = '' } = targetRef ?? {};
  return [addresses.toSorted().join(','), hostname, namespace, name].join(' ');
}

/** Returns whether two endpoints of one key are the same in what else a controller writes, apart from hints. */
export function sameEndpoint(one: Frozen<Endpoint>, other: Frozen<Endpoint>): boolean {
  const withoutVersion = ({ targetRef }: Frozen<Endpoint>): unknown =>
    targetRef && { ...targetRef, resourceVersion: undefined };
  return (
    one.nodeName === other.nodeName &&
    one.zone === other.zone &&
    one.conditions?.ready === other.conditions?.ready &&
    one.conditions?.serving === other.conditions?.serving &&
    one.conditions?.terminating === other.conditions?.terminating &&
    deepEqual(withoutVersion(one), withoutVersion(other))
  );
}

interface PortGroup {
  readonly ports: readonly SlicePort[];
  /** Desired endpoints that no slice lists yet, by key. */
  readonly missing: Map<string, Endpoint>;
}

/** The desired endpoints by ports: of all pods, or of the changed ones and those that share a slice with them. */
function desiredGroups(
  input: SlicePlanInput,
  owned: readonly Stored<EndpointSlice>[],
): { groups: Map<string, PortGroup>; problems: readonly string[] } {
  const { service, pods, family, nodeOf } = input;
  const { name: serviceName = '', namespace = '' } = service.metadata ?? {};
  const groups = new Map<string, PortGroup>();
  const problems: string[] = [];
  for (const name of podNames(input, owned)) {
    const pod = pods.get(name);
    if (pod === undefined || !belongsToEndpoints(pod, true)) continue;
    const ports = slicePortsOf(pod, service);
    const key = portsKey(ports);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { ports: sortSlicePorts(ports), missing: new Map() }));
    const nodeName = pod.spec?.nodeName ?? '';
    const node = nodeOf(nodeName);
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) {
      problems.push(`skipping Pod ${name} for Service ${namespace}/${serviceName}: Node ${nodeName} Not Found`);
      continue;
    }
    const endpoint = endpointOfPod(pod, { service, node, family });
    if (endpoint !== undefined) group.missing.set(endpointKey(endpoint), endpoint);
  }
  return { groups, problems };
}

function podNames(input: SlicePlanInput, owned: readonly Stored<EndpointSlice>[]): Iterable<string> {
  const { pods, changed, podsIn } = input;
  if (changed === 'all') return pods.keys();
  const names = new Set<string>();
  for (const slice of owned) if (isExamined(slice, input)) for (const name of podsIn(slice)) names.add(name);
  for (const name of changed) names.add(name);
  return names;
}

function groupByPorts(slices: readonly Stored<EndpointSlice>[]): Map<string, Stored<EndpointSlice>[]> {
  const groups = new Map<string, Stored<EndpointSlice>[]>();
  for (const slice of slices) {
    const key = portsKey(slice.ports ?? []);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [slice]);
    else group.push(slice);
  }
  return groups;
}

/** Packs the endpoints of one group into its slices. Empties `missing`. */
function packGroup(
  { ports, missing }: PortGroup,
  slices: readonly Stored<EndpointSlice>[],
  input: SlicePlanInput,
): { creates: readonly SliceDraft[]; updates: readonly SliceDraft[]; deletes: readonly Stored<EndpointSlice>[] } {
  const { service, family, endpointsMax } = input;
  const creates: SliceDraft[] = [];
  const updates: SliceDraft[] = [];
  const deletes: Stored<EndpointSlice>[] = [];
  const unchanged = new Set<Stored<EndpointSlice>>();
  for (const slice of slices) {
    if (!isExamined(slice, input)) {
      unchanged.add(slice);
      continue;
    }
    const { endpoints, isChanged } = keepDesired(slice, missing);
    if (isChanged && endpoints.length === 0) deletes.push(slice);
    else if (isChanged) updates.push({ ...draftOf(slice, service), endpoints });
    else if (!hasServiceLabels(slice, service)) updates.push(draftOf(slice, service));
    else unchanged.add(slice);
  }
  for (const draft of updates.toSorted((a, b) => b.endpoints.length - a.endpoints.length))
    fill(draft, missing, endpointsMax);
  while (missing.size > 0) {
    const fitting = missing.size < endpointsMax ? roomiest(unchanged, missing.size, endpointsMax) : undefined;
    const draft = fitting === undefined ? newSlice(service, ports, family) : draftOf(fitting, service);
    fill(draft, missing, endpointsMax);
    if (fitting === undefined) creates.push(draft);
    else {
      unchanged.delete(fitting);
      updates.push(draft);
    }
  }
  return { creates, updates, deletes };
}

/** The endpoints of a slice that stay, in their desired state. Removes them from `missing`. */
function keepDesired(
  slice: Stored<EndpointSlice>,
  missing: Map<string, Endpoint>,
): { endpoints: Endpoint[]; isChanged: boolean } {
  const endpoints: Endpoint[] = [];
  const existing = slice.endpoints ?? [];
  let isChanged = false;
  for (const endpoint of existing) {
    const key = endpointKey(endpoint);
    const desired = missing.get(key);
    if (desired === undefined) continue;
    missing.delete(key);
    endpoints.push(desired);
    isChanged ||= !sameEndpoint(desired, endpoint);
  }
  return { endpoints, isChanged: isChanged || endpoints.length !== existing.length };
}

function draftOf(slice: Stored<EndpointSlice>, service: Frozen<Service>): SliceDraft {
  const { endpoints = [], metadata, ...rest } = slice;
  // Drafts are new objects down to the list of endpoints; what is below is shared and never written to.
  return { ...rest, metadata: { ...metadata, labels: labelsOf(service) }, endpoints: [...endpoints] } as SliceDraft;
}

function fill(draft: SliceDraft, missing: Map<string, Endpoint>, endpointsMax: number): void {
  for (const [key, endpoint] of missing) {
    if (draft.endpoints.length >= endpointsMax) return;
    draft.endpoints.push(endpoint);
    missing.delete(key);
  }
}

/** The slice that is closest to full when `count` endpoints are added. */
function roomiest(
  slices: Iterable<Stored<EndpointSlice>>,
  count: number,
  endpointsMax: number,
): Stored<EndpointSlice> | undefined {
  let [closest, leastRoom]: [Stored<EndpointSlice> | undefined, number] = [undefined, endpointsMax];
  for (const slice of slices) {
    const room = endpointsMax - count - (slice.endpoints ?? []).length;
    if (room >= 0 && room < leastRoom) [closest, leastRoom] = [slice, room];
  }
  return closest;
}

/** Placeholders are equal in labels, whatever their other metadata. */
function isPlaceholder(slice: Stored<EndpointSlice>, placeholder: SliceDraft): boolean {
  const isEmpty = (slice.endpoints ?? []).length === 0 && (slice.ports ?? []).length === 0;
  return isEmpty && deepEqual(slice.metadata.labels ?? {}, placeholder.metadata.labels ?? {});
}

/** Turns creates into updates of slices that would be deleted. */
function withReusedSlices(
  { creates, updates, deletes }: { creates: SliceDraft[]; updates: SliceDraft[]; deletes: Stored<EndpointSlice>[] },
  service: Frozen<Service>,
): Pick<SlicePlan, 'creates' | 'updates' | 'deletes'> {
  const kept: Stored<EndpointSlice>[] = [];
  for (const slice of deletes) {
    // A slice of an earlier Service of this name is about to be garbage collected.
    const created = isSliceOf(slice, service) ? creates.pop() : undefined;
    if (created === undefined) kept.push(slice);
    else updates.push({ ...created, metadata: { ...created.metadata, name: slice.metadata.name } });
  }
  return { creates, updates, deletes: kept };
}

function unchangedOf(
  slices: readonly Stored<EndpointSlice>[],
  updates: readonly SliceDraft[],
  deletes: readonly Stored<EndpointSlice>[],
): Pick<SlicePlan, 'unchanged'> {
  const names = new Set([...updates, ...deletes].map(({ metadata }) => metadata.name));
  return { unchanged: slices.filter(({ metadata }) => !names.has(metadata.name)) };
}

/** A partial plan looks into slices that list a changed pod, and into empty ones. */
function isExamined(slice: Stored<EndpointSlice>, { changed, podsIn }: SlicePlanInput): boolean {
  if (changed === 'all' || (slice.endpoints ?? []).length === 0) return true;
  const listed = podsIn(slice);
  for (const name of changed) if (listed.has(name)) return true;
  return false;
}
