// The object that a token is bound to, as a TokenRequest names it. A pod must run under the ServiceAccount of the
// token, and adds the node it runs on. As pkg/registry/core/serviceaccount/storage/token.go.
import {
  badRequest,
  conflict,
  groupVersionKindOf,
  nameIsPathSegment,
  notFound,
  printGroupVersionKind,
  quote,
} from '../../core/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';
import type { BoundObjectReference, Node, Pod, Secret } from '../../core/types/index.js';
import type { BoundObject } from '../../auth/index.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';

/** The scope of the look-up. */
export interface BoundObjectScope {
  /** The ServiceAccount's name. */
  readonly account: string;
  readonly namespace: string;
  endpointOf(resource: string): ResourceEndpoint;
}

/**
 * Finds the object. Rejects with ApiError where it does not exist, has another uid, or is of a kind that tokens cannot
 * be bound to.
 */
export async function boundObject(ref: BoundObjectReference, scope: BoundObjectScope): Promise<BoundObject> {
  const { name = '', uid = '', kind = '' } = ref;
  const bound = await read(ref, name, scope);
  if (uid !== '' && uid !== bound.object.metadata?.uid) {
    throw conflict(
      { group: '', resource: kind, name },
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return bound;
}

async function read(ref: BoundObjectReference, name: string, scope: BoundObjectScope): Promise<BoundObject> {
  const gvk = groupVersionKindOf(ref);
  switch (gvk.group === '' ? gvk.kind : '') {
    case 'Pod':
      return podOf(await objectOf<Pod>(scope.endpointOf('pods'), name, scope.namespace), scope);
    case 'Secret':
      return { kind: 'Secret', object: await objectOf<Secret>(scope.endpointOf('secrets'), name, scope.namespace) };
    case 'Node':
      return { kind: 'Node', object: await objectOf<Node>(scope.endpointOf('nodes'), name, '') };
    default:
      throw badRequest(`cannot bind token to object of type ${printGroupVersionKind(gvk)}`);
  }
}

async function objectOf<T extends ApiObject>(
  endpoint: ResourceEndpoint,
  name: string,
  namespace: string,
): Promise<Frozen<T>> {
  if (name === '') throw badRequest('Name parameter required.');
  const [problem] = nameIsPathSegment(name, false);
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${quote(name)}: ${problem}`);
  const object = await lookUp<T>(endpoint, name, namespace);
  if (object === undefined) throw notFound(refOf(endpoint, name));
  return object;
}

/** Returns the pod with its node; of a node that does not exist only the name. */
async function podOf(pod: Frozen<Pod>, scope: BoundObjectScope): Promise<BoundObject> {
  const { serviceAccountName, nodeName = '' } = pod.spec ?? {};
  if (serviceAccountName !== scope.account)
    throw badRequest(
      `cannot bind token for serviceaccount ${quote(scope.account)} to pod running with different serviceaccount name.`,
    );
  if (nodeName === '') return { kind: 'Pod', object: pod };
  const node = await lookUp<Node>(scope.endpointOf('nodes'), nodeName, '');
  const uid = node?.metadata?.uid;
  return { kind: 'Pod', object: pod, node: { name: nodeName, ...(uid !== undefined && { uid }) } };
}

async function lookUp<T extends ApiObject>(
  { stored }: ResourceEndpoint,
  name: string,
  namespace: string,
): Promise<Frozen<T> | undefined> {
  // A resource holds one kind, which the caller names.
  return (await stored.cacher.get(stored.keyOf(namespace, name))).object as Frozen<T> | undefined;
}
