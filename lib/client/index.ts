// Clients: the request as a value, and those who make it.
export type { InProcessOptions } from './in-process-request.js';
export { InProcessRequest } from './in-process-request.js';
export type {
  AnswerNotes,
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
} from './api-request.js';
export type {
  AttachOptions,
  ConnectionChannels,
  ExecOptions,
  PortForwardResponse,
  PortForwarding,
  ProcessChannels,
  ProcessInput,
  ProcessOutput,
  ProcessStreamResponse,
  StreamKind,
  StreamResponse,
  TerminalSize,
} from './stream-response.js';
export { decodeTerminalSize, encodeTerminalSize, withSession } from './stream-response.js';
export type {
  ContainerTarget,
  LogOptions,
  NodeConnectionChannels,
  NodeConnector,
  NodeProcessChannels,
  PodTarget,
  ProcessCommand,
  ProcessStreams,
  StreamAnswer,
} from './node-connector.js';
export type { Client, KindClient, KindName, KindType } from './client.js';
export type {
  ActionClient,
  CertificateSigningRequestSubresources,
  KindSubresources,
  PodSubresources,
  ReadLogOptions,
  ServiceAccountSubresources,
} from './kind-subresources.js';
export type { DynamicObject, Name, ResourceClient, Stored, SubresourceClient } from './resource-client.js';
export type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ModifyOptions,
  WriteOptions,
} from './request-options.js';
export type { MergePatch, Patch, StrategicPatch } from './patch.js';
export type { Discovered, DiscoveredResource, DiscoverOptions } from './discovery.js';
export type { InProcessClientOptions } from './in-process-client.js';
export { inProcessClient } from './in-process-client.js';
export type { HttpClientOptions } from './http-client.js';
export { httpClient } from './http-client.js';
export { userAgentOf } from './user-agent.js';
export type { InformerScope, Informers, InformersOptions } from './informers.js';
export { informers } from './informers.js';
export type {
  Action,
  ControllerActivity,
  ControllerOptions,
  ObjectEvent,
  ReconcileContext,
  Watch,
} from './controller.js';
export { awaitChange, controller, requeueAfter, watching } from './controller.js';
export type { WaitOptions } from './wait-for.js';
export { addFinalizer, removeFinalizer } from './finalizers.js';
export type { OwnWrites } from './own-writes.js';
export { withOwnWrites } from './own-writes.js';
export type { EventNote } from './event-correlation.js';
export type { EventFailed, EventRecorder, EventRecorderOptions } from './event-recorder.js';
export { eventName, eventRecorder } from './event-recorder.js';
export type { HttpLimits } from './http-exchange.js';
export type { ByteStream, Transport, TransportRequest, TransportResponse } from './transport.js';
export { fetchTransport, piecesOf } from './transport.js';
export { ConnectionError, isConnectionError } from './connection-error.js';
export type { LeaderElectionOptions } from './leader-election.js';
export { electedPart } from './elected-part.js';
export { leaderElection } from './leader-election.js';
export type { Leadership } from './election-step.js';
export { whileLeading } from './while-leading.js';
