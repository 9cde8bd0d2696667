// The policies and bindings of one sort, followed through the shared informers. A policy is compiled once per
// generation, so the status that a controller writes changes nothing; the index is built anew after a change, with the
// next write. Nothing is read before the first write.
import { combineLatest, filter, tap } from 'rxjs';
import { onDemand } from '../../core/index.js';
import type { Frozen, Informer, OnDemand } from '../../core/index.js';
import type { ServerTools } from '../../auth/index.js';
import { compileBinding, compilePolicy } from './compiled-policy.js';
import type { AnyBinding, AnyPolicy, CompiledBinding, CompiledPolicy } from './compiled-policy.js';
import { PolicyIndex } from './policy-index.js';

/** A source of policies. */
export interface PolicySource<P> {
  /** Answers when the policies are known: at once, or as a promise. */
  readonly whenReady: OnDemand['whenReady'];
  /** The index of the current policies and kinds. */
  index(): PolicyIndex<P>;
}

/** The resources of one sort of policies. */
export interface PolicyResources {
  readonly policies: 'mutatingadmissionpolicies' | 'validatingadmissionpolicies';
  readonly bindings: 'mutatingadmissionpolicybindings' | 'validatingadmissionpolicybindings';
}

/** Follows policies and bindings. `compile` compiles the expressions of a policy. */
export function followedPolicies<T extends AnyPolicy, P>(
  { informers, kinds, closed$ }: Pick<ServerTools, 'informers' | 'kinds' | 'closed$'>,
  { policies, bindings }: PolicyResources,
  compile: (policy: Frozen<T>) => P,
): PolicySource<P> {
  const group = 'admissionregistration.k8s.io';
  const policyCache = informers.of<T>({ group, resource: policies });
  const bindingCache = informers.of<AnyBinding>({ group, resource: bindings });
  let compiled = new Map<string, CompiledPolicy<P>>();
  const compiledBindings = new WeakMap<Frozen<AnyBinding>, CompiledBinding>();
  let current: PolicyIndex<P> | undefined;
  const synced = <O>(cache: Pick<Informer<O>, 'events$'>) =>
    cache.events$.pipe(
      tap(() => (current = undefined)),
      filter(({ type }) => type === 'synced'),
    );
  const { whenReady } = onDemand(combineLatest([synced(policyCache), synced(bindingCache)]), closed$);
  const bindingOf = (binding: Frozen<AnyBinding>): CompiledBinding => {
    let found = compiledBindings.get(binding);
    if (found === undefined) compiledBindings.set(binding, (found = compileBinding(binding)));
    return found;
  };
  const build = (): PolicyIndex<P> => {
    const byPolicy = new Map<string, CompiledBinding[]>();
    for (const binding of sortedByName([...bindingCache.list()].map(bindingOf))) {
      const others = byPolicy.get(binding.policyName);
      if (others === undefined) byPolicy.set(binding.policyName, [binding]);
      else others.push(binding);
    }
    const next = new Map<string, CompiledPolicy<P>>();
    for (const policy of policyCache.list()) {
      const { uid = '', generation = 0 } = policy.metadata ?? {};
      const key = `${uid}/${generation}`;
      next.set(key, compiled.get(key) ?? compilePolicy(policy, compile));
    }
    compiled = next;
    const bound = sortedByName([...next.values()]).map((policy) => ({
      policy,
      bindings: byPolicy.get(policy.name) ?? [],
    }));
    return new PolicyIndex(bound, kinds.current);
  };
  return {
    whenReady,
    index: () => (current?.scheme === kinds.current ? current : (current = build())),
  };
}

/** Kubernetes promises no order; that of names makes the first refusal the same one every time. */
function sortedByName<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return items.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
