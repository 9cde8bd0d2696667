/**
 * AES in Galois/counter mode: the nonce, the ciphertext, the tag, as apiserver/pkg/storage/value/encrypt/aes/aes.go,
 * gcm. The storage key is authenticated along with the value, so that a value moved below another key, or changed in
 * any bit, is refused.
 *
 * Nonces are random, and two alike give the key away: NIST SP 800-38D allows one key 2^32 writes. So they come from the
 * system's generator one by one; a pool of them in memory could be handed out twice by a restored machine.
 */
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { aesBits } from './key-sizes.js';
import type { Layer, RandomBytes } from './layer.js';
import { unreadable } from './layer.js';

const nonceLength = 12;
const tagLength = 16;
const options = { authTagLength: tagLength };

/** Encrypts with a secret of 16, 24 or 32 bytes. */
export function aesGcm(secret: Uint8Array, randomBytes: RandomBytes): Layer {
  const algorithm = `aes-${aesBits(secret)}-gcm` as const;
  const secretKey = createSecretKey(secret);
  return {
    seal(bytes, key) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, secretKey, nonce, options).setAAD(Buffer.from(key));
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    open(bytes, key) {
      if (bytes.length < nonceLength) return unreadable('the stored data was shorter than the required size');
      if (bytes.length < nonceLength + tagLength) return unreadable('cipher: message authentication failed');
      const end = bytes.length - tagLength;
      const decipher = createDecipheriv(algorithm, secretKey, bytes.subarray(0, nonceLength), options)
        .setAAD(Buffer.from(key))
        .setAuthTag(bytes.subarray(end));
      const opened = decipher.update(bytes.subarray(nonceLength, end));
      try {
        decipher.final();
      } catch {
        return unreadable('cipher: message authentication failed');
      }
      return { bytes: opened, stale: false };
    },
  };
}
