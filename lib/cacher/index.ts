// The cacher: reads and watches of one resource from memory.
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
