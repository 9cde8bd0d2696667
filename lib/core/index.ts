// What the core provides to the other folders of lib/, which import only this file. Users import public.ts.

// Objects as values
export type { JsonObject, JsonValue } from './objects/json.js';
export { isJsonObject, setOwn, deepCopy, deepFreeze, isDeepFrozen, thaw, deepEqual } from './objects/json.js';
export { withMembers } from './objects/with-members.js';
export { memoryBytes } from './objects/memory-size.js';
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
export type { OwnerReferenceOptions } from './objects/owner-references.js';
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
export type { Quantity } from './objects/quantity-arithmetic.js';
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
export type { Der } from './kinds/core/der.js';
export { derChildren, derValue, readDer } from './kinds/core/der.js';
export { ParseError, isParseError } from './objects/parse-error.js';
export type { Cidr, IpAddress } from './objects/ip-address.js';
export { addToIp, cidrContains, parseCidr, parseIp, printIp, printNetwork } from './objects/ip-address.js';

// Imitations of Go
export { canonicalBase64, decodeBase64, encodeBase64 } from './go/base64.js';
export { canonicalDuration, humanDuration, parseDuration, parseDurationMs, printDuration } from './go/duration.js';
export { printGoJson, unmarshalTypeError } from './go/encoding-json.js';
export { aggregateText, formatStrings, formatUtcSeconds, quote, quoteEach } from './go/format.js';
export { countMembers } from './go/json-scanner.js';
export { formatGo } from './go/json-value.js';
export { parseGoRegexp } from './go/regexp.js';
export { MatchSteps, matcher } from './go/regexp-match.js';
export { int64Of, numError } from './go/strconv.js';
export { hasLineBreak, trimSpace } from './go/trim-space.js';
export { regexpFinder } from './go/regexp-find.js';
export type { RegexpFinder } from './go/regexp-find.js';
export type { GoUrl } from './go/url.js';
export { parseGoRequestUri, parseGoUrl } from './go/url.js';
export { formatRule } from './kinds/apiextensions/formats.js';
export type { Query } from './go/url-query.js';
export { firstValue, parseQuery, unescapePercent } from './go/url-query.js';

