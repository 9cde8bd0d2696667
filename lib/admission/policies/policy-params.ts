// The parameters of policies: objects of any kind, custom resources too, that bindings name or select. Objects of a
// kind are followed from the first write that needs one of them. As
// apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go, CollectParams.
import { groupVersionKindOf, matchesLabels, printGroupVersionKind, selectorFromStructured } from '../../core/index.js';
import type { ApiObject, Frozen, GroupVersionKind, ReviewedWrite, ServedKind } from '../../core/index.js';
import type { ParamRef } from '../../core/types/index.js';
import type { ServerTools } from '../../auth/index.js';
import { followedResource } from '../followed-resource.js';
import type { FollowedResource } from '../followed-resource.js';

/** The tools that parameters need of a server. */
export type ParamTools = Pick<ServerTools, 'reader' | 'informers' | 'closed$' | 'kinds'>;

/** A parameter: null where a policy has parameters, but its binding names none. */
export type Param = Frozen<ApiObject> | null;

/** Finds parameters. */
export class PolicyParams {
  readonly #tools: ParamTools;
  readonly #followed = new Map<string, FollowedResource<ApiObject>>();

  constructor(tools: ParamTools) {
    this.#tools = tools;
  }

  /** Returns the endpoint of a kind of parameters. Throws Error where it is not served. */
  served(kind: GroupVersionKind): ServedKind {
    const scheme = this.#tools.kinds.current;
    const found = scheme
      .resourcesOf(kind)
      .find((each) => each.kind === kind.kind && each.group === kind.group && each.version === kind.version);
    if (found === undefined)
      throw new Error(`failed to find resource referenced by paramKind: '${printGroupVersionKind(kind)}'`);
    return found;
  }

  /** Returns the parameters of a binding for a write, by name. Rejects with Error where they cannot be determined. */
  async collect(served: ServedKind, paramRef: Frozen<ParamRef>, review: ReviewedWrite): Promise<readonly Param[]> {
    const { name = '', selector, parameterNotFoundAction } = paramRef;
    const namespace = namespaceOf(served, paramRef, review);
    const followed = this.#follow(served);
    const found =
      name === ''
        ? await followed.whenReady(() => selected(followed, namespace, selector))
        : [await followed.find(name, namespace)].filter((each) => each !== undefined);
    if (found.length === 0 && parameterNotFoundAction === 'Deny')
      throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
    const scheme = this.#tools.kinds.current;
    return found.map((param) => scheme.converter(groupVersionKindOf(param), served)(param));
  }

  #follow({ group, resource: { plural } }: ServedKind): FollowedResource<ApiObject> {
    const key = `${group}/${plural}`;
    let followed = this.#followed.get(key);
    if (followed === undefined)
      this.#followed.set(key, (followed = followedResource(this.#tools, { group, resource: plural })));
    return followed;
  }
}

/** The namespace that parameters are taken from; undefined for a kind of the cluster. */
function namespaceOf(
  { resource: { namespaced } }: ServedKind,
  { namespace = '' }: Frozen<ParamRef>,
  review: ReviewedWrite,
): string | undefined {
  if (!namespaced) {
    if (namespace !== '') throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    return undefined;
  }
  if (namespace !== '') return namespace;
  if (review.namespace === '')
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  return review.namespace;
}

function selected(
  { cache }: FollowedResource<ApiObject>,
  namespace: string | undefined,
  selector: Frozen<ParamRef>['selector'],
): readonly Frozen<ApiObject>[] {
  const labels = selectorFromStructured(selector ?? {});
  return [...cache.list()]
    .filter(
      ({ metadata = {} }) =>
        (namespace === undefined || metadata.namespace === namespace) && matchesLabels(labels, metadata.labels ?? {}),
    )
    .toSorted((one, other) => ((one.metadata?.name ?? '') < (other.metadata?.name ?? '') ? -1 : 1));
}
