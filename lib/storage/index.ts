// What storage offers everywhere, browsers included: the contract of a store and the store in memory. The backends that
// need Node have entries of their own: `vivarium/storage/sqlite`, `vivarium/storage/etcd`,
// `vivarium/storage/encryption`.
export type {
  Batch,
  Change,
  Comparison,
  Entry,
  LeaseId,
  StoreListOptions,
  Listing,
  Outcome,
  Put,
  Reading,
  Revision,
  Store,
  Transaction,
  StoreWatchOptions,
} from './store.js';
export type { StoreErrorCode } from './store-error.js';
export { isStoreError, StoreError } from './store-error.js';
export type { StoreLimits } from './limits.js';
export { storeLimits } from './limits.js';

// The store in memory
export type { ForkOptions, MemoryStore, MemoryStoreOptions } from './memory-store.js';
export { memoryStore } from './memory-store.js';
export type { ReadView } from './read-view.js';
export type { SnapshotEntry, StoreSnapshot } from './store-snapshot.js';
export { takeSnapshot } from './store-snapshot.js';

// Periodic compaction
export type { CompactionFailed, CompactorOptions, StoreCompacted } from './compactor.js';
export { compactionIntervalMs, compactor } from './compactor.js';

// The ordered map behind it, which the cacher keeps its snapshots in
export type { KeyRange } from './key-index.js';
export { KeyIndex } from './key-index.js';

// The seam for encryption at rest
export type { Restored, ValueTransformer } from './transformer.js';
