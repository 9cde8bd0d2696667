// The cacher: reads and watches of one resource from memory, and what the wire needs to pass them on.
export type {
  CacheEvent,
  CacheListing,
  CacheListOptions,
  CacheReading,
  Cacher,
  CacherFigures,
  CacherLimits,
  CacherOptions,
  CacheWatchOptions,
  Freshness,
  Scope,
} from './cacher.js';
export { cacherLimits } from './cacher.js';
export { createCacher } from './create-cacher.js';

// For those who take events at their own pace, and send the same object to many
export type { EncodedBytes, EncodedBytesFigures, EncodedBytesOptions } from './encoded-bytes.js';
export { encodedBytes } from './encoded-bytes.js';
