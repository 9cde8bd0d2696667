// Names, labels and ownership of EndpointSlices. As endpointslice/utils.go, newEndpointSlice and
// setEndpointSliceLabels.
import { deepEqual, nameIsDnsSubdomain, ownerReference } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { EndpointSlice, Service } from '../../core/types/index.js';
import type { SlicePort } from './go-hash-order.js';
import type { AddressFamily } from './pod-endpoint.js';

/** The label with the name of the Service. */
export const serviceNameLabel = 'kubernetes.io/service-name';
/** The label with the controller that writes the slice. */
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
/** The label of headless Services. */
export const headlessLabel = 'service.kubernetes.io/headless';
/** The value of the managed-by label of slices of pods. */
export const sliceController = 'endpointslice-controller.k8s.io';

/** The part of a new or changed slice that is written. */
export type SliceDraft = Omit<EndpointSlice, 'metadata'> & Required<Pick<EndpointSlice, 'metadata' | 'endpoints'>>;

/** Returns a slice of a Service without endpoints. */
export function newSlice(
  service: Frozen<Service>,
  ports: readonly SlicePort[],
  addressType: AddressFamily,
): SliceDraft {
  const { name = '', namespace = '' } = service.metadata ?? {};
  return {
    metadata: {
      generateName: generateNameOf(name),
      namespace,
      labels: labelsOf(service),
      ownerReferences: [ownerReference(service, { controller: true, blockOwnerDeletion: true, gvk: serviceKind })],
    },
    addressType,
    endpoints: [],
    ports: [...ports],
  };
}

/** Returns the labels of the slices of a Service: its own, without those that are reserved, and those. */
export function labelsOf(service: Frozen<Service>): Record<string, string> {
  const { clusterIP = '' } = service.spec ?? {};
  return {
    ...unreserved(service.metadata?.labels),
    ...((clusterIP === '' || clusterIP === 'None') && { [headlessLabel]: '' }),
    [serviceNameLabel]: service.metadata?.name ?? '',
    [managedByLabel]: sliceController,
  };
}

/** Returns whether a slice has the labels of its Service. Reserved ones do not count. */
export function hasServiceLabels(slice: Frozen<EndpointSlice>, service: Frozen<Service>): boolean {
  return deepEqual(unreserved(slice.metadata?.labels), unreserved(service.metadata?.labels));
}

/** Returns whether the Service owns the slice, rather than one of the same name before it. */
export function isSliceOf({ metadata }: Frozen<EndpointSlice>, service: Frozen<Service>): boolean {
  return (metadata?.ownerReferences ?? []).some(
    ({ uid, kind, apiVersion }) => uid === service.metadata?.uid && kind === 'Service' && apiVersion === 'v1',
  );
}

/** Returns the prefix of generated names: with a dash, unless the name is too long for it. */
export function generateNameOf(name: string): string {
  return nameIsDnsSubdomain(`${name}-`, true).length === 0 ? `${name}-` : name;
}

const serviceKind = { group: '', version: 'v1', kind: 'Service' };
const reserved: ReadonlySet<string> = new Set([serviceNameLabel, managedByLabel, headlessLabel]);

function unreserved(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !reserved.has(key)));
}