// Selectors
export type { LabelOperator, LabelRequirement, Labels } from './objects/label-requirement.js';
export { labelRequirement } from './objects/label-requirement.js';
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
export {
  printStructuredSelector,
  readable,
  readableSelector,
  selectorFromStructured,
} from './objects/structured-selector.js';
export type { FieldRequirement, FieldSelector } from './objects/field-selector.js';
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
  utf8Length,
} from './objects/names.js';
export {
  validateAnnotations,
  validateFieldManager,
  validateImmutable,
  validateLabels,
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
export { defaultClass, newestFirst, noProvisioner, waitsForConsumer } from './volumes/storage-classes.js';
export type { VolumeClaim } from './volumes/pod-claims.js';
export { ephemeralClaimName, notMadeFor, volumeClaims } from './volumes/pod-claims.js';
export { driverInPlaceOf, inTreeDrivers } from './volumes/in-tree-drivers.js';

// Which nodes a pod may run on
export type { CompiledTerms, NodeTerm, RequiredNodes, WeightedNodeTerm } from './nodes/node-affinity.js';
export {
  compileNodeTerms,
  compilePreferredTerms,
  matchesAnyTerm,
  matchesRequired,
  preferenceScore,
  preferredNodes,
  requiredNodes,
} from './nodes/node-affinity.js';
export {
  countIntolerablePreferred,
  preferenceTolerations,
  toleratesTaint,
  toleratesTaintWithAny,
  unschedulableTaint,
  untoleratedTaint,
} from './nodes/tolerations.js';

// Immutability
export type { ObjectPath, ValueAt } from './objects/path-copy.js';
export { deleteIn, getIn, setIn, updateIn } from './objects/path-copy.js';

// Errors
export type { Failure, Status, StatusCause, StatusDetails, StatusReason } from './errors/status.js';
export { failureStatus, successStatus, exitCodeOf, exitStatus } from './errors/status.js';
export { ApiError, apiErrorFrom, errorText, isApiError, toStatus } from './errors/api-error.js';
export type { ResourceRef } from './errors/resource-ref.js';
export type { PolicyDenialReason } from './errors/request-errors.js';
export {
  accessDenied,
  apiVersionMismatch,
  badRequest,
  deniedByPolicy,
  forbidden,
  methodNotSupported,
  mutationDenied,
  nameMismatch,
  namespaceMismatch,
  namespaceTerminating,
  notAcceptable,
  requestEntityTooLarge,
  unauthorized,
  unsupportedMediaType,
  wrongForm,
} from './errors/request-errors.js';
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
  rateLimited,
  unclassifiedError,
  unknownResource,
} from './errors/server-errors.js';
export { FieldPath, fieldPath } from './errors/field-path.js';
export type { FieldError } from './errors/field-error.js';
export {
  fieldDuplicate,
  fieldDuplicateUnprinted,
  fieldErrorText,
  fieldErrorsText,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldInvalidUnprinted,
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
export type { Field, ListShape, ScalarShape, Shape, StructType } from './schema/type.js';
export { field, hasProtobuf, listOf, mapOf, scalars, structType, once } from './schema/type.js';
export { compactSchema } from './schema/compact-form.js';
export { builtinSchema } from './schema/builtin.js';
export { DecodeError, isDecodeError } from './schema/decode-error.js';
export type { Decoded } from './schema/type.js';
export { decodeValue } from './schema/decode.js';
export {
  decodeJson,
  parseJson,
  applyValidation,
  decodeJsonBody,
  decodeJsonClaim,
  encodeJson,
  encodePrettyJson,
  readTypeMeta,
  typeMetaOf,
} from './codec/json.js';
export { joinBytes } from './codec/join-bytes.js';
export { inNameOrder, inSchemaOrder } from './codec/member-order.js';

// Scheme
export type {
  HubConversion,
  KindDefinition,
  KindOptions,
  ResourceDefinition,
  ServedKind,
  Subresource,
} from './scheme/kind-definition.js';
export { sameShape, standardVerbs } from './scheme/kind-definition.js';
export type { FieldReader, KindStrategy, UpdateStrategy, WriteContext } from './kinds/kind-strategy.js';
export type { KindTable, TableCells, TableColumn } from './kinds/kind-table.js';
export { localApiServiceCondition } from './kinds/apiregistration/api-service.js';
export { validateClusterIpFields } from './kinds/core/cluster-ip-validation.js';
export { isExternalName, isHeadless, needsHealthCheck, sameTexts, usesNodePorts } from './kinds/core/service-kind.js';
export { validateDomainPrefixedPath } from './kinds/domain-prefixed-path.js';
export { validateFinalizerNames } from './kinds/finalizer-names.js';
export { validateLabelRequirement } from './kinds/label-selector-validation.js';
export { isExtendedResource, isHugePages } from './kinds/resource-names.js';
export { aggregateContainers } from './kinds/pods/container-resources.js';
export { readTolerations } from './kinds/pods/pod-annotation-validation.js';
export { apiObjectReference, isMirrorPod, mirrorPodAnnotation, namesSecrets } from './kinds/pods/mirror-pods.js';
export { podDefaults } from './kinds/pods/pod-defaults.js';
export { podQosClass } from './kinds/pods/pod-qos.js';
export { validateTolerations } from './kinds/pods/toleration-validation.js';
export {
  availableAtMs,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  podCondition,
  withPodCondition,
} from './kinds/pods/pod-state.js';
export {
  everythingOf,
  groupSubject,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
} from './kinds/flowcontrol/mandatory.js';
export { aggregatedRules } from './kinds/rbac/aggregated-rules.js';
export { systemPriorityClasses } from './kinds/scheduling/priority-class.js';
export type { CronSchedule } from './kinds/batch/cron-schedule.js';
export { parseCronSchedule } from './kinds/batch/cron-schedule.js';
export { checkTimeZone } from './kinds/batch/time-zone.js';
export type { Scalable } from './kinds/apps/scale.js';
export { scaleOf, scaleTable, validateScale, withReplicas } from './kinds/apps/scale.js';
export { plainTable } from './kinds/table-cells.js';
export type { Scheme, SchemeOptions, SchemeSection, Converter } from './scheme/scheme.js';
export type { ApiGroup } from './scheme/group-layers.js';
export type { Kinds, MutableKinds, SchemeChange } from './scheme/kinds.js';
export { createKinds } from './scheme/kinds.js';
export type { DefinedKind } from './scheme/define-kind.js';
export { defineKind } from './scheme/define-kind.js';
export type { PrinterColumn } from './kinds/printer-columns.js';
export { createScheme } from './scheme/scheme.js';
export type { BuiltinSchemeOptions } from './scheme/builtin.js';
export { builtinScheme } from './scheme/builtin.js';
export { builtinEndpoint } from './scheme/resource-table.js';
export { isNotRegisteredError, NotRegisteredError } from './scheme/not-registered-error.js';
export type { ResourceEntry, RestMapper, RestMapping } from './scheme/rest-mapper.js';
export { restMapper, restMapperOf, isNoMatchError, NoMatchError } from './scheme/rest-mapper.js';
export { compareVersions, isStable, stabilityOf } from './scheme/version-order.js';

// Codecs
export type { DecodedBody, FieldValidation } from './codec/json.js';
export { parseYaml, parseYamlDocuments } from './codec/yaml/parse-yaml.js';
export { printYaml } from './codec/yaml/print-yaml.js';
export { WireReader } from './codec/protobuf/wire-reader.js';
export { encodeObject, openEnvelope } from './codec/protobuf/envelope.js';
export { decodeMessage } from './codec/protobuf/decode.js';
export { encodeMessage } from './codec/protobuf/encode.js';
export { encodeWatchFrame, watchFrameReader } from './codec/protobuf/watch-frame.js';
export type { Negotiated, Offer } from './codec/media-type.js';
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
export { isPatchError, PatchError } from './patch/patch-error.js';

// Time and chance
export type { Clock } from './time/clock.js';
export { stopwatch } from './time/clock.js';
export { checkOptions } from './objects/check-options.js';
export type { OptionTable } from './objects/check-options.js';
export { backgroundClock, systemClock } from './time/system-clock.js';
export type { BackgroundClock } from './time/system-clock.js';
export type { Stall, VirtualClock, VirtualClockOptions } from './time/virtual-clock.js';
export { virtualClock } from './time/virtual-clock.js';
export type { Duration } from './time/duration-ms.js';
export { nextTurn } from './time/turns.js';
export { durationMs } from './time/duration-ms.js';
export type { Random } from './time/random.js';
export { random, systemRandom, nameSuffix } from './time/random.js';
export { TokenBucket } from './time/token-bucket.js';
export type { BackoffLadder, BackoffState, BackoffStep } from './time/backoff.js';
export { backoffLadders, backoffStep, delayAfter, isExhausted } from './time/backoff.js';

// Metrics
export { Histogram } from './metrics/histogram.js';
export type { MetricFamily, Sample } from './metrics/prometheus-text.js';
export { labelText, printSampleValue, prometheusText, prometheusType } from './metrics/prometheus-text.js';

// Collections
export type { HeapItem } from './collections/indexed-heap.js';
export { IndexedHeap } from './collections/indexed-heap.js';

// Streams
export { Outlet } from './streams/outlet.js';
export type { FrameType, SocketMessage } from './streams/socket-frames.js';
export { SocketError, closeCodes, encodeClose, encodeFrame, frameReader } from './streams/socket-frames.js';
export { firstOf, settle } from './streams/settle.js';
export type { HttpHead, HttpHeader, HttpPart, HttpReader, HttpReaderOptions } from './streams/http-messages.js';
export { encodeHttpHead, httpHeader, httpReader } from './streams/http-messages.js';
export { aborted, onAbort, pause, reasonOf, untilAborted } from './streams/until-aborted.js';
export type { Activity, Part } from './streams/part.js';
export type { ChannelMessage, DuplexChannels } from './streams/duplex-channels.js';
export { duplexChannels, openSession, servedChannels } from './streams/duplex-channels.js';
export type { ObjectInformers, ObjectReader } from './streams/object-reader.js';
export { objectInformers } from './streams/object-reader.js';
export type { ListOptions, ListWatch, Page, RawEvent, Selection, WatchOptions } from './streams/list-watch.js';
export type { Applied, Deleted, Failed, Init, Listed, WatcherEvent } from './streams/watch-event.js';
export { applied, deleted } from './streams/watch-event.js';
export type { WatcherOptions } from './streams/watcher.js';
export { watcher } from './streams/watcher.js';
export type { Indexes } from './streams/indexed-objects.js';
export type { Snapshot } from './streams/snapshot.js';
export { snapshotWriter, reflect } from './streams/snapshot.js';
export type { Informer } from './streams/informer.js';
export { InformerPool, informer } from './streams/informer.js';
export type { OnDemand } from './streams/on-demand.js';
export { onDemand } from './streams/on-demand.js';

// Requests and responses
export type {
  ResponseNotes,
  ApiRequest,
  ApiResponse,
  BookmarkEvent,
  Handler,
  ObjectResponse,
  RawResponse,
  RequestBody,
  RequestCause,
  RequestInfo,
  RequestOptions,
  ResponseExtras,
  SelectorTexts,
  WatchResponse,
} from './requests/api-request.js';
export type { AdmissionAnswer, AdmissionOperation, Handles, ReviewedWrite } from './requests/admission-review.js';
export { handlesWrite } from './requests/admission-review.js';
export type { InProcessRequestOptions } from './requests/in-process-request.js';
export { InProcessRequest } from './requests/in-process-request.js';
export type {
  AttachOptions,
  ExecOptions,
  PortForwardResponse,
  PortForwarding,
  ProcessChannels,
  ProcessInput,
  ProcessOutput,
  ProcessStreamResponse,
  StreamKind,
  StreamResponse,
  StreamUpgrade,
  TerminalSize,
} from './requests/stream-response.js';
export { decodeTerminalSize, encodeTerminalSize, withSession } from './requests/stream-response.js';
export type {
  LogOptions,
  ContainerTarget,
  NodeConnectionChannels,
  ContainerStats,
  NodeConnector,
  NodeProcessChannels,
  NodeStats,
  PodStats,
  PodTarget,
  ProcessCommand,
  ProcessStreams,
  StreamEnd,
  UsageStats,
} from './requests/node-connector.js';
export type { RequestedNames, RequestedSubject } from './kinds/certificates/x509.js';
export { certificateExpiryMs, certificateRequestNames, certificateRequestSubject } from './kinds/certificates/x509.js';

// Quotas
export type { QuotaEvaluator, QuotaWrite } from './quota/quota-evaluator.js';
export { isInScopes, scopesOf } from './quota/quota-evaluator.js';
export { evaluatorsMeasuring, quotaEvaluatorOf, quotaUsage } from './quota/quota-usage.js';
export type { QuotaAmounts } from './quota/quota-amounts.js';
export {
  addAmounts,
  amountsText,
  exceededNames,
  increaseOf,
  parseAmounts,
  pickAmounts,
  printAmounts,
  sameAmounts,
  withoutZeros,
} from './quota/quota-amounts.js';

// Field ownership and server-side apply
export type { ApplyField, ApplyList, ApplyMap, ApplyScalar, ApplyType } from './ownership/apply-type.js';
export { deducedType } from './ownership/apply-type.js';
export { FieldTypeError } from './ownership/check-fields.js';
export { FieldOwnership } from './ownership/field-ownership.js';
export type { AppliedConfig, ConfigApply } from './ownership/field-ownership.js';
export { AtomicFieldError, mergeConfiguration } from './ownership/merge-configuration.js';
export type { FieldOwner, FieldOwners } from './ownership/field-owners.js';
export type { FieldSet } from './ownership/field-set.js';
export { includedFields, parseFieldSet, recursiveDifferenceOf, setOfPath } from './ownership/field-set.js';
export { ItemKeyError } from './ownership/list-items.js';
export type { ObjectApplyType } from './ownership/object-apply-type.js';
export { objectApplyTypes } from './ownership/object-apply-type.js';
export type { FieldFilter, FieldUpdate, OwnedKind } from './ownership/ownership.js';
export type { ScaleOwnership } from './ownership/scale-owners.js';
export { parentEntries, scaleEntries } from './ownership/scale-owners.js';
export type { StructuralTypeOptions } from './ownership/structural-apply-type.js';
export { structuralApplyType } from './ownership/structural-apply-type.js';

// Custom resources
export type { CustomKindOptions } from './crd/custom-kinds.js';
export { customKinds } from './crd/custom-kinds.js';
export type { RuleCompiler, RuleValidator } from './crd/custom-strategy.js';
export { Correlation } from './kinds/apiextensions/correlation.js';
export { findField } from './kinds/apiextensions/field-path-rules.js';
export { costMessage } from './kinds/apiextensions/rule-costs.js';
export type { Schema as CustomSchema } from './kinds/apiextensions/schema-value.js';
export { itemSchema, someSchema, valueSchema } from './kinds/apiextensions/schema-walk.js';
export type {
  AdmissionExpression,
  CheckedExpression,
  DeviceSelectorExpression,
  ExpressionCheck,
  SchemaRules,
} from './kinds/expression-check.js';
export type { ConditionState } from './crd/definition-status.js';
export {
  acceptNames,
  cleanupFinalizer,
  establishedState,
  isDefinitionConditionTrue,
  judgeSchemas,
  withDefinitionCondition,
} from './crd/definition-status.js';
export type { Nested } from './crd/nested-fields.js';
export { fieldNames, nestedInteger, nestedText, setNested } from './crd/nested-fields.js';
export type { ScalePaths } from './scheme/kind-definition.js';
export type { ConvertObjects, VersionStorage } from './scheme/kind-definition.js';
