/** The secrets of an EncryptionConfiguration: base64 as Go's encoding/base64, StdEncoding, takes it. */

/** The bytes of a secret, or nothing for what is no base64. Line ends are passed over; padding must be there. */
export function decodeSecret(text: string): Uint8Array | undefined {
  const written = text.replace(/[\r\n]/g, '');
  return base64.test(written) ? Buffer.from(written, 'base64') : undefined;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
