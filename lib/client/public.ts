// `vivarium/client`: clients of an API server and what is built on them. Everything else that the folders of the
// package share is in index.ts and may change at any time.

// Clients
export type {
  ActionClient,
  ApplyOptions,
  CallOptions,
  CertificateSigningRequestSubresources,
  Client,
  CustomKind,
  CustomKindSpec,
  CustomObject,
  DeleteCollectionOptions,
  DeleteOptions,
  Discovered,
  DiscoveredResource,
  DiscoverOptions,
  DynamicObject,
  GetOptions,
  HttpClientOptions,
  HttpLimits,
  InProcessClientOptions,
  KindClient,
  KindName,
  AppliedObject,
  MergePatch,
  ModifyOptions,
  Name,
  Patch,
  PodSubresources,
  ReadLogOptions,
  ResourceClient,
  SchemaValue,
  PodLogLine,
  PodLogsOptions,
  ServiceAccountSubresources,
  ClientSocket,
  SocketAnswer,
  SocketRequest,
  SocketTransport,
  Stored,
  StrategicPatch,
  SubresourceClient,
  Transport,
  TransportRequest,
  TransportResponse,
  WaitOptions,
  WriteOptions,
} from './index.js';
export { crd } from './index.js';
export {
  ConnectionError,
  addFinalizer,
  fetchTransport,
  httpClient,
  inProcessClient,
  isConnectionError,
  podLogs,
  removeFinalizer,
} from './index.js';

// Requests and streams
export type {
  ApiRequest,
  ApiResponse,
  AttachOptions,
  ExecOptions,
  Handler,
  NodeConnector,
  PortForwarding,
  ProcessChannels,
  RequestCause,
  RequestOptions,
  TerminalSize,
} from '../core/index.js';
export { decodeTerminalSize, encodeTerminalSize } from '../core/index.js';

// Informers and controllers
export type {
  Action,
  ControllerActivity,
  ControllerOptions,
  Informers,
  InformerScope,
  InformersOptions,
  ObjectEvent,
  OwnWrites,
  ReconcileContext,
  Watch,
} from './index.js';
export { awaitChange, controller, informers, requeueAfter, watching, withOwnWrites } from './index.js';

// Events and leader election
export type {
  EventDetails,
  EventFailed,
  EventRecorder,
  EventRecorderOptions,
  Leadership,
  LeaderElectionOptions,
} from './index.js';
export { electedPart, eventRecorder, leaderElection, whileLeading } from './index.js';
