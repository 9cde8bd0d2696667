/**
 * The AES providers of encryption at rest, aesgcm and aescbc, as apiserver/pkg/storage/value/encrypt/aes/aes.go. Use
 * AES-GCM to write; AES-CBC does not authenticate values and is for reading what a Kubernetes cluster has stored.
 */
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { aesBits } from './key-sizes.js';
import type { Layer, RandomBytes } from './layer.js';
import { unreadable } from './layer.js';

const nonceLength = 12;
const tagLength = 16;
const options = { authTagLength: tagLength };

/**
 * Returns the layer for AES in Galois/counter mode with a secret of 16, 24 or 32 bytes: nonce, ciphertext, tag. The
 * storage key is authenticated along with the value: a value that was moved below another key, or changed in any bit,
 * is refused.
 *
 * Nonces are random, and a repeated nonce reveals the key: NIST SP 800-38D allows 2^32 writes per key. They are
 * drawn one by one from the system's generator, because a virtual machine restored from a snapshot would use a pool in
 * memory twice.
 */
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

const blockLength = 16;

/**
 * Returns the layer for AES with cipher block chaining and PKCS#7 padding, with a secret of 16, 24 or 32 bytes:
 * initialisation vector, ciphertext. Values are not authenticated: with write access to the disk, bits of a value can
 * be changed or the value moved below another key, and a wrong secret under the right name decrypts about one of 256
 * values without an error, which only the JSON decoder then notices.
 */
export function aesCbc(secret: Uint8Array, randomBytes: RandomBytes): Layer {
  const algorithm = `aes-${aesBits(secret)}-cbc`;
  const secretKey = createSecretKey(secret);
  return {
    seal(bytes) {
      const vector = randomBytes(blockLength);
      const cipher = createCipheriv(algorithm, secretKey, vector);
      return Buffer.concat([vector, cipher.update(bytes), cipher.final()]);
    },
    open(bytes) {
      if (bytes.length < blockLength) return unreadable('the stored data was shorter than the required size');
      if (bytes.length % blockLength !== 0) return unreadable('the stored data is not a multiple of the block size');
      const decipher = createDecipheriv(algorithm, secretKey, bytes.subarray(0, blockLength)).setAutoPadding(false);
      const padded = Buffer.concat([decipher.update(bytes.subarray(blockLength)), decipher.final()]);
      const padding = padded.at(-1) ?? 0;
      // Go accepts a padding longer than a block, but no writer produces one.
      if (padding === 0 || padding > blockLength) return unreadable('invalid PKCS7 data (empty or not padded)');
      const length = padded.length - padding;
      if (padded.subarray(length).some((byte) => byte !== padding)) return unreadable('invalid padding on input');
      return { bytes: padded.subarray(0, length), stale: false };
    },
  };
}
