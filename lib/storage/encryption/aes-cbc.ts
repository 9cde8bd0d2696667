/**
 * AES with cipher block chaining and PKCS#7 padding: the initialisation vector, then the ciphertext, as
 * apiserver/pkg/storage/value/encrypt/aes/aes.go, cbc.
 *
 * It hides values but does not authenticate them. Who can write to the disk can change bits of a value or move it below
 * another key, and a wrong secret under the right name passes for the right one in about one of 256 values; only the
 * JSON that fails to parse then tells. Use it to read what a Kubernetes cluster has stored, and AES-GCM or secretbox to
 * write.
 */
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { aesBits } from './key-sizes.js';
import type { Layer, RandomBytes } from './layer.js';
import { unreadable } from './layer.js';

const blockLength = 16;

/** Encrypts with a secret of 16, 24 or 32 bytes. */
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
      // Go lets a padding be longer than a block; nobody has ever written one.
      if (padding === 0 || padding > blockLength) return unreadable('invalid PKCS7 data (empty or not padded)');
      const length = padded.length - padding;
      if (padded.subarray(length).some((byte) => byte !== padding)) return unreadable('invalid padding on input');
      return { bytes: padded.subarray(0, length), stale: false };
    },
  };
}
