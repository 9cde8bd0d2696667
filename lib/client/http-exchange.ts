// One request over HTTP and its answer: headers, refusals, and trying again where the server asks for it.
import { errorText, pause, reasonOf, untilAborted } from '../core/index.js';
import type { Clock, Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { RequestInfo } from './api-request.js';
import { refusalOf, secondsOf, textOf } from './answer-body.js';
import { methodOf } from './bare-refusal.js';
import { ConnectionError, isConnectionError } from './connection-error.js';
import { impersonationHeaders, warningsOf } from './request-headers.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';

/** What a client over HTTP may cost. */
export interface HttpLimits {
  /** The longest answer. Default 256 MiB. */
  readonly answerBytesMax: number;
  /** The longest event of a watch. Default 16 MiB. */
  readonly eventBytesMax: number;
  /** How often a request is tried again. Default 10, as client-go. */
  readonly retriesMax: number;
  /** The longest wait that a server may ask for; it is the caller's to wait longer. Default one minute. */
  readonly retryAfterMsMax: number;
}

/** What requests are sent with. */
export interface HttpSending {
  /** Without a slash at its end. */
  readonly server: string;
  readonly transport: Transport;
  readonly authorization: (() => string | Promise<string>) | undefined;
  readonly impersonate: Frozen<UserInfo> | undefined;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly limits: HttpLimits;
  readonly onWarning: ((text: string) => void) | undefined;
}

/** What is sent. */
export interface HttpMessage {
  readonly info: RequestInfo;
  /** Path and query. */
  readonly target: string;
  readonly accept: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The answer, if it is no refusal: those are thrown as ApiErrors. */
export async function exchange(sending: HttpSending, message: HttpMessage): Promise<TransportResponse> {
  const { limits, onWarning, clock } = sending;
  for (let tries = 0; ; tries++) {
    const response = await send(sending, message);
    if (onWarning !== undefined) warningsOf(response).forEach(onWarning);
    if (response.status >= 200 && response.status < 300) return response;
    const text = await reading(sending, message, () => textOf(response, refusalBytesMax));
    const waitMs = tries < limits.retriesMax ? retryAfterMs(response) : undefined;
    if (waitMs === undefined || waitMs > limits.retryAfterMsMax) throw refusalOf(message.info, response, text);
    await pause(clock, waitMs, message.signal);
  }
}

/** What a read of the answer came to, in the words of this client where it failed. */
export async function reading<T>(
  { server }: HttpSending,
  { info, target, signal }: HttpMessage,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw failureOf(error, signal, `the answer to ${methodOf(info.verb)} ${server}${target} broke off`);
  }
}

/** A Status is never that long, and of anything else only the beginning matters. */
const refusalBytesMax = 3 * 1024 * 1024;

async function send(sending: HttpSending, message: HttpMessage): Promise<TransportResponse> {
  const { server, transport } = sending;
  const { info, target, body, signal } = message;
  const headers = await headersOf(sending, message);
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
    throw failureOf(error, signal, `${methodOf(info.verb)} ${server}${target} got no answer`);
  }
}

async function headersOf(
  { authorization, impersonate, userAgent }: HttpSending,
  { accept, contentType }: HttpMessage,
): Promise<TransportRequest['headers']> {
  return {
    Accept: accept,
    'User-Agent': userAgent,
    ...(contentType !== undefined && { 'Content-Type': contentType }),
    ...(authorization !== undefined && { Authorization: await authorization() }),
    ...(impersonate !== undefined && impersonationHeaders(impersonate)),
  };
}

function failureOf(error: unknown, signal: AbortSignal | undefined, what: string): unknown {
  if (signal?.aborted === true) return reasonOf(signal);
  if (isConnectionError(error)) return error;
  // `fetch` hides what happened behind one more error.
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new ConnectionError(`${what}: ${errorText(inner)}`, { cause: error });
}

/** As client-go/rest/with_retry.go: only where the server says when. */
function retryAfterMs({ status, headers }: TransportResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const seconds = secondsOf(headers.get('retry-after'));
  return seconds === undefined ? undefined : seconds * 1000;
}
