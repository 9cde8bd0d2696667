/**
 * Encryption at rest as an EncryptionConfiguration describes it: values look on the disk exactly as kube-apiserver's do
 * (apiserver/pkg/server/options/encryptionconfig/config.go), so that either reads what the other wrote. What is not
 * configured is stored in the clear, and refused if it turns out to be encrypted.
 *
 * Keys are changed without a pause: add the new key behind the first and restart every process, make it the first and
 * restart again, call `rewriteStale`, then take the old key away.
 */
import { randomBytes as systemRandomBytes } from 'node:crypto';
import type { GroupResource } from '../../core/index.js';
import { parseGroupResource, printGroupResource } from '../../core/index.js';
import { StoreError } from '../store-error.js';
import type { ValueTransformer } from '../transformer.js';
import type { Prefixed } from './by-prefix.js';
import { byPrefix } from './by-prefix.js';
import type { EncryptionConfiguration } from './encryption-configuration.js';
import { readEncryptionConfiguration } from './encryption-configuration.js';
import { identity } from './identity.js';
import type { RandomBytes } from './layer.js';
import { transformerOf } from './layer.js';
import { providerLayer } from './provider.js';

/** Returns the transformer for the values of a resource. */
export type Encryption = (resource: GroupResource) => ValueTransformer;

/** Options of `encryptionFor`, which tests replace. */
export interface EncryptionOptions {
  /** Where nonces come from. Only tests may hand in anything but node:crypto's `randomBytes`, the default. */
  readonly randomBytes?: RandomBytes;
}

/**
 * The encryption that a parsed EncryptionConfiguration describes. Refused with `invalid` if there is anything wrong
 * with it, with `unavailable` if it has a secretbox and @noble/ciphers is not installed.
 */
export async function encryptionFor(
  document: unknown,
  { randomBytes = systemRandomBytes }: EncryptionOptions = {},
): Promise<Encryption> {
  const layers = await layersByResource(readEncryptionConfiguration(document), randomBytes);
  const transformers = new Map<string, ValueTransformer>();
  for (const [name, choice] of layers)
    transformers.set(name, transformerOf(byPrefix(choice, 'no matching prefix found')));
  const inTheClear = transformerOf(identity);
  return ({ group, resource }) =>
    transformers.get(printGroupResource({ group, resource })) ??
    transformers.get(printGroupResource({ group, resource: '*' })) ??
    transformers.get(everything) ??
    inTheClear;
}

/** Returns one transformer for a whole store; `resourceOf` returns the resource of a key. */
export function transformerByKey(encryption: Encryption, resourceOf: (key: string) => GroupResource): ValueTransformer {
  return {
    toStorage: (bytes, key) => encryption(resourceOf(key)).toStorage(bytes, key),
    fromStorage: (bytes, key) => encryption(resourceOf(key)).fromStorage(bytes, key),
  };
}

const everything = '*.*';

type Layers = readonly [Prefixed, ...Prefixed[]];

/** A resource that several rules name has the providers of all of them, in their order. */
async function layersByResource(
  { resources: rules = [] }: EncryptionConfiguration,
  randomBytes: RandomBytes,
): Promise<ReadonlyMap<string, Layers>> {
  const found = new Map<string, Layers>();
  for (const { resources = [], providers = [] } of rules) {
    const [first, ...others] = await Promise.all(providers.map((provider) => providerLayer(provider, randomBytes)));
    if (first === undefined) continue;
    for (const name of resources) {
      const resource = parseGroupResource(name);
      const key = printGroupResource(resource);
      for (const wildcard of [printGroupResource({ group: resource.group, resource: '*' }), everything]) {
        if (found.has(wildcard)) throw masked(key, wildcard);
      }
      found.set(key, [...(found.get(key) ?? []), first, ...others]);
    }
  }
  return found;
}

function masked(resource: string, rule: string): StoreError {
  const written = (name: string): string => JSON.stringify(name === '*' ? '*.' : name);
  return new StoreError(
    'invalid',
    `invalid EncryptionConfiguration: resource ${written(resource)} is masked by earlier rule ${written(rule)}`,
  );
}
