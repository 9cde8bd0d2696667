// What the core provides to the other folders of lib/, which import only this file. Users import public.ts.

// Objects as values
export type { JsonObject, JsonValue } from './objects/json.js';
export { isJsonObject, setOwn } from './objects/json.js';
export type {
  ApiList,
  ApiObject,
  Frozen,
  ListMeta,
  ManagedFieldsEntry,
  NamespacedName,
  ObjectMeta,
  OwnerReference,
  Persisted,
  TypeMeta,
} from './objects/meta.js';
export {
  isOlderVersion,
  isTerminating,
  namespacedName,
  objectKey,
  parseObjectKey,
  printNamespacedName,
} from './objects/meta.js';
export type { GroupKind, GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource } from './objects/gvk.js';
export {
  groupVersionKindKey,
  groupVersionKindOf,
  groupVersionResourceKey,
  parseGroupKind,
  parseGroupResource,
  parseGroupVersion,
  parseKindArgument,
  parseResourceArgument,
  printGroupKind,
  printGroupResource,
  printGroupVersion,
  printGroupVersionKind,
  printGroupVersionResource,
  sameGroupKind,
  sameGroupResource,
  sameGroupVersion,
  sameGroupVersionKind,
  sameGroupVersionResource,
} from './objects/gvk.js';
export { objectReference } from './objects/object-reference.js';
export type { DedupedOwnerReferences, OwnerReferenceOptions } from './objects/owner-references.js';
export {
  controllerOf,
  dedupeOwnerReferences,
  isControlledBy,
  isOwnedBy,
  ownerReference,
  withOwnerReference,
  withoutOwnerReference,
} from './objects/owner-references.js';
export {
  canonicalMilliQuantity,
  canonicalQuantity,
  integerValue,
  milliValue,
  parseQuantity,
  printQuantity,
} from './objects/quantity.js';
export type { Quantity, QuantityFormat } from './objects/quantity-arithmetic.js';
export {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  multiplyQuantity,
  negateQuantity,
  quantityFromInteger,
  quantityFromMilli,
  quantitySign,
  quantityToInteger,
  quantityToMilli,
  roundUpToMilli,
  subtractQuantities,
} from './objects/quantity-arithmetic.js';
export type { IntOrString } from './objects/int-or-string.js';
export { isIntOrString, isPercent, parseIntOrString, scaledValue } from './objects/int-or-string.js';
export {
  canonicalMicroTime,
  canonicalTime,
  parseMicroTime,
  parseTime,
  printMicroTime,
  printTime,
} from './objects/time.js';
export { canonicalDuration, humanDuration, parseDuration, parseDurationMs, printDuration } from './objects/duration.js';
export { canonicalBase64, decodeBase64, encodeBase64 } from './objects/base64.js';
export type { Der } from './kinds/core/der.js';
export { derChildren, derValue, readDer } from './kinds/core/der.js';
export { ParseError, isParseError } from './objects/parse-error.js';
export type { Cidr, IpAddress } from './objects/ip-address.js';
export { addToIp, parseCidr, parseIp, printIp, printNetwork } from './objects/ip-address.js';

// Selectors
export type { LabelOperator, LabelRequirement, Labels } from './objects/label-requirement.js';
export { labelRequirement, matchesRequirement, printLabelRequirement } from './objects/label-requirement.js';
export type { Selector } from './objects/label-selector.js';
export {
  everything,
  exactMatches,
  matchesLabels,
  nothing,
  parseLabelSelector,
  printLabelSelector,
  selectorFromLabels,
  selectorOf,
} from './objects/label-selector.js';
export { selectorFromStructured } from './objects/structured-selector.js';
export { readable, readableSelector } from './objects/readable-selector.js';
export type { FieldRequirement, FieldSelector, FieldTerm } from './objects/field-selector.js';
export {
  escapeFieldValue,
  matchesFields,
  parseFieldSelector,
  printFieldSelector,
  requiresExact,
  transformFieldSelector,
} from './objects/field-selector.js';

