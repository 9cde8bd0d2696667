// Device requests for extended resources, and their mapping to containers. Containers that run at the same time need
// their own devices. An init container ends before later containers start and may use theirs; what init containers need
// beyond that they share. As pkg/scheduler/framework/plugins/dynamicresources, createRequestsAndMappings.
import { integerValue } from '../../../core/index.js';
import type { Frozen } from '../../../core/index.js';
import type { Container, ContainerExtendedResourceRequest, Pod, resourceV1 } from '../../../core/types/index.js';
import { isRestartable } from '../../pod/requests.js';
import type { FrozenDeviceClass } from './allocation/devices.js';

/** The requests of a claim, and the containers that use them. */
export interface ExtendedRequests {
  readonly requests: readonly Frozen<resourceV1.DeviceRequest>[];
  readonly mappings: readonly Frozen<ContainerExtendedResourceRequest>[];
}

/** Returns the requests of a pod for these resources, by the classes that back them. */
export function extendedRequests(
  { spec }: Frozen<Pod>,
  classes: ReadonlyMap<string, FrozenDeviceClass>,
): ExtendedRequests {
  const { initContainers = [], containers = [] } = spec ?? {};
  const users = [...initContainers, ...containers].map((container, index) => ({
    container,
    index,
    isInit: index < initContainers.length && !isRestartable(container),
  }));
  const found = [...classes]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([resource, { metadata }]) => requestsFor(resource, metadata?.name ?? '', users));
  const requests = found.flatMap((each) => each.requests).sort((one, other) => (one.name < other.name ? -1 : 1));
  return { requests, mappings: found.flatMap(({ mappings }) => mappings) };
}

interface User {
  readonly container: Frozen<Container>;
  readonly index: number;
  /** Whether it ends before the next one starts. */
  readonly isInit: boolean;
}

interface SizedRequest {
  readonly name: string;
  readonly index: number;
  readonly count: number;
}

function requestsFor(resource: string, deviceClassName: string, users: readonly User[]): ExtendedRequests {
  const mappings: Frozen<ContainerExtendedResourceRequest>[] = [];
  const map = ({ container }: User, requestName: string): void =>
    void mappings.push({ containerName: container.name, resourceName: resource, requestName });
  const lasting: SizedRequest[] = [];
  for (const user of users.filter(({ isInit }) => !isInit)) {
    const count = amountIn(user.container, resource);
    if (count === 0) continue;
    const name = requestName(user, resource);
    lasting.push({ name, index: user.index, count });
    map(user, name);
  }
  const beyond: { readonly user: User; readonly wanted: SizedRequest }[] = [];
  for (const user of users.filter(({ isInit }) => isInit)) {
    let missing = amountIn(user.container, resource);
    for (const { name, index, count } of lasting) {
      if (missing <= 0 || index < user.index) continue;
      missing -= count;
      map(user, name);
    }
    if (missing > 0)
      beyond.push({ user, wanted: { name: requestName(user, resource), index: user.index, count: missing } });
  }
  const most = beyond
    .map(({ wanted }) => wanted)
    .reduce<SizedRequest | undefined>(
      (known, each) => (known === undefined || each.count > known.count ? each : known),
      undefined,
    );
  for (const { user } of beyond) if (most !== undefined) map(user, most.name);
  const requests = [...(most ? [most] : []), ...lasting].map(({ name, count }): Frozen<resourceV1.DeviceRequest> => ({
    name,
    exactly: { deviceClassName, allocationMode: 'ExactCount', count },
  }));
  return { requests, mappings };
}

/** Names a request after its container and the index of its resource. */
function requestName({ container, index }: User, resource: string): string {
  const place = Object.keys(container.resources?.requests ?? {})
    .sort()
    .indexOf(resource);
  return `container-${index}-request-${place}`;
}

function amountIn({ resources }: Frozen<Container>, resource: string): number {
  const { requests = {} } = resources ?? {};
  return Object.hasOwn(requests, resource) ? integerValue(requests[resource] ?? '0') : 0;
}
