// What an error about a resource names: in its message `pods "p"` or `deployments.apps "d"`, in its details the parts.

import { printGroupResource } from '../objects/gvk.js';
import type { GroupResource } from '../objects/gvk.js';
import { quote } from '../go/format.js';
import type { StatusDetails } from './status.js';

/** A resource, or one object of it. The resource is the plural, with `/subresource` where Kubernetes names that. */
export interface ResourceRef extends GroupResource {
  readonly name?: string;
}

/** `deployments.apps "d"`; an unknown name is printed as `""`. */
export function printObject(ref: ResourceRef): string {
  return `${printGroupResource(ref)} ${quote(ref.name ?? '')}`;
}

/** The details that name the resource and, where known, the object. */
export function resourceDetails({ group, resource, name = '' }: ResourceRef): StatusDetails {
  return { name, group, kind: resource };
}
