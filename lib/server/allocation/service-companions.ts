// Objects that are written in the same transaction as a Service: an IPAddress for each of its addresses; and its
// Endpoints, which are deleted with it. As pkg/registry/core/service/{ipallocator/ipallocator.go,storage/storage.go}.
import { printTime } from '../../core/index.js';
import type { ApiObject, Frozen, ObjectMeta } from '../../core/index.js';
import type { IPAddress, Service } from '../../core/types/index.js';
import type { Put, Transaction } from '../../storage/index.js';
import type { StoredKind } from '../registry/stored-kind.js';
import { ownFields } from '../writes/field-ownership.js';
import type { CompanionContext } from '../writes/kind-behaviour.js';
import { addressesOf } from './service-allocator.js';

/** Returns the IPAddress of a Service address, without uid and resourceVersion. */
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

/** The IPAddress objects to create, which must be absent, and to delete. */
export function addressChanges(
  stored: StoredKind,
  service: Frozen<Service> | undefined,
  old: Frozen<Service> | undefined,
  context: CompanionContext,
): Required<Transaction> {
  const [wanted, had] = [addressesOf(service), addressesOf(old)];
  const put = wanted
    .filter((address) => !had.includes(address))
    .map((address) => ipAddressPut(stored, address, service?.metadata ?? {}, context));
  return {
    compare: put.map(({ key }) => ({ key, modRevision: 0 })),
    put,
    delete: had.filter((address) => !wanted.includes(address)).map((address) => stored.prefix + address),
  };
}

/** The IPAddress of a Service address, to be stored. */
export function ipAddressPut(
  stored: StoredKind,
  address: string,
  service: Frozen<Pick<ObjectMeta, 'namespace' | 'name'>>,
  { now, random }: Pick<CompanionContext, 'now' | 'random'>,
): Put {
  const object = ipAddressOf(address, service);
  const draft: ApiObject = {
    ...object,
    metadata: { ...object.metadata, uid: random.uuid(), creationTimestamp: printTime(now) },
  };
  const owned = ownFields(stored, {
    old: undefined,
    new: draft,
    manager: 'kube-apiserver', // whatever the client of the Service is
    subresource: '',
    version: stored.definition,
    time: now,
  });
  const { key, value, done } = stored.write(address, owned);
  done();
  return { key, value };
}

/** The key of the Endpoints of a Service, which are deleted with it; none where finalizers hold them. */
export function endpointsToFree(stored: StoredKind, { metadata = {} }: Frozen<Service>): readonly string[] {
  const key = stored.keyOf(metadata.namespace ?? '', metadata.name ?? '');
  const held = stored.cacher.peek(key)?.metadata?.finalizers ?? [];
  return held.length > 0 ? [] : [stored.prefix + key];
}
