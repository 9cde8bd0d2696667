// Which device classes stand behind extended resources: a pod may ask for devices by the name of a resource, as if a
// node had it. Every class has a name that follows from its own, and may have another. Of classes with the same one the
// newest counts, so that users can move from one class to the next; then the lower name.
// As dynamic-resource-allocation/deviceclass/extendedresourcecache.
import { isExtendedResource } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { DeviceClass } from '../../core/types/index.js';
import type { KnownObjects } from '../cluster/known-objects.js';
import { computedFrom } from './computed-from.js';

/** The class behind a resource. */
export function deviceClassBehind(objects: KnownObjects, resource: string): Frozen<DeviceClass> | undefined {
  return classesByResource(objects).get(resource);
}

/** Whether a class may stand behind a resource of that name. */
export function mayBeDevices(resource: string): boolean {
  return isExtendedResource(resource) || resource.startsWith(impliedPrefix);
}

/** The resource that every class stands behind. */
export function impliedResource({ metadata }: Frozen<DeviceClass>): string {
  return `${impliedPrefix}${metadata?.name ?? ''}`;
}

const impliedPrefix = 'deviceclass.resource.kubernetes.io/';

const classesByResource = computedFrom(['DeviceClass'], (objects): ReadonlyMap<string, Frozen<DeviceClass>> => {
  const classes = new Map<string, Frozen<DeviceClass>>();
  for (const each of objects.list('DeviceClass')) {
    classes.set(impliedResource(each), each);
    const { extendedResourceName: resource } = each.spec;
    if (resource === undefined) continue;
    const known = classes.get(resource);
    if (known === undefined || takesOver(each, known)) classes.set(resource, each);
  }
  return classes;
});

function takesOver({ metadata: one }: Frozen<DeviceClass>, { metadata: other }: Frozen<DeviceClass>): boolean {
  const [created = '', since = ''] = [one?.creationTimestamp, other?.creationTimestamp];
  return created === since ? (one?.name ?? '') < (other?.name ?? '') : created > since;
}
