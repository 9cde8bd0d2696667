// The objects that come and go with a Service, in one transaction with it: an IPAddress for each of its addresses,
// which says whose it is; and the Endpoints of its name, which go when it goes. As
// pkg/registry/core/service/{ipallocator/ipallocator.go,storage/storage.go}.
import { isExternalName, parseIp, printIp, printTime } from '../../core/index.js';
import type { ApiObject, Frozen, ObjectMeta } from '../../core/index.js';
import type { IPAddress, Service } from '../../core/types/index.js';
import type { Put } from '../../storage/index.js';
import type { Registry } from '../registry/registry.js';
import type { StoredKind } from '../registry/stored-kind.js';
import { ownFields } from '../writes/field-ownership.js';
import type { CompanionContext, Companions, Reserving } from '../writes/kind-behaviour.js';

/** An allocator of Services that also keeps their companions. A scheme without these kinds has none. */
export function withCompanions(allocator: Pick<Reserving, 'reserve' | 'release'>, registry: Registry): Reserving {
  return {
    reserve: (service, old, context) => allocator.reserve(service, old, context),
    release: (service) => allocator.release(service),
    companions(service, old, context) {
      const addresses = registry.endpoint({
        group: 'networking.k8s.io',
        version: 'v1',
        resource: 'ipaddresses',
      })?.stored;
      const endpoints = registry.endpoint({ group: '', version: 'v1', resource: 'endpoints' })?.stored;
      const changes =
        addresses === undefined ? { put: [], delete: [] } : addressChanges(addresses, service, old, context);
      if (service !== undefined || old === undefined || endpoints === undefined) return changes;
      return { ...changes, delete: [...changes.delete, ...keyToFree(endpoints, old)] };
    },
  };
}

/** The address of a Service as an object, without what storage adds. */
export function ipAddressOf(
  address: string,
  { namespace = '', name = '' }: Pick<ObjectMeta, 'namespace' | 'name'>,
): IPAddress {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: address,
      labels: {
        'ipaddress.kubernetes.io/ip-family': address.includes(':') ? 'IPv6' : 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { resource: 'services', namespace, name } },
  };
}

function addressChanges(
  stored: StoredKind,
  service: Frozen<ApiObject> | undefined,
  old: Frozen<ApiObject> | undefined,
  { now, random, manager }: CompanionContext,
): Companions {
  const [wanted, had] = [addressesOf(service), addressesOf(old)];
  const put = wanted.flatMap((address): readonly Put[] => {
    // One that somebody else wrote stays as it is, where it is known.
    if (had.includes(address) || stored.cacher.peek(address) !== undefined) return [];
    const object = ipAddressOf(address, service?.metadata ?? {});
    const draft: ApiObject = {
      ...object,
      metadata: { ...object.metadata, uid: random.uuid(), creationTimestamp: printTime(now) },
    };
    const owned = ownFields({
      old: undefined,
      new: draft,
      manager,
      operation: 'Update',
      subresource: '',
      version: stored.definition,
      time: now,
    });
    const { key, value, done } = stored.write(address, owned);
    done();
    return [{ key, value }];
  });
  return { put, delete: had.filter((address) => !wanted.includes(address)).map((address) => stored.prefix + address) };
}

function addressesOf(object: Frozen<ApiObject> | undefined): readonly string[] {
  const service = object as Frozen<Service> | undefined; // the hook is asked about no other kind
  if (service === undefined || isExternalName(service)) return [];
  return (service.spec?.clusterIPs ?? []).flatMap((text) => {
    const address = parseIp(text);
    return address === undefined ? [] : [printIp(address)];
  });
}

/** The Endpoints of a Service, unless they are known to be held. */
function keyToFree(stored: StoredKind, { metadata = {} }: Frozen<ApiObject>): readonly string[] {
  const key = stored.keyOf(metadata.namespace ?? '', metadata.name ?? '');
  const held = stored.cacher.peek(key)?.metadata?.finalizers ?? [];
  return held.length > 0 ? [] : [stored.prefix + key];
}
