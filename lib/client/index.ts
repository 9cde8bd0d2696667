// Clients: the request as a value, and those who make it.
export type { InProcessOptions } from './in-process-request.js';
export { InProcessRequest } from './in-process-request.js';
export type {
  ApiRequest,
  ApiResponse,
  Bookmark,
  Handler,
  ObjectResponse,
  RawResponse,
  RequestBody,
  RequestInfo,
  RequestOptions,
  ResponseExtras,
  WatchResponse,
} from './api-request.js';
