// The cacher: reads and watches of one resource from memory.
export type {
  CacheEvent,
  CacheListing,
  CacheListOptions,
  Cacher,
  CacherFigures,
  CacherLimits,
  CacherOptions,
  CacheWatchOptions,
  Freshness,
  Scope,
} from './cacher.js';
