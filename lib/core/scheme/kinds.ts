// The kinds of a running server. The scheme is an immutable value; a change replaces it and is emitted, so that readers
// always take `current` and holders of caches drop what belongs to the changed kinds. Built-in kinds, kinds of the
// host, custom resources and aggregated APIs are all registered here.
import type { Observable } from 'rxjs';
import type { GroupVersionKind } from '../objects/gvk.js';
import { Outlet } from '../streams/outlet.js';
import { builtinScheme } from './builtin.js';
import type { KindDefinition, KindOptions } from './kind-definition.js';
import type { Scheme } from './scheme.js';

/** A change of the kinds. */
export interface SchemeChange {
  readonly type: 'added' | 'replaced' | 'removed';
  /** The definitions that are no longer valid; empty for `added`. */
  readonly before: readonly KindDefinition[];
  /** The definitions that took their place; empty for `removed`. */
  readonly after: readonly KindDefinition[];
  /** The scheme from now on. */
  readonly scheme: Scheme;
}

/** The kinds of a server, as its parts read them. */
export interface Kinds {
  /** The scheme of this moment. Take it anew for each request. */
  readonly current: Scheme;
  /** Emits each change after `current` became the new scheme, within the call that made it. */
  readonly changes$: Observable<SchemeChange>;
}

/** The kinds of a server, as their owner changes them. Each call costs as much as the kinds it names. */
export interface MutableKinds extends Kinds {
  /** Registers more kinds. Throws for definitions that contradict each other or those there are. */
  add(...kinds: readonly KindOptions[]): void;
  /**
   * Replaces the kinds of the same names, and adds those that are not registered. Watches of a replaced kind end; its
   * objects stay. Throws as `add` does.
   */
  replace(...kinds: readonly KindOptions[]): void;
  /** Removes kinds. Their watches end; stored objects stay in the store. Throws where one is not registered. */
  remove(...kinds: readonly GroupVersionKind[]): void;
}

/** Kinds that begin with those of a scheme; default the built-in ones. */
export function createKinds(scheme: Scheme = builtinScheme()): MutableKinds {
  const changes = new Outlet<SchemeChange>();
  let current = scheme;
  const change = (type: SchemeChange['type'], next: Scheme, names: readonly GroupVersionKind[]): void => {
    const before = definitionsOf(current, names);
    current = next;
    changes.emit({ type, before, after: definitionsOf(next, names), scheme: next });
  };
  return {
    get current() {
      return current;
    },
    changes$: changes.values$,
    add: (...kinds) => change('added', current.with(kinds), kinds),
    replace: (...kinds) => change('replaced', current.replacing(kinds), kinds),
    remove: (...kinds) => change('removed', current.without(kinds), kinds),
  };
}

function definitionsOf(scheme: Scheme, names: readonly GroupVersionKind[]): readonly KindDefinition[] {
  return names.flatMap((gvk) => scheme.kind(gvk) ?? []);
}
