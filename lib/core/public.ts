// `vivarium/core`: the values and functions of the core for programs outside this package. What only the folders of the
// package share is in index.ts and may change at any time. The report of this entry is api/core.txt.

// Objects of the API
export type {
  ApiList,
  ApiObject,
  Frozen,
  GroupResource,
  GroupVersion,
  GroupVersionKind,
  GroupVersionResource,
  IntOrString,
  JsonObject,
  JsonValue,
  NamespacedName,
  ObjectMeta,
  OwnerReference,
  OwnerReferenceOptions,
  Persisted,
} from './index.js';
export {
  controllerOf,
  groupVersionKindOf,
  isControlledBy,
  isOwnedBy,
  isTerminating,
  namespacedName,
  objectKey,
  ownerReference,
  parseGroupVersion,
  printGroupVersion,
  scaledValue,
  withOwnerReference,
  withoutOwnerReference,
} from './index.js';

// Frozen values: comparing them and changing copies of them
export type { ObjectPath, ValueAt } from './index.js';
export { deepCopy, deepEqual, deepFreeze, deleteIn, getIn, setIn, thaw, updateIn } from './index.js';

// Quantities, times and durations as text
export type { Quantity } from './index.js';
export {
  ParseError,
  addQuantities,
  compareQuantities,
  isParseError,
  parseDurationMs,
  parseQuantity,
  parseTime,
  printDuration,
  printQuantity,
  printTime,
  subtractQuantities,
} from './index.js';

// Selectors
export type { FieldSelector, Labels, Selector } from './index.js';
export {
  everything,
  matchesFields,
  matchesLabels,
  nothing,
  parseFieldSelector,
  parseLabelSelector,
  printFieldSelector,
  printLabelSelector,
  selectorFromLabels,
  selectorFromStructured,
} from './index.js';

// Errors
export type { FieldError, ResourceRef, Status, StatusCause, StatusDetails, StatusReason } from './index.js';
export {
  ApiError,
  FieldPath,
  alreadyExists,
  apiErrorFrom,
  badRequest,
  conflict,
  exitCodeOf,
  exitStatus,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTooLong,
  forbidden,
  internalError,
  invalid,
  isApiError,
  notFound,
  resourceExpired,
  serviceUnavailable,
  successStatus,
  timeout,
  toStatus,
  tooManyRequests,
  unauthorized,
} from './index.js';

// Kinds
export type {
  BuiltinSchemeOptions,
  KindDefinition,
  KindStrategy,
  RestMapper,
  RestMapping,
  Scheme,
  SchemeOptions,
} from './index.js';
export {
  NoMatchError,
  NotRegisteredError,
  builtinScheme,
  createScheme,
  isNoMatchError,
  isNotRegisteredError,
  restMapper,
} from './index.js';

// Documents
export type { DecodedBody, FieldValidation } from './index.js';
export {
  DecodeError,
  decodeJsonBody,
  encodeJson,
  isDecodeError,
  parseYaml,
  parseYamlDocuments,
  printYaml,
} from './index.js';

// Patches
export type { JsonPatchOperation } from './index.js';
export {
  PatchError,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  createMergePatch,
  isPatchError,
} from './index.js';

// Time and chance
export type { Clock, Duration, Random, VirtualClock, VirtualClockOptions } from './index.js';
export { random, systemClock, systemRandom, virtualClock } from './index.js';

// Parts, watches and channels
export type {
  Activity,
  DuplexChannels,
  Informer,
  ListWatch,
  ObjectReader,
  Part,
  RawEvent,
  Snapshot,
  WatcherEvent,
} from './index.js';
export { duplexChannels, reflect, snapshotWriter, watcher } from './index.js';
