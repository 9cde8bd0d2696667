// Calls a webhook over a network. The response is not trusted: bounded in time and size, https only, no redirects, JSON
// objects only. No header or credential of the client's request is passed on; only the object is sent. Messages are
// those of Go's HTTP client, because they reach users. As apiserver/pkg/util/webhook/client.go.
import {
  apiErrorFrom,
  deepFreeze,
  encodeJson,
  errorText,
  firstOf,
  isApiError,
  isJsonObject,
  parseJson,
  printDuration,
  serverResponse,
} from '../core/index.js';
import type { Clock, JsonObject } from '../core/index.js';
import { deadlineExceeded, within } from './timed-call.js';
import type { WebhookCall } from './webhook-call.js';
import { WebhookError, isWebhookError } from './webhook-error.js';
import type {
  ServiceEndpoint,
  ServiceReference,
  ServiceResolver,
  WebhookResponse,
  WebhookTarget,
  WebhookTransport,
} from './webhook-transport.js';

/** The webhook to call, and the limits of a call. */
export interface WebhookCallOptions {
  readonly target: WebhookTarget;
  readonly transport: WebhookTransport;
  readonly clock: Clock;
  /** Resolves services to endpoints; required if the target is a service. */
  readonly services?: ServiceResolver;
  /**
   * The authorities that may have signed the webhook's certificate, in PEM (`caBundle`). Default: those of the
   * transport.
   */
  readonly authorities?: string;
  /** Time limit of one call. Default 30 s. Sent to the webhook as `?timeout=30s`. */
  readonly timeoutMs?: number;
  /** Maximum length of a response, in bytes. Default 3 MiB, as for request bodies. */
  readonly bytesMax?: number;
  /** The User-Agent header. Default `vivarium`. */
  readonly userAgent?: string;
}

/**
 * Returns a call over the network, without retries (see `retryingCall`). Throws TypeError for an address that is not
 * allowed.
 */
export function webhookCall(options: WebhookCallOptions): WebhookCall {
  const {
    target,
    transport,
    clock,
    services,
    authorities,
    timeoutMs = 30_000,
    bytesMax = 3 * 1024 * 1024,
    userAgent = 'vivarium',
  } = options;
  const url = urlOf(target, timeoutMs);
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, */*', 'User-Agent': userAgent };
  const say = (what: string): string => `Post ${JSON.stringify(url)}: ${what}`;

  const exchange = async (request: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    const endpoint = await endpointOf(target, services, say);
    const response = await sent(
      transport({
        url,
        headers,
        body: encodeJson(deepFreeze(request)),
        signal,
        ...(endpoint && { endpoint }),
        ...(authorities !== undefined && { authorities }),
      }),
      say,
    );
    return answerOf(response, await textOf(response, bytesMax, say), say);
  };
  return (request, signal) =>
    within(
      clock,
      timeoutMs,
      signal,
      (until) => exchange(request, until),
      () => new WebhookError('timeout', say(deadlineExceeded)),
    );
}

/** Describes the outcome of a request in an error message. */
type Saying = (what: string) => string;

function urlOf(target: WebhookTarget, timeoutMs: number): string {
  const url = 'url' in target ? parsedUrl(target.url) : serviceUrl(target.service);
  url.searchParams.set('timeout', printDuration(BigInt(Math.round(timeoutMs * 1e6))));
  return url.href;
}

function parsedUrl(text: string): URL {
  if (!URL.canParse(text)) throw new TypeError(`the address of the webhook is no URL: ${JSON.stringify(text)}`);
  const url = new URL(text);
  if (url.protocol !== 'https:')
    throw new TypeError(`the address of the webhook must begin with https://, not ${url.protocol}//`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('the address of the webhook must not hold credentials');
  url.hash = '';
  return url;
}

/** Uses the DNS name of the service, which its certificate is issued for. The path is escaped. */
function serviceUrl({ namespace, name, path = '', port = servicePort }: ServiceReference): URL {
  const url = parsedUrl(`https://${name}.${namespace}.svc:${port}`);
  if (url.hostname !== `${name}.${namespace}.svc`)
    throw new TypeError(`no name of a service: ${JSON.stringify(`${namespace}/${name}`)}`);
  url.pathname = path;
  return url;
}

const servicePort = 443;

async function endpointOf(
  target: WebhookTarget,
  services: ServiceResolver | undefined,
  say: Saying,
): Promise<ServiceEndpoint | undefined> {
  if ('url' in target) return undefined;
  const { service } = target;
  if (services === undefined) throw new WebhookError('unreachable', say('services cannot be found from here'));
  try {
    const found = await firstOf<ServiceEndpoint | undefined>(
      services({ ...service, port: service.port ?? servicePort }),
      undefined,
    );
    if (found !== undefined) return found;
  } catch (cause) {
    throw new WebhookError('unreachable', say(errorText(cause)), { cause });
  }
  throw new WebhookError('unreachable', say(`no endpoints available for service ${JSON.stringify(service.name)}`));
}

async function sent(response: Promise<WebhookResponse>, say: Saying): Promise<WebhookResponse> {
  try {
    return await response;
  } catch (cause) {
    throw failureOf(cause, 'unreachable', say);
  }
}

async function textOf({ body }: WebhookResponse, bytesMax: number, say: Saying): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > bytesMax) throw new WebhookError('tooLong', `the answer is longer than ${bytesMax} bytes`);
      parts.push(decoder.decode(piece, { stream: true }));
    }
  } catch (cause) {
    throw failureOf(cause, 'reset', say);
  }
  return parts.join('') + decoder.decode();
}

function failureOf(cause: unknown, otherwise: 'unreachable' | 'reset', say: Saying): WebhookError {
  return new WebhookError(isWebhookError(cause) ? cause.reason : otherwise, say(errorText(cause)), { cause });
}

function answerOf(response: WebhookResponse, text: string, say: Saying): JsonObject {
  const { status } = response;
  if (status >= 300 && status < 400)
    throw new WebhookError('redirected', say(`redirects are not followed (status ${status})`), { status });
  if (status < 200 || status > 206) throw refusalOf(response, text);
  const value = parsed(text);
  if (!isJsonObject(value)) throw new WebhookError('malformed', say('the answer is no JSON object'), { status });
  return deepFreeze(value);
}

/**
 * Returns the webhook's own Status if the response is one, else an error for its HTTP status. Both are shown to users,
 * so only the first characters are kept.
 */
function refusalOf(response: WebhookResponse, text: string): WebhookError {
  const { status } = response;
  const seconds = secondsOf(response.header('retry-after'));
  const message = text.slice(0, messageMax).trim();
  const refusal =
    apiErrorFrom(parsed(text)) ??
    serverResponse({
      code: status,
      method: 'POST',
      unexpected: true,
      message: message === '' ? 'unknown' : message,
      retryAfterSeconds: seconds,
    });
  const askedSeconds = Math.max(seconds, refusal.status.details?.retryAfterSeconds ?? 0);
  const asked = askedSeconds > 0 || isApiError(refusal, 'ServerTimeout');
  return new WebhookError('refused', refusal.message.slice(0, messageMax), {
    status,
    cause: refusal,
    ...(asked && { retryAfterMs: askedSeconds * 1000 }),
  });
}

/** Maximum number of characters of an error page, as in client-go. */
const messageMax = 2048;

function secondsOf(header: string | null): number {
  return header !== null && /^[0-9]{1,9}$/.test(header.trim()) ? Number(header) : 0;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
