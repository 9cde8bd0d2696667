/**
 * NaCl's secretbox, XSalsa20 with Poly1305: the nonce, the tag, the ciphertext, as
 * apiserver/pkg/storage/value/encrypt/secretbox/secretbox.go. A value changed in any bit is refused; one moved below
 * another key is not, since the storage key is no part of what is authenticated.
 *
 * Node has no such cipher. It comes from @noble/ciphers, an optional peer that only a configuration with a secretbox
 * needs.
 */
import { StoreError } from '../store-error.js';
import type { Layer, RandomBytes } from './layer.js';
import { unreadable } from './layer.js';

/** The cipher, bound to a secret and a nonce. `decrypt` throws when the tag does not match. */
export type Secretbox = (
  secret: Uint8Array,
  nonce: Uint8Array,
) => { encrypt(bytes: Uint8Array): Uint8Array; decrypt(bytes: Uint8Array): Uint8Array };

const nonceLength = 24;
const tagLength = 16;

/** Encrypts with a secret of 32 bytes. */
export function secretbox(box: Secretbox, secret: Uint8Array, randomBytes: RandomBytes): Layer {
  return {
    seal(bytes) {
      const nonce = randomBytes(nonceLength);
      return Buffer.concat([nonce, box(secret, nonce).encrypt(bytes)]);
    },
    open(bytes) {
      if (bytes.length < nonceLength + tagLength)
        return unreadable('the stored data was shorter than the required size');
      try {
        return {
          bytes: box(secret, bytes.subarray(0, nonceLength)).decrypt(bytes.subarray(nonceLength)),
          stale: false,
        };
      } catch {
        return unreadable('output array was not large enough for encryption');
      }
    },
  };
}

/** Finds the cipher. Refused with `unavailable` where the package is not installed. */
export async function loadSecretbox(): Promise<Secretbox> {
  // By a variable, so that neither compiler nor bundler requests a package that most do without.
  const name = '@noble/ciphers/salsa.js';
  const found: unknown = await import(name).catch((cause: unknown) => {
    throw new StoreError('unavailable', 'the encryption provider secretbox needs the package @noble/ciphers', {
      cause,
    });
  });
  if (hasSecretbox(found)) return found.xsalsa20poly1305;
  throw new StoreError('unavailable', 'the package @noble/ciphers has no xsalsa20poly1305');
}

function hasSecretbox(module: unknown): module is { readonly xsalsa20poly1305: Secretbox } {
  return (
    typeof module === 'object' &&
    module !== null &&
    'xsalsa20poly1305' in module &&
    typeof module.xsalsa20poly1305 === 'function'
  );
}
