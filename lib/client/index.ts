// Clients of an API server, and what is built on them: informers, controllers, Events, leader election. Sibling folders
// import these names; public.ts lists those of users.
export type { Client, KindClient, KindName, KindType } from './client.js';
export type {
  ActionClient,
  CertificateSigningRequestSubresources,
  KindSubresources,
  PodSubresources,
  ReadLogOptions,
  ServiceAccountSubresources,
} from './resources/kind-subresources.js';
export type { DynamicObject, Name, ResourceClient, Stored, SubresourceClient } from './resources/resource-client.js';
export type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ModifyOptions,
  WriteOptions,
} from './resources/request-options.js';
export type { AppliedObject, MergePatch, Patch, StrategicPatch } from './resources/patch.js';
export type { Discovered, DiscoveredResource, DiscoverOptions } from './discovery.js';
export type { InProcessClientOptions } from './in-process-client.js';
export { inProcessClient } from './in-process-client.js';
export type { PodLogLine, PodLogsOptions } from './logs/pod-logs.js';
export { podLogs } from './logs/pod-logs.js';
export type { HttpClientOptions } from './http/http-client.js';
export type { ClientSocket, SocketAnswer, SocketRequest, SocketTransport } from './http/socket-transport.js';
export { httpClient } from './http/http-client.js';
export { requestTarget, userAgentOf } from './http/http-request.js';
export { methodOf } from './http/error-response.js';
export { errorOfResponse, parseObjectBody } from './http/response-body.js';
export { linesOf, readEvent } from './http/watch-lines.js';
export type { DiscoveredVersion } from './discovery-documents.js';
export { readResourceList } from './discovery-documents.js';
export type { InformerScope, Informers, InformersOptions } from './informers/informers.js';
export { informers } from './informers/informers.js';
export type {
  Action,
  ControllerActivity,
  ControllerOptions,
  DelayedItem,
  ObjectEvent,
  ReconcileContext,
  Watch,
  WatchSignal,
} from './controller/controller.js';
export { awaitChange, controller, requeueAfter, watching, watchingDelayed } from './controller/controller.js';
export type { WaitOptions } from './resources/wait-for.js';
export { addFinalizer, removeFinalizer } from './resources/modify.js';
export type { OwnWrites } from './informers/own-writes.js';
export { withOwnWrites } from './informers/own-writes.js';
export type { EventDetails } from './events/event-correlation.js';
export type { EventFailed, EventRecorder, EventRecorderOptions } from './events/event-recorder.js';
export { eventName, eventRecorder } from './events/event-recorder.js';
export type { HttpLimits } from './http/http-exchange.js';
export type { ByteStream, Transport, TransportRequest, TransportResponse } from './http/transport.js';
export { fetchTransport, chunksOf } from './http/transport.js';
export { ConnectionError, isConnectionError } from './http/connection-error.js';
export type { ResourceLock } from './election/election-lock.js';
export { resourceLocks } from './election/election-lock.js';
export type { LeaderElectionOptions } from './election/leader-election.js';
export { electedPart } from './election/elected-part.js';
export { leaderElection } from './election/leader-election.js';
export type { Leadership } from './election/election-step.js';
export { whileLeading } from './election/elected-part.js';
export type { CustomKind, CustomKindSpec, CustomObject, SchemaValue } from './custom-kind.js';
export { crd } from './custom-kind.js';
