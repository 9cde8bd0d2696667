// What storage offers: the contract of a store and its backends.
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
