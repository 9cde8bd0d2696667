// Kinds that go out of use: every request for one is answered with a Warning. As apiserver/pkg/endpoints/deprecation,
// which finds these in the types (APILifecycleDeprecated); of the kinds that v1.36 serves there are two.
import type { GroupVersionKind } from '../core/index.js';

/** What to warn of, or undefined. */
export function deprecationOf({ group, version, kind }: GroupVersionKind): string | undefined {
  const since = deprecated.get(`${group}/${version}/${kind}`);
  return since === undefined
    ? undefined
    : `${group === '' ? version : `${group}/${version}`} ${kind} is deprecated in ${since}`;
}

const deprecated: ReadonlyMap<string, string> = new Map([
  ['/v1/ComponentStatus', 'v1.19+'],
  ['/v1/Endpoints', 'v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
]);
