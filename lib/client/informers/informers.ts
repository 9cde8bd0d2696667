// Informers over a client: one watch per resource, namespace and selection, shared by all parts of a process that use
// the same `Informers`. As client-go/informers, SharedInformerFactory.
import { InformerPool, printGroupVersion, watcher } from '../../core/index.js';
import type { ApiObject, Clock, Informer, Random, ResourceEntry, Selection } from '../../core/index.js';
import type { KindTypes } from '../../core/types/index.js';
import type { Client, KindName, KindType } from '../client.js';
import type { DynamicObject, ResourceClient, Stored } from '../resources/resource-client.js';

/** Options of informers. */
export interface InformersOptions {
  readonly clock: Clock;
  /** Jitter of retries and of watch durations. */
  readonly random: Random;
}

/** The objects that an informer watches. Default: all of the kind. */
export interface InformerScope extends Selection {
  readonly namespace?: string;
}

/** Shared informers. No request is sent before the events of an informer are subscribed to. */
export interface Informers {
  /** Returns the informer of a built-in kind: `informers.kind('v1', 'Pod')`. Equal arguments share one watch. */
  kind<V extends keyof KindTypes, K extends keyof KindTypes[V]>(
    apiVersion: V,
    kind: K,
    scope?: InformerScope,
  ): Informer<Stored<KindType<V, K>>>;
  /** Returns the informer of any kind, by name or by its discovery entry. Shares one watch with `kind`. */
  resource<T extends ApiObject = DynamicObject>(
    kind: KindName | ResourceEntry,
    scope?: InformerScope,
  ): Informer<Stored<T>>;
}

/** Creates informers that read through `client`, with the rights of its user. */
export function informers(client: Client, { clock, random }: InformersOptions): Informers {
  const pool = new InformerPool();
  const resource = <T extends ApiObject>(
    of: KindName | ResourceEntry,
    scope: InformerScope = {},
  ): Informer<Stored<T>> => {
    const { namespace, ...selection } = scope;
    const key = keyOf(of, scope);
    return pool.get<Stored<T>>(key, () => {
      const all: ResourceClient<T> = client.resource<T>(of);
      const source = namespace === undefined ? all : all.in(namespace);
      return watcher(source, { ...selection, clock, random: random.stream(key) });
    });
  };
  return {
    kind: <V extends keyof KindTypes, K extends keyof KindTypes[V]>(apiVersion: V, kind: K, scope?: InformerScope) =>
      resource<KindType<V, K>>({ apiVersion, kind: kind as string }, scope),
    resource,
  };
}

function keyOf(
  of: KindName | ResourceEntry,
  { namespace = '', labelSelector = '', fieldSelector = '' }: InformerScope,
): string {
  const apiVersion = 'apiVersion' in of ? of.apiVersion : printGroupVersion(of);
  return [apiVersion, of.kind, namespace, labelSelector, fieldSelector].join(' ');
}
