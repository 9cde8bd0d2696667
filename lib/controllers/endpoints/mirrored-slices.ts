// The EndpointSlices that mirror an Endpoints object: one for each family and each set of ports. Pure. As
// pkg/controller/endpointslicemirroring/reconciler.go.
import type { Stored } from '../../client/index.js';
import { deepEqual, ownerReference, parseIp, printIp } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Endpoint, EndpointAddress, EndpointSlice, Endpoints } from '../../core/types/index.js';
import { repackSubsets } from './endpoint-subsets.js';
import { sortSlicePorts } from './go-hash-order.js';
import type { SlicePort } from './go-hash-order.js';
import type { AddressFamily } from './pod-endpoint.js';
import { generateNameOf, managedByLabel, serviceNameLabel } from './slice-labels.js';
import type { SliceDraft } from './slice-labels.js';
import { endpointKey, portsKey, sameEndpoint } from './slice-plan.js';
import type { SlicePlan } from './slice-plan.js';
import { triggerTimeAnnotation } from './trigger-times.js';

/** The value of the managed-by label of mirrored slices. */
export const mirroringController = 'endpointslicemirroring-controller.k8s.io';

/** The changes of mirrored slices, and what could not be mirrored. */
export interface MirrorPlan extends Pick<SlicePlan, 'creates' | 'updates' | 'deletes'> {
  readonly invalidAddresses: number;
  /** Addresses beyond the limit, and invalid ones. */
  readonly skippedAddresses: number;
}

/** Plans the slices of an Endpoints object. */
export function planMirror(
  source: Stored<Endpoints>,
  slices: readonly Stored<EndpointSlice>[],
  addressesPerSubsetMax: number,
): MirrorPlan {
  const { groups, ...skipped } = desiredGroups(source, addressesPerSubsetMax);
  const creates: SliceDraft[] = [];
  const updates: SliceDraft[] = [];
  const kept = new Set<Stored<EndpointSlice>>();
  for (const group of groups.values()) {
    if (group.endpoints.size === 0) continue;
    const existing = slices.find((slice) => groupKey(slice.addressType, slice.ports ?? []) === group.key);
    if (existing !== undefined) kept.add(existing);
    if (existing !== undefined && isCurrent(existing, group, source)) continue;
    const draft = sliceOf(source, group, addressesPerSubsetMax);
    if (existing === undefined) creates.push(draft);
    else updates.push(named(draft, existing));
  }
  const deletes: Stored<EndpointSlice>[] = [];
  for (const slice of slices) {
    if (kept.has(slice)) continue;
    // Slices that would be deleted are used for others of their family.
    const index = creates.findIndex(({ addressType }) => addressType === slice.addressType);
    const [reused] = index < 0 ? [] : creates.splice(index, 1);
    if (reused === undefined) deletes.push(slice);
    else updates.push(named(reused, slice));
  }
  return { creates, updates, deletes, ...skipped };
}

interface MirrorGroup {
  readonly key: string;
  readonly family: AddressFamily;
  readonly ports: readonly SlicePort[];
  readonly endpoints: Map<string, Endpoint>;
}

const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
const families: readonly AddressFamily[] = ['IPv4', 'IPv6'];

function desiredGroups(
  { subsets = [] }: Stored<Endpoints>,
  addressesMax: number,
): { groups: ReadonlyMap<string, MirrorGroup>; invalidAddresses: number; skippedAddresses: number } {
  const groups = new Map<string, MirrorGroup>();
  let [invalidAddresses, skippedAddresses] = [0, 0];
  for (const { addresses = [], notReadyAddresses = [], ports: subsetPorts = [] } of repackSubsets(subsets)) {
    const ports = sortSlicePorts(
      subsetPorts.map(({ name = '', port, protocol = 'TCP', appProtocol }): SlicePort => ({
        name,
        port,
        protocol,
        ...(appProtocol !== undefined && { appProtocol }),
      })),
    );
    for (const family of families) {
      const key = groupKey(family, ports);
      if (!groups.has(key)) groups.set(key, { key, family, ports, endpoints: new Map() });
    }
    let added = 0;
    const listed = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    for (const { address, ready } of listed) {
      if (added >= addressesMax) break;
      const mirrored = endpointOf(address, ready);
      if (mirrored === undefined) {
        invalidAddresses += 1;
        continue;
      }
      groups.get(groupKey(mirrored.family, ports))?.endpoints.set(endpointKey(mirrored.endpoint), mirrored.endpoint);
      added += 1;
    }
    skippedAddresses += listed.length - added;
  }
  return { groups, invalidAddresses, skippedAddresses };
}

function groupKey(family: string, ports: readonly Frozen<SlicePort>[]): string {
  return `${family} ${portsKey(ports)}`;
}

function endpointOf(
  { ip, hostname = '', nodeName, targetRef }: Frozen<EndpointAddress>,
  ready: boolean,
): { endpoint: Endpoint; family: AddressFamily } | undefined {
  const address = parseIp(ip);
  if (address === undefined) return undefined;
  const endpoint: Endpoint = {
    addresses: [printIp(address)],
    conditions: { ready },
    ...(targetRef !== undefined && { targetRef: { ...targetRef } }),
    ...(nodeName !== undefined && { nodeName }),
    ...(hostname !== '' && { hostname }),
  };
  return { endpoint, family: address.family === 6 ? 'IPv6' : 'IPv4' };
}

/** Returns whether a slice shows the group, and the labels and annotations of the source. */
function isCurrent(slice: Stored<EndpointSlice>, { endpoints }: MirrorGroup, source: Stored<Endpoints>): boolean {
  const { [managedByLabel]: _, [serviceNameLabel]: __, ...labels } = slice.metadata.labels ?? {};
  const shown = slice.endpoints ?? [];
  const isSame = (endpoint: Frozen<Endpoint>): boolean => {
    const desired = endpoints.get(endpointKey(endpoint));
    return desired !== undefined && sameEndpoint(desired, endpoint);
  };
  return (
    shown.length === endpoints.size &&
    shown.every(isSame) &&
    deepEqual(source.metadata.labels ?? {}, labels) &&
    deepEqual(mirroredAnnotations(source), slice.metadata.annotations ?? {}) &&
    !(slice.metadata.ownerReferences ?? []).some(
      ({ kind, name, uid }) => kind === 'Endpoints' && name === source.metadata.name && uid !== source.metadata.uid,
    )
  );
}

function sliceOf(
  source: Stored<Endpoints>,
  { family, ports, endpoints }: MirrorGroup,
  addressesMax: number,
): SliceDraft {
  const { name, namespace = '', labels = {} } = source.metadata;
  return {
    metadata: {
      generateName: generateNameOf(name),
      namespace,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirroringController },
      annotations: mirroredAnnotations(source),
      ownerReferences: [ownerReference(source, { controller: true, blockOwnerDeletion: true, gvk: endpointsKind })],
    },
    addressType: family,
    endpoints: [...endpoints.values()].slice(0, addressesMax),
    ports: [...ports],
  };
}

const endpointsKind = { group: '', version: 'v1', kind: 'Endpoints' };

function mirroredAnnotations({ metadata }: Stored<Endpoints>): Record<string, string> {
  const { [triggerTimeAnnotation]: _, [lastAppliedAnnotation]: __, ...annotations } = metadata.annotations ?? {};
  return annotations;
}

function named({ metadata, ...draft }: SliceDraft, { metadata: { name } }: Stored<EndpointSlice>): SliceDraft {
  const { generateName: _, ...rest } = metadata;
  return { ...draft, metadata: { ...rest, name } };
}
