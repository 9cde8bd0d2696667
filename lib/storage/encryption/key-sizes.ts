/** The lengths that secrets may have, in bytes, as apiserver/pkg/apis/apiserver/validation/validation_encryption.go. */

/** AES takes 128, 192 or 256 bits. */
export const aesKeySizes: readonly number[] = [16, 24, 32];

/** Secretbox takes 256 bits. */
export const secretboxKeySizes: readonly number[] = [32];

/** The size of an AES secret as the names of its ciphers have it. */
export function aesBits(secret: Uint8Array): 128 | 192 | 256 {
  switch (secret.length) {
    case 16:
      return 128;
    case 24:
      return 192;
    case 32:
      return 256;
    default:
      throw new RangeError(`an AES secret has 16, 24 or 32 bytes, not ${secret.length}`);
  }
}
