// One HTTP request and its response: headers, errors, and retries where the server requests them.
import { errorText, pause, reasonOf, untilAborted } from '../../core/index.js';
import type { Clock, Frozen, RequestInfo } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import { errorOfResponse, parseRetryAfter, readBodyText } from './response-body.js';
import { methodOf } from './error-response.js';
import { ConnectionError, isConnectionError } from './connection-error.js';
import { impersonationHeaders, warningsOf } from './http-request.js';
import type { SocketTransport } from './socket-transport.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';

/** Limits of a client over HTTP. */
export interface HttpLimits {
  /** The maximum size of a response. Default 256 MiB. */
  readonly responseBytesMax: number;
  /** The maximum size of a watch event. Default 16 MiB. */
  readonly eventBytesMax: number;
  /** The maximum number of retries. Default 10, as client-go. */
  readonly retriesMax: number;
  /** The longest Retry-After that is honoured; otherwise the error is thrown. Default one minute. */
  readonly retryAfterMsMax: number;
}

/** Settings of all requests of a client. */
export interface HttpSettings {
  /** Without a trailing slash. */
  readonly server: string;
  readonly transport: Transport;
  /** Undefined: exec, attach and port-forward are not available. */
  readonly socketTransport: SocketTransport | undefined;
  readonly authorization: (() => string | Promise<string>) | undefined;
  readonly impersonate: Frozen<UserInfo> | undefined;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly limits: HttpLimits;
  readonly onWarning: ((text: string) => void) | undefined;
}

/** The content of a request. */
export interface HttpMessage {
  readonly info: RequestInfo;
  /** Path and query. */
  readonly target: string;
  readonly accept: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request and returns its response. Throws the ApiError of an error response. */
export async function exchange(sending: HttpSettings, message: HttpMessage): Promise<TransportResponse> {
  const { limits, onWarning, clock } = sending;
  for (let tries = 0; ; tries++) {
    const response = await send(sending, message);
    if (onWarning !== undefined) warningsOf(response).forEach(onWarning);
    if (response.status >= 200 && response.status < 300) return response;
    const text = await readResponse(sending, message, () => readBodyText(response, errorBytesMax));
    const waitMs = tries < limits.retriesMax ? retryAfterMs(response) : undefined;
    if (waitMs === undefined || waitMs > limits.retryAfterMsMax) throw errorOfResponse(message.info, response, text);
    await pause(clock, waitMs, message.signal);
  }
}

/** Reads from the response body. Throws ConnectionError if the read fails. */
export async function readResponse<T>(
  { server }: HttpSettings,
  { info, target, signal }: HttpMessage,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw connectionFailure(error, signal, `the response to ${methodOf(info.verb)} ${server}${target} broke off`);
  }
}

/** The limit for error bodies: a Status is never that long. */
export const errorBytesMax: number = 3 * 1024 * 1024;

async function send(sending: HttpSettings, message: HttpMessage): Promise<TransportResponse> {
  const { server, transport } = sending;
  const { info, target, body, signal } = message;
  const headers = await requestHeaders(sending, message);
  if (signal?.aborted === true) throw reasonOf(signal);
  try {
    const answer = transport(server + target, {
      method: methodOf(info.verb),
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    return await untilAborted(answer, signal);
  } catch (error) {
    throw connectionFailure(error, signal, `${methodOf(info.verb)} ${server}${target} got no response`);
  }
}

/** Returns the headers of a request: those of the client's identity, and the media types of the message. */
export async function requestHeaders(
  { authorization, impersonate, userAgent }: HttpSettings,
  { accept, contentType }: Pick<HttpMessage, 'accept' | 'contentType'>,
): Promise<TransportRequest['headers']> {
  return {
    Accept: accept,
    'User-Agent': userAgent,
    ...(contentType !== undefined && { 'Content-Type': contentType }),
    ...(authorization !== undefined && { Authorization: await authorization() }),
    ...(impersonate !== undefined && impersonationHeaders(impersonate)),
  };
}

/** Returns the error of a request that got no response: the reason of its signal, or a ConnectionError. */
export function connectionFailure(error: unknown, signal: AbortSignal | undefined, what: string): unknown {
  if (signal?.aborted === true) return reasonOf(signal);
  if (isConnectionError(error)) return error;
  // `fetch` wraps the actual error.
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new ConnectionError(`${what}: ${errorText(inner)}`, { cause: error });
}

/** Returns the wait before a retry, which only the server can request. As client-go/rest/with_retry.go. */
function retryAfterMs({ status, headers }: TransportResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const seconds = parseRetryAfter(headers.get('retry-after'));
  return seconds === undefined ? undefined : seconds * 1000;
}
