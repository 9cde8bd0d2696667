// `vivarium/cacher`: the cache of one resource over a store, which serves gets, lists and watches from memory.
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
} from './index.js';
export { cacherLimits, createCacher } from './index.js';
