// Device classes that back extended resources: a pod may request devices by the name of a resource. Every class has an
// implied resource name, and may have an explicit one. Of several classes with the same resource the newest applies, so
// that users can migrate between classes; then the lower name. As
// dynamic-resource-allocation/deviceclass/extendedresourcecache.
import { isExtendedResource } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { DeviceClass } from '../../core/types/index.js';
import type { ObjectLister } from '../cluster/object-lister.js';
import { memoizeByKinds } from './memoize.js';

/** Returns the class that backs a resource. */
export function deviceClassBehind(objects: ObjectLister, resource: string): Frozen<DeviceClass> | undefined {
  return classesByResource(objects).get(resource);
}

/** Returns whether a class may back a resource of that name. */
export function canHaveDeviceClass(resource: string): boolean {
  return isExtendedResource(resource) || resource.startsWith(impliedPrefix);
}

/** Returns the implied resource name of a class. */
export function impliedResource({ metadata }: Frozen<DeviceClass>): string {
  return `${impliedPrefix}${metadata?.name ?? ''}`;
}

const impliedPrefix = 'deviceclass.resource.kubernetes.io/';

const classesByResource = memoizeByKinds(['DeviceClass'], (objects): ReadonlyMap<string, Frozen<DeviceClass>> => {
  const classes = new Map<string, Frozen<DeviceClass>>();
  for (const each of objects.list('DeviceClass')) {
    classes.set(impliedResource(each), each);
    const { extendedResourceName: resource } = each.spec;
    if (resource === undefined) continue;
    const known = classes.get(resource);
    if (known === undefined || takesPrecedence(each, known)) classes.set(resource, each);
  }
  return classes;
});

function takesPrecedence({ metadata: one }: Frozen<DeviceClass>, { metadata: other }: Frozen<DeviceClass>): boolean {
  const [created = '', since = ''] = [one?.creationTimestamp, other?.creationTimestamp];
  return created === since ? (one?.name ?? '') < (other?.name ?? '') : created > since;
}
