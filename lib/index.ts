// The names that most programs need. `vivarium/core` lists everything the core offers, `vivarium/types` the types of
// all kinds.
export type {
  ApiObject,
  Clock,
  Frozen,
  JsonObject,
  JsonValue,
  ObjectMeta,
  Persisted,
  Random,
  Scheme,
  Status,
  VirtualClock,
} from './core/index.js';
export { ApiError, builtinScheme, deepFreeze, isApiError, random, systemClock, virtualClock } from './core/index.js';
