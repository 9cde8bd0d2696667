/**
 * Values as they are. What begins like an encrypted value is refused rather than handed on as if it were JSON, as
 * apiserver/pkg/storage/value/encrypt/identity/identity.go.
 */
import { startsWith } from './by-prefix.js';
import type { Layer } from './layer.js';
import { unreadable } from './layer.js';

const encrypted: Uint8Array = Buffer.from('k8s:enc:');

/** Stores values in the clear. */
export const identity: Layer = {
  seal: (bytes) => bytes,
  open: (bytes) =>
    startsWith(bytes, encrypted)
      ? unreadable('identity transformer tried to read encrypted data')
      : { bytes, stale: false },
};
