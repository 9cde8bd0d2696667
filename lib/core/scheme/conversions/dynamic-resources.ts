// resource.k8s.io/v1beta1, which is off by default: requests say what they request in their own fields instead of under
// `exactly`, and devices say what they are under `basic`. As pkg/apis/resource/v1beta1/conversion.go.
import type { Frozen } from '../../objects/meta.js';
import type * as v1 from '../../types/resource-v1.generated.js';
import type * as v1beta1 from '../../types/resource-v1beta1.generated.js';
import type { GroupVersionKind } from '../../objects/gvk.js';
import type { HubConversion } from '../kind-definition.js';
import { withoutUndefined } from './without-undefined.js';

/** What v1beta1 registers for ResourceClaims. */
export const resourceClaimV1beta1: HubConversion<Frozen<v1beta1.ResourceClaim>, Frozen<v1.ResourceClaim>> = {
  hub: hub('ResourceClaim'),
  toHub: ({ apiVersion: _, spec, ...claim }) => ({ ...claim, spec: specToHub(spec) }),
  fromHub: ({ apiVersion: _, spec, ...claim }) => ({ ...claim, spec: specFromHub(spec) }),
};

/** What v1beta1 registers for ResourceClaimTemplates. */
export const resourceClaimTemplateV1beta1: HubConversion<
  Frozen<v1beta1.ResourceClaimTemplate>,
  Frozen<v1.ResourceClaimTemplate>
> = {
  hub: hub('ResourceClaimTemplate'),
  toHub: ({ apiVersion: _, spec, ...template }) => ({ ...template, spec: { ...spec, spec: specToHub(spec.spec) } }),
  fromHub: ({ apiVersion: _, spec, ...template }) => ({ ...template, spec: { ...spec, spec: specFromHub(spec.spec) } }),
};

/** What v1beta1 registers for ResourceSlices. */
export const resourceSliceV1beta1: HubConversion<Frozen<v1beta1.ResourceSlice>, Frozen<v1.ResourceSlice>> = {
  hub: hub('ResourceSlice'),
  toHub: ({ apiVersion: _, spec, ...slice }) => {
    const devices = spec.devices?.map(({ name, basic }) => ({ name, ...basic }));
    return { ...slice, spec: withoutUndefined({ ...spec, devices }) };
  },
  fromHub: ({ apiVersion: _, spec, ...slice }) => {
    const devices = spec.devices?.map(({ name, ...basic }) => ({ name, basic }));
    // There the name of no node and not all nodes are the same as nothing said.
    return {
      ...slice,
      spec: withoutUndefined({
        ...spec,
        devices,
        nodeName: spec.nodeName === '' ? undefined : spec.nodeName,
        allNodes: spec.allNodes === true ? true : undefined,
      }),
    };
  },
};

function hub(kind: string): GroupVersionKind {
  return { group: 'resource.k8s.io', version: 'v1', kind };
}

function specToHub({ devices, ...spec }: Frozen<v1beta1.ResourceClaimSpec>): Frozen<v1.ResourceClaimSpec> {
  if (devices?.requests === undefined) return withoutUndefined({ ...spec, devices: devices });
  return { ...spec, devices: { ...devices, requests: devices.requests.map(requestToHub) } };
}

function specFromHub({ devices, ...spec }: Frozen<v1.ResourceClaimSpec>): Frozen<v1beta1.ResourceClaimSpec> {
  if (devices?.requests === undefined) return withoutUndefined({ ...spec, devices: devices });
  return { ...spec, devices: { ...devices, requests: devices.requests.map(requestFromHub) } };
}

/** A request that says anything of its own requests exactly that, even if it is not valid. */
function requestToHub({
  name,
  firstAvailable,
  deviceClassName = '',
  ...rest
}: Frozen<v1beta1.DeviceRequest>): Frozen<v1.DeviceRequest> {
  const asks = deviceClassName !== '' || Object.keys(rest).length > 0;
  return withoutUndefined({ name, exactly: asks ? { deviceClassName, ...rest } : undefined, firstAvailable });
}

function requestFromHub({ name, exactly, firstAvailable }: Frozen<v1.DeviceRequest>): Frozen<v1beta1.DeviceRequest> {
  return withoutUndefined({ name, deviceClassName: '', ...exactly, firstAvailable });
}
