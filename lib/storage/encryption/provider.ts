/**
 * One provider of an EncryptionConfiguration as a layer: its prefix distinguishes it from the others, the names of its
 * keys tell those apart. As apiserver/pkg/server/options/encryptionconfig/config.go, aesPrefixTransformer and
 * secretboxPrefixTransformer.
 */
import { decodeBase64 } from '../../core/index.js';
import { StoreError } from '../store-error.js';
import { aesCbc } from './aes.js';
import { aesGcm } from './aes.js';
import type { Prefixed } from './by-prefix.js';
import { byPrefix } from './by-prefix.js';
import type { KeysConfiguration, ProviderConfiguration } from './encryption-configuration.js';
import { identity } from './identity.js';
import type { Layer, RandomBytes } from './layer.js';
import { loadSecretbox, secretbox } from './secretbox.js';

/** The layer of a provider that was validated. Nothing is ever left in the clear but by `identity`. */
export async function providerLayer(provider: ProviderConfiguration, randomBytes: RandomBytes): Promise<Prefixed> {
  if (provider.aesgcm !== undefined) {
    return {
      prefix: 'k8s:enc:aesgcm:v1:',
      layer: byKey(provider.aesgcm, 'AES', (secret) => aesGcm(secret, randomBytes)),
    };
  }
  if (provider.aescbc !== undefined) {
    return {
      prefix: 'k8s:enc:aescbc:v1:',
      layer: byKey(provider.aescbc, 'AES', (secret) => aesCbc(secret, randomBytes)),
    };
  }
  if (provider.secretbox !== undefined) {
    const box = await loadSecretbox();
    return {
      prefix: 'k8s:enc:secretbox:v1:',
      layer: byKey(provider.secretbox, 'Secretbox', (secret) => secretbox(box, secret, randomBytes)),
    };
  }
  if (provider.identity !== undefined) return { prefix: '', layer: identity };
  throw new StoreError('invalid', 'an encryption provider is none of aesgcm, aescbc, secretbox, identity');
}

function byKey({ keys = [] }: KeysConfiguration, cipher: string, layerOf: (secret: Uint8Array) => Layer): Layer {
  const [first, ...others] = keys.map(({ name = '', secret = '' }): Prefixed => ({
    prefix: `${name}:`,
    layer: layerOf(decodeBase64(secret)),
  }));
  if (first === undefined) throw new StoreError('invalid', 'an encryption provider has no keys');
  return byPrefix([first, ...others], `no matching key was found for the provided ${cipher} transformer`);
}
