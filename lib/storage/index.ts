// What storage offers: the contract of a store, its backends, and what stands between a value and its disk.
export type {
  Batch,
  Change,
  Comparison,
  Entry,
  LeaseId,
  ListOptions,
  Listing,
  Outcome,
  Put,
  Reading,
  Revision,
  Store,
  Transaction,
  WatchOptions,
} from './store.js';
export type { StoreErrorCode } from './store-error.js';
export { isStoreError, StoreError } from './store-error.js';
export { storeLimits } from './limits.js';

// Backends
export type { MemoryStore, MemoryStoreOptions } from './memory-store.js';
export { memoryStore } from './memory-store.js';
export type { ReadView } from './read-view.js';

// Encryption at rest
export type { Restored, ValueTransformer } from './transformer.js';
export type { Encryption, EncryptionOptions } from './encryption/encryption.js';
export { encryptionFor, transformerByKey } from './encryption/encryption.js';
export type { RewritableStore, Rewriting } from './encryption/rotate.js';
export { rewriteStale } from './encryption/rotate.js';