// Names and metadata rules
export type { NameRule, SyntaxRule } from './objects/names.js';
export {
  isCIdentifier,
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isEnvVarName,
  isHttpHeaderName,
  isInRange,
  isLabelValue,
  isPathSegment,
  isPortName,
  isPortNumber,
  isQualifiedName,
  isWildcardDns1123Subdomain,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
} from './objects/names.js';
export type { ObjectMetaRules } from './objects/meta-validation.js';
export {
  validateAnnotations,
  validateFieldManager,
  validateImmutable,
  validateLabels,
  validateNonNegative,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './objects/meta-validation.js';

// Storage
export type { FrozenClaim, FrozenVolume } from './volumes/claims-and-volumes.js';
export {
  bindCompletedAnnotation,
  boundByControllerAnnotation,
  claimKey,
  classOfClaim,
  classOfVolume,
  givenTo,
  isClaimedBy,
  isFullyBound,
  isMeantFor,
  selectedNodeAnnotation,
  selectedNodeOf,
  statedClass,
  volumeNameOf,
} from './volumes/claims-and-volumes.js';
export {
  bestVolumeFor,
  bySizeOfClaim,
  bySizeOfVolume,
  hasAccessModes,
  hasSameAttributes,
  hasSameMode,
  isLargeEnough,
  isSuitable,
  offeredTo,
} from './volumes/matching.js';
export { defaultClass, isDefaultClass, noProvisioner, waitsForConsumer } from './volumes/storage-classes.js';
export type { VolumeClaim } from './volumes/pod-claims.js';
export { ephemeralClaimName, notMadeFor, volumeClaims } from './volumes/pod-claims.js';
export { driverInPlaceOf, inTreeDrivers } from './volumes/in-tree-drivers.js';

// Immutability
export { deepCopy, deepFreeze, isDeepFrozen, thaw } from './objects/freeze.js';
export { deepEqual } from './objects/deep-equal.js';
export type { ObjectPath, ValueAt } from './objects/path-copy.js';
export { deleteIn, getIn, setIn, updateIn } from './objects/path-copy.js';

// Errors
export { aggregateText } from './errors/aggregate-text.js';
export type {
  CauseReason,
  Failure,
  Status,
  StatusCause,
  StatusDetails,
  StatusMetadata,
  StatusReason,
} from './errors/status.js';
export { failureStatus, successStatus } from './errors/status.js';
export { exitCodeOf, exitStatus } from './errors/exit-status.js';
export { quote } from './errors/go-format.js';
export { ApiError, apiErrorFrom, errorText, isApiError, toStatus } from './errors/api-error.js';
export type { ResourceRef } from './errors/resource-ref.js';
export type { RefusedRequest } from './errors/request-errors.js';
export {
  accessDenied,
  apiVersionMismatch,
  badRequest,
  forbidden,
  methodNotSupported,
  nameMismatch,
  namespaceMismatch,
  namespaceTerminating,
  notAcceptable,
  requestEntityTooLarge,
  unauthorized,
  unsupportedMediaType,
  wrongForm,
} from './errors/request-errors.js';
export type { UnmetPrecondition } from './errors/object-errors.js';
export {
  alreadyExists,
  applyConflict,
  conflict,
  continueExpired,
  deletePreconditionFailed,
  generateNameConflict,
  gone,
  invalid,
  listExpired,
  notFound,
  resourceExpired,
  tooOldResourceVersion,
  watchExpired,
} from './errors/object-errors.js';
export type { ServerResponse } from './errors/server-errors.js';
export {
  internalError,
  methodNotAllowed,
  patchRejected,
  routeNotAcceptable,
  routeUnsupportedMediaType,
  serverResponse,
  serverTimeout,
  serviceUnavailable,
  timeout,
  tooLargeResourceVersion,
  tooManyRequests,
  unclassifiedError,
  unknownResource,
} from './errors/server-errors.js';
export { FieldPath, fieldPath } from './errors/field-path.js';
export type { FieldError, FieldErrorReason } from './errors/field-error.js';
export {
  fieldDuplicate,
  fieldErrorText,
  fieldErrorsText,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooFew,
  fieldTooLong,
  fieldTooLongCharacters,
  fieldTooMany,
  fieldTooShort,
  fieldTypeInvalid,
} from './errors/field-error.js';

// Schema
export type {
  Field,
  FieldOptions,
  ListShape,
  MapShape,
  PatchRule,
  Presence,
  ScalarKind,
  ScalarShape,
  Shape,
  StructType,
  UnionOption,
  UnionShape,
} from './schema/type.js';
export { field, hasProtobuf, listOf, mapOf, scalars, structType } from './schema/type.js';
export type { SchemaSource } from './schema/compact-form.js';
export { compactSchema } from './schema/compact-form.js';
export { builtinSchema } from './schema/builtin.js';
export { DecodeError, isDecodeError } from './schema/decode-error.js';
export type { Decoded } from './schema/decode.js';
export { decodeValue } from './schema/decode.js';
export { decodeJson, parseJson } from './schema/decode-json.js';
export { countMembers } from './schema/json-scanner.js';

// Scheme
export type {
  HubConversion,
  KindDefinition,
  KindOptions,
  KindParticulars,
  ResourceDefinition,
  ResourceOptions,
  ServedKind,
  Subresource,
} from './scheme/kind-definition.js';
export { sameShape, standardVerbs } from './scheme/kind-definition.js';
export type { FieldReader, KindStrategy, UpdateStrategy, WriteContext } from './kinds/kind-strategy.js';
export type { KindTable, TableCells, TableColumn, TableRowCondition } from './kinds/kind-table.js';
export { localApiServiceCondition } from './kinds/apiregistration/api-service.js';
export { validateClusterIpFields } from './kinds/core/cluster-ip-validation.js';
export { isExternalName, isHeadless, needsHealthCheck, sameTexts, usesNodePorts } from './kinds/core/service-kind.js';
export { parseGoUrl } from './kinds/admissionregistration/go-url.js';
export { validateDomainPrefixedPath } from './kinds/domain-prefixed-path.js';
export { validateFinalizerNames } from './kinds/finalizer-names.js';
export { validateLabelRequirement } from './kinds/label-selector-validation.js';
export { isExtendedResource, isHugePages } from './kinds/resource-names.js';
export {
  everythingOf,
  groupSubject,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
} from './kinds/flowcontrol/mandatory.js';
export { aggregatedRules } from './kinds/rbac/aggregated-rules.js';
export { systemPriorityClasses } from './kinds/scheduling/priority-class.js';
export type { Scalable } from './kinds/apps/scale.js';
export { scaleOf, scaleTable, validateScale, withReplicas } from './kinds/apps/scale.js';
export { ageColumn, integerColumn, nameColumn, plainTable, textColumn } from './kinds/table-cells.js';
export type { ApiSwitches } from './scheme/api-switches.js';
export type { CommonKind, Scheme, SchemeOptions, SchemeSection } from './scheme/scheme.js';
export type { ApiGroup } from './scheme/group-layers.js';
export type { Converter } from './scheme/conversion.js';
export type { Kinds, MutableKinds, SchemeChange } from './scheme/kinds.js';
export { createKinds } from './scheme/kinds.js';
export type { DefinedKind } from './scheme/define-kind.js';
export { defineKind } from './scheme/define-kind.js';
export type { PrinterColumn } from './kinds/printer-columns.js';
export { createScheme } from './scheme/scheme.js';
export type { BuiltinSchemeOptions } from './scheme/builtin.js';
export { builtinScheme } from './scheme/builtin.js';
export { once } from './scheme/once.js';
export { builtinEndpoint } from './scheme/resource-table.js';
export { isNotRegisteredError, NotRegisteredError } from './scheme/not-registered-error.js';
export type { ResourceEntry, ResourceQuery, RestMapper, RestMapping } from './scheme/rest-mapper.js';
export { restMapper, restMapperOf } from './scheme/rest-mapper.js';
export { isNoMatchError, NoMatchError } from './scheme/no-match-error.js';
export type { Stability } from './scheme/version-order.js';
export { compareVersions, isStable, stabilityOf } from './scheme/version-order.js';

// Codecs
export type { DecodedBody, FieldValidation } from './codec/json.js';
export {
  applyValidation,
  decodeJsonBody,
  decodeJsonClaim,
  encodeJson,
  encodePrettyJson,
  readTypeMeta,
  typeMetaOf,
} from './codec/json.js';
export type { ParsedYaml, YamlLimits } from './codec/yaml/parse-yaml.js';
export { parseYaml, parseYamlDocuments } from './codec/yaml/parse-yaml.js';
export { printYaml } from './codec/yaml/print-yaml.js';
export type { Envelope } from './codec/protobuf/envelope.js';
export { encodeObject, openEnvelope } from './codec/protobuf/envelope.js';
export { decodeMessage } from './codec/protobuf/decode.js';
export { encodeMessage } from './codec/protobuf/encode.js';
export type { WatchFrame } from './codec/protobuf/watch-frame.js';
export { encodeWatchFrame, watchFrameReader } from './codec/protobuf/watch-frame.js';
export type { MediaType, Negotiated, Offer, Transform } from './codec/media-type.js';
export {
  allowsObjectTransform,
  isAggregatedDiscovery,
  isStreamable,
  mediaTypes,
  negotiate,
  parseAccept,
  parseMediaType,
} from './codec/media-type.js';

// Patches
export type { JsonPatchOperation } from './patch/json-patch.js';
export { applyJsonPatch, jsonPatchProblems, parseJsonPatch } from './patch/json-patch.js';
export { applyMergePatch, createMergePatch, parseMergePatch } from './patch/merge-patch.js';
export { applyStrategicMergePatch, parseStrategicMergePatch } from './patch/strategic-merge-patch.js';
export type { PatchErrorCode } from './patch/patch-error.js';
export { isPatchError, PatchError } from './patch/patch-error.js';

// Time and chance
export type { Clock } from './time/clock.js';
export { stopwatch } from './time/clock.js';
export { systemClock } from './time/system-clock.js';
export type { Stall, VirtualClock, VirtualClockOptions } from './time/virtual-clock.js';
export { virtualClock } from './time/virtual-clock.js';
export type { Duration } from './time/duration-ms.js';
export { nextTurn } from './time/turns.js';
export { durationMs } from './time/duration-ms.js';
export type { Random } from './time/random.js';
export { random, systemRandom } from './time/random.js';
export { nameSuffix } from './time/name-suffix.js';
export type { BackoffLadder, BackoffLadderName, BackoffState, BackoffStep, FailedTry } from './time/backoff.js';
export { backoffLadders, backoffStep, delayAfter, isExhausted } from './time/backoff.js';

// Metrics
export { Histogram } from './metrics/histogram.js';
export type { MetricFamily, Sample } from './metrics/prometheus-text.js';
export { labelText, printSampleValue, prometheusText, prometheusType } from './metrics/prometheus-text.js';

// Collections
export type { HeapItem } from './collections/indexed-heap.js';
export { IndexedHeap } from './collections/indexed-heap.js';

// Streams
export type { OutletOptions } from './streams/outlet.js';
export { Outlet } from './streams/outlet.js';
export { firstOf } from './streams/first-of.js';
export { settle } from './streams/settle.js';
export { aborted, onAbort, pause, reasonOf, untilAborted } from './streams/until-aborted.js';
export type { Activity, Part } from './streams/part.js';
export type { ChannelMessage, ChannelOptions, DuplexChannels, ServedChannels } from './streams/duplex-channels.js';
export { duplexChannels, openSession, servedChannels, streamFailure } from './streams/duplex-channels.js';
export type { ObjectInformers, ObjectReader } from './streams/object-reader.js';
export { objectInformers } from './streams/object-reader.js';
export type { ListOptions, ListWatch, Page, RawEvent, Selection, WatchOptions } from './streams/list-watch.js';
export type { Applied, Bookmark, Deleted, Failed, Init, Listed, Synced, WatcherEvent } from './streams/watch-event.js';
export { applied, deleted } from './streams/watch-event.js';
export type { WatcherOptions } from './streams/watcher.js';
export { watcher } from './streams/watcher.js';
export type { IndexFunction, Indexes } from './streams/indexed-objects.js';
export type { Snapshot, SnapshotWriter } from './streams/snapshot.js';
export { snapshotWriter } from './streams/snapshot.js';
export { reflect } from './streams/reflector.js';
export type { Informer } from './streams/informer.js';
export { InformerPool, informer } from './streams/informer.js';
export type { OnDemand } from './streams/on-demand.js';
export { onDemand } from './streams/on-demand.js';
