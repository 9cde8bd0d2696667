// The version a kind is stored in, as discovery gives it away: the beginning of a hash over its name.
// As apiserver/pkg/endpoints/discovery/storageversionhash.go.
import { encodeBase64 } from '../../core/index.js';
import type { Scheme, ServedKind } from '../../core/index.js';

/** The hash of a kind. */
export async function storageVersionHash(scheme: Scheme, kind: ServedKind): Promise<string> {
  const { group, version, kind: name } = scheme.storageOf(kind);
  // CustomResourceDefinitions announce a version that has not been served for years.
  const announced = group === 'apiextensions.k8s.io' && name === 'CustomResourceDefinition' ? 'v1beta1' : version;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${group}/${announced}/${name}`));
  return encodeBase64(new Uint8Array(digest, 0, 8));
}
